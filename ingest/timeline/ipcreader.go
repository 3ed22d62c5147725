package timeline

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// ErrIPC says that the bytes are not sound Arrow IPC. Errors that wrap it hold
// positions and nothing of the input.
var ErrIPC = errors.New("damaged Arrow data")

// maxIPCRows is how many rows a record batch may declare.
const maxIPCRows = 1 << 27

// IPCReader reads the leaf columns of an Arrow IPC file or stream that another
// program wrote, batch after batch. It trusts no size that the input declares, and
// no input makes it panic. It is not safe for concurrent use.
type IPCReader struct {
	frames *ipcFrames
	reader *ipc.Reader
	fields []IPCField
	rec    arrow.Record
}

// IPCKind says how the values of a field are handed out.
type IPCKind uint8

// The kinds.
const (
	IPCOther  IPCKind = iota // not at all: lists, maps, intervals
	IPCInts                  // IPCColumn.Ints: whole numbers
	IPCFlags                 // IPCColumn.Ints: 0 or 1
	IPCTimes                 // IPCColumn.Ints: microseconds since the epoch
	IPCFloats                // IPCColumn.Floats
	IPCTexts                 // IPCColumn.Texts: strings, bytes, decimals as digits
)

// IPCField is a leaf field of the schema.
type IPCField struct {
	Path []string // the names from the top
	Kind IPCKind
	UTC  bool // of IPCTimes: since the epoch, not of a local clock
	at   []int
}

// IPCColumn is some rows of a field. Only the slice of the field's kind is set.
type IPCColumn struct {
	Valid  []bool // which rows have a value
	Ints   []int64
	Floats []float64
	Texts  [][]byte // which alias the batch
}

// NewIPCReader opens an input of size bytes: a file, which begins with ARROW1, or a
// stream.
func NewIPCReader(r io.ReaderAt, size int64) (in *IPCReader, err error) {
	defer guardIPC(&err)
	frames, err := newIPCFrames(r, size)
	if err != nil {
		return nil, err
	}
	reader, err := ipc.NewReaderFromMessageReader(frames, ipc.WithAllocator(frames.alloc))
	if err != nil {
		return nil, frames.fault()
	}
	in = &IPCReader{frames: frames, reader: reader}
	for i, f := range reader.Schema().Fields() {
		in.addField(f, nil, []int{i})
	}
	return in, nil
}

// addField adds the leaves of a field. The depth of the schema was checked.
func (in *IPCReader) addField(f arrow.Field, path []string, at []int) {
	path = append(path[:len(path):len(path)], f.Name)
	if s, ok := f.Type.(*arrow.StructType); ok {
		for i, child := range s.Fields() {
			in.addField(child, path, append(at[:len(at):len(at)], i))
		}
		return
	}
	field := IPCField{Path: path, at: at}
	field.Kind, field.UTC = ipcKind(f.Type)
	in.fields = append(in.fields, field)
}

func ipcKind(t arrow.DataType) (kind IPCKind, utc bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return ipcKind(t.ValueType)
	case *arrow.TimestampType:
		return IPCTimes, t.TimeZone != ""
	case *arrow.Date32Type, *arrow.Date64Type:
		return IPCTimes, false
	case *arrow.BooleanType:
		return IPCFlags, false
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		return IPCFloats, false
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.BinaryViewType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.Decimal128Type:
		return IPCTexts, false
	}
	if arrow.IsInteger(t.ID()) {
		return IPCInts, false
	}
	return IPCOther, false
}

// Fields lists the leaf fields in the order of the schema.
func (in *IPCReader) Fields() []IPCField { return in.fields }

// Next goes to the next record batch and returns how many rows it has, or io.EOF.
func (in *IPCReader) Next() (rows int, err error) {
	defer guardIPC(&err)
	in.rec = nil
	if !in.reader.Next() {
		if in.reader.Err() == nil && in.frames.ended {
			return 0, io.EOF
		}
		return 0, in.frames.fault()
	}
	in.rec = in.reader.Record()
	if n := in.rec.NumRows(); n < 0 || n > maxIPCRows {
		return 0, in.frames.fault()
	}
	return int(in.rec.NumRows()), nil
}

// Column returns rows lo to hi-1 of the current batch of a field, by its index.
func (in *IPCReader) Column(field, lo, hi int) (col IPCColumn, err error) {
	defer guardIPC(&err)
	f := &in.fields[field]
	col.Valid = make([]bool, hi-lo)
	for i := range col.Valid {
		col.Valid[i] = true
	}
	a := in.rec.Column(f.at[0])
	for _, child := range f.at[1:] {
		col.mask(a, lo)
		s, ok := a.(*array.Struct)
		if !ok {
			return col, ErrIPC
		}
		a = s.Field(child)
	}
	col.mask(a, lo)
	return col, col.read(a, f.Kind, lo)
}

// mask takes out the rows in which a is null.
func (c *IPCColumn) mask(a arrow.Array, lo int) {
	for i := range c.Valid {
		c.Valid[i] = c.Valid[i] && a.IsValid(lo+i)
	}
}

func (c *IPCColumn) read(a arrow.Array, kind IPCKind, lo int) error {
	row := func(i int) int { return lo + i }
	if d, ok := a.(*array.Dictionary); ok {
		a, row = d.Dictionary(), func(i int) int { return d.GetValueIndex(lo + i) }
	}
	switch kind {
	case IPCFloats:
		c.Floats = make([]float64, len(c.Valid))
		return eachOf(c, a, row, floatsOf(a), c.Floats)
	case IPCTexts:
		c.Texts = make([][]byte, len(c.Valid))
		return eachOf(c, a, row, textsIn(a), c.Texts)
	case IPCInts, IPCFlags, IPCTimes:
		c.Ints = make([]int64, len(c.Valid))
		return c.ints(a, row)
	}
	return nil
}

// eachOf reads every row that has a value. A dictionary may hold nulls too; at is
// nil for arrays that do not come with their kind.
func eachOf[T any](c *IPCColumn, a arrow.Array, row func(int) int, at func(int) T, to []T) error {
	if at == nil {
		return ErrIPC
	}
	for i, ok := range c.Valid {
		if !ok {
			continue
		}
		k := row(i)
		if c.Valid[i] = a.IsValid(k); c.Valid[i] {
			to[i] = at(k)
		}
	}
	return nil
}

func (c *IPCColumn) ints(a arrow.Array, row func(int) int) error {
	at := intsOf(a)
	if at == nil {
		return ErrIPC
	}
	for i, ok := range c.Valid {
		if !ok {
			continue
		}
		if k := row(i); a.IsNull(k) {
			c.Valid[i] = false
		} else {
			c.Ints[i], c.Valid[i] = at(k)
		}
	}
	return nil
}

// guardIPC turns a panic of the Arrow library, which meets damage by one, into an
// error.
func guardIPC(err *error) {
	if recover() != nil {
		*err = fmt.Errorf("%w: the reader stopped", ErrIPC)
	}
}
