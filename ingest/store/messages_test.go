package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// streamOf returns an Arrow stream as segments are.
func streamOf(t *testing.T) []byte {
	t.Helper()
	var s scratch
	rec := record(randomRows(rand.New(rand.NewPCG(1, 1)), "r", 0, 100), &s)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()))
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// errPanic stands for a panic of the Arrow library.
var errPanic = errors.New("panic")

// readMessages counts the messages before the error that ends them.
func readMessages(data []byte) (n int, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	m := &messages{rest: data}
	for {
		if _, err := m.Message(); err != nil {
			return n, err
		}
		n++
	}
}

// A stream ends well where its end mark is, and nowhere before.
func TestMessagesOfACutStream(t *testing.T) {
	whole := streamOf(t)
	n, err := readMessages(whole)
	if n < 2 || err != io.EOF {
		t.Fatalf("%d messages, %v", n, err)
	}
	for size := range whole {
		if got, err := readMessages(whole[:size:size]); err != io.ErrUnexpectedEOF || got > n {
			t.Errorf("%d of %d bytes: %d messages, %v", size, len(whole), got, err)
		}
	}
}

func TestMessagesOfWrongHeads(t *testing.T) {
	whole := streamOf(t)
	for _, tc := range []struct {
		name         string
		mark, length uint32
		want         error
	}{
		{"the end mark", 0xFFFFFFFF, 0, io.EOF},
		{"the old end mark", 0, 8, io.EOF},
		{"no mark", 8, 8, io.ErrUnexpectedEOF},
		{"a byte too long", 0xFFFFFFFF, uint32(len(whole) - 7), io.ErrUnexpectedEOF},
		{"longer than a number is", 0xFFFFFFFF, 0xFFFFFFF8, io.ErrUnexpectedEOF},
		{"longest", 0xFFFFFFFF, 0xFFFFFFFF, io.ErrUnexpectedEOF},
		{"no room for a table", 0xFFFFFFFF, 1, errPanic},
	} {
		data := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(data, tc.mark)
		binary.LittleEndian.PutUint32(data[4:], tc.length)
		if n, err := readMessages(data); n != 0 || err != tc.want {
			t.Errorf("%s: %d messages, %v, want %v", tc.name, n, err, tc.want)
		}
	}
}
