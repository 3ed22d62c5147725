package parquet

import (
	"bytes"
	"errors"
	"io"

	"github.com/dsnet/compress/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs, numbered as in the format.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecLZ4    = 5
	codecZstd   = 6
	codecLZ4Raw = 7
)

// codecProblem says why a chunk cannot be decompressed, nil if it can.
func codecProblem(codec int32) error {
	switch codec {
	case codecNone, codecSnappy, codecGzip, codecBrotli, codecZstd, codecLZ4Raw:
		return nil
	case codecLZO:
		return unsupported("compression LZO; write the file again with zstd or snappy")
	case codecLZ4:
		return unsupported("the old LZ4 compression, which programs frame differently; write the file again with LZ4_RAW, zstd or snappy")
	}
	return unsupported("compression number %d; write the file again with zstd or snappy", codec)
}

// decompressor turns stored pages into their values. It never writes more than
// the page header declares, and anything else than exactly that many bytes is
// an error. It belongs to one goroutine.
type decompressor struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
	source bytes.Reader
}

// decode fills dst, whose length is the declared size, from src.
func (d *decompressor) decode(codec int32, dst, src []byte) error {
	switch codec {
	case codecNone:
		if len(src) != len(dst) {
			return damaged("page of %d bytes declares %d", len(src), len(dst))
		}
		copy(dst, src)
		return nil
	case codecSnappy:
		return decodeSnappy(dst, src)
	case codecZstd:
		return d.decodeZstd(dst, src)
	case codecLZ4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		return exactly(len(dst), n, err)
	case codecGzip:
		return d.decodeGzip(dst, src)
	case codecBrotli:
		d.source.Reset(src)
		if d.brotli == nil {
			d.brotli = new(brotli.Reader)
		}
		if err := d.brotli.Reset(&d.source); err != nil {
			return exactly(len(dst), 0, err)
		}
		return drain(d.brotli, dst)
	}
	return codecProblem(codec)
}

// exactly turns a codec's answer into one error. The codec's own error is not
// passed on: it may hold bytes of the page.
func exactly(want, got int, err error) error {
	if err != nil {
		return damaged("the page does not decompress")
	}
	if want != got {
		return damaged("page decompresses to %d bytes, its header says %d", got, want)
	}
	return nil
}

func decodeSnappy(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err := exactly(len(dst), n, err); err != nil {
		return err
	}
	out, err := snappy.Decode(dst, src)
	return exactly(len(dst), len(out), err)
}

func (d *decompressor) decodeZstd(dst, src []byte) error {
	if d.zstd == nil {
		var err error
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := d.zstd.DecodeAll(src, dst[:0:len(dst)])
	return exactly(len(dst), len(out), err)
}

func (d *decompressor) decodeGzip(dst, src []byte) error {
	d.source.Reset(src)
	var err error
	if d.gzip == nil {
		d.gzip, err = gzip.NewReader(&d.source)
	} else {
		err = d.gzip.Reset(&d.source)
	}
	if err != nil {
		d.gzip = nil
		return exactly(len(dst), 0, err)
	}
	return drain(d.gzip, dst)
}

// drain fills dst and demands that the stream then ends, check sum included.
func drain(r io.Reader, dst []byte) error {
	n, err := io.ReadFull(r, dst)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return exactly(len(dst), n, nil)
	}
	if err != nil {
		return exactly(len(dst), n, err)
	}
	var one [1]byte
	switch n, err := io.ReadFull(r, one[:]); {
	case n > 0:
		return damaged("page decompresses to more than the %d bytes its header says", len(dst))
	case !errors.Is(err, io.EOF):
		return exactly(len(dst), len(dst), err)
	}
	return nil
}
