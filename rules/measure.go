package rules

import "ttdiag/ingest/timeline"

// metrics lays down what is measured. Where a failed request waited for a mark
// that never came, the metric takes its end for the mark.
func (b *builder) metrics() {
	w := &b.wait
	b.headersTime = b.headers.Elapsed().Instead(w.headers, b.sinceEnd.Elapsed())
	b.eventTime = b.sinceEvent.Elapsed().Instead(w.sinceEventEnd, b.sinceEnd.Elapsed())
	b.responseTime = b.sinceResponse.Elapsed().Instead(w.sinceRespEnd, b.sinceEnd.Elapsed())
	b.textTime = b.sinceText.Elapsed().Instead(w.sinceText, b.sinceEnd.Elapsed())
	b.responseGap = Gap(b.event, b.response).Instead(w.responseAfterEvent, Gap(b.event, b.end))
	b.eventToText = Gap(b.event, b.text).Instead(w.textAfterEvent, Gap(b.event, b.end))
	b.textGap = Gap(b.response, b.text).Instead(w.textAfterResponse, Gap(b.response, b.end))
	b.visible, b.effective = Gap(b.text, b.final), Gap(b.response, b.final)
	b.eventToEnd = Gap(b.event, b.final)
	b.relay = Gap(b.done, b.total)
	b.markMetrics()
	b.speeds()
	b.derivedMetrics()
}

// markMetrics are the recorded columns.
func (b *builder) markMetrics() {
	w, end := &b.wait, b.end.Elapsed()
	for _, p := range []timeline.Phase{timeline.Auth, timeline.Distribution, timeline.BodyRead} {
		b.span(p.Column().String(), "phase", LengthOf(p), nil)
	}
	b.span("upstream_start_ms", "receipt", At(timeline.Start).Elapsed(), nil)
	b.span("upstream_headers_ms", "upstream_start", b.headersTime, w.headers)
	b.span("first_sse_event_ms", "receipt", b.event.Elapsed().Instead(w.event, end), w.event)
	response := or(w.responseAfterEvent, w.response)
	b.span("first_response_ms", "receipt", b.response.Elapsed().Instead(response, end), response)
	b.span("first_text_delta_ms", "receipt", b.text.Elapsed().Instead(w.textAfterResponse, end), w.textAfterResponse)
	b.span("upstream_done_ms", "receipt", b.done.Elapsed(), nil)
	b.span("total_handler_ms", "receipt", b.total.Elapsed(), nil)
}

func (b *builder) derivedMetrics() {
	w := &b.wait
	b.span("end_to_end_ms", "receipt", b.end.Elapsed(), nil)
	b.span("final_response_ms", "receipt", b.final.Elapsed(), nil)
	b.since("first_event_since_upstream_ms", b.eventTime, w.sinceEventEnd)
	b.since("first_response_since_upstream_ms", b.responseTime, w.sinceRespEnd)
	b.since("first_text_since_upstream_ms", b.textTime, w.sinceText)
	b.since("final_since_upstream_ms", b.sinceFinal.Elapsed(), nil)
	b.span("event_to_response_gap_ms", "receipt", b.responseGap, w.responseAfterEvent)
	b.span("event_to_text_gap_ms", "receipt", b.eventToText, w.textAfterEvent)
	b.span("event_to_end_ms", "receipt", b.eventToEnd, nil)
	b.span("response_to_text_gap_ms", "receipt", b.textGap, w.textAfterResponse)
	b.span("visible_generation_window_ms", "receipt", b.visible, nil)
	b.span("effective_generation_window_ms", "receipt", b.effective, nil)
	b.metric(&Metric{Name: "visible_output_tps", Unit: TokensPerSecond, Origin: "receipt", Value: b.rate,
		Part: b.where(b.visibleKnown, b.visibleTokens), Whole: b.visible.value, Scale: 1e12})
	b.metric(&Metric{Name: "effective_output_tps", Unit: TokensPerSecond, Origin: "receipt", Value: null(),
		Part: b.where(b.effectiveKnown, b.output), Whole: b.effective.value, Scale: 1e12})
	latency := isTrue(and(greaterEqual(b.output, literal(2)), not(b.noSpeed)))
	b.metric(&Metric{Name: "inter_token_latency_ms", Unit: Milliseconds, Value: null(),
		Part: b.where(latency, b.effective.value), Whole: sub(b.output, literal(1)), Scale: 1})
	b.span("relay_tail_ms", "receipt", b.relay, nil)
	b.span("local_ms", "phase", Local(), nil)
}

func (b *builder) span(name, origin string, s Span, bound *Expr) {
	if bound == nil {
		bound = falsehood()
	}
	b.metric(&Metric{Name: name, Unit: Milliseconds, Origin: origin, Value: s.value, Bound: bound})
}

func (b *builder) since(name string, s Span, bound *Expr) {
	b.span(name, "upstream_start", s, bound)
	b.named[name].Since = true
}

func (b *builder) metric(m *Metric) {
	if m.Bound == nil {
		m.Bound = falsehood()
	}
	b.table.Metrics = append(b.table.Metrics, m)
	b.named[m.Name] = m
}

// where is e where cond is true, absent elsewhere.
func (b *builder) where(cond, e *Expr) *Expr { return choose(cond, e, null()) }

// falsehood is 0 = 1 to every reader.
func falsehood() *Expr { return equal(literal(0), literal(1)) }

// bufferedTokens is the number of tokens above which a whole answer at one
// moment is no accident.
const bufferedTokens = 64

// speeds says where a speed is known, and where none may be derived.
func (b *builder) speeds() {
	together := lessEqual(mul(b.eventToEnd.value, literal(20)), b.end.value)
	b.buffered = isTrue(and(
		isNotNull(b.event.value), isNotNull(b.response.value), isNotNull(b.text.value),
		together, greater(b.output, literal(bufferedTokens))))
	b.noSpeed = isTrue(or(b.buffered,
		textHas(timeline.ColNotes, timeline.BufferedStream.String()),
		textHas(timeline.ColNotes, timeline.ReplayedStream.String())))
	b.visibleTokens = greatest(sub(b.output, coalesce(b.reasoning, literal(0))), literal(0))
	zero := literal(0)
	// Reasoning that is counted in output_tokens but nowhere else would pass for text.
	untold := isTrue(and(isNull(b.reasoning), textHas(timeline.ColNotes, timeline.UntoldReasoning.String())))
	b.visibleKnown = isTrue(and(greater(b.visible.value, zero), greater(b.visibleTokens, zero), not(b.noSpeed), not(untold)))
	b.effectiveKnown = isTrue(and(greater(b.effective.value, zero), greater(b.output, zero), not(b.noSpeed)))
	b.useEffective = isTrue(and(b.noText, isNotNull(b.response.value), b.effectiveKnown))
	b.rateFine = isTrue(greaterEqual(b.rate, mul(param(GenerationLimit), literal(1000))))
}
