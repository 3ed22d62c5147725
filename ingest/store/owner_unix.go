//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// ofOther reports whether the file belongs to somebody else.
func ofOther(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) != os.Geteuid()
}
