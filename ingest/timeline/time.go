package timeline

// Origin is the moment a time counts from. The set is closed.
type Origin interface{ Receipt | UpstreamStart }

// Receipt is the origin t0: the gateway has received the request. For a client
// tool, which has no t0 before t1, it is the start of the request.
type Receipt struct{}

// UpstreamStart is the origin t1: the upstream request starts.
type UpstreamStart struct{}

// Time is a moment, in whole microseconds since O, or absent (the zero value).
// Times of different origins neither convert into each other nor subtract.
type Time[O Origin] struct {
	_  [0]O // keeps Time[Receipt] and Time[UpstreamStart] from converting
	us int64
	ok bool
}

// At returns the moment us microseconds after O.
func At[O Origin](us int64) Time[O] { return Time[O]{us: us, ok: true} }

// Micros returns the microseconds since O, and false where the time is absent.
func (t Time[O]) Micros() (us int64, ok bool) { return t.us, t.ok }

// Sub returns t − u, which may be negative; absent where either is absent.
func (t Time[O]) Sub(u Time[O]) Length {
	if !t.ok || !u.ok {
		return Length{}
	}
	return Length{us: t.us - u.us, ok: true}
}

// Length is a duration in whole microseconds, or absent (the zero value). It
// has no origin: it is the length of a phase or the gap between two marks.
type Length struct {
	us int64
	ok bool
}

// LengthOf returns a length of us microseconds.
func LengthOf(us int64) Length { return Length{us: us, ok: true} }

// Micros returns the length in microseconds, and false where it is absent.
func (l Length) Micros() (us int64, ok bool) { return l.us, l.ok }

// Add returns l + m; absent where either is absent.
func (l Length) Add(m Length) Length {
	if !l.ok || !m.ok {
		return Length{}
	}
	return Length{us: l.us + m.us, ok: true}
}

// FromReceipt moves a time from t1 to t0: start is the moment of t1. It is the
// only bridge between the two origins, and absent where t1 is.
func FromReceipt(t Time[UpstreamStart], start Time[Receipt]) Time[Receipt] {
	if !t.ok || !start.ok {
		return Time[Receipt]{}
	}
	return At[Receipt](t.us + start.us)
}

// MaxMicros is the longest duration that is believed: 7 days. Longer ones are
// absent with the note out_of_range.
const MaxMicros int64 = 7 * 24 * 3600 * 1e6
