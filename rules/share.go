package rules

import (
	"fmt"
	"slices"
	"strings"

	"ttdiag/ingest/timeline"
)

// Sharer gives equal expressions the same pointer. The zero value is ready.
type Sharer struct{ seen map[exprKey]*Expr }

// exprKey is equal for equal expressions whose arguments are shared.
type exprKey struct {
	op     Op
	column timeline.Column
	param  Param
	value  int64
	args   [3]*Expr
	rest   string // further arguments and the texts
}

// Share returns the expression that stands for e and all that are equal to it.
// The arguments of e must be shared already.
func (s *Sharer) Share(e *Expr) *Expr {
	if s.seen == nil {
		s.seen = make(map[exprKey]*Expr, 512)
	}
	key := e.key()
	if known, ok := s.seen[key]; ok {
		return known
	}
	s.seen[key] = e
	return e
}

func (e *Expr) key() exprKey {
	key := exprKey{op: e.Op, column: e.Column, param: e.Param, value: e.Value}
	n := copy(key.args[:], e.Args)
	if n == len(e.Args) && len(e.Texts) == 0 {
		return key
	}
	var b strings.Builder
	for _, a := range e.Args[n:] {
		fmt.Fprintf(&b, "%p ", a)
	}
	for _, t := range e.Texts {
		fmt.Fprintf(&b, "%q ", t)
	}
	key.rest = b.String()
	return key
}

// deep is Share for an expression whose arguments may not be shared yet. done
// holds what was shared before.
func (s *Sharer) deep(e *Expr, done map[*Expr]*Expr) *Expr {
	if e == nil {
		return nil
	}
	if known, ok := done[e]; ok {
		return known
	}
	with := e // a copy where an argument is another one
	for i, a := range e.Args {
		if arg := s.deep(a, done); arg != with.Args[i] {
			if with == e {
				copied := *e
				copied.Args = slices.Clone(e.Args)
				with = &copied
			}
			with.Args[i] = arg
		}
	}
	shared := s.Share(with)
	done[e] = shared
	return shared
}

// share makes equal expressions of the whole table the same pointer.
func (b *builder) share() {
	var s Sharer
	done := make(map[*Expr]*Expr, 1536)
	t := &b.table
	each := func(list ...**Expr) {
		for _, e := range list {
			*e = s.deep(*e, done)
		}
	}
	for _, m := range t.Metrics {
		each(&m.Value, &m.Part, &m.Whole, &m.Bound)
	}
	for i := range t.Steps {
		each(&t.Steps[i].UseOther, &t.Steps[i].Slow, &t.Steps[i].Verdict)
	}
	for i := range t.Intervals {
		each(&t.Intervals[i].Fires)
	}
	for i := range t.Remarks {
		each(&t.Remarks[i].When)
	}
	for i := range t.Terms {
		each(&t.Terms[i].Expr)
	}
	for i := range t.NotEvaluated {
		each(&t.NotEvaluated[i])
	}
	each(&t.Outcome, &t.SinceOrigin, &t.NonStreaming, &t.HeadersProven, &t.Class)
}
