package ingest

import "testing"

func BenchmarkFormats(b *testing.B) {
	for b.Loop() {
		Formats()
	}
}
