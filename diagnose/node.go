package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// node is an expression made simple for batches of one shape, with room for its
// values over one block of rows. A node belongs to one machine.
type node struct {
	op     rules.Op
	args   []*node
	column timeline.Column
	value  int64
	param  rules.Param
	texts  []string
	known  truth // of a constant truth value

	// Over the current block, once stamp is the block's. Numbers are vals under
	// valid; truth values are yes, no, or neither where unknown. Bits beyond the
	// last row are 0. Values beyond it mean nothing, and beyond the last word of
	// rows they may be those of an earlier block.
	stamp   uint32
	vals    []int64
	valid   []uint64
	yes, no []uint64

	ownVals []int64
	filled  int // of them, of a literal
	ownBits [2][]uint64
	match   []uint8 // of text operators: by code of the column, for the bound batch
	matched int     // number of codes that match
}

// truth is a truth value that is known before any row is seen.
type truth uint8

const (
	varies truth = iota
	always
	never
	unknown
)

func (n *node) isNull() bool    { return n.op == rules.OpNull }
func (n *node) isLiteral() bool { return n.op == rules.OpLiteral }

// room makes n's own buffers, which are used again for every block.
func (n *node) room() {
	if n.ownBits[0] != nil {
		return
	}
	words := make([]uint64, 2*blockWords)
	n.ownBits = [2][]uint64{words[:blockWords], words[blockWords:]}
	if n.op < rules.OpLess {
		n.ownVals = make([]int64, blockRows)
	}
}
