package rules

import (
	"fmt"
	"math"
	"math/bits"

	"ttdiag/ingest/timeline"
)

// Op is the operator of an expression. Each is one operator of SQL.
type Op uint8

// The operators. Those below OpLess give numbers, the others truth values.
const (
	OpNull      Op = iota // NULL
	OpLiteral             // Value
	OpColumn              // a numeric column
	OpPlusMinus           // half the width of the interval of a rounded column, less 1 µs; 0 where exact
	OpParam               // a threshold, as Limits.Operand gives it
	OpAdd                 // +
	OpSub                 // −
	OpMul                 // ×
	OpGreatest            // GREATEST of two, absent where either is
	OpLeast               // LEAST of two, absent where either is
	OpCoalesce            // COALESCE
	OpCase                // CASE WHEN Args[0] THEN Args[1] … ELSE Args[last] END

	OpLess         // <
	OpLessEqual    // <=
	OpGreater      // >
	OpGreaterEqual // >=
	OpEqual        // =
	OpAnd          // AND, three-valued
	OpOr           // OR, three-valued
	OpNot          // NOT, three-valued
	OpIsNull       // IS NULL
	OpIsNotNull    // IS NOT NULL
	OpIsTrue       // IS TRUE: never unknown
	OpTextIn       // a text column IN (Texts)
	OpTextHas      // a text column LIKE '%Texts[0]%'
)

// Expr is a node of an expression. It is immutable and may be shared. Its fields
// are for readers of the tree; those that Op does not name are zero.
type Expr struct {
	Op     Op
	Args   []*Expr
	Column timeline.Column
	Value  int64
	Param  Param
	Texts  []string
	lo, hi int64 // of numbers
}

// Range returns the least and the greatest value that a numeric expression can
// have, whatever the columns hold after cleaning.
func (e *Expr) Range() (lo, hi int64) { return e.lo, e.hi }

// IsNumber reports whether e gives a number and not a truth value.
func (e *Expr) IsNumber() bool { return e.Op < OpLess }

// MaxCount is the greatest count that arithmetic sees: larger ones are taken as
// this, so that products stay inside int64.
const MaxCount = 1_000_000_000

func null() *Expr           { return &Expr{Op: OpNull} }
func literal(v int64) *Expr { return &Expr{Op: OpLiteral, Value: v, lo: v, hi: v} }

func column(c timeline.Column) *Expr {
	e := &Expr{Op: OpColumn, Column: c, hi: math.MaxInt64}
	switch {
	case c.IsDuration():
		e.hi = timeline.MaxMicros
	case c == timeline.ColVisibleOutputTPS:
		e.hi = 1e12
	case c == timeline.ColStatus:
		e.hi = 599
	case c == timeline.ColStream:
		e.hi = 1
	}
	return e
}

// count is a column of tokens, bounded so that it can be multiplied.
func count(c timeline.Column) *Expr { return least(column(c), literal(MaxCount)) }

func plusMinus(c timeline.Column) *Expr {
	return &Expr{Op: OpPlusMinus, Column: c, hi: timeline.MaxMicros}
}

func param(p Param) *Expr {
	return &Expr{Op: OpParam, Param: p, hi: operand(p, params[p].max)}
}

func add(a, b *Expr) *Expr {
	return ranged(OpAdd, a, b, safeAdd(a.lo, b.lo), safeAdd(a.hi, b.hi))
}

func sub(a, b *Expr) *Expr {
	return ranged(OpSub, a, b, safeAdd(a.lo, -b.hi), safeAdd(a.hi, -b.lo))
}

func mul(a, b *Expr) *Expr {
	p := [4]int64{safeMul(a.lo, b.lo), safeMul(a.lo, b.hi), safeMul(a.hi, b.lo), safeMul(a.hi, b.hi)}
	return ranged(OpMul, a, b, min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3]))
}

func greatest(a, b *Expr) *Expr { return ranged(OpGreatest, a, b, max(a.lo, b.lo), max(a.hi, b.hi)) }
func least(a, b *Expr) *Expr    { return ranged(OpLeast, a, b, min(a.lo, b.lo), min(a.hi, b.hi)) }

func ranged(op Op, a, b *Expr, lo, hi int64) *Expr {
	return &Expr{Op: op, Args: []*Expr{a, b}, lo: lo, hi: hi}
}

// safeAdd and safeMul panic where a rule could overflow: that is a mistake in
// the table, found when the table is made.
func safeAdd(a, b int64) int64 {
	s := a + b
	if (s > a) != (b > 0) && b != 0 {
		panic(fmt.Sprintf("rules: %d + %d overflows", a, b))
	}
	return s
}

func safeMul(a, b int64) int64 {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		panic(fmt.Sprintf("rules: %d * %d overflows", a, b))
	}
	return a * b
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func coalesce(args ...*Expr) *Expr {
	e := &Expr{Op: OpCoalesce, Args: args, lo: args[0].lo, hi: args[0].hi}
	for _, a := range args {
		e.lo, e.hi = min(e.lo, a.lo), max(e.hi, a.hi)
	}
	return e
}

// choose is CASE WHEN args[0] THEN args[1] … ELSE the last END.
func choose(args ...*Expr) *Expr {
	last := args[len(args)-1]
	e := &Expr{Op: OpCase, Args: args, lo: last.lo, hi: last.hi}
	for i := 1; i < len(args); i += 2 {
		e.lo, e.hi = min(e.lo, args[i].lo), max(e.hi, args[i].hi)
	}
	return e
}

func less(a, b *Expr) *Expr         { return compare(OpLess, a, b) }
func lessEqual(a, b *Expr) *Expr    { return compare(OpLessEqual, a, b) }
func greater(a, b *Expr) *Expr      { return compare(OpGreater, a, b) }
func greaterEqual(a, b *Expr) *Expr { return compare(OpGreaterEqual, a, b) }
func equal(a, b *Expr) *Expr        { return compare(OpEqual, a, b) }

// compare also sees to it that the difference of both sides stays inside int64,
// which a reader may use.
func compare(op Op, a, b *Expr) *Expr {
	safeAdd(a.hi, -b.lo)
	safeAdd(a.lo, -b.hi)
	return &Expr{Op: op, Args: []*Expr{a, b}}
}

func and(args ...*Expr) *Expr  { return logic(OpAnd, args) }
func or(args ...*Expr) *Expr   { return logic(OpOr, args) }
func not(a *Expr) *Expr        { return logic(OpNot, []*Expr{a}) }
func isNull(a *Expr) *Expr     { return &Expr{Op: OpIsNull, Args: []*Expr{a}} }
func isNotNull(a *Expr) *Expr  { return &Expr{Op: OpIsNotNull, Args: []*Expr{a}} }
func none(args ...*Expr) *Expr { return not(isTrue(or(args...))) }

// isTrue of what is never unknown is that itself.
func isTrue(a *Expr) *Expr {
	if a.Op == OpIsTrue {
		return a
	}
	return logic(OpIsTrue, []*Expr{a})
}

func logic(op Op, args []*Expr) *Expr {
	return &Expr{Op: op, Args: args}
}

// textColumn stands only under IS NULL and IS NOT NULL.
func textColumn(c timeline.Column) *Expr { return &Expr{Op: OpColumn, Column: c} }

func textIn(c timeline.Column, texts ...string) *Expr {
	return &Expr{Op: OpTextIn, Column: c, Texts: texts}
}

func textHas(c timeline.Column, part string) *Expr {
	return &Expr{Op: OpTextHas, Column: c, Texts: []string{part}}
}
