package parquet

import (
	"encoding/binary"
	"math"
)

// decoder reads the values of one page, present ones only, piece by piece and
// in the form the physical type has: whole numbers for BOOLEAN, INT32 and
// INT64, floats for FLOAT and DOUBLE, byte strings for the rest. Asking for
// more than there are is an error; asking for another form never happens.
type decoder interface {
	ints(dst []int64) error
	floats(dst []float64) error
	text(dst *Text, n int) error
}

var errValues = damaged("the page holds fewer values than its header says")

// newDecoder picks the decoder of a page that is not dictionary-coded.
func newDecoder(col *Column, encoding int8, data []byte) (decoder, error) {
	switch {
	case encoding == encPlain && col.Physical == Boolean:
		return &bools{hybrid{data: data, width: 1, packed: true, left: len(data) * 8}}, nil
	case encoding == encPlain:
		return &plain{col.Physical, col.length, data}, nil
	case encoding == encRLE && col.Physical == Boolean:
		h, _, err := levelReader(data, 1, 0, encRLE)
		return &bools{h}, err
	case encoding == encDeltaBinary && (col.Physical == Int32 || col.Physical == Int64):
		d, err := newDelta(data)
		return &deltaInts{d: d, narrow: col.Physical == Int32}, err
	case encoding == encDeltaLength && col.Physical == ByteArray:
		return newDeltaLengths(data)
	case encoding == encDeltaBytes && (col.Physical == ByteArray || col.Physical == FixedLenByteArray):
		return newDeltaStrings(col, data)
	case encoding == encByteStreamSplit && col.Physical != Boolean && col.Physical != Int96 && col.Physical != ByteArray:
		return newSplit(col, data)
	}
	return nil, unsupported("%s for %s", encodingName(encoding), col.Physical)
}

func encodingName(e int8) string {
	names := [...]string{"PLAIN", "encoding 1", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
		"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}
	if e < 0 || int(e) >= len(names) {
		return "an unknown encoding"
	}
	return names[e]
}

// width is the size of a stored value in bytes, 0 if it varies.
func width(p Physical, length int) int {
	switch p {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Int96, FixedLenByteArray:
		return length
	}
	return 0
}

// noForms answers for the forms a decoder does not have.
type noForms struct{}

func (noForms) ints([]int64) error     { return damaged("encoding of another type") }
func (noForms) floats([]float64) error { return damaged("encoding of another type") }
func (noForms) text(*Text, int) error  { return damaged("encoding of another type") }

// plain reads PLAIN values.
type plain struct {
	physical Physical
	length   int
	data     []byte
}

// take cuts the next n bytes.
func (p *plain) take(n int) ([]byte, error) {
	if n > len(p.data) {
		return nil, errValues
	}
	b := p.data[:n]
	p.data = p.data[n:]
	return b, nil
}

func (p *plain) ints(dst []int64) error {
	b, err := p.take(len(dst) * width(p.physical, 0))
	if err != nil {
		return err
	}
	if p.physical == Int64 {
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return nil
	}
	for i := range dst {
		dst[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return nil
}

func (p *plain) floats(dst []float64) error {
	b, err := p.take(len(dst) * width(p.physical, 0))
	if err != nil {
		return err
	}
	if p.physical == Double {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return nil
	}
	for i := range dst {
		dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return nil
}

func (p *plain) text(dst *Text, n int) error {
	for range n {
		size := p.length
		if p.physical == ByteArray {
			b, err := p.take(4)
			if err != nil {
				return err
			}
			v := binary.LittleEndian.Uint32(b)
			if uint64(v) > uint64(len(p.data)) {
				return errValues
			}
			size = int(v)
		}
		b, err := p.take(size)
		if err != nil {
			return err
		}
		if err := dst.add(b); err != nil {
			return err
		}
	}
	return nil
}

// bools reads PLAIN and RLE booleans.
type bools struct{ h hybrid }

func (b *bools) ints(dst []int64) error {
	var piece [256]uint8
	for len(dst) > 0 {
		n := min(len(dst), len(piece))
		if _, err := readHybrid(&b.h, piece[:n]); err != nil {
			return err
		}
		for i, v := range piece[:n] {
			dst[i] = int64(v & 1)
		}
		dst = dst[n:]
	}
	return nil
}
func (*bools) floats([]float64) error { return noForms{}.floats(nil) }
func (*bools) text(*Text, int) error  { return noForms{}.text(nil, 0) }

// deltaInts reads DELTA_BINARY_PACKED numbers.
type deltaInts struct {
	noForms
	d      delta
	narrow bool
}

func (d *deltaInts) ints(dst []int64) error {
	if err := d.d.read(dst); err != nil {
		return err
	}
	if d.narrow {
		for i, v := range dst {
			dst[i] = int64(int32(v))
		}
	}
	return nil
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLengths struct {
	noForms
	lengths delta
	data    []byte
}

func newDeltaLengths(data []byte) (*deltaLengths, error) {
	d, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	end, err := d.end()
	if err != nil {
		return nil, err
	}
	return &deltaLengths{lengths: d, data: data[end:]}, nil
}

// next returns the next n strings one by one.
func (d *deltaLengths) next(n int, add func([]byte) error) error {
	var piece [128]int64
	for n > 0 {
		lengths := piece[:min(n, len(piece))]
		if err := d.lengths.read(lengths); err != nil {
			return err
		}
		for _, size := range lengths {
			if size < 0 || size > int64(len(d.data)) {
				return errValues
			}
			if err := add(d.data[:size]); err != nil {
				return err
			}
			d.data = d.data[size:]
		}
		n -= len(lengths)
	}
	return nil
}

func (d *deltaLengths) text(dst *Text, n int) error { return d.next(n, dst.add) }

// deltaStrings reads DELTA_BYTE_ARRAY: how much of the string before to keep,
// and what follows.
type deltaStrings struct {
	noForms
	prefixes delta
	suffixes *deltaLengths
	last     []byte
	fixed    int // length all strings must have, 0 if any
	limit    int // on one string
}

func newDeltaStrings(col *Column, data []byte) (*deltaStrings, error) {
	d, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	end, err := d.end()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(data[end:])
	if err != nil {
		return nil, err
	}
	s := &deltaStrings{prefixes: d, suffixes: suffixes, limit: maxText}
	if col.Physical == FixedLenByteArray {
		s.fixed = col.length
	}
	return s, nil
}

func (d *deltaStrings) text(dst *Text, n int) error {
	return d.suffixes.next(n, func(suffix []byte) error {
		var prefix [1]int64
		if err := d.prefixes.read(prefix[:]); err != nil {
			return err
		}
		if prefix[0] < 0 || prefix[0] > int64(len(d.last)) {
			return damaged("a string repeats more than the string before it has")
		}
		if int(prefix[0])+len(suffix) > d.limit {
			return errText
		}
		d.last = append(d.last[:prefix[0]], suffix...)
		if d.fixed > 0 && len(d.last) != d.fixed {
			return damaged("a value of %d bytes, not %d", len(d.last), d.fixed)
		}
		return dst.add(d.last)
	})
}

// split reads BYTE_STREAM_SPLIT: all first bytes, then all second bytes, ….
type split struct {
	plain // the values of one piece, put together
	whole []byte
	next  int
	count int
	width int
	piece []byte
}

func newSplit(col *Column, data []byte) (*split, error) {
	w := width(col.Physical, col.length)
	if len(data)%w != 0 {
		return nil, damaged("%d bytes do not hold values of %d", len(data), w)
	}
	return &split{plain: plain{physical: col.Physical, length: w}, whole: data, count: len(data) / w, width: w}, nil
}

// gather puts the next n values together for plain to read.
func (s *split) gather(n int) error {
	if n > s.count-s.next {
		return errValues
	}
	s.piece = resize(s.piece, n*s.width)
	for j := range s.width {
		stream := s.whole[j*s.count+s.next:][:n]
		for i, b := range stream {
			s.piece[i*s.width+j] = b
		}
	}
	s.next += n
	s.plain.data = s.piece
	return nil
}

func (s *split) ints(dst []int64) error {
	if err := s.gather(len(dst)); err != nil {
		return err
	}
	return s.plain.ints(dst)
}

func (s *split) floats(dst []float64) error {
	if err := s.gather(len(dst)); err != nil {
		return err
	}
	return s.plain.floats(dst)
}

func (s *split) text(dst *Text, n int) error {
	if err := s.gather(n); err != nil {
		return err
	}
	return s.plain.text(dst, n)
}
