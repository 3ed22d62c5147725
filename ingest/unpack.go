package ingest

import (
	"bytes"
	"compress/bzip2"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// packing is one kind of compression, told by the first bytes.
type packing struct {
	name  string
	magic []string
	open  func(io.Reader) (io.Reader, error)
}

// maxZstdWindow bounds what a zstd frame may ask the decoder to remember.
const maxZstdWindow = 256 << 20

func packings() []packing {
	return []packing{
		{"gzip", []string{"\x1f\x8b\x08"}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		{"zstd", []string{"\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18"}, func(r io.Reader) (io.Reader, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}},
		{"bzip2", []string{"BZh"}, func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
		{"lz4", []string{"\x04\x22\x4d\x18"}, func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }},
		{"xz", []string{"\xfd7zXZ\x00"}, func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	}
}

const longestMagic = 6

func packingOf(head []byte) *packing {
	for _, p := range packings() {
		for _, magic := range p.magic {
			if bytes.HasPrefix(head, []byte(magic)) {
				return &p
			}
		}
	}
	return nil
}
