package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack starts to write a part of the file out. It does not wait, and what
// comes of it is told by Sync.
func writeBack(file *os.File, from, n int64) {
	_ = unix.SyncFileRange(int(file.Fd()), from, n, unix.SYNC_FILE_RANGE_WRITE)
}

// drop waits until a part of the file is written out, and takes it out of the
// cache. What goes wrong is told by Sync.
func drop(file *os.File, from, n int64) {
	const wait = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	if unix.SyncFileRange(int(file.Fd()), from, n, wait) == nil {
		_ = unix.Fadvise(int(file.Fd()), from, n, unix.FADV_DONTNEED)
	}
}
