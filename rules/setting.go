package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ttdiag/ingest/timeline"
)

// ErrSetting says that a threshold or its value is not one.
var ErrSetting = errors.New("bad threshold")

// ParseSetting reads name=value as in --set rule.headers_ms=1500. Errors wrap
// ErrSetting.
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return Setting{}, fmt.Errorf("%w: want name=value, as in rule.headers_ms=1500", ErrSetting)
	}
	p, ok := ParamKeyed(strings.TrimSpace(name))
	if !ok {
		return Setting{}, fmt.Errorf("%w: no threshold is named %q; ttdiag rules lists them", ErrSetting, name)
	}
	return parseValue(p, strings.TrimSpace(value))
}

// parseValue reads a decimal number in the unit of p.
func parseValue(p Param, text string) (Setting, error) {
	const finer = 1_000_000 // to see digits that the kept number has no room for
	v, parsed := timeline.ParseScaled([]byte(text), p.Unit().Scale()*finer, 1)
	step := int64(finer)
	if p.Unit() == TokensPerSecond {
		step *= 1000
	}
	exact := v%step == 0
	if v /= finer; parsed != timeline.ParsedOK || v < 0 || v > params[p].max || !exact {
		return Setting{}, fmt.Errorf("%w: %s wants %s", ErrSetting, p.Key(), p.wants())
	}
	return Setting{p, v}, nil
}

// wants says which values p takes.
func (p Param) wants() string {
	most := params[p].max / p.Unit().Scale()
	switch p.Unit() {
	case Milliseconds:
		return fmt.Sprintf("milliseconds from 0 to %d, with at most three decimals", most)
	case TokensPerSecond:
		return fmt.Sprintf("tokens per second from 0 to %d, with at most three decimals", most)
	}
	return fmt.Sprintf("a whole number from 0 to %d", most)
}

// EnvName returns the name of the environment variable that sets p.
func (p Param) EnvName() string { return "TTDIAG_RULE_" + strings.ToUpper(params[p].key) }

// FromEnvironment returns the thresholds that the environment sets. lookup is
// like os.LookupEnv; an empty value sets nothing. Errors wrap ErrSetting and
// name the variable.
func FromEnvironment(lookup func(string) (string, bool)) ([]Setting, error) {
	var list []Setting
	for p := range Param(NumParams) {
		text, ok := lookup(p.EnvName())
		if !ok || text == "" {
			continue
		}
		s, err := parseValue(p, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.EnvName(), err)
		}
		list = append(list, s)
	}
	return list, nil
}

// Combine puts the thresholds in force together: flags win over the environment,
// that over the file, that over the defaults. A threshold that a flag or the
// environment sets holds for all requests: overrides of it in the file lapse.
func Combine(file File, environment, flags []Setting) Thresholds {
	t := Defaults()
	t.apply(file.Rule, "file")
	t.Overrides = file.Overrides
	for _, layer := range []struct {
		list []Setting
		from string
	}{{environment, "environment"}, {flags, "flag"}} {
		t.apply(layer.list, layer.from)
		t.Overrides = without(t.Overrides, layer.list)
	}
	return t
}

func (t *Thresholds) apply(list []Setting, from string) {
	for _, s := range list {
		t.Base[s.Param] = s.Value
		t.from[s.Param] = from
	}
}

// without returns the overrides without what they say of the given thresholds.
func without(overrides []Override, gone []Setting) []Override {
	var kept []Override
	for _, o := range overrides {
		var set []Setting
		for _, s := range o.Set {
			if !sets(gone, s.Param) {
				set = append(set, s)
			}
		}
		if o.Set = set; len(set) > 0 {
			kept = append(kept, o)
		}
	}
	return kept
}

func sets(list []Setting, p Param) bool {
	for _, s := range list {
		if s.Param == p {
			return true
		}
	}
	return false
}

// FormatValue writes a kept whole number in the unit, with no more decimals than
// it has.
func FormatValue(v int64, u Unit) string {
	scale := u.Scale()
	text := strconv.FormatInt(v/scale, 10)
	if rest := v % scale; rest != 0 {
		if v < 0 {
			rest = -rest
			if v/scale == 0 {
				text = "-0"
			}
		}
		digits := strconv.FormatInt(scale+rest, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return text
}
