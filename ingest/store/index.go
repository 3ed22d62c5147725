package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"
)

// ErrDamaged says that a run's file is not whole. Such a file is passed over
// and named; it is never half believed.
var ErrDamaged = errors.New("damaged store file")

// Info describes one run.
type Info struct {
	Name    string    `json:"name"`    // unique, sorts by time
	Created time.Time `json:"created"` // when the run was committed
	Rows    int64     `json:"rows"`
	Bytes   int64     `json:"bytes"` // of the file
	From    int64     `json:"from"`  // least timestamp, µs since the epoch; 0 where none was recorded
	To      int64     `json:"to"`    // greatest timestamp, likewise
	Inputs  []string  `json:"inputs"`
}

type segment struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Rows   int    `json:"rows"`
	Sum    uint32 `json:"sum"`    // CRC-32C of its bytes
	Filter int    `json:"filter"` // bytes of its filter; filters stand one after the other before the JSON
	From   int64  `json:"from"`
	To     int64  `json:"to"`
}

// index is what stands behind the segments of a run's file:
// filters, JSON of this struct, trailer.
type index struct {
	Info     Info      `json:"info"`
	Segments []segment `json:"segments"`
	filters  int64     // offset of the first filter
	rooms    *sync.Pool
}

// room lends n bytes to read a segment into.
func (x *index) room(n int) (raw []byte, give func()) {
	if x.rooms == nil {
		return make([]byte, n), func() {}
	}
	room, _ := x.rooms.Get().(*[]byte)
	if room == nil || cap(*room) < n {
		room = new([]byte)
		*room = make([]byte, n+n/8)
	}
	return (*room)[:n], func() { x.rooms.Put(room) }
}

// sumTable is that of CRC-32C, which processors compute.
var sumTable = crc32.MakeTable(crc32.Castagnoli)

const (
	trailerLen = 32
	magic      = "ttdiagS1"
)

// encode returns JSON and trailer, which follow the filters that start at offset
// filters.
func (x *index) encode(filters int64) ([]byte, error) {
	text, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(filters))
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(len(text)))
	trailer = binary.LittleEndian.AppendUint32(trailer, crc32.Checksum(text, sumTable))
	trailer = append(trailer, 0, 0, 0, 0)
	return append(append(text, trailer...), magic...), nil
}

// readIndex reads the index at the end of a file of the given size.
func readIndex(r io.ReaderAt, size int64) (*index, error) {
	var trailer [trailerLen]byte
	if size < trailerLen {
		return nil, ErrDamaged
	}
	if _, err := r.ReadAt(trailer[:], size-trailerLen); err != nil {
		return nil, fmt.Errorf("read trailer: %w", err)
	}
	filters := int64(binary.LittleEndian.Uint64(trailer[0:]))
	length := int64(binary.LittleEndian.Uint64(trailer[8:]))
	if string(trailer[24:]) != magic || filters < 0 || length < 0 || filters > size || length > size-trailerLen-filters {
		return nil, ErrDamaged
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, size-trailerLen-length); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x := &index{filters: filters}
	if crc32.Checksum(text, sumTable) != binary.LittleEndian.Uint32(trailer[16:]) || json.Unmarshal(text, x) != nil {
		return nil, ErrDamaged
	}
	x.Info.Bytes = size
	return x, x.check(size)
}

func (x *index) check(size int64) error {
	at := x.filters
	for _, s := range x.Segments {
		if s.Offset < 0 || s.Bytes <= 0 || s.Filter < 0 || s.Offset+s.Bytes > x.filters {
			return ErrDamaged
		}
		at += int64(s.Filter)
	}
	if at > size-trailerLen {
		return ErrDamaged
	}
	return nil
}
