package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
	"ttdiag/ingest"
	"ttdiag/ingest/store"
	"ttdiag/ingest/timeline"
)

// explainCmd explains one request.
type explainCmd struct {
	RequestID string   `arg:"" name:"request-id" help:"Identifier of the request."`
	In        []string `placeholder:"FILE" help:"Look into these inputs instead of the store. Repeatable."`
	Format    string   `placeholder:"NAME" help:"Input format of --in; default: detected."`
	LogFormat string   `placeholder:"STRING" help:"The log_format of an access log given with --in."`
	AssumeTz  string   `placeholder:"ZONE" help:"Zone of log times that name none."`
	Tz        string   `placeholder:"ZONE" help:"Zone in which times are shown. Default UTC."`
	Exact     bool     `help:"Leave approximate values of --in out."`
	RunStore  string   `name:"store" placeholder:"DIR" help:"Store directory."`
	NoPeers   bool     `help:"Do not compare with other requests."`
}

// errNoRequest says that nothing has the request id.
var errNoRequest = errors.New("no request with that id")

// Run executes the command.
func (c *explainCmd) Run(ctx context.Context, s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	loc, err := zone(c.Tz)
	if err != nil {
		return err
	}
	e := &explaining{cmd: c, s: s, g: g, engine: diagnose.New(conf.thresholds)}
	if len(c.In) > 0 {
		err = e.fromFiles(ctx, conf)
	} else {
		err = e.fromStore(ctx)
	}
	if err != nil {
		return err
	}
	if len(e.found) == 0 {
		return fmt.Errorf("%w%s", errNoRequest, e.where())
	}
	e.order()
	if err := e.addPeers(ctx); err != nil {
		return err
	}
	return writeExplanations(s, g, e.found, loc)
}

// explaining is one search for a request.
type explaining struct {
	cmd    *explainCmd
	s      std
	g      *globals
	engine *diagnose.Engine
	reread func(ctx context.Context, add func(*diagnose.Verdicts) error) error // reads what peers are drawn from
	found  []diagnose.Explanation
	peers  []*diagnose.PeerTally // one for each row that was found
}

// where says where was looked, for a message.
func (e *explaining) where() string {
	if len(e.cmd.In) > 0 {
		return " in " + list(e.cmd.In)
	}
	return " in the store; ttdiag analyze puts requests there, or name a file with --in"
}

func (e *explaining) fromFiles(ctx context.Context, conf *config) error {
	flags := &inputFlags{
		Files: e.cmd.In, Format: e.cmd.Format, LogFormat: e.cmd.LogFormat,
		AssumeTz: e.cmd.AssumeTz, Exact: e.cmd.Exact, configured: conf.maps,
	}
	e.reread = func(ctx context.Context, add func(*diagnose.Verdicts) error) error {
		r, err := openInputs(e.s, e.g, flags, false)
		if err != nil {
			return err
		}
		work := func(b *timeline.Batch) (*diagnose.Verdicts, error) { return e.engine.Classify(b), nil }
		return read(ctx, r, work, func(res ingest.Result[*diagnose.Verdicts]) error {
			res.Value.Batch = res.Batch
			return add(res.Value)
		})
	}
	if slices.Contains(e.cmd.In, "-") {
		return e.fromStdin(ctx)
	}
	return e.reread(ctx, e.take)
}

// fromStdin keeps what it read, because standard input can be read once only.
func (e *explaining) fromStdin(ctx context.Context) error {
	var all []*diagnose.Verdicts
	err := e.reread(ctx, func(v *diagnose.Verdicts) error {
		all = append(all, v)
		return e.take(v)
	})
	e.reread = func(_ context.Context, add func(*diagnose.Verdicts) error) error {
		for _, v := range all {
			if err := add(v); err != nil {
				return err
			}
		}
		return nil
	}
	return err
}

// take keeps the explanations of the rows with the id.
func (e *explaining) take(v *diagnose.Verdicts) error {
	ids := v.Batch.RequestIDs()
	for i := range ids.Valid.All {
		if string(ids.At(i)) == e.cmd.RequestID {
			e.keep(v, i)
		}
	}
	return nil
}

func (e *explaining) keep(v *diagnose.Verdicts, i int) {
	e.found = append(e.found, v.Explain(i))
	if !e.cmd.NoPeers {
		e.peers = append(e.peers, diagnose.NewPeerTally(v, i))
	}
}

// peerSegments is how many segments of a run, around the one with the request,
// peers are drawn from: up to two hundred thousand records, which is plenty to
// stand beside, and twice as many would take twice as long.
const peerSegments = 3

func (e *explaining) fromStore(ctx context.Context) error {
	dir, err := storeDir(e.s, e.cmd.RunStore)
	if err != nil || !storeExists(dir) {
		return nil // then nothing is found there
	}
	st, err := store.Open(dir)
	if err != nil {
		return err
	}
	(&memoryPlan{jobs: runtime.GOMAXPROCS(0)}).apply(e.s)
	var nearest store.Hit
	var judged *diagnose.Verdicts
	for hit, err := range st.Find([]byte(e.cmd.RequestID)) {
		if err != nil {
			return err
		}
		v := e.engine.Classify(hit.Batch)
		if judged == nil {
			nearest, judged = hit, v
		}
		for _, i := range hit.Rows {
			e.keep(v, i)
		}
	}
	e.reread = func(ctx context.Context, add func(*diagnose.Verdicts) error) error {
		return e.neighbours(ctx, st, nearest, judged, add)
	}
	return nil
}

// neighbours judges the segments around a hit side by side, and hands them on in
// order. of are the verdicts on the hit itself.
func (e *explaining) neighbours(ctx context.Context, st *store.Store, near store.Hit, of *diagnose.Verdicts,
	add func(*diagnose.Verdicts) error) error {
	type judged struct {
		list []*diagnose.Verdicts
		err  error
	}
	line := newOrdered(runtime.GOMAXPROCS(0), func(j judged) error {
		for _, v := range j.list {
			if err := add(v); err != nil {
				return err
			}
		}
		return cmp.Or(j.err, ctx.Err())
	})
	from := max(near.Segment-peerSegments/2, 0)
	for k := from; k < from+peerSegments; k++ {
		err := line.add(func() (j judged) {
			if k == near.Segment {
				return judged{list: []*diagnose.Verdicts{of}}
			}
			for b, err := range st.Batches(near.Run.Name, k, k+1) {
				if err != nil {
					return judged{err: err}
				}
				j.list = append(j.list, e.engine.Classify(b))
			}
			return j
		})
		if err != nil {
			break // close returns it
		}
	}
	return line.close()
}

// order sorts attempts by number and start, and drops what was stored twice: a
// log that was analysed again is no second attempt.
func (e *explaining) order() {
	slices.SortStableFunc(e.found, func(a, b diagnose.Explanation) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Started(), b.Started()),
			strings.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Source.Byte, b.Source.Byte))
	})
	e.found = slices.CompactFunc(e.found, func(a, b diagnose.Explanation) bool {
		return string(report.AppendDiagnosis(nil, &a.Diagnosis)) == string(report.AppendDiagnosis(nil, &b.Diagnosis))
	})
}

// addPeers compares each attempt with other requests.
func (e *explaining) addPeers(ctx context.Context) error {
	if e.cmd.NoPeers {
		return nil
	}
	tallies := make([]*diagnose.PeerTally, len(e.found))
	for k := range e.found {
		at := slices.IndexFunc(e.peers, func(t *diagnose.PeerTally) bool { return t.Of(&e.found[k]) })
		tallies[k] = e.peers[at]
	}
	err := e.reread(ctx, func(v *diagnose.Verdicts) error {
		for _, t := range tallies {
			t.Add(v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, t := range tallies {
		e.found[k].Peers = t.Peers()
	}
	return nil
}

func writeExplanations(s std, g *globals, found []diagnose.Explanation, loc *time.Location) error {
	switch g.kind(s) {
	case asJSON:
		return writeOut(s, string(report.AppendExplanations(nil, found))+"\n", nil)
	case asJSONL:
		var text []byte
		for i := range found {
			text = append(report.AppendExplanation(text, &found[i]), '\n')
		}
		return writeOut(s, string(text), nil)
	case asCSV:
		return usageError(errors.New("explain has no csv; take table, json, jsonl or markdown"))
	case asMarkdown:
		text, err := report.ExplanationMarkdown(found, loc)
		return writeOut(s, text, err)
	}
	text, err := report.ExplanationText(found, g.style(s), loc)
	return writeOut(s, text, err)
}
