package timeline

import "math/bits"

// Bitmap holds one bit a row, row 0 in the lowest bit of the first word. Bits
// beyond the last row are 0. A nil Bitmap has no row set.
type Bitmap []uint64

// NewBitmap returns a bitmap of n rows, none set.
func NewBitmap(n int) Bitmap { return make(Bitmap, (n+63)/64) }

// Has reports whether row i is set.
func (b Bitmap) Has(i int) bool { return i>>6 < len(b) && b[i>>6]>>(i&63)&1 != 0 }

// Set sets row i, which must be within the bitmap.
func (b Bitmap) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Count returns the number of rows set.
func (b Bitmap) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the rows that are set, ascending.
func (b Bitmap) All(yield func(int) bool) {
	for k, w := range b {
		for ; w != 0; w &= w - 1 {
			if !yield(k<<6 | bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// grown returns b with room for n rows.
func (b Bitmap) grown(n int) Bitmap {
	for len(b) < (n+63)/64 {
		b = append(b, 0)
	}
	return b
}
