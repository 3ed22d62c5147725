package accesslog

import "ttdiag/ingest/timeline"

// slot is what a value of a log line means. What has no slot is never read.
type slot uint8

const (
	slotSkip slot = iota
	slotTime
	slotRequestID
	slotStatus
	slotTotal         // t7 from t0
	slotHeaders       // t2 from t1 of the last attempt; nginx: a list
	slotHeadersAt     // t2 from t0
	slotServiceTime   // t2 from the end of the request at Envoy's router
	slotStart         // t1 from t0
	slotDone          // t6 from t0
	slotFirstBody     // the first body byte from t0
	slotFirstChunk    // the first body chunk from about t1
	slotBodyRead      // the end of the request from t0
	slotUpstreamAddr  // nginx: a list of addresses
	slotUpstreamCode  // nginx: a list of statuses
	slotUpstreamTime  // nginx: a list, t6 from t1
	slotConnectTime   // nginx: a list
	slotCacheStatus   // nginx: HIT, MISS, …
	slotChannel       // as it stands
	slotGroup         // as it stands
	slotModel         // as it stands
	slotServedModel   // the model of the response, where the request's is not known
	slotProvider      // as it stands
	slotAttempt       // number of attempts, 0 for none
	slotRetries       // attempts beyond the first, HAProxy: + before it for a redispatch
	slotResponseFlags // Envoy
	slotTermination   // HAProxy: four characters
	slotInputTokens
	slotCachedTokens
	slotOutputTokens
	slotReasoningTokens
	slotRequestType // APISIX: traditional_http, ai_chat, ai_stream
	slotFrontend    // HAProxy
	slotBackend     // HAProxy
	slotServer      // HAProxy
	slotHeaderRead  // HAProxy TR
	slotQueue       // HAProxy Tw
	slotConnect     // HAProxy Tc
	slotResponse    // HAProxy Tr
	slotSessions    // HAProxy bc
	numSlots        = int(slotSessions) + 1
)

// slots is a set of slots.
type slots uint64

func (s slots) has(k slot) bool { return s>>k&1 != 0 }

// marks returns the marks that a log with these slots records when they happen.
func (s slots) marks() timeline.Mask {
	var m timeline.Mask
	if s.has(slotTotal) {
		m = m.With(timeline.ColTotalHandler)
	}
	switch {
	case s.has(slotHeaders), s.has(slotServiceTime), s.has(slotConnect) && s.has(slotResponse),
		s.has(slotHeadersAt) && s.has(slotStart):
		m = m.With(timeline.ColUpstreamHeaders)
	}
	if s.has(slotDone) {
		m = m.With(timeline.ColUpstreamDone)
	}
	// The chunk of an AI gateway is written for finished streams only, unless
	// the line says whether it is one.
	if s.has(slotFirstBody) || s.has(slotFirstChunk) && s.has(slotRequestType) {
		m = m.With(timeline.ColFirstSSEEvent)
	}
	return m
}

// record is one line taken apart. Values alias the line.
type record struct {
	set   slots
	value [numSlots][]byte
}

// put keeps v for k unless v says that there is none, or k has one already.
func (r *record) put(k slot, v []byte) {
	if absentText(v) || r.set.has(k) {
		return
	}
	r.set |= 1 << k
	r.value[k] = v
}

// get returns the value of k, nil where there is none.
func (r *record) get(k slot) []byte {
	if !r.set.has(k) {
		return nil
	}
	return r.value[k]
}
