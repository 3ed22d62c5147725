package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"ttdiag/ingest"
)

// memoryPlan is how a command stays below a ceiling: with smaller chunks, fewer
// of them at once, and shorter lines. What is counted is told the ceiling itself.
type memoryPlan struct {
	ceiling int64 // bytes; 0 is none
	jobs    int
	chunk   int
	maxLine int
}

// plan returns what the flags and the memory of the machine leave.
func (f *inputFlags) plan(s std) (memoryPlan, error) {
	ceiling, err := parseSize(f.MaxMemory)
	if err != nil {
		return memoryPlan{}, usageError(fmt.Errorf("--max-memory: %w", err))
	}
	line, err := parseSize(f.MaxLine)
	if err != nil {
		return memoryPlan{}, usageError(fmt.Errorf("--max-line: %w", err))
	}
	if ceiling == 0 {
		ceiling = s.memory / 4
	}
	p := memoryPlan{ceiling: ceiling, jobs: f.Jobs, chunk: ingest.DefaultChunk, maxLine: int(line)}
	if p.jobs <= 0 {
		p.jobs = runtime.GOMAXPROCS(0)
	}
	if ceiling > 0 {
		p.shrink()
	}
	return p, nil
}

// shrink fits the plan to its ceiling. A chunk of the usual size takes some
// 12 MB with the batch made of it and what is judged of that.
func (p *memoryPlan) shrink() {
	const perJob, smallest, shares = 24 << 20, 64 << 10, 64
	p.jobs = int(min(int64(p.jobs), max(p.ceiling/perJob, 1)))
	p.chunk = int(min(int64(p.chunk), max(p.ceiling/int64(shares*p.jobs), smallest)))
	if p.maxLine == 0 {
		p.maxLine = int(min(ingest.DefaultMaxLine, max(p.ceiling/4, 1<<20)))
	}
}

// apply has the collector keep below the ceiling too, as far as it can, and has the
// heap made of huge pages: to touch memory the first time takes a fifth of the time
// of an analysis otherwise. Nearly all memory is numbers, which the collector need
// not look at: it may as well come twice as often, unless the environment says how
// often. Both begin with its first visit, at 8 MB: a short log is done before.
func (p *memoryPlan) apply(s std) {
	const least = 40 << 20 // below it the collector would do little else than come
	if p.ceiling > 0 {
		debug.SetMemoryLimit(max(p.ceiling, least))
	}
	if _, ok := s.env("GOGC"); ok {
		return
	}
	debug.SetGCPercent(200)
	runtime.AddCleanup(new([64]byte), func(room int) {
		debug.SetGCPercent(-1)
		ingest.HugePages(room)
		debug.SetGCPercent(50)
	}, p.room())
}

// room is how much the heap is expected to grow.
func (p *memoryPlan) room() int {
	const perJob, most = 64 << 20, 1 << 30
	room := min(int64(p.jobs+1)*perJob, most)
	if p.ceiling > 0 {
		room = min(room, p.ceiling/8)
	}
	return int(room)
}
