package ingest

import (
	"context"
	"iter"
	"os"
	"sync"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Reading is a set of inputs that were found and are yet to be read, once.
type Reading struct {
	Inputs   []*Input
	Repeated []string // names of files that were named before
	Progress Progress
	req      Request
}

// Open finds the inputs of a request. A file that is missing, or a glob without
// a match, is an error; so is an unknown format.
func Open(req Request) (*Reading, error) {
	if err := req.complete(); err != nil {
		return nil, err
	}
	inputs, repeated, err := find(&req)
	if err != nil {
		return nil, err
	}
	r := &Reading{Inputs: inputs, Repeated: repeated, req: req}
	r.Progress.total.Store(totalSize(inputs))
	return r, nil
}

// totalSize is 0 where any input has no size.
func totalSize(inputs []*Input) int64 {
	var total int64
	for _, in := range inputs {
		info, err := os.Stat(in.file)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// Result is what one batch gave, in the order of the inputs and of the lines in
// them.
type Result[T any] struct {
	Value    T
	Batch    *timeline.Batch // with source lines and names set; nil where the request says Transient
	Input    *Input
	Rejected []source.Rejected

	owned *timeline.Batch // what Batch was made of
	free  chan *timeline.Batch
}

// Release gives the memory of Batch to batches to come. Nobody may look at Batch,
// or at anything that shares its columns, afterwards. It is never needed, and
// saves a third of the time of reading.
func (r *Result[T]) Release() {
	if r.owned == nil {
		return
	}
	select {
	case r.free <- r.owned:
	default:
	}
	r.owned, r.Batch = nil, nil
}

// Run reads the inputs and calls work on every batch, on several goroutines at
// once, and yields what it returned in input order. An error, of reading or of
// work, ends the sequence. When it ends for any reason, all goroutines have: but
// for one that waits for a standard input that stays silent.
func Run[T any](ctx context.Context, r *Reading, work func(*timeline.Batch) (T, error)) iter.Seq2[Result[T], error] {
	return func(yield func(Result[T], error) bool) {
		anyWork := func(b *timeline.Batch) (any, error) { return work(b) }
		for p := range r.pieces(ctx, anyWork) {
			if p.err != nil {
				yield(Result[T]{Input: p.input}, p.err)
				return
			}
			res := Result[T]{
				Value: p.value.(T), Batch: p.part.Batch, Input: p.input, Rejected: p.part.Rejected,
				owned: p.owned, free: p.free,
			}
			if !yield(res, nil) {
				return
			}
		}
	}
}

// taken is a piece with the input it is of.
type taken struct {
	piece
	input *Input
	free  chan *timeline.Batch
}

func (r *Reading) pieces(ctx context.Context, work func(*timeline.Batch) (any, error)) iter.Seq[taken] {
	return func(yield func(taken) bool) {
		ctx, cancel := context.WithCancel(ctx)
		f, wait := r.start(ctx, work)
		defer wait()
		defer cancel()
		for j := range f.order {
			for p := range j.out {
				j.input.count(&p)
				if !yield(taken{p, j.input, f.free}) || p.err != nil {
					return
				}
			}
		}
		for _, in := range r.Inputs {
			in.close()
		}
		if err := ctx.Err(); err != nil {
			yield(taken{piece: piece{err: err}})
		}
	}
}

// start starts the workers. The feed's order ends when they have.
func (r *Reading) start(ctx context.Context, work func(*timeline.Batch) (any, error)) (f *feed, wait func()) {
	f = &feed{
		ctx: ctx, req: &r.req, progress: &r.Progress, inputs: r.Inputs,
		order: make(chan *job, 2*r.req.Jobs), long: make(chan struct{}, 1),
		free: make(chan *timeline.Batch, 2*r.req.Jobs),
	}
	var workers sync.WaitGroup
	for range r.req.Jobs {
		w := &worker{ctx: ctx, feed: f, work: work, outs: map[*source.Format]*source.Out{}}
		workers.Go(w.run)
	}
	var closer sync.WaitGroup
	closer.Go(func() {
		workers.Wait()
		f.closeNow()
		close(f.order)
	})
	return f, closer.Wait
}

// count adds a piece to the account.
func (in *Input) count(p *piece) {
	in.Lines += p.part.Lines
	in.Blank += p.part.Blank
	in.Records += int64(p.records)
	in.Rejected += int64(len(p.part.Rejected))
	for _, r := range p.part.Rejected {
		in.Reasons[r.Reason]++
	}
}

// close settles the account: lines that became no record of their own belong to
// others, and a line of several records counts once for each.
func (in *Input) close() {
	in.Bytes = in.raws.Load()
	in.Joined = in.Lines - in.Records - in.Rejected - in.Blank
	if in.Joined < 0 {
		in.Lines -= in.Joined
		in.Joined = 0
	}
}
