package diagnose

import (
	"math/big"
	"slices"
	"strings"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// This file reads the specification a second time, one record after the other,
// with nothing of the rule table: the differential test holds both readings
// against each other. It is meant to be read beside the prose.

// opt is a number that may be absent, known to within ± slack.
type opt struct {
	v, slack int64
	ok       bool
}

func (a opt) low() int64  { return max(a.v-a.slack, 0) }
func (a opt) high() int64 { return a.v + a.slack }

func minus(a, b opt) opt {
	if !a.ok || !b.ok {
		return opt{}
	}
	return opt{max(a.v-b.v, 0), a.slack + b.slack, true}
}

func orElse(a, b opt) opt {
	if a.ok {
		return a
	}
	return b
}

// plainRecord is one cleaned record.
type plainRecord struct {
	auth, dist, body, start        opt
	t2, t3, t4, t5, t6, t7         opt
	tps, output, reasoning, stream opt
	status                         opt
	outcome, recordable, notes     string
	lim                            rules.Limits
}

func readPlain(b *timeline.Batch, i int, th rules.Thresholds) *plainRecord {
	label, _ := timeline.ParseLabel(b.Text(timeline.ColApprox, i))
	get := func(c timeline.Column) opt {
		v, ok := b.Num(c, i)
		slack := int64(0)
		for _, a := range labelItems(label) {
			if a.Column == c.String() && a.PlusMinusMs > 0 {
				slack = a.PlusMinusMs*1000 - 1
			}
		}
		return opt{v, slack, ok}
	}
	return &plainRecord{
		auth: get(timeline.ColAuth), dist: get(timeline.ColDistribution), body: get(timeline.ColBodyRead),
		start: get(timeline.ColUpstreamStart), t2: get(timeline.ColUpstreamHeaders), t3: get(timeline.ColFirstSSEEvent),
		t4: get(timeline.ColFirstResponse), t5: get(timeline.ColFirstTextDelta), t6: get(timeline.ColUpstreamDone),
		t7: get(timeline.ColTotalHandler), tps: get(timeline.ColVisibleOutputTPS), output: get(timeline.ColOutputTokens),
		reasoning: get(timeline.ColReasoningTokens), stream: get(timeline.ColStream), status: get(timeline.ColStatus),
		outcome: b.Text(timeline.ColOutcome, i), recordable: b.Text(timeline.ColRecordable, i), notes: b.Text(timeline.ColNotes, i),
		lim: th.For(b.Text(timeline.ColModel, i), b.Text(timeline.ColWorkload, i)),
	}
}

func labelItems(l *timeline.Label) []timeline.Approx {
	if l == nil {
		return nil
	}
	return l.Items
}

func (p *plainRecord) since(x opt) opt {
	if !x.ok {
		return opt{}
	}
	if p.start.ok {
		return minus(x, p.start)
	}
	sum := opt{}
	for _, part := range []opt{p.auth, p.dist, p.body} {
		sum.slack += part.slack
		if part.ok {
			sum.v, sum.ok = sum.v+part.v, true
		}
	}
	if sum.ok {
		return minus(x, sum)
	}
	x.slack += sum.slack
	return x
}

func (p *plainRecord) how() string {
	switch p.outcome {
	case "success", "client_cancelled", "rate_limited", "rejected", "timeout", "upstream_error", "incomplete", "unknown":
		return p.outcome
	}
	s := p.status.v
	switch {
	case !p.status.ok:
		return "unknown"
	case s == 499:
		return "client_cancelled"
	case s == 429:
		return "rate_limited"
	case s == 408 || s == 504:
		return "timeout"
	case s >= 200 && s < 300:
		return "success"
	case s >= 400 && s < 500:
		return "rejected"
	case s >= 500:
		return "upstream_error"
	}
	return "unknown"
}

// plainVerdict is what the reading comes to.
type plainVerdict struct {
	class, outcome        string
	also, between, need   []string
	lowerBound, nonStream bool
	notes                 []string
}

// reading is the state of one walk.
type plainWalk struct {
	*plainRecord
	end, final opt
	bound      string // which mark never came: "t2" … "t5", "" for none
	slow       map[string]bool
	lower      map[string]bool
	open       []plainInterval
}

type plainInterval struct {
	at            string
	between, need []string
	lower         bool
}

var plainOrder = []string{
	"upstream_headers_slow", "first_event_slow", "event_to_response_slow", "first_response_slow", "response_to_text_slow",
	"generation_slow", "local_auth_slow", "local_distribution_slow", "local_body_read_slow", "local_relay_slow",
}

func readSpec(p *plainRecord) plainVerdict {
	w := &plainWalk{plainRecord: p, slow: map[string]bool{}, lower: map[string]bool{}}
	w.end, w.final = orElse(p.t7, p.t6), orElse(p.t6, p.t7)
	out := plainVerdict{outcome: p.how()}
	looks := w.looksNonStreaming()
	out.nonStream = looks || p.stream.ok && p.stream.v == 0
	if looks {
		out.notes = append(out.notes, "looks_non_streaming")
	}
	if p.start.ok && p.t3.ok && p.t2.ok {
		if d := w.since(p.t3).v - p.t2.v; d >= -50_000 && d <= 50_000 {
			out.notes = append(out.notes, "headers_with_first_event")
		}
	}
	if w.buffered() {
		out.notes = append(out.notes, "buffered_stream")
	}
	if out.nonStream {
		need := []string{"first_response_ms"}
		if looks {
			need = append(need, "stream")
		}
		w.untilEnd("upstream_headers_slow", w.since(w.final), 0, []string{"upstream_headers_slow", "first_response_slow", "generation_slow"}, need,
			p.lim[rules.FirstResponseLimit]+p.lim[rules.TextGapLimit])
	} else {
		w.stream(out.outcome != "success" && out.outcome != "unknown")
	}
	w.local()
	w.conclude(&out)
	return out
}

func (w *plainWalk) looksNonStreaming() bool {
	if w.stream0().ok || w.t3.ok || w.t4.ok || w.t5.ok || !w.t2.ok || !w.final.ok {
		return false
	}
	return w.since(w.final).v*100 <= w.t2.v*105
}

func (w *plainWalk) stream0() opt { return w.plainRecord.stream }

func (w *plainWalk) buffered() bool {
	if !w.t3.ok || !w.t4.ok || !w.t5.ok || !w.final.ok || !w.output.ok || w.output.v <= 64 {
		return false
	}
	return minus(w.final, w.t3).v*100 <= w.end.v*5
}

func (w *plainWalk) can(mark string) bool {
	return w.recordable == "" || slices.Contains(strings.Split(w.recordable, ","), mark)
}

// awaitedMark is the next mark after the last recorded one that the source can
// record; "" where there is none, or after t5.
func (w *plainWalk) awaitedMark() string {
	names := []string{"upstream_headers_ms", "first_sse_event_ms", "first_response_ms", "first_text_delta_ms"}
	last := -1
	for k, m := range []opt{w.t2, w.t3, w.t4, w.t5} {
		if m.ok {
			last = k
		}
	}
	for k := last + 1; k < 4; k++ {
		if w.can(names[k]) {
			return []string{"t2", "t3", "t4", "t5"}[k]
		}
	}
	return ""
}

func (w *plainWalk) find(class string, lower bool) {
	w.slow[class] = true
	w.lower[class] = lower
}

func (w *plainWalk) interval(at string, between, need []string, lower bool) {
	w.open = append(w.open, plainInterval{at, between, need, lower})
}

func (w *plainWalk) stream(failed bool) {
	lim := w.lim
	if failed && w.end.ok {
		w.bound = w.awaitedMark()
	}
	t2, t3, t4, t5 := w.t2, w.t3, w.t4, w.t5
	if w.bound == "t2" {
		t2 = w.since(w.end)
	}
	switch w.bound {
	case "t3":
		t3 = w.end
	case "t4":
		t4 = w.end
	case "t5":
		t5 = w.end
	}
	headersKnown := t2.ok
	if !t2.ok {
		first := orElse(orElse(w.since(w.t3), w.since(w.t4)), w.since(w.t5))
		headersKnown = first.ok && first.high() <= lim[rules.HeadersLimit]
	}
	// 1
	if t2.ok && t2.low() > lim[rules.HeadersLimit] {
		w.find("upstream_headers_slow", w.bound == "t2")
	}
	// 2
	eventOpen := false
	if s := w.since(t3); s.ok && s.low() > lim[rules.FirstEventLimit] {
		if !headersKnown {
			eventOpen = true
			w.interval("upstream_headers_slow", []string{"upstream_headers_slow", "first_event_slow"}, []string{"upstream_headers_ms"}, w.bound == "t3")
		} else if !w.slow["upstream_headers_slow"] {
			w.find("first_event_slow", w.bound == "t3")
		}
	}
	// 3: only between two marks, of which the first was recorded
	if g := minus(t4, w.t3); g.ok && g.low() > lim[rules.ResponseGapLimit] {
		w.find("event_to_response_slow", w.bound == "t4")
	}
	// 3b
	quiet := !w.slow["upstream_headers_slow"] && !w.slow["first_event_slow"] && !w.slow["event_to_response_slow"] && !eventOpen
	if s := w.since(t4); s.ok && s.low() > lim[rules.FirstResponseLimit] && quiet {
		if headersKnown {
			w.find("first_response_slow", w.bound == "t4")
		} else {
			w.interval("upstream_headers_slow", []string{"upstream_headers_slow", "first_response_slow"}, []string{"upstream_headers_ms"}, w.bound == "t4")
		}
	}
	// 4
	if g := minus(t5, w.t4); g.ok && g.low() > lim[rules.TextGapLimit] {
		w.find("response_to_text_slow", w.bound == "t5")
	}
	w.missingResponse(t5, headersKnown)
	w.speed()
	w.missingEnd(headersKnown)
}

// missingResponse judges what ends at t5 without t4.
func (w *plainWalk) missingResponse(t5 opt, headersKnown bool) {
	if w.t4.ok || !t5.ok {
		return
	}
	lower := w.bound == "t5"
	if w.t3.ok {
		if minus(t5, w.t3).low() > w.lim[rules.ResponseGapLimit]+w.lim[rules.TextGapLimit] {
			w.interval("event_to_response_slow", []string{"event_to_response_slow", "response_to_text_slow"}, []string{"first_response_ms"}, lower)
		}
		return
	}
	if w.since(t5).low() <= w.lim[rules.FirstResponseLimit]+w.lim[rules.TextGapLimit] || w.slow["upstream_headers_slow"] {
		return
	}
	if headersKnown {
		w.interval("first_response_slow", []string{"first_response_slow", "response_to_text_slow"}, []string{"first_response_ms"}, lower)
	} else {
		w.interval("upstream_headers_slow", []string{"upstream_headers_slow", "first_response_slow", "response_to_text_slow"}, []string{"upstream_headers_ms", "first_response_ms"}, lower)
	}
}

func (w *plainWalk) visible() opt {
	if !w.output.ok {
		return opt{}
	}
	n := min(w.output.v, 1_000_000_000)
	if w.reasoning.ok {
		n = max(n-min(w.reasoning.v, 1_000_000_000), 0)
	}
	return opt{v: n, ok: true}
}

// slower says tokens ÷ window < limit, exactly.
func slower(tokens, window, limit int64) bool {
	if window == 0 {
		return false
	}
	speed := big.NewRat(tokens, window)
	speed.Mul(speed, big.NewRat(1_000_000, 1)) // tokens per second
	return speed.Cmp(big.NewRat(limit, 1_000_000)) < 0
}

func (w *plainWalk) speed() {
	noSpeed := w.buffered() || strings.Contains(w.notes, "buffered_stream") || strings.Contains(w.notes, "replayed")
	limit := w.lim[rules.GenerationLimit]
	effective := minus(w.final, w.t4)
	tokens := opt{v: min(w.output.v, 1_000_000_000), ok: w.output.ok}
	if !w.t5.ok && w.t4.ok && effective.ok && effective.v > 0 && tokens.ok && tokens.v > 0 && !noSpeed {
		if effective.low() >= w.lim[rules.GenerationWindow] && tokens.v >= w.lim[rules.GenerationTokens] &&
			slower(tokens.v, effective.low(), limit) && !w.slow["response_to_text_slow"] {
			w.find("generation_slow", false)
		}
		return
	}
	window, visible := minus(w.final, w.t5), w.visible()
	if window.ok && window.low() < w.lim[rules.GenerationWindow] || visible.ok && visible.v < w.lim[rules.GenerationTokens] {
		return
	}
	if w.tps.ok {
		if w.tps.v < limit {
			w.find("generation_slow", false)
		}
		return
	}
	if !noSpeed && window.ok && window.v > 0 && visible.ok && visible.v > 0 && slower(visible.v, window.low(), limit) {
		w.find("generation_slow", false)
	}
}

// missingEnd judges what ends at the end.
func (w *plainWalk) missingEnd(headersKnown bool) {
	if !w.final.ok {
		return
	}
	bounded := w.bound != ""
	if !w.t4.ok && !w.t5.ok {
		if bounded || w.slow["generation_slow"] {
			return
		}
		need := []string{"first_response_ms", "first_text_delta_ms"}
		switch {
		case w.t3.ok:
			w.untilEnd("event_to_response_slow", minus(w.final, w.t3), 1, []string{"event_to_response_slow", "response_to_text_slow", "generation_slow"}, need,
				w.lim[rules.ResponseGapLimit]+w.lim[rules.TextGapLimit])
		case !headersKnown:
			w.untilEnd("upstream_headers_slow", w.since(w.final), 1, []string{"upstream_headers_slow", "first_response_slow", "response_to_text_slow", "generation_slow"},
				append([]string{"upstream_headers_ms"}, need...), w.lim[rules.FirstResponseLimit]+w.lim[rules.TextGapLimit])
		case !w.slow["upstream_headers_slow"]:
			w.untilEnd("first_response_slow", w.since(w.final), 1, []string{"first_response_slow", "response_to_text_slow", "generation_slow"}, need,
				w.lim[rules.FirstResponseLimit]+w.lim[rules.TextGapLimit])
		}
		return
	}
	if w.output.ok || w.tps.ok {
		return
	}
	if w.t5.ok {
		if minus(w.final, w.t5).low() > w.lim[rules.UnknownTokensLimit] {
			w.interval("generation_slow", []string{"generation_slow"}, []string{"output_tokens"}, false)
		}
	} else if !bounded && minus(w.final, w.t4).low() > w.lim[rules.UnknownTokensLimit] {
		w.interval("response_to_text_slow", []string{"response_to_text_slow", "generation_slow"}, []string{"first_text_delta_ms", "output_tokens"}, false)
	}
}

// untilEnd judges one interval up to the end: limit and the time of the tokens,
// or the limit for unknown tokens. A recorded speed within the limit clears
// generation where speeds count.
func (w *plainWalk) untilEnd(at string, length opt, speeds int, between, need []string, limit int64) {
	if !length.ok {
		return
	}
	if speeds == 1 && w.tps.ok && w.tps.v >= w.lim[rules.GenerationLimit] {
		between = between[:len(between)-1]
	}
	if !w.output.ok {
		if length.low() > w.lim[rules.UnknownTokensLimit] {
			w.interval(at, between, append(slices.Clone(need), "output_tokens"), false)
		}
		return
	}
	tps := w.lim[rules.GenerationLimit]
	if tps == 0 {
		return
	}
	tokens := big.NewRat(min(w.output.v, 1_000_000_000), 1)
	tokens.Mul(tokens, big.NewRat(1_000_000*1_000_000, tps)) // microseconds
	if new(big.Rat).SetInt64(length.low()-limit).Cmp(tokens) > 0 {
		w.interval(at, between, need, false)
	}
}

func (w *plainWalk) local() {
	for _, s := range []struct {
		class string
		x     opt
		limit rules.Param
	}{
		{"local_auth_slow", w.auth, rules.AuthLimit},
		{"local_distribution_slow", w.dist, rules.DistributionLimit},
		{"local_body_read_slow", w.body, rules.BodyReadLimit},
		{"local_relay_slow", minus(w.t7, w.t6), rules.RelayLimit},
	} {
		if s.x.ok && s.x.low() > w.lim[s.limit] {
			w.find(s.class, false)
		}
	}
}

func (w *plainWalk) conclude(out *plainVerdict) {
	out.class = "no_slow_stage"
	first := len(plainOrder)
	for k, class := range slices.Backward(plainOrder) {
		if w.slow[class] {
			first, out.class, out.lowerBound = k, class, w.lower[class]
		}
	}
	sawAt := len(plainOrder)
	for _, v := range w.open {
		at := slices.Index(plainOrder, v.at)
		if at < first && at < sawAt {
			sawAt, out.class, out.lowerBound = at, "undetermined", v.lower
		}
		out.between = append(out.between, v.between...)
		out.need = append(out.need, v.need...)
	}
	for _, class := range plainOrder {
		if w.slow[class] && class != out.class {
			out.also = append(out.also, class)
		}
	}
	inOrder := func(a, b string) int { return slices.Index(plainOrder, a) - slices.Index(plainOrder, b) }
	slices.SortFunc(out.between, inOrder)
	out.between = slices.Compact(out.between)
	slices.SortFunc(out.need, func(a, b string) int { return int(columnNamed(a)) - int(columnNamed(b)) })
	out.need = slices.Compact(out.need)
}
