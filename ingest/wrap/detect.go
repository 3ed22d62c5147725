package wrap

import (
	"bytes"

	"ttdiag/ingest/source"
)

const (
	// maxNesting is how many wrappers are looked for.
	maxNesting = 5
	// share is how many of the lines, in hundredths, must be wrapped: a wrapper
	// wraps all of them, but the first and the last may be torn.
	share = 90
)

// Detect returns the wrappers around lines, a window of the beginning of an
// input; nil where there are none.
func Detect(lines [][]byte) Nesting {
	var n Nesting
	for len(n) < maxNesting {
		k, ok := outermost(lines)
		if !ok {
			break
		}
		n = append(n, k)
		if lines = unwrapped(Nesting{k}, lines); len(lines) == 0 {
			break
		}
	}
	return n
}

// outermost returns the wrapper of the lines. Kinds are tried from the most
// telling to the least, a bare time.
func outermost(lines [][]byte) (Kind, bool) {
	w := source.Window{Lines: lines}
	shapes := w.Objects()
	for i := range objects {
		fits := 0
		for _, s := range shapes {
			if objects[i].fits(s) {
				fits++
			}
		}
		if enough(fits, len(lines)) {
			return objects[i].kind, true
		}
	}
	for k, take := range takers {
		if take == nil {
			continue
		}
		fits := 0
		for _, line := range lines {
			if _, ok := take(line); ok {
				fits++
			}
		}
		if enough(fits, len(lines)) {
			return Kind(k), true
		}
	}
	return 0, false
}

// enough allows for one torn line in a short window.
func enough(fits, all int) bool {
	return fits > 0 && (fits*100 >= all*share || all >= 3 && fits == all-1 && all <= 10)
}

// Inner returns a window of the inner lines of w, blank ones left out.
func (n Nesting) Inner(w *source.Window) *source.Window {
	inner := &source.Window{Name: w.Name, Whole: w.Whole, Lines: unwrapped(n, w.Lines)}
	inner.Head = bytes.Join(inner.Lines, []byte{'\n'})
	return inner
}

func unwrapped(n Nesting, lines [][]byte) [][]byte {
	u := NewUnwrapper(n)
	var all [][]byte
	for _, line := range lines {
		inner, why := u.Line(line)
		if why.Reason != source.OK || len(bytes.TrimSpace(inner)) == 0 {
			continue
		}
		// A message of several lines is as many.
		for one := range bytes.SplitSeq(inner, []byte{'\n'}) {
			if len(bytes.TrimSpace(one)) > 0 {
				all = append(all, bytes.Clone(one))
			}
		}
	}
	return all
}
