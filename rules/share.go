package rules

import (
	"fmt"
	"strings"
)

// Sharer gives equal expressions the same pointer. The zero value is ready.
type Sharer struct{ seen map[string]*Expr }

// Share returns the expression that stands for e and all that are equal to it.
// The arguments of e must be shared already.
func (s *Sharer) Share(e *Expr) *Expr {
	if s.seen == nil {
		s.seen = map[string]*Expr{}
	}
	key := e.key()
	if known, ok := s.seen[key]; ok {
		return known
	}
	s.seen[key] = e
	return e
}

func (e *Expr) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d %d %q", e.Op, e.Column, e.Value, e.Param, e.Texts)
	for _, a := range e.Args {
		fmt.Fprintf(&b, " %p", a)
	}
	return b.String()
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
	copied := *e
	copied.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		copied.Args[i] = s.deep(a, done)
	}
	shared := s.Share(&copied)
	done[e] = shared
	return shared
}

// share makes equal expressions of the whole table the same pointer.
func (b *builder) share() {
	var s Sharer
	done := map[*Expr]*Expr{}
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
