package main

import (
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machineMemory returns the bytes of memory of the machine, or of the container
// where that has less; 0 where it cannot be known.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	total := int64(uint64(info.Totalram) * uint64(info.Unit))
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return total
	}
	if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
		return min(total, limit)
	}
	return total // "max": no limit
}

// hugePages asks the kernel for huge pages where the heap will grow by up to n
// bytes, for one fault per 2 MB instead of one per 4 kB. It takes that memory
// without touching it, and the advice stays with it when it is freed.
func hugePages(n int) {
	const smallest = 16 << 20
	if n < smallest {
		return
	}
	var room strings.Builder // unlike make, it clears nothing
	room.Grow(n)
	room.WriteByte(0)
	block := unsafe.Slice(unsafe.StringData(room.String()), n)
	page := os.Getpagesize()
	if odd := int(uintptr(unsafe.Pointer(&block[0])) % uintptr(page)); odd != 0 {
		block = block[page-odd:]
	}
	_ = unix.Madvise(block, unix.MADV_HUGEPAGE) // where there are none, pages stay small
}
