package mapping

import "ttdiag/ingest/timeline"

// Table describes one format.
type Table struct {
	Name    string
	Family  string // heading under which formats are listed
	Title   string // what it is, in one line
	Vantage string // gateway, client or engine: whose clock
	Match   Match

	// Only says which records are requests; the others are rejected as no
	// request. All conditions must hold.
	Only []Cond
	// Absent lists the texts that the format writes for "no value", beside a
	// missing key and null, which always mean it.
	Absent []string
	// Fields are tried in order. The first one that has a value sets its column.
	Fields []Field
	// Notes are doubts about a record.
	Notes []Doubt
	// StampsEnd says that the timestamp is of the end of the request.
	StampsEnd bool
	// UTC says that times without a zone are UTC whatever zone the user names.
	UTC bool
	// Cumulative says that times contain earlier attempts; a record of a later
	// attempt gets the note.
	Cumulative bool

	FirstToken string // what the format's "time to first token" measures
	More       string // what to configure to know more
}

// Read says how the value of a field becomes the value of a column.
type Read uint8

// The ways to read.
const (
	// Plain takes numbers in the field's unit, text as it stands, flags, dates
	// of any common spelling, and durations that name their units ("1m3.2s").
	Plain        Read = iota
	Last              // the last element of a list as nginx writes it: "0.001, 0.240 : 0.300"
	Elements          // the number of elements of such a list
	Items             // the number of elements of an array
	OneMore           // a number plus one, for a count of retries
	UUIDTime          // the time in a version 7 UUID
	AmericanTime      // 8/21/2026, 3:15:28 PM, in the user's zone; any other order is absent
	LatePadded        // a date whose fraction of microseconds lacks its leading zeros
)

// Field is one way to fill a column.
type Field struct {
	Column timeline.Column
	Path   string   // where the value stands, as [scan.Compile] reads it
	Or     []string // other places, the first that has a value counts
	Read   Read
	Unit   timeline.Unit // of a duration, or of a time that is a number; 0 tells times by magnitude
	Const  string        // the value itself, in place of Path; set where When holds

	// Plus and Minus are added to and taken off the value, in the same unit.
	// The column is absent where one of them is.
	Plus, Minus []string

	Not     []string // values that mean absent: -1, 0
	NotSame []string // paths of values that mean absent if the value equals them
	When    []Cond   // the field counts only where all of these hold
	Words   []string // pairs of a source word and its value; other words are absent
	// Via turns the raw value into the number for the column, for what a table
	// cannot say. It gets JSON, never a quoted string.
	Via func(value []byte) (n int64, ok bool)

	// Origin and Point say what a value counts from and marks. Bias says which
	// way it misses the definition of the column: a field that has a bias is
	// approximate.
	Origin, Point, Bias string
	PlusMinusMs         int64 // half width of the interval around a rounded value
	// AtStart says of a timestamp that it is of the start though the table stamps
	// the end.
	AtStart bool
	// Config says that the source writes the field only if told to: where the
	// key is missing, nothing follows about the request.
	Config bool
	// Sometimes says that the source knows the value for some requests only:
	// absence proves nothing.
	Sometimes bool
}

// Doubt is a note for the records in which all conditions hold.
type Doubt struct {
	Note timeline.Note
	When []Cond
}

// Op is the kind of a condition.
type Op uint8

// The kinds. A value that the format spells as absent is not there.
const (
	OpHas      Op = iota // there is a value
	OpLacks              // there is none
	OpIs                 // the value is one of Values
	OpIsNot              // there is no value, or it is none of Values
	OpStarts             // the value starts with one of Values
	OpContains           // the value contains one of Values
)

// Cond is a condition on one value of a record.
type Cond struct {
	Path   string
	Op     Op
	Values []string
}

func has(path string) Cond                       { return Cond{Path: path, Op: OpHas} }
func lacks(path string) Cond                     { return Cond{Path: path, Op: OpLacks} }
func is(path string, values ...string) Cond      { return Cond{path, OpIs, values} }
func isNot(path string, values ...string) Cond   { return Cond{path, OpIsNot, values} }
func starts(path string, values ...string) Cond  { return Cond{path, OpStarts, values} }
func contains(path string, parts ...string) Cond { return Cond{path, OpContains, parts} }

// Match says which JSON objects are of the format. Paths are as
// [source.Object.Has] reads them: keys joined by dots, also where a key holds a
// dot itself.
type Match struct {
	All  []string   // each must be there
	Any  [][]string // at least one of these sets must be there as a whole
	None []string   // none may be there
}

func (f *Field) approximate() bool { return f.Bias != "" || f.PlusMinusMs != 0 }
