package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack starts writing a range of the file out, without waiting. It is a
// hint: its failure costs time only.
func writeBack(f *os.File, offset, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE)
}
