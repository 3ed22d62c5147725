package rules

import "ttdiag/ingest/timeline"

const (
	needHeaders  = timeline.Mask(1 << timeline.ColUpstreamHeaders)
	needResponse = timeline.Mask(1 << timeline.ColFirstResponse)
	needText     = timeline.Mask(1 << timeline.ColFirstTextDelta)
	needTokens   = timeline.Mask(1 << timeline.ColOutputTokens)
	needStream   = timeline.Mask(1 << timeline.ColStream)
)

// intervals lays down the table of missing marks. An interval is judged only
// where no recorded stage inside it is slow.
func (b *builder) intervals() {
	b.interval(Interval{Name: "event_without_headers", At: UpstreamHeadersSlow,
		Between: SetOf(UpstreamHeadersSlow, FirstEventSlow), WouldNeed: needHeaders,
		Limits: []Param{FirstEventLimit}, Fires: b.eventOpen}, "first_event_since_upstream_ms")
	b.interval(Interval{Name: "response_without_headers", At: UpstreamHeadersSlow,
		Between: SetOf(UpstreamHeadersSlow, FirstResponseSlow), WouldNeed: needHeaders,
		Limits: []Param{FirstResponseLimit}, Fires: b.responseOpen}, "first_response_since_upstream_ms")
	b.textIntervals()
	b.endIntervals()
	b.speedIntervals()
	b.wholeIntervals()
}

func (b *builder) interval(v Interval, metric string) {
	v.Metric = b.named[metric]
	b.table.Intervals = append(b.table.Intervals, v)
}

func sum(limits []Param) *Expr {
	e := param(limits[0])
	for _, p := range limits[1:] {
		e = add(e, param(p))
	}
	return e
}

// textIntervals end at the first text, where no response was recorded.
func (b *builder) textIntervals() {
	afterEvent := []Param{ResponseGapLimit, TextGapLimit}
	b.interval(Interval{Name: "text_after_event", At: EventToResponseSlow,
		Between: SetOf(EventToResponseSlow, ResponseToTextSlow), WouldNeed: needResponse, Limits: afterEvent,
		Fires: b.streams(isNull(b.response.value), b.eventToText.Beyond(sum(afterEvent)))}, "event_to_text_gap_ms")
	sinceStart := []Param{FirstResponseLimit, TextGapLimit}
	late := and(isNull(b.event.value), isNull(b.response.value), b.textTime.Beyond(sum(sinceStart)))
	b.interval(Interval{Name: "text_since_upstream", At: FirstResponseSlow,
		Between: SetOf(FirstResponseSlow, ResponseToTextSlow), WouldNeed: needResponse, Limits: sinceStart,
		Fires: b.streams(late, not(b.headersOpen), not(b.slow[UpstreamHeadersSlow]))}, "first_text_since_upstream_ms")
	b.interval(Interval{Name: "text_without_headers", At: UpstreamHeadersSlow,
		Between:   SetOf(UpstreamHeadersSlow, FirstResponseSlow, ResponseToTextSlow),
		WouldNeed: needHeaders | needResponse, Limits: sinceStart,
		Fires: b.streams(late, b.headersOpen)}, "first_text_since_upstream_ms")
}

// endIntervals end at the end, where neither response nor text was recorded.
func (b *builder) endIntervals() {
	open := and(b.streaming, b.noResponse, not(b.bounded), not(b.slow[GenerationSlow]))
	marks := needResponse | needText
	fromEvent := Interval{Name: "end_after_event", At: EventToResponseSlow,
		Between: SetOf(EventToResponseSlow, ResponseToTextSlow), WouldNeed: marks,
		Limits: []Param{ResponseGapLimit, TextGapLimit},
		Fires:  and(open, isNotNull(b.event.value))}
	fromStart := Interval{Name: "end_since_upstream", At: FirstResponseSlow,
		Between: SetOf(FirstResponseSlow, ResponseToTextSlow), WouldNeed: marks,
		Limits: []Param{FirstResponseLimit, TextGapLimit},
		Fires:  and(open, b.noEvent, not(b.headersOpen), not(b.slow[UpstreamHeadersSlow]))}
	bare := Interval{Name: "end_without_headers", At: UpstreamHeadersSlow,
		Between:   SetOf(UpstreamHeadersSlow, FirstResponseSlow, ResponseToTextSlow),
		WouldNeed: needHeaders | marks, Limits: fromStart.Limits,
		Fires: and(open, b.noEvent, b.headersOpen)}
	b.untilEnd(fromEvent, "event_to_end_ms", b.eventToEnd)
	b.untilEnd(fromStart, "final_since_upstream_ms", b.sinceFinal.Elapsed())
	b.untilEnd(bare, "final_since_upstream_ms", b.sinceFinal.Elapsed())
}

// untilEnd adds v in four forms: the tokens known or not, and generation a
// candidate unless the recorded speed clears it.
func (b *builder) untilEnd(v Interval, metric string, length Span) {
	for _, cleared := range []bool{false, true} {
		form, speed := v, b.rateFine
		if cleared {
			form.Name += "_speed_known"
		} else {
			form.Between = form.Between.With(GenerationSlow)
			speed = not(b.rateFine)
		}
		form.Fires = and(v.Fires, speed)
		b.byTokens(form, metric, length)
	}
}

// byTokens adds v with the limit that the tokens give, and with the limit for
// unknown tokens.
func (b *builder) byTokens(v Interval, metric string, length Span) {
	known, unknown := v, v
	excess := mul(sub(length.shortest(), sum(v.Limits)), param(GenerationLimit))
	known.PerToken = true
	known.Fires = isTrue(and(v.Fires, b.tokensKnown, greater(excess, mul(b.output, literal(1e9)))))
	unknown.Name += "_tokens_unknown"
	unknown.Limits, unknown.WouldNeed = []Param{UnknownTokensLimit}, v.WouldNeed|needTokens
	unknown.Fires = isTrue(and(v.Fires, not(b.tokensKnown), length.Beyond(param(UnknownTokensLimit))))
	b.interval(known, metric)
	b.interval(unknown, metric)
}

// speedIntervals hold the generation of unknown many tokens.
func (b *builder) speedIntervals() {
	silent := and(not(b.tokensKnown), not(b.rateKnown))
	limit := []Param{UnknownTokensLimit}
	b.interval(Interval{Name: "end_after_response", At: ResponseToTextSlow,
		Between: SetOf(ResponseToTextSlow, GenerationSlow), WouldNeed: needText | needTokens, Limits: limit,
		Fires: b.streams(silent, b.noText, isNotNull(b.response.value), not(b.bounded), b.effective.Beyond(sum(limit))),
	}, "effective_generation_window_ms")
	b.interval(Interval{Name: "end_after_text", At: GenerationSlow,
		Between: SetOf(GenerationSlow), WouldNeed: needTokens, Limits: limit,
		Fires: b.streams(silent, b.visible.Beyond(sum(limit)))}, "visible_generation_window_ms")
}

// wholeIntervals are the two of non-streaming requests, whose headers come with
// the finished body. Only the time of the first response could tell waiting from
// generating, and where stream is absent, whether it was one at all.
func (b *builder) wholeIntervals() {
	whole := Interval{At: UpstreamHeadersSlow, Limits: []Param{FirstResponseLimit, TextGapLimit},
		Between: SetOf(UpstreamHeadersSlow, FirstResponseSlow, GenerationSlow)}
	declared, looks := whole, whole
	declared.Name, declared.WouldNeed = "not_streaming", needResponse
	declared.Fires = and(not(b.streaming), not(b.looksNonStreaming))
	looks.Name, looks.WouldNeed = "looks_non_streaming", needResponse|needStream
	looks.Fires = b.looksNonStreaming
	b.byTokens(declared, "final_since_upstream_ms", b.sinceFinal.Elapsed())
	b.byTokens(looks, "final_since_upstream_ms", b.sinceFinal.Elapsed())
}
