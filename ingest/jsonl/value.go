package jsonl

import (
	"ttdiag/ingest/scan"
	"ttdiag/ingest/timeline"
)

// set reads the value at b[i] into t's column. What a value usually looks like
// is read in place; everything else, with every fault, is left to any.
func (p *parser) set(b []byte, i int, t *target) (end int, f scan.Fault) {
	switch t.use {
	case number:
		if mant, frac, end := decimal(b, i); end > 0 {
			p.row.SetDecimal(t.column, mant, t.exp-frac)
			return end, scan.OK
		}
	case text:
		if i < len(b) && b[i] == '"' {
			end, escaped, f := scan.String(b, i)
			if f == scan.OK {
				p.row.SetText(t.column, p.plain(b[i+1:end-1], escaped))
			}
			return end, f
		}
	}
	return p.any(b, i, t)
}

// decimal reads an unsigned number of up to 18 digits without an exponent. end
// is 0 where b[i] is not that, or where the number may not end there.
func decimal(b []byte, i int) (mant uint64, frac, end int) {
	start := i
	for i < len(b) && b[i]-'0' < 10 {
		mant = mant*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - start
	if digits == 0 || digits > 1 && b[start] == '0' {
		return 0, 0, 0
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i]-'0' < 10; i++ {
			mant = mant*10 + uint64(b[i]-'0')
		}
		if frac = i - point - 1; frac == 0 {
			return 0, 0, 0
		}
	}
	if digits+frac > 18 || i >= len(b) || b[i] != ',' && b[i] != '}' {
		return 0, 0, 0
	}
	return mant, frac, i
}

func (p *parser) any(b []byte, i int, t *target) (end int, f scan.Fault) {
	i = scan.Space(b, i)
	if end, f = scan.Skip(b, i); f == scan.OK {
		p.put(scan.ValueOf(b[i:end]), t)
	}
	return end, f
}

// put sets t's column from a value of any kind; null leaves it absent.
func (p *parser) put(v scan.Value, t *target) {
	c := t.column
	fits := v.Kind == scan.Text || v.Kind == scan.Num || v.Kind == scan.Bool && c.Info().Kind == timeline.KindFlag
	switch {
	case v.Kind == scan.Null || v.Kind == scan.Text && len(v.Raw) == 0:
	case fits:
		p.row.Parse(c, p.plain(v.Raw, v.Escaped), t.unit, p.zone)
	default:
		p.row.Refuse(c, timeline.BadValue)
	}
}

// plain returns the text between two quotes. It stays as it is until the next
// line.
func (p *parser) plain(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	start := len(p.scratch)
	p.scratch = scan.Unescape(p.scratch, raw)
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}
