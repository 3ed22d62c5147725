package rules

import "ttdiag/ingest/timeline"

// walk lays down the ten steps, in order.
func (b *builder) walk() {
	b.judgeHeaders()
	b.judgeEvent()
	b.judgeResponse()
	b.slow[ResponseToTextSlow] = b.streams(b.textGap.Beyond(param(TextGapLimit)))
	b.longVisible, b.longOutput = b.longEnough(), b.longEffective()
	b.judgeSpeed()
	b.judgeLocal()
	for c := range Class(NumSlow) {
		b.slow[c] = isTrue(b.slow[c])
	}
	b.steps()
}

// streams is cond for streaming requests only.
func (b *builder) streams(conds ...*Expr) *Expr {
	return isTrue(and(append([]*Expr{b.streaming}, conds...)...))
}

// judgeHeaders also says when headers that were not recorded are proven to have
// been in time: the first later mark that is recorded was.
func (b *builder) judgeHeaders() {
	limit := param(HeadersLimit)
	b.slow[UpstreamHeadersSlow] = b.streams(b.headersTime.Beyond(limit))
	first := b.sinceEvent.Elapsed().
		Else(b.sinceResponse.Elapsed()).
		Else(b.sinceText.Elapsed())
	b.headersProven = isTrue(and(isNull(b.headersTime.value), first.Within(limit)))
	b.headersOpen = and(isNull(b.headersTime.value), not(b.headersProven))
}

func (b *builder) judgeEvent() {
	late := b.eventTime.Beyond(param(FirstEventLimit))
	b.slow[FirstEventSlow] = b.streams(late, not(b.slow[UpstreamHeadersSlow]), not(b.headersOpen))
	b.eventOpen = b.streams(late, b.headersOpen)
}

// judgeResponse has two steps: the gap after the first event, and the time since
// the upstream start, which contains all stages before.
func (b *builder) judgeResponse() {
	b.slow[EventToResponseSlow] = b.streams(b.responseGap.Beyond(param(ResponseGapLimit)))
	late := b.responseTime.Beyond(param(FirstResponseLimit))
	earlier := none(b.slow[UpstreamHeadersSlow], b.slow[FirstEventSlow], b.slow[EventToResponseSlow], b.eventOpen)
	b.slow[FirstResponseSlow] = b.streams(late, earlier, not(b.headersOpen))
	b.responseOpen = b.streams(late, earlier, b.headersOpen)
}

// judgeSpeed compares tokens × a billion with a window in microseconds × a limit
// in thousandths of a token per second.
func (b *builder) judgeSpeed() {
	recorded := and(b.rateKnown, not(b.rateFine), b.longVisible)
	derived := and(not(b.rateKnown), b.visibleKnown, b.longVisible, b.below(b.visibleTokens, b.visible))
	effective := and(b.longOutput, b.below(b.output, b.effective), not(b.slow[ResponseToTextSlow]))
	b.slow[GenerationSlow] = b.streams(or(
		and(b.useEffective, effective),
		and(not(b.useEffective), or(recorded, derived))))
}

func (b *builder) below(tokens *Expr, window Span) *Expr {
	return less(mul(tokens, literal(1e9)), mul(window.shortest(), param(GenerationLimit)))
}

// longEnough says that window and tokens, where known, are not too few to speak
// of a speed.
func (b *builder) longEnough() *Expr {
	return isTrue(and(
		or(isNull(b.visible.value), greaterEqual(b.visible.shortest(), param(GenerationWindow))),
		or(isNull(b.visibleTokens), greaterEqual(b.visibleTokens, param(GenerationTokens)))))
}

func (b *builder) longEffective() *Expr {
	return isTrue(and(
		greaterEqual(b.effective.shortest(), param(GenerationWindow)),
		greaterEqual(b.output, param(GenerationTokens))))
}

func (b *builder) judgeLocal() {
	b.slow[LocalAuthSlow] = LengthOf(timeline.Auth).Beyond(param(AuthLimit))
	b.slow[LocalDistributionSlow] = LengthOf(timeline.Distribution).Beyond(param(DistributionLimit))
	b.slow[LocalBodyReadSlow] = LengthOf(timeline.BodyRead).Beyond(param(BodyReadLimit))
	b.slow[LocalRelaySlow] = b.relay.Beyond(param(RelayLimit))
}

// steps writes the walk into the table.
func (b *builder) steps() {
	slow := &b.slow
	never := falsehood()
	short := or(
		and(b.useEffective, not(b.longOutput)),
		and(not(b.useEffective), or(b.rateKnown, b.visibleKnown), not(b.longVisible)),
		and(not(b.rateKnown), b.noSpeed))
	speed := or(b.useEffective, b.rateKnown, b.visibleKnown)
	effectiveCovered := and(b.useEffective, slow[ResponseToTextSlow])
	later := or(slow[UpstreamHeadersSlow], slow[FirstEventSlow], slow[EventToResponseSlow], b.eventOpen, b.responseOpen)
	headersKnown := or(isNotNull(b.headersTime.value), b.headersProven)
	b.step(UpstreamHeadersSlow, StageHeaders, "upstream_headers_ms", HeadersLimit, b.verdict(headersKnown, never, never))
	b.step(FirstEventSlow, StageFirstEvent, "first_event_since_upstream_ms", FirstEventLimit,
		b.verdict(isNotNull(b.eventTime.value), or(slow[UpstreamHeadersSlow], b.eventOpen), never))
	b.step(EventToResponseSlow, StageResponse, "event_to_response_gap_ms", ResponseGapLimit,
		b.verdict(isNotNull(b.responseGap.value), never, never))
	b.step(FirstResponseSlow, StageResponse, "first_response_since_upstream_ms", FirstResponseLimit,
		b.verdict(isNotNull(b.responseTime.value), later, never))
	b.step(ResponseToTextSlow, StageText, "response_to_text_gap_ms", TextGapLimit,
		b.verdict(isNotNull(b.textGap.value), never, never))
	b.step(GenerationSlow, StageGeneration, "visible_output_tps", GenerationLimit, b.verdict(speed, effectiveCovered, short))
	generation := &b.table.Steps[GenerationSlow]
	generation.Other, generation.UseOther, generation.Relation = b.named["effective_output_tps"], b.useEffective, "<"
	b.step(LocalAuthSlow, StageLocal, "auth_ms", AuthLimit, nil)
	b.step(LocalDistributionSlow, StageLocal, "distribution_ms", DistributionLimit, nil)
	b.step(LocalBodyReadSlow, StageLocal, "body_read_ms", BodyReadLimit, nil)
	b.step(LocalRelaySlow, StageLocal, "relay_tail_ms", RelayLimit, nil)
}

func (b *builder) step(c Class, s Stage, metric string, limit Param, verdict func(Class) *Expr) {
	m := b.named[metric]
	if verdict == nil {
		verdict = func(c Class) *Expr {
			return choose(b.slow[c], code(SlowVerdict), isNull(m.Value), code(Absent), code(OK))
		}
	}
	b.table.Steps[c] = Step{Class: c, Stage: s, Metric: m, Limit: limit, Relation: ">", Slow: b.slow[c], Verdict: verdict(c)}
}

// verdict of a step of the upstream part, which non-streaming requests lack.
func (b *builder) verdict(known, covered, short *Expr) func(Class) *Expr {
	return func(c Class) *Expr {
		return choose(
			not(b.streaming), code(NotApplicable),
			b.slow[c], code(SlowVerdict),
			short, code(NotApplicable),
			not(known), code(Absent),
			covered, code(Covered),
			code(OK))
	}
}

func code(v Verdict) *Expr { return literal(int64(v)) }
