package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// start measures how long nothing takes.
func (b *bench) start() error {
	three := filepath.Join(b.dir, "three.jsonl")
	if _, err := writeLog(three, 3, 1, false); err != nil {
		return err
	}
	run := func(args ...string) func() (cost, error) {
		return func() (cost, error) {
			c, _, err := measure(b.env, args...)
			return c, err
		}
	}
	pairs, err := inTurn(4*b.pairs, run(b.ttdiag, "--version"), run(b.ttdiag, "analyze", "--no-store", three))
	if err != nil {
		return err
	}
	reportPairs("Start-up", "ttdiag --version", "ttdiag analyze, three lines", pairs)
	return nil
}

func (b *bench) leanCase() error { return b.against("lean", b.lean, false) }

func (b *bench) fatCase() error { return b.against("fat", b.fat, true) }

// against runs ttdiag against DuckDB with a CASE by hand, then with the whole
// rule table, then against cat.
func (b *bench) against(name string, n int, fat bool) error {
	log, err := b.log(name, n, fat)
	if err != nil {
		return err
	}
	info, err := os.Stat(log)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s log: %d records, %d MB", name, n, info.Size()/1e6)
	whole, err := b.ruleSQL(log)
	if err != nil {
		return err
	}
	for _, peer := range []struct{ name, sql string }{
		{"DuckDB, a CASE by hand", byHand + table(log)},
		{"DuckDB, ttdiag rules sql", whole},
	} {
		var ours, theirs answer
		pairs, err := inTurn(b.pairs, b.analyze(&ours, "--no-store", log), b.duck(&theirs, peer.sql))
		if err != nil {
			return err
		}
		relative := 0.0
		if n > 1<<20 {
			relative = 0.001
		}
		if err := ours.check(theirs, relative); err != nil {
			return err
		}
		reportPairs(title, "ttdiag", peer.name, pairs)
		fmt.Println("  same answer:", len(ours.Classes), "classes and", 3*len(marks), "percentiles")
	}
	pairs, err := inTurn(b.pairs, b.analyze(nil, "--no-store", log), cat(log))
	if err != nil {
		return err
	}
	reportPairs(title, "ttdiag", "cat", pairs)
	return nil
}

// cat copies a file to nowhere, through a pipe's worth of memory as cat does.
func cat(log string) func() (cost, error) {
	return func() (cost, error) {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return cost{}, err
		}
		defer null.Close()
		cmd := exec.Command("cat", log)
		cmd.Stdout = null
		start := time.Now()
		err = cmd.Run()
		return cost{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, err
	}
}

func (b *bench) storeCase() error {
	log, err := b.log("lean", b.lean, false)
	if err != nil {
		return err
	}
	pairs, err := inTurn(b.pairs, func() (cost, error) {
		if _, _, err := measure(b.env, b.ttdiag, "store", "clear"); err != nil {
			return cost{}, err
		}
		return b.analyze(nil, log)()
	}, b.analyze(nil, "--no-store", log))
	if err != nil {
		return err
	}
	reportPairs("Keeping the lean log in the store", "with store", "without", pairs)
	return nil
}

func (b *bench) jobsCase() error {
	log, err := b.log("lean", b.lean, false)
	if err != nil {
		return err
	}
	pairs, err := inTurn(b.pairs, b.analyze(nil, "--no-store", "--jobs", "1", log), b.analyze(nil, "--no-store", "--jobs", "2", log))
	if err != nil {
		return err
	}
	reportPairs("Workers", "--jobs 1", "--jobs 2", pairs)
	return nil
}

func (b *bench) packedCase() error {
	log, err := b.log("lean", b.lean, false)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name, suffix, peer string
		pack               func(io.Writer) (io.WriteCloser, error)
		unpack             func(string) func() (cost, error)
	}{
		{"gzip", ".gz", "gzip -dc", packGzip, func(packed string) func() (cost, error) {
			return func() (cost, error) {
				c, _, err := measure(nil, "sh", "-c", "gzip -dc "+packed+" >/dev/null")
				return c, err
			}
		}},
		{"zstd", ".zst", "the plain log", packZstd, func(string) func() (cost, error) {
			return b.analyze(nil, "--no-store", log)
		}},
	} {
		packed := log + c.suffix
		if err := pack(log, packed, c.pack); err != nil {
			return err
		}
		pairs, err := inTurn(b.pairs, b.analyze(nil, "--no-store", packed), c.unpack(packed))
		if err != nil {
			return err
		}
		reportPairs("The lean log, "+c.name, "ttdiag", c.peer, pairs)
	}
	return nil
}

func packGzip(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }

func packZstd(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
}

func pack(from, to string, packer func(io.Writer) (io.WriteCloser, error)) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	z, err := packer(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, in); err != nil {
		return err
	}
	return z.Close()
}

// explainCase fills a store with many runs, and Parquet files with the same
// columns, and looks one request up in both, with nothing in the page cache.
func (b *bench) explainCase() error {
	if _, _, err := measure(b.env, b.ttdiag, "store", "clear"); err != nil {
		return err
	}
	parquet := filepath.Join(b.dir, "parquet")
	if err := os.MkdirAll(parquet, 0o700); err != nil {
		return err
	}
	var id string
	for k := range b.explain {
		log := filepath.Join(b.dir, "part.jsonl")
		one, err := writeLog(log, 1_000_000, uint64(100+k), false)
		if err != nil {
			return err
		}
		if k == b.explain/2 {
			id = one
		}
		if _, _, err := measure(b.env, b.ttdiag, "analyze", "--quiet", "--summary", log); err != nil {
			return err
		}
		to := filepath.Join(parquet, fmt.Sprintf("part-%02d.parquet", k))
		if _, _, err := measure(b.env, b.ttdiag, "convert", "--quiet", "--no-store", log, "-o", to); err != nil {
			return err
		}
		if err := os.Remove(log); err != nil {
			return err
		}
	}
	for _, cold := range []bool{true, false} {
		pairs, err := inTurn(b.pairs, func() (cost, error) {
			if err := b.chill(cold, filepath.Join(b.dir, "store")); err != nil {
				return cost{}, err
			}
			c, _, err := measure(b.env, b.ttdiag, "explain", "--output", "json", id)
			return c, err
		}, func() (cost, error) {
			if err := b.chill(cold, parquet); err != nil {
				return cost{}, err
			}
			c, _, err := measure(nil, b.self, "duckdb", "point", filepath.Join(parquet, "*.parquet"), id)
			return c, err
		})
		if err != nil {
			return err
		}
		state := map[bool]string{true: "cold", false: "warm"}[cold]
		reportPairs(fmt.Sprintf("One request among %d million, %s", b.explain, state), "ttdiag explain", "DuckDB, Parquet", pairs)
	}
	return nil
}

// chill takes the files of a directory out of the page cache.
func (b *bench) chill(cold bool, dir string) error {
	if !cold {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = f.Sync()
		if err == nil {
			err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
