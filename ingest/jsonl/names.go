package jsonl

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// use says what the parser does with a value.
type use uint8

const (
	skip   use = iota // nothing: it is checked and passed over
	number            // digits go straight to the column
	text              // a label or an identifier
	moment            // a timestamp: a date, or a number
	flag              // true, false, and other words for them
	enter             // an object that holds columns
	schema            // the rest is what a diagnosis says
	approx
	recordable
	notes
	format
	speed      // derived.visible_output_tps
	speedBasis // derived.visible_output_tps_basis

	firstSpecial = enter
	// numSpecials is room for each of them, enter for each of three objects.
	numSpecials = speedBasis - enter + 1 + 3
)

// target is what a key stands for.
type target struct {
	use    use
	column timeline.Column
	unit   timeline.Unit
	rank   int
	id     uint16  // tells the spellings apart, nested ones too
	exp    int     // of number: the power of ten to the column's unit
	inner  *object // of enter
	name   string  // of specials
}

// object is one object of a record and the keys that are known in it.
type object struct {
	keys  map[string]*target
	name  string
	place int // among the objects inside of a record
}

// names is every key of the format. It does not change once made.
type names struct {
	top     *object
	targets []*target // by id
	objects []*object // all of them, top first
	marks   []string  // paths that only this format has
}

// nestedRank puts a column inside timings or tokens behind the same column
// beside them.
const nestedRank = 1000

// timing are the columns of which a record must name one.
const timing = timeline.Mask(1<<(timeline.ColTotalHandler+1)-1) | 1<<timeline.ColVisibleOutputTPS |
	1<<timeline.ColLongestGap | 1<<timeline.ColLongestGapAt

func newNames() *names {
	spellings := timeline.Spellings()
	n := &names{top: &object{keys: make(map[string]*target, len(spellings)+int(numSpecials))}}
	timings := &object{name: "timings", keys: make(map[string]*target, len(spellings))}
	tokens := &object{name: "tokens", keys: map[string]*target{}}
	derived := &object{name: "derived", keys: map[string]*target{}}
	n.objects = []*object{n.top, timings, tokens, derived}
	n.targets = make([]*target, 0, 2*len(spellings)+int(numSpecials))
	all := make([]target, cap(n.targets))
	add := func(o *object, key string, t target) {
		t.id = uint16(len(n.targets))
		at := &all[t.id]
		*at = t
		o.keys[key] = at
		n.targets = append(n.targets, at)
	}
	for _, s := range spellings {
		add(n.top, s.Name, targetOf(s))
		if timing.Has(s.Column) {
			n.marks = append(n.marks, s.Name, "timings."+s.Name)
		}
		s.Rank += nestedRank
		switch s.Column.Info().Group {
		case timeline.GroupTimings:
			add(timings, s.Name, targetOf(s))
		case timeline.GroupTokens:
			add(tokens, s.Name, targetOf(s))
		}
	}
	for i, o := range n.objects[1:] {
		o.place = i
		add(n.top, o.name, target{use: enter, inner: o, name: o.name})
	}
	add(n.top, "schema", target{use: schema, name: "schema"})
	add(n.top, "approx", target{use: approx, name: "approx"})
	add(n.top, "recordable", target{use: recordable, name: "recordable"})
	add(n.top, "notes", target{use: notes, name: "notes"})
	add(n.top, "format", target{use: format, name: "format"})
	tps := timeline.ColVisibleOutputTPS.String()
	add(derived, tps, target{use: speed, name: tps})
	add(derived, tps+"_basis", target{use: speedBasis, name: tps + "_basis"})
	return n
}

func targetOf(s timeline.Spelling) target {
	t := target{use: number, column: s.Column, unit: s.Unit, rank: s.Rank}
	switch s.Column.Info().Kind {
	case timeline.KindLabel, timeline.KindID:
		t.use = text
	case timeline.KindTimestamp:
		t.use = moment
	case timeline.KindFlag:
		t.use = flag
	default:
		t.exp, _ = timeline.Exponent(s.Column, s.Unit)
	}
	return t
}

// timed reports whether an object names a timing column.
func (n *names) timed(o *source.Object) bool {
	if o.Has("schema") && o.Has("format") && o.Has("source_line") { // a converted record
		return true
	}
	for _, path := range n.marks {
		if o.Has(path) {
			return true
		}
	}
	return false
}
