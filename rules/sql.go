package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ttdiag/ingest/timeline"
)

// SQL returns a statement that classifies every row of a table by the same
// expressions: its result is the table's documented columns with the outcome
// derived, and class. table is pasted as it stands: a name, or a table function such
// as read_json('logs.jsonl').
//
// The table has the documented columns under their own names, durations in
// milliseconds of any numeric type, cleaned as ttdiag convert writes them. have
// says which of them it has; the others count as absent. The DuckDB statement
// finds that out itself. It returns ErrDialect for an unknown dialect.
func SQL(dialectName, table string, have timeline.Mask, t Thresholds) (string, error) {
	d, err := dialectNamed(dialectName)
	if err != nil {
		return "", fmt.Errorf("%w %q: known are %s", err, dialectName, strings.Join(Dialects(), ", "))
	}
	s := &statement{dialect: d, have: have, thresholds: t, names: map[*Expr]string{}}
	if d.byName {
		s.have = allColumns()
	}
	s.plan()
	return s.text(dialectName, table), nil
}

func allColumns() timeline.Mask { return timeline.Mask(1)<<timeline.NumColumns - 1 }

// statement prints the table as a chain of common table expressions, since
// standard SQL cannot use a name in the list that defines it.
type statement struct {
	dialect
	have       timeline.Mask
	thresholds Thresholds
	class      *Expr
	outcome    *Expr
	columns    timeline.Mask // that expressions use
	rounded    timeline.Mask
	names      map[*Expr]string
	levels     [][]*Expr // named expressions, each level over those before
}

func (s *statement) plan() {
	var sh Sharer
	done := map[*Expr]*Expr{}
	t := TheTable()
	prepare := func(e *Expr) *Expr { return sh.deep(s.known(e), done) }
	s.class, s.outcome = prepare(t.Class), prepare(t.Outcome)
	for c, step := range t.Steps {
		s.name(prepare(step.Slow), "is_"+Class(c).String())
	}
	for _, v := range t.Intervals {
		s.name(prepare(v.Fires), "is_open_"+v.Name)
	}
	for _, term := range t.Terms {
		s.name(prepare(term.Expr), "is_"+term.Name)
	}
	for _, m := range t.Metrics {
		s.name(prepare(m.Value), sqlMetric(m))
	}
	s.arrange()
}

func sqlMetric(m *Metric) string {
	return "metric_" + strings.TrimSuffix(m.Name, "_ms")
}

func (s *statement) name(e *Expr, name string) {
	if _, ok := s.names[e]; !ok && len(e.Args) > 0 {
		s.names[e] = name
	}
}

// known replaces what the statement knows: without the column approx no value is
// rounded, and a column that the table lacks is NULL.
func (s *statement) known(e *Expr) *Expr {
	return s.fold(e, map[*Expr]*Expr{})
}

func (s *statement) fold(e *Expr, done map[*Expr]*Expr) *Expr {
	if f, ok := done[e]; ok {
		return f
	}
	f := *e
	f.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		f.Args[i] = s.fold(a, done)
	}
	done[e] = s.foldOne(&f)
	return done[e]
}

func (s *statement) foldOne(f *Expr) *Expr {
	zero := func(e *Expr) bool { return e.Op == OpLiteral && e.Value == 0 }
	switch {
	case f.Op == OpPlusMinus && !(s.have.Has(timeline.ColApprox) && s.have.Has(f.Column)):
		return literal(0)
	case f.Op == OpColumn && !s.have.Has(f.Column):
		return null()
	case (f.Op == OpTextIn || f.Op == OpTextHas) && !s.have.Has(f.Column):
		return equal(null(), literal(0)) // unknown
	case (f.Op == OpAdd || f.Op == OpSub) && zero(f.Args[1]):
		return f.Args[0]
	case f.Op == OpAdd && zero(f.Args[0]):
		return f.Args[1]
	case f.Op == OpCase && len(f.Args) == 3 && zero(f.Args[1]) && zero(f.Args[2]):
		return f.Args[2]
	}
	return f
}

// arrange names every expression that is used twice and puts the names on
// levels.
func (s *statement) arrange() {
	uses := map[*Expr]int{}
	var order []*Expr // arguments first
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if uses[e]++; uses[e] > 1 {
			return
		}
		s.note(e)
		for _, a := range e.Args {
			visit(a)
		}
		order = append(order, e)
	}
	visit(s.class)
	visit(s.outcome)
	level := map[*Expr]int{}
	for _, e := range order {
		below := 0
		for _, a := range e.Args {
			below = max(below, level[a])
		}
		level[e] = below
		if uses[e] > 1 && len(e.Args) > 0 {
			s.name(e, "e"+strconv.Itoa(len(s.names)+1))
		}
		if s.names[e] == "" {
			continue
		}
		level[e] = below + 1
		for len(s.levels) <= below {
			s.levels = append(s.levels, nil)
		}
		s.levels[below] = append(s.levels[below], e)
	}
}

// note marks the columns that the statement must read.
func (s *statement) note(e *Expr) {
	switch e.Op {
	case OpColumn, OpTextIn, OpTextHas:
		s.columns = s.columns.With(e.Column)
	case OpPlusMinus:
		s.rounded = s.rounded.With(e.Column)
		s.columns = s.columns.With(timeline.ColApprox)
	}
}

func (s *statement) text(dialectName, table string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- ttdiag rules, %s. Durations in milliseconds, cleaned columns.\n", dialectName)
	b.WriteString("WITH\nlog AS (" + s.source(table) + "),\nl0 " + s.as + " (SELECT *")
	for c := range s.columns.All {
		fmt.Fprintf(&b, ",\n  %s AS %s", s.read(c), sqlColumn(c))
	}
	for c := range s.rounded.All {
		fmt.Fprintf(&b, ",\n  %s AS %s_pm", s.halfWidth(c), sqlColumn(c))
	}
	s.limits(&b)
	b.WriteString("\n  FROM log)")
	for i, list := range s.levels {
		fmt.Fprintf(&b, ",\nl%d %s (SELECT *", i+1, s.as)
		for _, e := range list {
			fmt.Fprintf(&b, ",\n  %s AS %s", s.definition(e), s.names[e])
		}
		fmt.Fprintf(&b, "\n  FROM l%d)", i)
	}
	b.WriteString("\nSELECT " + strings.Join(s.kept(), ", "))
	b.WriteString(",\n  " + s.codes(s.outcome, outcomeNames[:]) + " AS outcome")
	b.WriteString(",\n  " + s.codes(s.class, classNames[:]) + " AS class")
	fmt.Fprintf(&b, "\nFROM l%d;\n", len(s.levels))
	return b.String()
}

// kept are the columns of the table that the result has too; its outcome is
// derived.
func (s *statement) kept() []string {
	var list []string
	for c := range publicColumns(s.have).All {
		if c != timeline.ColOutcome {
			list = append(list, `"`+c.String()+`"`)
		}
	}
	if list == nil {
		return []string{"1 AS one"}
	}
	return list
}

func publicColumns(m timeline.Mask) timeline.Mask {
	var public timeline.Mask
	for c := range m.All {
		if c.Info().Group != timeline.GroupInternal || c == timeline.ColVisibleOutputTPS {
			public = public.With(c)
		}
	}
	return public
}

// source reads the table. For DuckDB it adds the columns that the table lacks.
func (s *statement) source(table string) string {
	if !s.byName {
		return "SELECT * FROM " + table
	}
	var list []string
	for c := range (s.columns | publicColumns(s.have)).All {
		list = append(list, `NULL AS "`+c.String()+`"`)
	}
	return "SELECT * FROM " + table + "\n  UNION ALL BY NAME SELECT " + strings.Join(list, ", ") + " WHERE FALSE"
}

// limits are columns only where overrides make them differ from row to row.
func (s *statement) limits(b *strings.Builder) {
	for p := range Param(NumParams) {
		if !s.varies(p) {
			continue
		}
		b.WriteString(",\n  CASE")
		for _, o := range slices.Backward(s.thresholds.Overrides) {
			for _, set := range o.Set {
				if set.Param == p {
					fmt.Fprintf(b, " WHEN %s THEN %d", s.matches(o), operand(p, set.Value))
				}
			}
		}
		fmt.Fprintf(b, " ELSE %d END AS limit_%s", s.thresholds.Base.Operand(p), params[p].key)
	}
}

func (s *statement) varies(p Param) bool {
	for _, o := range s.thresholds.Overrides {
		if sets(o.Set, p) {
			return true
		}
	}
	return false
}

func (s *statement) matches(o Override) string {
	var list []string
	if o.Model != "" {
		list = append(list, s.glob("model", o.Model))
	}
	if o.Workload != "" {
		list = append(list, "workload = "+quote(o.Workload))
	}
	return strings.Join(list, " AND ")
}

// codes prints a choice among codes with their names.
func (s *statement) codes(e *Expr, names []string) string {
	last := len(e.Args) - 1
	var b strings.Builder
	b.WriteString("CASE")
	for i := 0; i < last; i += 2 {
		fmt.Fprintf(&b, "\n    WHEN %s THEN %s", s.ref(e.Args[i]), quote(names[e.Args[i+1].Value]))
	}
	fmt.Fprintf(&b, "\n    ELSE %s END", quote(names[e.Args[last].Value]))
	return b.String()
}

// ref prints an expression where it is used: by name if it has one.
func (s *statement) ref(e *Expr) string {
	if name := s.names[e]; name != "" {
		return name
	}
	return s.definition(e)
}

var sqlOperators = map[Op]string{
	OpAdd: "+", OpSub: "-", OpMul: "*", OpLess: "<", OpLessEqual: "<=", OpGreater: ">", OpGreaterEqual: ">=", OpEqual: "=",
	OpAnd: "AND", OpOr: "OR",
}

// definition prints an expression in full.
func (s *statement) definition(e *Expr) string {
	switch e.Op {
	case OpNull:
		return "CAST(NULL AS " + s.integer + ")"
	case OpLiteral:
		return strconv.FormatInt(e.Value, 10)
	case OpColumn:
		return sqlColumn(e.Column)
	case OpPlusMinus:
		return sqlColumn(e.Column) + "_pm"
	case OpParam:
		if s.varies(e.Param) {
			return "limit_" + params[e.Param].key
		}
		return strconv.FormatInt(s.thresholds.Base.Operand(e.Param), 10)
	case OpCase:
		return s.choice(e)
	case OpGreatest, OpLeast:
		return s.extreme(e)
	case OpCoalesce:
		return "COALESCE(" + strings.Join(s.refs(e.Args), ", ") + ")"
	case OpNot:
		return "NOT (" + s.ref(e.Args[0]) + ")"
	case OpIsNull:
		return s.operand(e.Args[0]) + " IS NULL"
	case OpIsNotNull:
		return s.operand(e.Args[0]) + " IS NOT NULL"
	case OpIsTrue:
		return "COALESCE(" + s.ref(e.Args[0]) + ", FALSE)"
	case OpTextIn, OpTextHas:
		return s.textTest(e)
	}
	list := s.refs(e.Args)
	for i := range list {
		list[i] = s.operand(e.Args[i])
	}
	return strings.Join(list, " "+sqlOperators[e.Op]+" ")
}

func (s *statement) refs(args []*Expr) []string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = s.ref(a)
	}
	return list
}

// operand prints an expression in brackets where it is more than a word.
func (s *statement) operand(e *Expr) string {
	text := s.ref(e)
	if strings.ContainsRune(text, ' ') || strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	return text
}

func (s *statement) choice(e *Expr) string {
	last := len(e.Args) - 1
	text := "CASE"
	for i := 0; i < last; i += 2 {
		text += " WHEN " + s.ref(e.Args[i]) + " THEN " + s.ref(e.Args[i+1])
	}
	return text + " ELSE " + s.ref(e.Args[last]) + " END"
}

// extreme is written as a choice, since databases part over GREATEST of NULL.
// The second argument is never NULL.
func (s *statement) extreme(e *Expr) string {
	a, b, sign := s.operand(e.Args[0]), s.operand(e.Args[1]), " < "
	if e.Op == OpLeast {
		sign = " > "
	}
	return "CASE WHEN " + a + sign + b + " THEN " + b + " ELSE " + a + " END"
}

func (s *statement) textTest(e *Expr) string {
	if e.Op == OpTextHas {
		return sqlColumn(e.Column) + " LIKE " + quote("%"+e.Texts[0]+"%")
	}
	var list []string
	for _, t := range e.Texts {
		list = append(list, quote(t))
	}
	return sqlColumn(e.Column) + " IN (" + strings.Join(list, ", ") + ")"
}
