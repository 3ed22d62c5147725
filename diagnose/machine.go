package diagnose

import (
	"strings"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

const (
	blockRows  = 1024
	blockWords = blockRows / 64
)

// machine evaluates the nodes of one program over one block of rows at a time.
// A node is evaluated when it is first asked for, and at most once a block: what
// an empty condition guards is never computed.
type machine struct {
	*program
	*binding
	stamp uint32
	lo, n int      // the block is rows lo to lo+n
	words int      // that hold its bits
	rows  []uint64 // a bit for every row of the block
	empty []uint64 // no bit
	found []finding
}

// start binds the machine to a batch.
func (m *machine) start(d *binding) {
	m.binding = d
	for _, n := range m.leaves {
		n.bindText(d.batch.Texts(n.column).Values)
	}
}

// bindText finds out once which texts of the batch match.
func (n *node) bindText(values []string) {
	n.match, n.matched = n.match[:0], 0
	for _, text := range values {
		var hit uint8
		for _, want := range n.texts {
			if text == want || n.op == rules.OpTextHas && strings.Contains(text, want) {
				hit = 1
			}
		}
		n.match = append(n.match, hit)
		n.matched += int(hit)
	}
}

// block moves to the block that starts at row lo.
func (m *machine) block(lo int) {
	m.stamp++
	m.lo, m.n = lo, min(blockRows, m.batch.Len()-lo)
	m.words = (m.n + 63) / 64
	for w := range m.rows {
		m.rows[w] = 0
		switch left := m.n - w*64; {
		case left >= 64:
			m.rows[w] = ^uint64(0)
		case left > 0:
			m.rows[w] = 1<<left - 1
		}
	}
}

// numbers evaluates a numeric node.
func (m *machine) numbers(n *node) (vals []int64, valid []uint64) {
	if n.stamp != m.stamp {
		n.stamp = m.stamp
		m.number(n)
	}
	return n.vals, n.valid
}

func (m *machine) number(n *node) {
	n.room()
	n.vals, n.valid = n.ownVals, m.rows
	switch n.op {
	case rules.OpLiteral:
		n.fill(m.words * 64)
	case rules.OpNull:
		n.valid = m.empty
	case rules.OpColumn:
		m.column(n)
	case rules.OpPlusMinus:
		m.halfWidths(n)
	case rules.OpParam:
		m.limit(n)
	case rules.OpCoalesce:
		m.coalesce(n)
	case rules.OpCase:
		m.choose(n)
	default:
		m.arithmetic(n)
	}
}

// fill gives a literal's first values, which stay for all blocks.
func (n *node) fill(size int) {
	for ; n.filled < size; n.filled++ {
		n.ownVals[n.filled] = n.value
	}
}

// column lends the batch's memory where a whole block of it is there.
func (m *machine) column(n *node) {
	col := m.batch.Numbers(n.column)
	n.valid = cut(col.Valid, m.lo, n.ownBits[0])
	if m.n == blockRows {
		n.vals = col.Values[m.lo : m.lo+blockRows]
		return
	}
	clear(n.ownVals[m.n : m.words*64])
	copy(n.ownVals, col.Values[m.lo:m.lo+m.n])
}

func cut(bits timeline.Bitmap, lo int, room []uint64) []uint64 {
	w := lo / 64
	if w+blockWords <= len(bits) {
		return bits[w : w+blockWords]
	}
	clear(room)
	copy(room, bits[w:])
	return room
}

func (m *machine) halfWidths(n *node) {
	widths := make([]int64, len(m.labels))
	for k, l := range m.labels {
		widths[k] = halfWidth(l, n.column)
	}
	labels := m.batch.Texts(timeline.ColApprox)
	clear(n.vals[:m.words*64])
	for i := range m.n {
		if labels.Valid.Has(m.lo + i) {
			n.vals[i] = widths[labels.Codes[m.lo+i]]
		}
	}
}

func (m *machine) limit(n *node) {
	clear(n.vals[:m.words*64])
	for i := range m.n { // Note: rows of one variant are not worth a case of their own
		n.vals[i] = m.limits[m.variants[m.lo+i]].Operand(n.param)
	}
}

func (m *machine) arithmetic(n *node) {
	a, aValid := m.numbers(n.args[0])
	b, bValid := m.numbers(n.args[1])
	n.valid = n.ownBits[0]
	for w := range n.valid {
		n.valid[w] = aValid[w] & bValid[w]
	}
	size := m.words * 64
	operateAll(n.op, n.vals[:size], a[:size], b[:size])
}

func operateAll(op rules.Op, out, a, b []int64) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case rules.OpAdd:
		for i := range out {
			out[i] = a[i] + b[i]
		}
	case rules.OpSub:
		for i := range out {
			out[i] = a[i] - b[i]
		}
	case rules.OpMul:
		for i := range out {
			out[i] = a[i] * b[i]
		}
	case rules.OpGreatest:
		for i := range out {
			out[i] = max(a[i], b[i])
		}
	case rules.OpLeast:
		for i := range out {
			out[i] = min(a[i], b[i])
		}
	}
}

// coalesce lends its first argument where that is there for every row so far.
func (m *machine) coalesce(n *node) {
	vals, valid := m.numbers(n.args[0])
	for _, arg := range n.args[1:] {
		if equalBits(valid, m.rows) {
			break
		}
		more, moreValid := m.numbers(arg)
		if noBits(valid) {
			vals, valid = more, moreValid
			continue
		}
		bits, first := n.ownBits[0], &vals[0] != &n.ownVals[0]
		if first {
			copy(n.ownVals, vals[:m.words*64])
		}
		for w := range bits {
			scatter(n.ownVals, more, w, moreValid[w]&^valid[w])
			bits[w] = valid[w] | moreValid[w]
		}
		vals, valid = n.ownVals, bits
	}
	n.vals, n.valid = vals, valid
}

// choose lends the last branch where no other is taken.
func (m *machine) choose(n *node) {
	last := len(n.args) - 1
	vals, valid := m.numbers(n.args[last])
	var open [blockWords]uint64
	copy(open[:], m.rows)
	lent := true
	for i := 0; i < last; i += 2 {
		yes, _ := m.truth(n.args[i])
		if !meetBits(yes, open[:]) {
			continue
		}
		if lent {
			copy(n.ownVals, vals[:m.words*64])
			copy(n.ownBits[0], valid)
			vals, valid, lent = n.ownVals, n.ownBits[0], false
		}
		then, thenValid := m.numbers(n.args[i+1])
		for w := range open {
			take := yes[w] & open[w]
			open[w] &^= take
			scatter(vals, then, w, take)
			valid[w] = valid[w]&^take | thenValid[w]&take
		}
	}
	n.vals, n.valid = vals, valid
}

// scatter copies the values of the set bits of word w.
func scatter(to, from []int64, w int, set uint64) {
	if set == ^uint64(0) {
		copy(to[w*64:w*64+64], from[w*64:w*64+64])
		return
	}
	for i := range (timeline.Bitmap{set}).All {
		to[w*64+i] = from[w*64+i]
	}
}

func equalBits(a, b []uint64) bool {
	for w := range a {
		if a[w] != b[w] {
			return false
		}
	}
	return true
}

func noBits(a []uint64) bool {
	var all uint64
	for _, w := range a {
		all |= w
	}
	return all == 0
}

func meetBits(a, b []uint64) bool {
	var all uint64
	for w := range a {
		all |= a[w] & b[w]
	}
	return all != 0
}
