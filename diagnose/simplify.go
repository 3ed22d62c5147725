package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// simplifier turns expressions into nodes for one shape.
type simplifier struct {
	shape  shape
	limits *rules.Limits // nil where they differ from row to row
	done   map[*rules.Expr]*node
	pairs  map[pair]*node
}

// pair identifies a node of up to two arguments.
type pair struct {
	op     rules.Op
	a, b   *node
	column timeline.Column
	value  int64
	param  rules.Param
	text   string
}

func newSimplifier(s shape, limits *rules.Limits) *simplifier {
	return &simplifier{shape: s, limits: limits, done: map[*rules.Expr]*node{}, pairs: map[pair]*node{}}
}

// node returns the node of e, which is the same for the same e.
func (s *simplifier) node(e *rules.Expr) *node {
	if n, ok := s.done[e]; ok {
		return n
	}
	n := s.make(e)
	s.done[e] = n
	return n
}

func (s *simplifier) make(e *rules.Expr) *node {
	switch e.Op {
	case rules.OpNull, rules.OpLiteral:
		return s.leaf(node{op: e.Op, value: e.Value})
	case rules.OpColumn, rules.OpPlusMinus, rules.OpParam:
		return s.numberLeaf(e)
	case rules.OpTextIn, rules.OpTextHas:
		return s.textLeaf(e)
	case rules.OpCase:
		return s.choose(e)
	}
	args := make([]*node, len(e.Args))
	for i, a := range e.Args {
		args[i] = s.node(a)
	}
	switch e.Op {
	case rules.OpCoalesce:
		return s.coalesce(args)
	case rules.OpAnd, rules.OpOr:
		return s.logic(e.Op, args)
	case rules.OpNot:
		return s.not(args[0])
	case rules.OpIsTrue:
		return s.isTrue(args[0])
	case rules.OpIsNull:
		return s.isNull(args[0])
	case rules.OpIsNotNull:
		return s.not(s.isNull(args[0]))
	}
	if e.Op < rules.OpLess {
		return s.arithmetic(e, args[0], args[1])
	}
	return s.compare(e.Op, args[0], args[1])
}

// leaf returns the one node like n.
func (s *simplifier) leaf(n node) *node {
	key := pair{op: n.op, column: n.column, value: n.value, param: n.param}
	for _, t := range n.texts {
		key.text += t + "\x00"
	}
	switch len(n.args) {
	case 2:
		key.a, key.b = n.args[0], n.args[1]
	case 1:
		key.a = n.args[0]
	}
	if len(n.args) > 2 {
		return &n
	}
	if known, ok := s.pairs[key]; ok {
		return known
	}
	s.pairs[key] = &n
	return &n
}

func (s *simplifier) literal(v int64) *node { return s.leaf(node{op: rules.OpLiteral, value: v}) }

func (s *simplifier) constant(t truth) *node {
	key := pair{op: rules.OpIsTrue, value: int64(t)}
	if known, ok := s.pairs[key]; ok {
		return known
	}
	n := &node{op: rules.OpIsTrue, known: t}
	s.pairs[key] = n
	return n
}

func (s *simplifier) truthOf(b bool) *node {
	if b {
		return s.constant(always)
	}
	return s.constant(never)
}

func (s *simplifier) numberLeaf(e *rules.Expr) *node {
	switch {
	case e.Op == rules.OpColumn && !s.shape.present.Has(e.Column):
		return s.leaf(node{op: rules.OpNull})
	case e.Op == rules.OpPlusMinus && !s.shape.rounded.Has(e.Column):
		return s.literal(0)
	case e.Op == rules.OpParam && s.limits != nil:
		return s.literal(s.limits.Operand(e.Param))
	}
	return s.leaf(node{op: e.Op, column: e.Column, param: e.Param})
}

func (s *simplifier) textLeaf(e *rules.Expr) *node {
	if !s.shape.present.Has(e.Column) {
		return s.constant(unknown)
	}
	return s.leaf(node{op: e.Op, column: e.Column, texts: e.Texts})
}

func (s *simplifier) arithmetic(e *rules.Expr, a, b *node) *node {
	if a.isNull() || b.isNull() {
		return s.leaf(node{op: rules.OpNull})
	}
	if a.isLiteral() && b.isLiteral() {
		return s.literal(operate(e.Op, a.value, b.value))
	}
	if (e.Op == rules.OpAdd || e.Op == rules.OpSub) && b.isLiteral() && b.value == 0 {
		return a
	}
	if e.Op == rules.OpAdd && a.isLiteral() && a.value == 0 {
		return b
	}
	if lo, _ := e.Args[0].Range(); e.Op == rules.OpGreatest && b.isLiteral() && (lo >= b.value || a.op == rules.OpColumn && b.value <= 0) {
		return a
	}
	return s.leaf(node{op: e.Op, args: []*node{a, b}})
}

func operate(op rules.Op, a, b int64) int64 {
	switch op {
	case rules.OpAdd:
		return a + b
	case rules.OpSub:
		return a - b
	case rules.OpMul:
		return a * b
	case rules.OpGreatest:
		return max(a, b)
	}
	return min(a, b)
}

// coalesce drops what is never there, and all behind what always is.
func (s *simplifier) coalesce(args []*node) *node {
	var kept []*node
	for _, a := range args {
		if a.isNull() {
			continue
		}
		kept = append(kept, a)
		if s.alwaysThere(a) {
			break
		}
	}
	switch len(kept) {
	case 0:
		return s.leaf(node{op: rules.OpNull})
	case 1:
		return kept[0]
	}
	return s.leaf(node{op: rules.OpCoalesce, args: kept})
}

func (s *simplifier) alwaysThere(n *node) bool {
	switch n.op {
	case rules.OpLiteral, rules.OpParam, rules.OpPlusMinus:
		return true
	case rules.OpColumn:
		return s.shape.full.Has(n.column)
	case rules.OpAdd, rules.OpSub, rules.OpMul, rules.OpGreatest, rules.OpLeast:
		return s.alwaysThere(n.args[0]) && s.alwaysThere(n.args[1])
	case rules.OpCoalesce:
		return s.alwaysThere(n.args[len(n.args)-1])
	}
	return false
}

// choose drops branches that are never taken, and all behind one that always
// is.
func (s *simplifier) choose(e *rules.Expr) *node {
	var args []*node
	last := len(e.Args) - 1
	for i := 0; i < last; i += 2 {
		cond := s.node(e.Args[i])
		if cond.known == never || cond.known == unknown {
			continue
		}
		if cond.known == always {
			return s.chosen(append(args, s.node(e.Args[i+1])))
		}
		args = append(args, cond, s.node(e.Args[i+1]))
	}
	return s.chosen(append(args, s.node(e.Args[last])))
}

// chosen needs no choice where all branches are the same.
func (s *simplifier) chosen(args []*node) *node {
	last := args[len(args)-1]
	same := true
	for i := 1; i < len(args); i += 2 {
		same = same && args[i] == last
	}
	if same {
		return last
	}
	return s.leaf(node{op: rules.OpCase, args: args})
}

// logic folds constants; always and never swap their parts between AND and OR.
func (s *simplifier) logic(op rules.Op, args []*node) *node {
	neutral, absorbing := always, never
	if op == rules.OpOr {
		neutral, absorbing = never, always
	}
	var kept []*node
	for _, a := range args {
		switch {
		case a.known == absorbing:
			return a
		case a.known == neutral:
		case a.op == op && a.known == varies:
			kept = appendNew(kept, a.args...)
		default:
			kept = appendNew(kept, a)
		}
	}
	switch len(kept) {
	case 0:
		return s.constant(neutral)
	case 1:
		return kept[0]
	}
	return s.leaf(node{op: op, args: kept})
}

func appendNew(list []*node, more ...*node) []*node {
next:
	for _, n := range more {
		for _, known := range list {
			if known == n {
				continue next
			}
		}
		list = append(list, n)
	}
	return list
}

func (s *simplifier) not(a *node) *node {
	switch a.known {
	case always:
		return s.constant(never)
	case never:
		return s.constant(always)
	case unknown:
		return a
	}
	if a.op == rules.OpNot {
		return a.args[0]
	}
	return s.leaf(node{op: rules.OpNot, args: []*node{a}})
}

func (s *simplifier) isTrue(a *node) *node {
	switch a.known {
	case always, never:
		return a
	case unknown:
		return s.constant(never)
	}
	if a.op == rules.OpIsTrue || a.op == rules.OpIsNull {
		return a
	}
	return s.leaf(node{op: rules.OpIsTrue, args: []*node{a}})
}

func (s *simplifier) isNull(a *node) *node {
	switch {
	case a.isNull():
		return s.constant(always)
	case s.alwaysThere(a):
		return s.constant(never)
	case a.op == rules.OpColumn && a.column.IsText() && s.shape.full.Has(a.column):
		return s.constant(never)
	case a.op == rules.OpGreatest || a.op == rules.OpLeast || a.op == rules.OpSub || a.op == rules.OpAdd:
		return s.logic(rules.OpOr, []*node{s.isNull(a.args[0]), s.isNull(a.args[1])})
	}
	return s.leaf(node{op: rules.OpIsNull, args: []*node{a}})
}

// compare also looks through a choice among constants, which is then a matter of
// truth values alone.
func (s *simplifier) compare(op rules.Op, a, b *node) *node {
	switch {
	case a.isNull() || b.isNull():
		return s.constant(unknown)
	case a.isLiteral() && b.isLiteral():
		return s.truthOf(holds(op, a.value, b.value))
	case a.op == rules.OpCase && b.isLiteral() && literalsOnly(a):
		return s.compareChoice(op, a, b.value)
	}
	return s.leaf(node{op: op, args: []*node{a, b}})
}

func literalsOnly(n *node) bool {
	for i := 1; i < len(n.args); i += 2 {
		if !n.args[i].isLiteral() {
			return false
		}
	}
	return n.args[len(n.args)-1].isLiteral()
}

func (s *simplifier) compareChoice(op rules.Op, choice *node, limit int64) *node {
	last := len(choice.args) - 1
	result := s.truthOf(holds(op, choice.args[last].value, limit))
	for i := last - 2; i >= 0; i -= 2 {
		cond := s.isTrue(choice.args[i])
		if holds(op, choice.args[i+1].value, limit) {
			result = s.logic(rules.OpOr, []*node{cond, result})
		} else {
			result = s.logic(rules.OpAnd, []*node{s.not(cond), result})
		}
	}
	return result
}

func holds(op rules.Op, a, b int64) bool {
	switch op {
	case rules.OpLess:
		return a < b
	case rules.OpLessEqual:
		return a <= b
	case rules.OpGreater:
		return a > b
	case rules.OpGreaterEqual:
		return a >= b
	}
	return a == b
}
