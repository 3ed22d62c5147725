package diagnose

import (
	"sync"

	"ttdiag/rules"
)

// program is the rule table made simple for batches of one shape.
type program struct {
	table         *rules.Table
	class         codes
	outcome       codes
	slow          [rules.NumSlow]*node
	verdicts      [rules.NumSlow]*node
	useOther      *node // of the generation step
	fires         []*node
	remarks       []*node
	notEvaluated  []*node
	stepMetric    [rules.NumSlow]int // indexes into metrics
	otherMetric   int
	waitMetric    []int // by interval
	derivedMetric []int // by derivedNames
	nonStreaming  *node
	sinceOrigin   *node
	proven        *node
	metrics       []measure
	leaves        []*node // text operators, which look at the texts of a batch
}

// codes is a choice among codes.
type codes struct {
	when []*node
	then []uint8
	rest uint8
}

// measure is a metric's nodes.
type measure struct {
	metric             *rules.Metric
	value, part, whole *node
	bound              *node
}

func newProgram(s shape, limits *rules.Limits) *program {
	b := newSimplifier(s, limits)
	t := rules.TheTable()
	p := &program{table: t}
	p.class, p.outcome = b.codes(t.Class), b.codes(t.Outcome)
	for i, step := range t.Steps {
		p.slow[i], p.verdicts[i] = b.node(step.Slow), b.node(step.Verdict)
		if step.UseOther != nil {
			p.useOther = b.node(step.UseOther)
		}
	}
	for _, v := range t.Intervals {
		p.fires = append(p.fires, b.node(v.Fires))
	}
	for _, r := range t.Remarks {
		p.remarks = append(p.remarks, b.node(r.When))
	}
	for _, e := range t.NotEvaluated {
		p.notEvaluated = append(p.notEvaluated, b.node(e))
	}
	p.nonStreaming, p.proven = b.node(t.NonStreaming), b.node(t.HeadersProven)
	p.sinceOrigin = b.node(t.SinceOrigin)
	for _, m := range t.Metrics {
		p.metrics = append(p.metrics, b.measure(m))
	}
	p.findMetrics()
	for _, n := range b.pairs {
		if n.op == rules.OpTextIn || n.op == rules.OpTextHas {
			p.leaves = append(p.leaves, n)
		}
	}
	return p
}

func (p *program) findMetrics() {
	index := map[*rules.Metric]int{}
	for i, m := range p.table.Metrics {
		index[m] = i
	}
	for c, step := range p.table.Steps {
		p.stepMetric[c] = index[step.Metric]
		if step.Other != nil {
			p.otherMetric = index[step.Other]
		}
	}
	for _, v := range p.table.Intervals {
		p.waitMetric = append(p.waitMetric, index[v.Metric])
	}
	for _, name := range derivedNames {
		p.derivedMetric = append(p.derivedMetric, metricIndex(name))
	}
}

func (s *simplifier) measure(m *rules.Metric) measure {
	out := measure{metric: m, value: s.node(m.Value), bound: s.node(m.Bound)}
	if m.Part != nil {
		out.part, out.whole = s.node(m.Part), s.node(m.Whole)
	}
	return out
}

// codes takes a choice among literals apart.
func (s *simplifier) codes(e *rules.Expr) codes {
	n := s.node(e)
	if n.isLiteral() {
		return codes{rest: uint8(n.value)}
	}
	last := len(n.args) - 1
	c := codes{rest: uint8(n.args[last].value)}
	for i := 0; i < last; i += 2 {
		c.when = append(c.when, n.args[i])
		c.then = append(c.then, uint8(n.args[i+1].value))
	}
	return c
}

// programs keeps machines by shape, for use again.
type programs struct {
	mu   sync.Mutex
	idle map[shape][]*machine
}

// take returns a machine for batches of the shape, which the caller owns.
func (p *programs) take(d *binding) *machine {
	p.mu.Lock()
	list := p.idle[d.shape]
	if len(list) > 0 {
		m := list[len(list)-1]
		p.idle[d.shape] = list[:len(list)-1]
		p.mu.Unlock()
		return m
	}
	p.mu.Unlock()
	var limits *rules.Limits
	if d.variants == nil {
		limits = &d.limits[0]
	}
	return &machine{
		program: newProgram(d.shape, limits),
		rows:    make([]uint64, blockWords),
		empty:   make([]uint64, blockWords),
	}
}

// give returns a machine. Machines of rare shapes are left to the collector.
func (p *programs) give(m *machine) {
	const kept, shapes = 8, 32
	key := m.shape
	m.binding = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil || len(p.idle) > shapes {
		p.idle = map[shape][]*machine{}
	}
	if len(p.idle[key]) < kept {
		p.idle[key] = append(p.idle[key], m)
	}
}
