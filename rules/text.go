package rules

import (
	"strings"

	"ttdiag/ingest/timeline"
)

// Text prints an expression in words that stand close to SQL, with thresholds by
// name. Metrics and steps that stand in it are printed by name, unless they are
// the expression itself.
func (t *Table) Text(e *Expr) string {
	p := printer{names: map[*Expr]string{}, top: e}
	for _, m := range t.Metrics {
		if len(m.Value.Args) > 0 {
			p.name(m.Value, m.Name)
		}
	}
	for i := range t.Steps {
		p.name(t.Steps[i].Slow, Class(i).String())
	}
	for _, v := range t.Intervals {
		p.name(v.Fires, "unexplained "+v.Name)
	}
	for _, term := range t.Terms {
		p.name(term.Expr, term.Name)
	}
	p.name(t.Outcome, "outcome")
	return p.text(e)
}

type printer struct {
	names map[*Expr]string
	top   *Expr
}

func (p *printer) name(e *Expr, name string) {
	if _, ok := p.names[e]; !ok {
		p.names[e] = name
	}
}

func (p *printer) text(e *Expr) string {
	if name := p.names[e]; name != "" && e != p.top {
		return name
	}
	switch e.Op {
	case OpNull:
		return "absent"
	case OpLiteral:
		return FormatValue(e.Value, Plain)
	case OpColumn:
		return e.Column.String()
	case OpPlusMinus:
		return "±" + e.Column.String()
	case OpParam:
		return e.Param.Key()
	case OpCase:
		return p.choice(e)
	case OpCoalesce:
		return p.call("first of", e.Args)
	case OpGreatest:
		return p.call("greatest of", e.Args)
	case OpLeast:
		return p.call("least of", e.Args)
	case OpNot:
		return "not " + p.operand(e.Args[0])
	case OpIsNull:
		return p.operand(e.Args[0]) + " is absent"
	case OpIsNotNull:
		return p.operand(e.Args[0]) + " is there"
	case OpIsTrue:
		return p.text(e.Args[0])
	case OpTextIn:
		return e.Column.String() + " is " + strings.Join(e.Texts, " or ")
	case OpTextHas:
		return e.Column.String() + " names " + e.Texts[0]
	}
	return p.infix(e)
}

var wordOperators = map[Op]string{
	OpAdd: " + ", OpSub: " − ", OpMul: " × ", OpLess: " < ", OpLessEqual: " ≤ ", OpGreater: " > ",
	OpGreaterEqual: " ≥ ", OpEqual: " = ", OpAnd: " and ", OpOr: " or ",
}

// infix leaves out a half width that is added or taken off: it is 0 but for
// values that a source has rounded.
func (p *printer) infix(e *Expr) string {
	if (e.Op == OpAdd || e.Op == OpSub) && isHalfWidth(e.Args[1]) {
		return p.text(e.Args[0])
	}
	list := make([]string, len(e.Args))
	for i, a := range e.Args {
		list[i] = p.operand(a)
	}
	return strings.Join(list, wordOperators[e.Op])
}

// isHalfWidth reports whether the expression is made of half widths alone.
func isHalfWidth(e *Expr) bool {
	switch e.Op {
	case OpPlusMinus:
		return true
	case OpAdd:
		return isHalfWidth(e.Args[0]) && isHalfWidth(e.Args[1])
	case OpCase:
		for i := 1; i < len(e.Args); i += 2 {
			if !isHalfWidth(e.Args[i]) {
				return false
			}
		}
		return isHalfWidth(e.Args[len(e.Args)-1])
	}
	return false
}

// operand puts brackets around what is more than one word.
func (p *printer) operand(e *Expr) string {
	text := p.text(e)
	if strings.ContainsRune(text, ' ') && (e.Op < OpCoalesce && e.Op > OpParam || e.Op >= OpLess && p.names[e] == "") {
		return "(" + text + ")"
	}
	return text
}

func (p *printer) call(name string, args []*Expr) string {
	if (name == "greatest of" || name == "least of") && len(args) == 2 && args[1].Op == OpLiteral {
		return p.bounded(name, args)
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = p.text(a)
	}
	return name + " (" + strings.Join(list, ", ") + ")"
}

// bounded leaves out bounds that only keep numbers within reason.
func (p *printer) bounded(name string, args []*Expr) string {
	text := p.operand(args[0])
	if name == "greatest of" && args[1].Value == 0 {
		return text
	}
	if args[1].Value == MaxCount {
		return text
	}
	return name + " (" + text + ", " + p.text(args[1]) + ")"
}

func (p *printer) choice(e *Expr) string {
	last := len(e.Args) - 1
	var b strings.Builder
	b.WriteString("(")
	for i := 0; i < last; i += 2 {
		b.WriteString("if " + p.text(e.Args[i]) + " then " + p.text(e.Args[i+1]) + ", ")
	}
	b.WriteString("else " + p.text(e.Args[last]) + ")")
	return b.String()
}

// RuleLine is one line of the reference table.
type RuleLine struct {
	Number    string // of the specification: 1, 2, 3, 3b, 4, 5, 6
	Stage     Stage
	Class     Class
	Metric    string
	Relation  string
	Threshold Param
	Condition string // the whole condition in words
	LookAt    []string
}

// RuleLines returns the walk for reading, in order.
func (t *Table) RuleLines() []RuleLine {
	numbers := [NumSlow]string{"1", "2", "3", "3b", "4", "5", "6", "6", "6", "6"}
	var list []RuleLine
	for c, step := range t.Steps {
		list = append(list, RuleLine{numbers[c], step.Stage, step.Class, step.Metric.Name, step.Relation, step.Limit,
			t.Text(step.Slow), step.Class.Words().LookAt})
	}
	return list
}

// IntervalLine is one line of the table of missing marks.
type IntervalLine struct {
	Name      string
	At        Class
	Metric    string
	Limits    []Param
	PerToken  bool
	Between   []string
	WouldNeed []string
	Condition string
}

// IntervalLines returns the table of missing marks for reading.
func (t *Table) IntervalLines() []IntervalLine {
	var list []IntervalLine
	for _, v := range t.Intervals {
		list = append(list, IntervalLine{v.Name, v.At, v.Metric.Name, v.Limits, v.PerToken, v.Between.Names(), columnNames(v.WouldNeed), t.Text(v.Fires)})
	}
	return list
}

func columnNames(m timeline.Mask) []string {
	names := []string{}
	for c := range m.All {
		names = append(names, c.String())
	}
	return names
}

// TermLine is one condition that others name, for reading.
type TermLine struct {
	Name      string
	Doc       string
	Condition string
}

// TermLines returns the conditions that the lines of the other tables name.
func (t *Table) TermLines() []TermLine {
	var list []TermLine
	for _, term := range t.Terms {
		list = append(list, TermLine{term.Name, term.Doc, t.Text(term.Expr)})
	}
	return list
}
