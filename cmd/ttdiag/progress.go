package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// showProgress draws a bar on standard error while reading takes long, and
// returns what ends it.
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

// draw shows bytes, rate and time left. Short runs show nothing.
func (r *reading) draw(done chan struct{}) {
	select {
	case <-done:
		return
	case <-time.After(500 * time.Millisecond):
	}
	_, total := r.source.Progress.Bytes()
	if total == 0 {
		total = -1
	}
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(r.s.err), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("reading"), progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	for {
		read, _ := r.source.Progress.Bytes()
		_ = bar.Set64(read)
		select {
		case <-done:
			_ = bar.Clear()
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}
