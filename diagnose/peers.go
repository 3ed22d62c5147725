package diagnose

import (
	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Peers is where a request stands among others like it.
type Peers struct {
	Of     []KeyValue // what they have in common with it
	N      int64      // how many there are, itself and its other attempts apart
	Looked int64      // requests among which they were looked for
	Ranks  []PeerRank // in walk order, those stages that it has a value for
	// Class is what Shares and Minutes count: its own class, or with AnySlow all
	// slow ones, because it has no slow stage itself.
	Class   rules.Class
	AnySlow bool
	Shares  []PeerShare
	Load    PeerLoad
	Minutes []PeerMinute // around its start, none where that is unknown
	Apart   *PeerApart   // nil where it has no slow stage and is not undetermined
}

// PeerApart is what sets the requests of its class apart, among all that were
// looked at, and whether it is one of those.
type PeerApart struct {
	WhyClass
	N   int64
	Has []bool // parallel to Findings
}

// PeerRank is one metric of the request among its peers.
type PeerRank struct {
	Stage      string // "" for the whole
	Metric     string
	Unit       rules.Unit
	Tail       stats.Tail
	Value      int64
	LowerBound bool
	Position   stats.Position
	Median     stats.Figure // of the peers
}

// PeerShare compares peers that share a label with the request to those that do
// not, by how many of them are of the class.
type PeerShare struct {
	Column          string
	Value           string
	Here, Elsewhere stats.Share
	Lo, Hi          float64 // of the difference, here less elsewhere (Newcombe)
	P               float64 // Fisher's exact test, adjusted over Shares
}

// PeerLoad is what else went on. Counts are of all requests that were looked at.
type PeerLoad struct {
	Inflight *PeerRank // as the log has it, nil where it does not
	Known    bool      // its start and end are known
	AtStart  int64     // requests in progress when it started
	Overlap  int64     // requests that were in progress at any moment of it
	Timed    int64     // requests whose start and end are known
	// Mean is how many were in progress on average in the minutes around it.
	Mean float64
}

// PeerMinute counts the requests that started in one minute.
type PeerMinute struct {
	Start   int64 // µs since the epoch
	N       int64
	OfClass int64
	Failed  int64
}

const (
	minuteUs    = 60_000_000
	minutesEach = 5 // before and after
)

// peerLabels are what Shares are told for.
var peerLabels = [...]timeline.Column{timeline.ColChannel, timeline.ColRoute, timeline.ColRegion, timeline.ColProvider}
