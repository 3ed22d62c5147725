package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/source"
	"ttdiag/ingest/store"
	"ttdiag/rules"
)

// config is the configuration in force. A flag wins over the environment, that
// over the file, that over the default.
type config struct {
	thresholds rules.Thresholds
	limits     store.Limits
	maps       []source.Mapping // of the file; those of flags come after
	file       string           // "" where there is none
}

// The keys of a configuration file beside those of the rules.
type configFile struct {
	Rule      any `yaml:"rule"`
	Overrides any `yaml:"overrides"`
	Store     struct {
		Age  string `yaml:"age"`
		Size string `yaml:"size"`
	} `yaml:"store"`
	Map []string `yaml:"map"`
}

const (
	defaultAge  = 30 * 24 * time.Hour
	defaultSize = 2 << 30
)

// loadConfig reads the configuration. Every error of it is wrong usage.
func loadConfig(s std, g *globals) (*config, error) {
	c := &config{limits: store.Limits{Age: defaultAge, Bytes: defaultSize}}
	name, data, err := findConfig(s, g.Config)
	if err != nil {
		return nil, usageError(err)
	}
	var file rules.File
	if name != "" {
		c.file = name
		if file, err = c.readFile(name, data); err != nil {
			return nil, usageError(err)
		}
	}
	if err := knownEnvironment(s); err != nil {
		return nil, usageError(err)
	}
	env, err := rules.FromEnvironment(s.env)
	if err != nil {
		return nil, usageError(err)
	}
	flags, err := c.readFlags(g.Set)
	if err != nil {
		return nil, usageError(err)
	}
	c.thresholds = rules.Combine(file, env, flags)
	return c, nil
}

// knownEnvironment refuses a variable that would set a threshold that there is
// not: a typing error must not pass for a setting.
func knownEnvironment(s std) error {
	if s.environ == nil {
		return nil
	}
	for _, line := range s.environ() {
		name, _, _ := strings.Cut(line, "=")
		key, ok := strings.CutPrefix(name, "TTDIAG_RULE_")
		if _, known := rules.ParamKeyed(strings.ToLower(key)); ok && !known {
			return fmt.Errorf("environment: no threshold is named %s; ttdiag rules lists them", printable(name))
		}
	}
	return nil
}

// findConfig returns the first configuration file there is: the one that was
// named, ttdiag.yaml here, the user's.
func findConfig(s std, named string) (name string, data []byte, err error) {
	if named != "" {
		data, err = os.ReadFile(named)
		if err != nil {
			return "", nil, fmt.Errorf("--config: %w", err)
		}
		return named, data, nil
	}
	for _, name := range configPlaces(s) {
		data, err := os.ReadFile(name)
		if err == nil {
			return name, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", nil, fmt.Errorf("configuration: %w", err)
		}
	}
	return "", nil, nil
}

func configPlaces(s std) []string {
	places := []string{"ttdiag.yaml"}
	if dir, ok := s.env("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return append(places, filepath.Join(dir, "ttdiag", "ttdiag.yaml"))
	}
	if home, ok := s.env("HOME"); ok && home != "" {
		places = append(places, filepath.Join(home, ".config", "ttdiag", "ttdiag.yaml"))
	}
	return places
}

func (c *config) readFile(name string, data []byte) (rules.File, error) {
	file, err := rules.ParseFile(data, "store", "map")
	if err != nil {
		return file, fmt.Errorf("%s:%w", printable(name), err)
	}
	var own configFile
	if err := yaml.UnmarshalWithOptions(data, &own, yaml.Strict()); err != nil {
		return file, fmt.Errorf("%s:%s", printable(name), yamlPlace(err))
	}
	for key, text := range map[string]string{"store.age": own.Store.Age, "store.size": own.Store.Size} {
		if text == "" {
			continue
		}
		if err := c.set(key, text); err != nil {
			return file, fmt.Errorf("%s: %w", printable(name), err)
		}
	}
	for _, text := range own.Map {
		m, err := parseMapping(text)
		if err != nil {
			return file, fmt.Errorf("%s: map: %w", printable(name), err)
		}
		c.maps = append(c.maps, m)
	}
	return file, nil
}

// yamlPlace returns line, column and message of an error of the YAML library.
func yamlPlace(err error) string {
	var known yaml.Error
	if errors.As(err, &known) {
		if t := known.GetToken(); t != nil && t.Position != nil {
			return fmt.Sprintf("%d:%d: %s", t.Position.Line, t.Position.Column, known.GetMessage())
		}
	}
	return " " + err.Error()
}

// readFlags takes the keys of the store and leaves the rest to the rules.
func (c *config) readFlags(set []string) ([]rules.Setting, error) {
	var out []rules.Setting
	for _, text := range set {
		key, value, _ := strings.Cut(text, "=")
		if strings.HasPrefix(key, "store.") {
			if err := c.set(key, value); err != nil {
				return nil, fmt.Errorf("--set: %w", err)
			}
			continue
		}
		one, err := rules.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		out = append(out, one)
	}
	return out, nil
}

var errNoLimit = errors.New("0 is no limit: write none for that, or call ttdiag store clear to remove every run")

// set sets one key of the store. "none" is no limit; 0 is refused, since it
// could be meant as either.
func (c *config) set(key, value string) error {
	var err error
	switch {
	case key == "store.age" && value == "none":
		c.limits.Age = 0
	case key == "store.age":
		if c.limits.Age, err = parseAge(value); err == nil && c.limits.Age == 0 {
			err = errNoLimit
		}
	case key == "store.size" && value == "none":
		c.limits.Bytes = 0
	case key == "store.size":
		if c.limits.Bytes, err = parseSize(value); err == nil && c.limits.Bytes == 0 {
			err = errNoLimit
		}
	default:
		return fmt.Errorf("no key %q", key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// parseMapping reads one --map, or one of the file's map.
func parseMapping(text string) (source.Mapping, error) { return mapping.ParseMapping(text) }
