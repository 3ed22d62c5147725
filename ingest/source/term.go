package source

// Term says what a name of another tool means in ttdiag's words. The same name
// may mean another thing in another version; then there are several terms.
type Term struct {
	Tool    string // as people call it
	Version string // "", or the versions that this holds for: ">= 0.7"
	Field   string // the name in the tool's output
	Unit    string // "ms", "s", "ns", "" for none
	Means   string // in ttdiag's words, one sentence
	Column  string // name of the column that takes it, "" for none
}
