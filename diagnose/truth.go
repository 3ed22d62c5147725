package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// truth evaluates a node that is true, false or unknown. Rows in neither set are
// unknown.
func (m *machine) truth(n *node) (yes, no []uint64) {
	if n.stamp != m.stamp {
		n.stamp = m.stamp
		m.judge(n)
	}
	return n.yes, n.no
}

func (m *machine) judge(n *node) {
	n.room()
	n.yes, n.no = n.ownBits[0], n.ownBits[1]
	if n.known != varies {
		m.constant(n)
		return
	}
	switch n.op {
	case rules.OpAnd:
		m.and(n)
	case rules.OpOr:
		m.or(n)
	case rules.OpNot:
		yes, no := m.truth(n.args[0])
		n.yes, n.no = no, yes
	case rules.OpIsTrue:
		yes, _ := m.truth(n.args[0])
		n.yes = yes
		m.rest(n.no, yes)
	case rules.OpIsNull:
		m.isNull(n)
	case rules.OpTextIn, rules.OpTextHas:
		m.text(n)
	default:
		m.compare(n)
	}
}

// rest sets no to the rows of the block that are not in yes.
func (m *machine) rest(no, yes []uint64) {
	for w := range no {
		no[w] = m.rows[w] &^ yes[w]
	}
}

func (m *machine) constant(n *node) {
	n.yes, n.no = m.empty, m.empty
	switch n.known {
	case always:
		n.yes = m.rows
	case never:
		n.no = m.rows
	}
}

// and stops where no row can be true any more.
func (m *machine) and(n *node) {
	copy(n.yes, m.rows)
	clear(n.no)
	for _, arg := range n.args {
		yes, no := m.truth(arg)
		var open uint64
		for w := range n.yes {
			n.yes[w] &= yes[w]
			n.no[w] |= no[w]
			open |= m.rows[w] &^ n.no[w]
		}
		if open == 0 {
			return
		}
	}
}

// or stops where every row is true.
func (m *machine) or(n *node) {
	clear(n.yes)
	copy(n.no, m.rows)
	for _, arg := range n.args {
		yes, no := m.truth(arg)
		var open uint64
		for w := range n.yes {
			n.yes[w] |= yes[w]
			n.no[w] &= no[w]
			open |= m.rows[w] &^ n.yes[w]
		}
		if open == 0 {
			return
		}
	}
}

func (m *machine) isNull(n *node) {
	arg := n.args[0]
	var valid []uint64
	if arg.op == rules.OpColumn && arg.column.IsText() {
		valid = cut(m.batch.Texts(arg.column).Valid, m.lo, n.ownBits[1])
	} else {
		_, valid = m.numbers(arg)
	}
	m.rest(n.yes, valid)
	n.no = valid
}

// text looks each code of a block up in what bindText found.
func (m *machine) text(n *node) {
	texts := m.batch.Texts(n.column)
	valid := cut(texts.Valid, m.lo, n.ownBits[1])
	switch n.matched {
	case 0:
		n.yes, n.no = m.empty, valid
		return
	case len(n.match):
		n.yes, n.no = valid, m.empty
		return
	}
	codes := texts.Codes[m.lo : m.lo+m.n]
	clear(n.yes)
	for i, code := range codes {
		n.yes[i>>6] |= uint64(n.match[code]) << (i & 63)
	}
	for w := range n.yes {
		n.yes[w] &= valid[w]
		n.no[w] = valid[w] &^ n.yes[w]
	}
}

// compare takes the sign of a difference, which package rules keeps inside
// int64, for the truth of a comparison.
func (m *machine) compare(n *node) {
	a, aValid := m.numbers(n.args[0])
	b, bValid := m.numbers(n.args[1])
	swap, flip := false, false // which difference, and whether its sign says no
	switch n.op {
	case rules.OpGreater:
		swap = true
	case rules.OpLessEqual:
		swap, flip = true, true
	case rules.OpGreaterEqual:
		flip = true
	case rules.OpEqual:
		m.equal(n, a, b)
	}
	if swap {
		a, b = b, a
	}
	for w := range m.words {
		if n.op != rules.OpEqual {
			n.yes[w] = negatives((*[64]int64)(a[w*64:]), (*[64]int64)(b[w*64:]))
		}
		both := aValid[w] & bValid[w]
		yes, no := n.yes[w], ^n.yes[w]
		if flip {
			yes, no = no, yes
		}
		n.yes[w], n.no[w] = yes&both, no&both
	}
	clear(n.yes[m.words:])
	clear(n.no[m.words:])
}

// negatives returns the bits of the rows for which a < b.
func negatives(a, b *[64]int64) uint64 {
	var w uint64
	for i := range a {
		w |= uint64(a[i]-b[i]) >> 63 << i
	}
	return w
}

func (m *machine) equal(n *node, a, b []int64) {
	for w := range m.words {
		n.yes[w] = 0
		for i := range 64 {
			if a[w*64+i] == b[w*64+i] {
				n.yes[w] |= 1 << i
			}
		}
	}
}

// has reports whether row i of the batch, which must be in the block, is true.
func (m *machine) has(n *node, i int) bool {
	yes, _ := m.truth(n)
	return timeline.Bitmap(yes).Has(i - m.lo)
}

// at returns the number of row i of the batch, which must be in the block.
func (m *machine) at(n *node, i int) (int64, bool) {
	vals, valid := m.numbers(n)
	if !timeline.Bitmap(valid).Has(i - m.lo) {
		return 0, false
	}
	return vals[i-m.lo], true
}
