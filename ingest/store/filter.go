package store

import (
	"github.com/cespare/xxhash/v2"

	"ttdiag/ingest/timeline"
)

// filter is a blocked Bloom filter over the request ids of one segment: one
// 64-byte block an id, eight bits in it, 16 bits an id. It never misses an id
// and errs for about two ids in a thousand: a segment that is read for nothing
// costs more than the filters of a whole store. Source: Putze, Sanders and
// Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007).
type filter []byte

const (
	filterBlock  = 64
	filterPerIDs = 32 // ids for which one block is made
)

func filterOf(ids timeline.IDs) filter {
	blocks := ids.Valid.Count()/filterPerIDs + 1
	f := make(filter, blocks*filterBlock)
	for i := range ids.Valid.All {
		hash := xxhash.Sum64(ids.At(i))
		block := f[f.place(hash):]
		for _, bit := range bitsOf(hash) {
			block[bit/8] |= 1 << (bit % 8)
		}
	}
	return f
}

// place returns the start of the block of a hash.
func (f filter) place(hash uint64) int { return blockOf(hash, len(f)) }

// blockOf returns where the block of a hash starts in a filter of size bytes.
func blockOf(hash uint64, size int) int {
	blocks := uint64(size / filterBlock)
	return int((hash>>32)*blocks>>32) * filterBlock
}

// bitsOf yields the eight bits of a hash in its block.
func bitsOf(hash uint64) [8]uint16 {
	bits := hash * 0xFF51AFD7ED558CCD
	var out [8]uint16
	for i := range out {
		out[i] = uint16(bits >> 55)
		bits = (bits ^ bits>>31) * 0x9E3779B97F4A7C15
	}
	return out
}

// blockMayHave reports whether the id of that hash may have been put into the
// block.
func blockMayHave(block []byte, hash uint64) bool {
	for _, bit := range bitsOf(hash) {
		if block[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}
