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

// transpose turns 64 rows of 64 bits into 64 columns: bit c of word r becomes bit
// r of word c. It swaps ever smaller blocks, as in Warren, "Hacker's Delight",
// section 7-3.
func transpose(a *[64]uint64) {
	m := uint64(0x00000000FFFFFFFF)
	for j := 32; j != 0; j, m = j>>1, m^m<<(j>>1) {
		for k := 0; k < 64; k = (k | j + 1) &^ j {
			t := (a[k]>>j ^ a[(k|j)&63]) & m
			a[(k|j)&63] ^= t
			a[k] ^= t << j
		}
	}
}
