package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ttdiag/ingest/timeline"
)

var epoch = time.Date(2026, 8, 21, 3, 15, 0, 0, time.UTC)

// randomRows appends n rows to a builder; row i has the id prefix-i.
func randomRows(rng *rand.Rand, prefix string, from, n int) *timeline.Batch {
	b := timeline.NewBuilder()
	var r timeline.Row
	for i := from; i < from+n; i++ {
		r.Reset()
		if rng.IntN(9) > 0 {
			r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "%s-%d", prefix, i))
		}
		r.SetNum(timeline.ColTimestamp, epoch.UnixMicro()+int64(i)*1000)
		if rng.IntN(3) > 0 {
			r.SetNum(timeline.ColUpstreamHeaders, 1+rng.Int64N(90_000_000))
		}
		r.SetNum(timeline.ColTotalHandler, rng.Int64N(timeline.MaxMicros))
		r.SetNum(timeline.ColStatus, 200+rng.Int64N(300))
		r.SetNum(timeline.ColTemperature, 700_000)
		if rng.IntN(5) == 0 {
			r.SetNum(timeline.ColFirstTextDelta, 0)
			r.SetNum(timeline.ColOutputTokens, 1<<40)
		}
		r.SetText(timeline.ColModel, fmt.Appendf(nil, "m%d", rng.IntN(4)))
		r.SetText(timeline.ColChannel, fmt.Appendf(nil, "ch-%d", rng.IntN(400)))
		b.Append(&r)
	}
	return b.Flush()
}

func write(t *testing.T, s *Store, at time.Time, batches ...*timeline.Batch) Info {
	t.Helper()
	w, err := s.Begin(at, []string{"a.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sameRow(t *testing.T, want, got *timeline.Batch, i, k int) {
	t.Helper()
	for c := range timeline.Column(timeline.NumColumns) {
		if want.Has(c, i) != got.Has(c, k) {
			t.Fatalf("row %d: presence of %s differs", i, c)
		}
		if c.IsText() {
			if w, g := want.Text(c, i), got.Text(c, k); w != g {
				t.Fatalf("row %d: %s is %q, want %q", i, c, g, w)
			}
			continue
		}
		w, _ := want.Num(c, i)
		g, _ := got.Num(c, k)
		if w != g {
			t.Fatalf("row %d: %s is %d, want %d", i, c, g, w)
		}
	}
}

func TestRunReadsBackAsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := open(t)
	var batches []*timeline.Batch
	rows := 0
	for _, n := range []int{1, 63, 64, 65, 7000, 40_000, 30_000, 9, 65_536, 3} {
		batches = append(batches, randomRows(rng, "r", rows, n).WithLineBase(int64(rows)).WithSource("a.jsonl"))
		rows += n
	}
	info := write(t, s, epoch, batches...)
	if info.Rows != int64(rows) || info.From != epoch.UnixMicro() {
		t.Fatalf("info is %+v, want %d rows", info, rows)
	}
	next, row, cleaned := 0, 0, int64(0)
	for b, err := range s.Batches(info.Name, 0, -1) {
		if err != nil {
			t.Fatal(err)
		}
		cleaned += b.Cleaned(timeline.ZeroMark, timeline.ColFirstTextDelta)
		for k := range b.Len() {
			for batches[next].Len() == row {
				next, row = next+1, 0
			}
			sameRow(t, batches[next], b, row, k)
			row++
		}
	}
	want := int64(0)
	for _, b := range batches {
		want += b.Cleaned(timeline.ZeroMark, timeline.ColFirstTextDelta)
	}
	if next != len(batches)-1 || cleaned != want {
		t.Errorf("read up to batch %d with %d cleaned, want %d with %d", next, cleaned, len(batches)-1, want)
	}
}

func TestFindReadsEveryRunThatHasTheID(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := open(t)
	for k := range 5 {
		write(t, s, epoch.Add(time.Duration(k)*time.Second), randomRows(rng, fmt.Sprint("run", k), 0, 3000))
	}
	b := timeline.NewBuilder()
	var r timeline.Row
	for range 2 {
		r.Reset()
		r.SetText(timeline.ColRequestID, []byte("twice"))
		b.Append(&r)
	}
	twice := b.Flush()
	write(t, s, epoch.Add(time.Minute), twice, randomRows(rng, "x", 0, 100))
	write(t, s, epoch.Add(time.Hour), twice)
	hits := 0
	for hit, err := range s.Find([]byte("twice")) {
		if err != nil {
			t.Fatal(err)
		}
		if hits == 0 && hit.Run.Rows != 2 {
			t.Error("the newest run does not come first")
		}
		hits += len(hit.Rows)
	}
	if hits != 4 {
		t.Errorf("found %d rows, want 4", hits)
	}
	for range s.Find([]byte("nobody")) {
		t.Error("found an id that is in no run")
	}
}

func TestFilterNeverMissesAndSeldomErrs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := open(t)
	info := write(t, s, epoch, randomRows(rng, "in", 0, 60_000))
	x, file, err := s.open(info.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wrong := 0
	for i := range 10_000 {
		got, err := x.candidates(file, fmt.Appendf(nil, "out-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		wrong += len(got)
	}
	if wrong > 50 {
		t.Errorf("%d of 10000 ids that are not there passed the filter", wrong)
	}
}

func TestOpenKeepsOthersOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	info := write(t, s, epoch, randomRows(rand.New(rand.NewPCG(1, 1)), "r", 0, 10))
	for path, want := range map[string]os.FileMode{dir: 0o700, s.path(info.Name): 0o600} {
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != want {
			t.Errorf("mode is %v, want %v (%v)", stat.Mode().Perm(), want, err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a store that others can write to opens: %v", err)
	}
}

func TestUnfinishedRunIsInvisible(t *testing.T) {
	s := open(t)
	rng := rand.New(rand.NewPCG(7, 8))
	kept := write(t, s, epoch, randomRows(rng, "r", 0, 10))
	w, err := s.Begin(epoch.Add(time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(randomRows(rng, "r", 0, 70_000)); err != nil {
		t.Fatal(err)
	}
	runs, damaged, err := s.Runs()
	if err != nil || len(runs) != 1 || runs[0].Name != kept.Name || damaged != nil {
		t.Fatalf("runs are %v, %v, %v", runs, damaged, err)
	}
	old := time.Now().Add(48 * time.Hour)
	if _, err := s.Prune(old, Limits{}); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "*"+tempSuffix)); left != nil {
		t.Errorf("leftovers stay: %d", len(left))
	}
	w.Abort()
}

func TestTwoRunsAtOnceBothAppear(t *testing.T) {
	s := open(t)
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(k), 9))
			write(t, s, epoch, randomRows(rng, fmt.Sprint(k), 0, 5000))
		})
	}
	wg.Wait()
	runs, _, err := s.Runs()
	if err != nil || len(runs) != 8 {
		t.Fatalf("%d runs, want 8 (%v)", len(runs), err)
	}
}

func TestPruneByAgeThenSize(t *testing.T) {
	s := open(t)
	rng := rand.New(rand.NewPCG(9, 9))
	var size int64
	for day := range 5 {
		size = write(t, s, epoch.AddDate(0, 0, day), randomRows(rng, "r", 0, 1000)).Bytes
	}
	removed, err := s.Prune(epoch.AddDate(0, 0, 5), Limits{Age: 4*24*time.Hour + time.Minute, Bytes: 2*size + size/2})
	if err != nil {
		t.Fatal(err)
	}
	runs, _, _ := s.Runs()
	if len(removed) != 3 || len(runs) != 2 || !runs[0].Created.Equal(epoch.AddDate(0, 0, 3)) {
		t.Errorf("removed %d, left %d", len(removed), len(runs))
	}
	if n, err := s.Clear(); n != 2 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
}

// A file with any byte changed or cut off is read as it was or reported as
// damaged; it never kills the process.
func TestDamageIsAnError(t *testing.T) {
	s := open(t)
	rng := rand.New(rand.NewPCG(10, 11))
	info := write(t, s, epoch, randomRows(rng, "r", 0, 300))
	whole, err := os.ReadFile(s.path(info.Name))
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		broken := append([]byte(nil), whole...)
		for range 1 + rng.IntN(3) {
			broken[rng.IntN(len(broken))] = byte(rng.Uint32())
		}
		if rng.IntN(4) == 0 {
			broken = broken[:rng.IntN(len(broken))]
		}
		if err := os.WriteFile(s.path(info.Name), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		for range s.Find([]byte("r-7")) {
		}
		for _, err := range s.Batches(info.Name, 0, -1) {
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "store"))
	if err != nil {
		b.Fatal(err)
	}
	batch := randomRows(rand.New(rand.NewPCG(1, 2)), "0123456789abcdef0123456789abcdef", 0, 8000)
	w, err := s.Begin(epoch, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(batch.Len()))
	for b.Loop() {
		if err := w.Append(batch); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	info, err := w.Commit()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Bytes)/float64(info.Rows), "B/row")
}

// BenchmarkFind looks an id up in a store of many runs.
func BenchmarkFind(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "store"))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 20 {
		w, err := s.Begin(epoch.Add(time.Duration(k)*time.Hour), nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Append(randomRows(rng, fmt.Sprint("run", k), 0, 60_000)); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	for _, id := range []string{"run3-59999", "nobody"} {
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				for _, err := range s.Find([]byte(id)) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
