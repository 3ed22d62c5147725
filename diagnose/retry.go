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
// failed, are.
const followLimit = 1 << 20

// retryTally joins the attempts of requests by a 64-bit hash of the request id.
// What it keeps depends on the records alone, not on their order.
type retryTally struct {
	total    int64       // attempts with an id
	marked   int64       // of all attempts, those numbered 2 and above
	attempts [][]attempt // in blocks, so that growing does not copy
	partial  bool
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

// keepTelling drops the attempts that tell nothing by themselves.
func (t *retryTally) keepTelling() {
	old := t.attempts
	t.attempts = nil
	for _, block := range old {
		for _, a := range block {
			if a.telling() {
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
	before := t.total
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
		t.total++
		if t.partial && !a.telling() {
			continue
		}
		a.id = xxhash.Sum64(ids.At(i))
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
	t.siblings.attempts.Add(t.total - before)
	t.shrink()
}

// shrink gives up following attempts that tell nothing by themselves.
func (t *retryTally) shrink() {
	if !t.partial && t.siblings.attempts.Load() > t.siblings.followed {
		t.partial = true
		t.keepTelling()
	}
}

func (t *retryTally) merge(o *retryTally) {
	t.total += o.total
	t.marked += o.marked
	if t.partial {
		o.keepTelling()
	}
	t.attempts = append(o.attempts, t.attempts...) // the last block is the one that append fills
	t.shrink()
}

// result returns the cost of retries, and the number of distinct requests among
// judged attempts: attempts without an id count as one request each.
func (t *retryTally) result(judged int64) (Retries, int64) {
	attempts := t.repeated()
	slices.SortFunc(attempts, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.number, b.number), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	out := Retries{Partial: t.partial}
	requests := judged
	for from := 0; from < len(attempts); {
		to := from + 1
		for to < len(attempts) && attempts[to].id == attempts[from].id {
			to++
		}
		if same := attempts[from:to]; len(same) > 1 {
			out.add(same)
			if !t.partial {
				requests -= int64(len(same) - 1)
			}
		}
		from = to
	}
	if t.partial {
		requests -= t.marked
	}
	return out, requests
}

// repeated returns the attempts of requests that have more than one, and a few
// more: nearly all requests have one, and are not worth sorting. It marks a bit
// for each id in a field of sixteen bits an attempt, and takes those whose bit
// was marked before.
func (t *retryTally) repeated() []attempt {
	n := 0
	for _, block := range t.attempts {
		n += len(block)
	}
	shift := 64 - bits.Len(uint(16*n|63))
	once, again := timeline.NewBitmap(1<<(64-shift)), timeline.NewBitmap(1<<(64-shift))
	for _, block := range t.attempts {
		for i := range block {
			if at := int(block[i].id >> shift); once.Has(at) {
				again.Set(at)
			} else {
				once.Set(at)
			}
		}
	}
	var out []attempt
	for _, block := range t.attempts {
		for i := range block {
			if again.Has(int(block[i].id >> shift)) {
				out = append(out, block[i])
			}
		}
	}
	return out
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
