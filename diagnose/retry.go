package diagnose

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"ttdiag/ingest/timeline"
)

// followLimit is the number of attempts up to which every one is followed,
// unless memory is short. Beyond it only those that are numbered 2 and above, or
// failed, are; and where these are as many, those of every second request, every
// fourth, and so on.
const followLimit = 1 << 20

// retryTally joins the attempts of requests by a 64-bit hash of the request id.
// What it keeps depends on the records alone, not on their order.
type retryTally struct {
	marked   int64       // of all attempts, those numbered 2 and above
	attempts [][]attempt // in blocks, so that growing does not copy
	partial  bool
	halvings int // of the requests that are followed
	siblings *siblings
}

const attemptBlock = 1 << 13

func (t *retryTally) append(a attempt) {
	last := len(t.attempts) - 1
	if last < 0 || len(t.attempts[last]) == attemptBlock {
		t.attempts = append(t.attempts, make([]attempt, 0, attemptBlock))
		last++
	}
	t.attempts[last] = append(t.attempts[last], a)
}

// kept returns the number of attempts that are kept.
func (t *retryTally) kept() (n int) {
	for _, block := range t.attempts {
		n += len(block)
	}
	return n
}

// follows reports whether an attempt is one to keep.
func (t *retryTally) follows(a attempt) bool {
	return !t.partial || a.telling() && a.id&(1<<t.halvings-1) == 0
}

// sift drops the attempts that are not to be kept any more.
func (t *retryTally) sift() {
	old := t.attempts
	t.attempts = nil
	for _, block := range old {
		for _, a := range block {
			if t.follows(a) {
				t.append(a)
			}
		}
	}
}

type attempt struct {
	id         uint64
	start, end int64 // µs since the epoch
	number     int32 // 0 where absent
	timed      bool  // start and end are known
	failed     bool
}

func (a attempt) telling() bool { return a.number > 1 || a.failed }

func (t *retryTally) add(v *Verdicts, rows timeline.Bitmap) {
	b := v.Batch
	number, start := b.Numbers(timeline.ColAttempt), b.Numbers(timeline.ColTimestamp)
	total, done := b.Numbers(timeline.ColTotalHandler), b.Numbers(timeline.ColUpstreamDone)
	ids := b.RequestIDs()
	var withID int64
	var telling [64]int64
	for i := range rows.All {
		var a attempt
		if number.Valid.Has(i) {
			a.number = int32(min(number.Values[i], 1<<30))
		}
		if a.number > 1 {
			t.marked++
		}
		if !ids.Valid.Has(i) {
			continue
		}
		a.failed = v.Outcome[i].Failed()
		withID++
		if t.partial && !a.telling() {
			continue
		}
		a.id = xxhash.Sum64(ids.At(i))
		if a.telling() {
			telling[bits.TrailingZeros64(a.id|1<<63)]++
		}
		if !t.follows(a) {
			continue
		}
		if start.Valid.Has(i) {
			a.start, a.end = start.Values[i], start.Values[i]
			switch {
			case total.Valid.Has(i):
				a.end, a.timed = a.start+total.Values[i], true
			case done.Valid.Has(i):
				a.end, a.timed = a.start+done.Values[i], true
			}
		}
		t.append(a)
	}
	t.siblings.countAttempts(withID, &telling)
	t.shrink()
}

// shrink gives up following attempts that tell nothing by themselves, and then
// every second request.
func (t *retryTally) shrink() {
	t.follow(t.siblings.attempts.Load() > t.siblings.followed, t.siblings.halvings())
}

// follow keeps no more than is said, or what is kept now where that is less.
func (t *retryTally) follow(partial bool, halvings int) {
	partial, halvings = t.partial || partial, max(t.halvings, halvings)
	if t.partial == partial && (!partial || t.halvings == halvings) {
		return
	}
	t.partial, t.halvings = partial, halvings
	t.sift()
}

func (t *retryTally) merge(o *retryTally) {
	t.marked += o.marked
	t.shrink()
	o.shrink()
	t.follow(o.partial, o.halvings)
	o.follow(t.partial, t.halvings)
	t.attempts = append(o.attempts, t.attempts...) // the last block is the one that append fills
}

// result returns the cost of retries, and the number of distinct requests among
// judged attempts: attempts without an id count as one request each. It takes up
// to jobs goroutines, each for a part of the hashes.
func (t *retryTally) result(judged int64, jobs int) (Retries, int64) {
	parts := 1 << min(bits.Len(uint(max(jobs, 1)-1)), 4)
	found := make([]Retries, parts)
	each(parts, jobs, func(k int) { found[k] = retriesOf(t.repeated(uint64(k), parts)) })
	out := Retries{Partial: t.partial}
	for _, r := range found {
		out.include(r)
	}
	if t.partial {
		if t.halvings > 0 {
			out.OneIn = 1 << t.halvings
		}
		return out, judged - t.marked
	}
	return out, judged - (out.Attempts - out.Retried)
}

// retriesOf counts the attempts of requests that have more than one.
func retriesOf(attempts []attempt) (out Retries) {
	slices.SortFunc(attempts, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.number, b.number), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for from := 0; from < len(attempts); {
		to := from + 1
		for to < len(attempts) && attempts[to].id == attempts[from].id {
			to++
		}
		if to > from+1 {
			out.add(attempts[from:to])
		}
		from = to
	}
	return out
}

// repeated returns the attempts of requests that have more than one, and a few
// more, in one of so many equal parts of the hashes (a power of two): nearly all
// requests have one attempt, and are not worth sorting. It marks a bit for each id
// in a field of sixteen bits an attempt, and takes those whose bit was marked
// before.
func (t *retryTally) repeated(part uint64, parts int) []attempt {
	width := bits.Len(uint(16*t.kept()/parts | 63))
	own := 64 - bits.TrailingZeros(uint(parts)) // the bits of a hash below those of its part
	place := func(id uint64) int { return int(id << (64 - own) >> (64 - width)) }
	once, again := timeline.NewBitmap(1<<width), timeline.NewBitmap(1<<width)
	for _, block := range t.attempts {
		for i := range block {
			if id := block[i].id; id>>own == part {
				if at := place(id); once.Has(at) {
					again.Set(at)
				} else {
					once.Set(at)
				}
			}
		}
	}
	var out []attempt
	for _, block := range t.attempts {
		for i := range block {
			if id := block[i].id; id>>own == part && again.Has(place(id)) {
				out = append(out, block[i])
			}
		}
	}
	return out
}

// include adds the counts of other requests.
func (r *Retries) include(o Retries) {
	r.Retried += o.Retried
	r.Attempts += o.Attempts
	r.Failed += o.Failed
	r.Measured += o.Measured
	r.CallerUs += o.CallerUs
	r.LostUs += o.LostUs
	r.BackoffUs += o.BackoffUs
}

// add counts the attempts of one request, in order.
func (r *Retries) add(attempts []attempt) {
	r.Retried++
	r.Attempts += int64(len(attempts))
	timed := true
	for _, a := range attempts {
		if a.failed {
			r.Failed++
		}
		timed = timed && a.timed
	}
	if !timed {
		return
	}
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.start, b.start) })
	r.Measured++
	first, last := attempts[0], attempts[len(attempts)-1]
	end, idle := first.end, int64(0)
	for _, a := range attempts[1:] {
		idle += max(a.start-end, 0)
		end = max(end, a.end)
	}
	r.CallerUs += end - first.start
	r.LostUs += last.start - first.start
	r.BackoffUs += idle
}
