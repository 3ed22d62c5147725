package parquet

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// What went wrong, for callers that branch; every [*Error] wraps one of these
// or an I/O error of the file.
var (
	// ErrNotParquet: the file does not begin and end as a Parquet file does.
	ErrNotParquet = errors.New("not a Parquet file")
	// ErrDamaged: the bytes contradict themselves or the format.
	ErrDamaged = errors.New("damaged")
	// ErrUnsupported: valid, as far as seen, but not readable here.
	ErrUnsupported = errors.New("not supported")
	// ErrLimit: the file asks for more than [Limits] allow.
	ErrLimit = errors.New("over the limit")
)

// Error is a fault with its place. It never holds values of the file; the
// column is the only name in it, quoted and cut to 80 bytes.
type Error struct {
	Column string // dotted path, "" if the fault is not in one column
	Group  int    // row group from 0, -1 if the fault is in the footer
	Page   string // "dictionary page", "data page 3", "" if not in a page
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Column != "" {
		name := e.Column
		if len(name) > 80 {
			name = name[:80]
		}
		fmt.Fprintf(&b, "column %q: ", name)
	}
	if e.Group >= 0 {
		fmt.Fprintf(&b, "row group %d: ", e.Group)
	} else {
		b.WriteString("footer: ")
	}
	if e.Page != "" {
		b.WriteString(e.Page + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

func overLimit(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrLimit, fmt.Sprintf(format, args...))
}

// guard turns a panic below it into a damaged-file error. None is known; it
// stands at every entry because a log reader must not die of a file. Only the
// text of runtime errors is kept: it holds indexes, not data.
func guard(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if re, ok := r.(runtime.Error); ok {
		*err = damaged("reader stopped: %s", re.Error())
		return
	}
	*err = damaged("reader stopped")
}
