//go:build !linux

package ingest

// HugePages does nothing: here the system decides.
func HugePages(int) {}
