package parquet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHybridAgain writes runs and single values of every width, and reads them.
func TestHybridAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 32; width++ {
		for _, n := range []int{0, 1, 7, 8, 9, 23, 24, 25, 64, 1000} {
			values := make([]uint32, 0, n)
			for len(values) < n {
				run := slices.Repeat([]uint32{rng.Uint32() >> (32 - width)}, 1+rng.IntN(2)*rng.IntN(60))
				values = append(values, run[:min(len(run), n-len(values))]...)
			}
			h := hybrid{data: appendHybrid(nil, values, width), width: width}
			got := make([]uint32, n)
			if _, err := readHybrid(&h, got); err != nil || !slices.Equal(got, values) {
				t.Errorf("width %d: %d, %v, want %d", width, got, err, values)
			}
		}
	}
}

func TestHybridBytes(t *testing.T) {
	tests := []struct {
		name   string
		values []uint8
		width  int
		want   []byte
	}{
		{"the format's example", []uint8{0, 1, 2, 3, 4, 5, 6, 7}, 3, []byte{3, 0x88, 0xc6, 0xfa}},
		{"one run", slices.Repeat([]uint8{1}, 100), 1, []byte{200, 1, 1}},
		{"a run to the end", []uint8{0, 0}, 1, []byte{4, 0}},
		{"filled up", []uint8{1, 0, 1}, 1, []byte{3, 5}},
		{"single ones, then a run", append([]uint8{1, 0, 1, 0, 1, 0, 1, 0}, slices.Repeat([]uint8{1}, 30)...), 1, []byte{3, 0x55, 60, 1}},
		{"a run too short", append([]uint8{1, 0, 1, 0, 1, 0, 1, 0}, slices.Repeat([]uint8{1}, 8)...), 1, []byte{5, 0x55, 0xff}},
	}
	for _, tt := range tests {
		if got := appendHybrid(nil, tt.values, tt.width); !bytes.Equal(got, tt.want) {
			t.Errorf("%s: % x, want % x", tt.name, got, tt.want)
		}
	}
}
