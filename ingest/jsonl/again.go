package jsonl

import (
	"ttdiag/ingest/scan"
	"ttdiag/ingest/timeline"
)

// A diagnosis or a converted record that ttdiag wrote says more than its columns:
// which of them are approximate, which marks the source could record, whether the
// speed was recorded, what was doubted. It is believed only beside the schema of
// such an output.

const diagnosisSchema = "ttdiag.diagnosis/1"

// diagnosis is what a line says beside the columns. Its literals alias the line.
type diagnosis struct {
	seen       [numSpecials]bool
	schema     []byte
	approx     []byte
	recordable []byte
	notes      []byte
	format     []byte
	speed      []byte
	speedBasis []byte
}

// special reads objects that hold columns, and what else a diagnosis says.
func (p *parser) special(b []byte, i int, t *target) (int, scan.Fault) {
	k := t.use - firstSpecial
	if t.use == enter {
		k = numSpecials - 1 - use(t.inner.place)
	}
	if p.said.seen[k] && t.use != notes && t.use != format { // those any log may have
		p.field = t.name
		return i, scan.Duplicate
	}
	p.said.seen[k] = true
	i = scan.Space(b, i)
	if t.use == enter && i < len(b) && b[i] == '{' {
		p.timings = p.timings || t.name == "timings"
		return p.fields(b, i, p.guides[t.inner])
	}
	end, f := scan.Skip(b, i)
	if f != scan.OK {
		return end, f
	}
	switch lit := b[i:end]; t.use {
	case schema:
		p.said.schema = lit
	case approx:
		p.said.approx = lit
	case recordable:
		p.said.recordable = lit
	case notes:
		p.said.notes = lit
	case format:
		p.said.format = lit
	case speed:
		p.said.speed = lit
	case speedBasis:
		p.said.speedBasis = lit
	}
	return end, scan.OK
}

// takeSaid applies what a diagnosis says. A speed that was derived is no column.
func (p *parser) takeSaid() {
	said := &p.said
	if string(said.speedBasis) == `"recorded"` && said.speed != nil && !p.named.Has(timeline.ColVisibleOutputTPS) {
		p.put(scan.ValueOf(said.speed), &target{column: timeline.ColVisibleOutputTPS})
	}
	switch string(said.schema) {
	case `"` + diagnosisSchema + `"`:
	case `"` + timeline.RecordSchema + `"`:
		p.takeRecord()
		return
	default:
		return
	}
	if v := said.recordable; len(v) > 2 && v[0] == '"' {
		marks := timeline.ParseRecordable(string(v[1 : len(v)-1]))
		p.row.SetText(timeline.ColRecordable, []byte(timeline.Recordable(marks)))
	}
	if len(said.approx) > 2 && said.approx[0] == '[' {
		label := p.labelOf(said.approx)
		if p.exact {
			p.row.Drop(label.Mask())
			return
		}
		p.row.Label = label
	}
}

// takeRecord applies what a converted record says. It is a record whatever its
// columns are.
func (p *parser) takeRecord() {
	said := &p.said
	p.timings = true
	p.told.Exact = p.exact
	p.told.Take(p.row, timeline.ColApprox, said.approx)
	p.takeTold(timeline.ColRecordable, said.recordable)
	p.takeTold(timeline.ColNotes, said.notes)
	p.takeTold(timeline.ColFormat, said.format)
}

func (p *parser) takeTold(c timeline.Column, lit []byte) {
	if len(lit) > 2 && lit[0] == '"' {
		p.told.Take(p.row, c, lit[1:len(lit)-1])
	}
}

// What is learned of approximations is bounded in number and size.
const (
	maxLabels    = 64
	maxLabelText = 4096
)

// labelOf returns the label that a literal stands for, nil for none. Lines of one
// source share few.
func (p *parser) labelOf(lit []byte) *timeline.Label {
	if l, ok := p.labels[string(lit)]; ok {
		return l
	}
	var label *timeline.Label
	if len(lit) <= maxLabelText {
		if parsed, ok := timeline.ParseLabel(string(lit)); ok && parsed.Mask() != 0 {
			label = parsed
		}
	}
	if p.labels == nil || len(p.labels) == maxLabels {
		p.labels = map[string]*timeline.Label{}
	}
	p.labels[string(lit)] = label
	return label
}
