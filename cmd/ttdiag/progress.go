package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"ttdiag/diagnose/report"
)

// showProgress tells on standard error how far reading is, and returns what ends
// it.
func (r *reading) showProgress() (stop func()) {
	if !r.s.errIsTerm || r.g.Quiet {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		r.draw(done)
	}()
	return func() {
		close(done)
		<-gone
	}
}

// draw writes a line every now and then, over the last one. Short runs show
// nothing.
func (r *reading) draw(done chan struct{}) {
	began, shown := time.Now(), 0
	for wait := 500 * time.Millisecond; ; wait = 200 * time.Millisecond {
		select {
		case <-done:
			if shown > 0 {
				fmt.Fprintf(r.s.err, "\r%*s\r", shown, "")
			}
			return
		case <-time.After(wait):
		}
		read, total := r.source.Progress.Bytes()
		shown = overwrite(r.s.err, shown, fitting(progressLine(read, total, time.Since(began)), r.s.errWidth))
	}
}

// overwrite writes line over one of width columns and returns its own width.
func overwrite(w io.Writer, width int, line string) int {
	fmt.Fprintf(w, "\r%s%s", line, strings.Repeat(" ", max(0, width-len(line))))
	return len(line)
}

// fitting returns as much of line as stands in one line of a terminal: where it
// would go on in the next, every line would stay.
func fitting(line string, columns int) string {
	if columns <= 0 || len(line) < columns {
		return line
	}
	return line[:columns-1]
}

// progressLine tells the bytes read, their share of total and the time left (as
// far as total is known: it is 0 for a pipe), and the rate.
func progressLine(read, total int64, since time.Duration) string {
	line := "reading " + report.Size(read)
	if total > 0 {
		line += fmt.Sprintf(" of %s (%d%%)", report.Size(total), min(100, int64(100*float64(read)/float64(total))))
	}
	rate := float64(read) / since.Seconds()
	line += ", " + report.Size(int64(rate)) + "/s"
	if left := float64(total-read) / rate; total > read && left < 1e6 {
		line += fmt.Sprintf(", %v left", time.Duration(math.Ceil(left))*time.Second)
	}
	return line
}
