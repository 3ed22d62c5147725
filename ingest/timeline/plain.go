package timeline

// RecordSchema names the layout of the records that ttdiag converts logs to: each
// column under its own name, in the unit that its name says.
const RecordSchema = "ttdiag.record/1"

// PlainScale returns how many of a numeric column's units make one of those in
// which its values leave the program: 1000 microseconds are a millisecond.
func PlainScale(c Column) int64 {
	switch fields[c].Kind {
	case KindLength, KindReceipt, KindUpstreamStart:
		return 1000
	case KindRate, KindFraction:
		return 1e6
	}
	return 1
}

// Plain returns a value as it leaves the program. The nearest whole number of the
// column's units is the value again.
func Plain(c Column, v int64) float64 { return float64(v) / float64(PlainScale(c)) }
