package rules

import "ttdiag/ingest/timeline"

// outcome is the code of the Outcome: what the log says in its own column, else
// what the status says.
func outcome() *Expr {
	args := []*Expr{}
	for o := range Outcome(NumOutcomes) {
		args = append(args, textIn(timeline.ColOutcome, o.String()), literal(int64(o)))
	}
	status := column(timeline.ColStatus)
	is := func(code int64) *Expr { return equal(status, literal(code)) }
	between := func(lo, hi int64) *Expr {
		return and(greaterEqual(status, literal(lo)), lessEqual(status, literal(hi)))
	}
	for _, s := range []struct {
		when *Expr
		then Outcome
	}{
		{between(200, 299), Success},
		{is(499), ClientCancelled},
		{is(429), RateLimited},
		{or(is(408), is(504)), Timeout},
		{between(400, 499), Rejected},
		{between(500, 599), UpstreamError},
	} {
		args = append(args, s.when, literal(int64(s.then)))
	}
	return choose(append(args, literal(int64(Unknown)))...)
}

// failed says that the outcome is neither success nor unknown.
func failed(outcome *Expr) *Expr {
	return and(greater(outcome, literal(int64(Success))), less(outcome, literal(int64(Unknown))))
}
