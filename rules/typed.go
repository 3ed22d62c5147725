package rules

import "ttdiag/ingest/timeline"

// Instant is an expression for a moment since O. Moments of different origins
// neither subtract nor stand in for each other: such a rule does not compile.
type Instant[O timeline.Origin] struct {
	_         [0]O
	value     *Expr
	plusMinus *Expr // half the width of its interval where it is rounded
}

// Span is an expression for a length of time.
type Span struct {
	value     *Expr
	plusMinus *Expr
}

// At returns the moment of a mark.
func At[O timeline.Origin](m timeline.Mark[O]) Instant[O] {
	return Instant[O]{value: column(m.Column()), plusMinus: plusMinus(m.Column())}
}

// LengthOf returns the length of a phase.
func LengthOf(p timeline.Phase) Span {
	return Span{value: column(p.Column()), plusMinus: plusMinus(p.Column())}
}

// First returns the first of a and b that is recorded.
func First[O timeline.Origin](a, b Instant[O]) Instant[O] {
	return Instant[O]{
		value:     coalesce(a.value, b.value),
		plusMinus: choose(isNotNull(a.value), a.plusMinus, b.plusMinus),
	}
}

// Gap returns the length from one moment to a later one, 0 where rounding has
// put them the other way round, absent where either is.
func Gap[O timeline.Origin](from, to Instant[O]) Span {
	return Span{
		value:     greatest(sub(to.value, from.value), literal(0)),
		plusMinus: add(to.plusMinus, from.plusMinus),
	}
}

// Local returns the sum of the local phases that are recorded, absent where none
// is.
func Local() Span {
	auth, distribution, body := LengthOf(timeline.Auth), LengthOf(timeline.Distribution), LengthOf(timeline.BodyRead)
	zero := literal(0)
	sum := add(add(coalesce(auth.value, zero), coalesce(distribution.value, zero)), coalesce(body.value, zero))
	any := or(isNotNull(auth.value), isNotNull(distribution.value), isNotNull(body.value))
	return Span{
		value:     choose(any, sum, null()),
		plusMinus: add(add(auth.plusMinus, distribution.plusMinus), body.plusMinus),
	}
}

// SinceUpstream moves a moment from t0 to t1, which is the recorded upstream
// start, else the sum of the local phases, else t0 itself. It is the only bridge
// between the origins, and never gives a moment before t1.
func SinceUpstream(x Instant[timeline.Receipt]) Instant[timeline.UpstreamStart] {
	start, local := At(timeline.Start), Local()
	t1 := coalesce(start.value, local.value, literal(0))
	shift := choose(isNotNull(start.value), start.plusMinus, local.plusMinus)
	return Instant[timeline.UpstreamStart]{
		value:     greatest(sub(x.value, t1), literal(0)),
		plusMinus: add(x.plusMinus, shift),
	}
}

// Elapsed returns the length from the origin to the moment.
func (t Instant[O]) Elapsed() Span { return Span{value: t.value, plusMinus: t.plusMinus} }

// Expr returns the length as recorded.
func (s Span) Expr() *Expr { return s.value }

// Instead returns the length of other where cond is true, and s elsewhere.
func (s Span) Instead(cond *Expr, other Span) Span {
	return Span{
		value:     choose(cond, other.value, s.value),
		plusMinus: choose(cond, other.plusMinus, s.plusMinus),
	}
}

// shortest returns the shortest length that the recorded one can stand for, and
// atMost the longest.
func (s Span) shortest() *Expr { return greatest(sub(s.value, s.plusMinus), literal(0)) }
func (s Span) longest() *Expr  { return add(s.value, s.plusMinus) }

// Beyond says that the length is greater than the limit, however it was rounded.
func (s Span) Beyond(limit *Expr) *Expr { return greater(s.shortest(), limit) }

// Within says that the length is not greater than the limit, however it was
// rounded.
func (s Span) Within(limit *Expr) *Expr { return lessEqual(s.longest(), limit) }

// Else returns s where it is there, else other.
func (s Span) Else(other Span) Span {
	return Span{
		value:     coalesce(s.value, other.value),
		plusMinus: choose(isNotNull(s.value), s.plusMinus, other.plusMinus),
	}
}
