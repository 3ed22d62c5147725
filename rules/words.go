package rules

// Words is what there is to say of a class in plain English.
type Words struct {
	Title        string   // what happened, as a heading
	Means        string   // the definition
	Why          string   // why it matters
	LookAt       []string // what may be behind it
	DoesNotProve []string
	CompareNext  []string
	CannotHelp   []string
}

// Words returns what there is to say of c. The lists are shared: read only.
func (c Class) Words() Words { return classWords[c] }

const onePlace = "One metric does not prove a root cause: the class names a place on the timeline."

var classWords = [NumClasses]Words{
	UpstreamHeadersSlow: {
		Title:        "The upstream response headers came late",
		Means:        "From the upstream start to the response headers (upstream_headers_ms) took longer than the limit.",
		Why:          "Until the headers arrive the gateway has nothing to pass on, and the client sees only silence.",
		LookAt:       []string{"network", "admission", "queue", "route", "region", "load"},
		DoesNotProve: []string{onePlace, "Servers that send headers only with the first token hide queue and prefill in this time; it is not the network alone."},
		CompareNext:  []string{"the same model over another route or region", "another provider of the model", "the header time by number of requests in flight"},
		CannotHelp:   []string{"a longer limit for text or for the whole answer: nothing had arrived yet"},
	},
	FirstEventSlow: {
		Title:        "The first event came late",
		Means:        "Headers were in time, but from the upstream start to the first non-empty event (first_sse_event_ms) took longer than the limit.",
		Why:          "The connection stands and the server has accepted the request, but its stream has not begun.",
		LookAt:       []string{"model queue", "prefill", "inflight"},
		DoesNotProve: []string{onePlace, "Queue and prefill cannot be told apart by this mark."},
		CompareNext:  []string{"requests with fewer input tokens", "requests with a cached prompt", "the same model at a lower number in flight"},
		CannotHelp:   []string{"a longer header timeout: the headers had arrived"},
	},
	EventToResponseSlow: {
		Title:        "A first event came, but its content came late",
		Means:        "From the first event to the first effective content or action (event_to_response_gap_ms) took longer than the limit.",
		Why:          "Early events were metadata or heartbeats: they keep the connection open but bring nothing to the reader.",
		LookAt:       []string{"metadata", "heartbeats", "reasoning start-up"},
		DoesNotProve: []string{onePlace, "An early first event does not prove that the model had begun to work."},
		CompareNext:  []string{"lower reasoning effort", "the same model over another channel or provider", "the number of heartbeats before the content"},
		CannotHelp:   []string{"a longer header timeout, or a timeout on the first event: both had arrived"},
	},
	FirstResponseSlow: {
		Title:        "The first effective response came late",
		Means:        "From the upstream start to the first effective content or action (first_response_ms) took longer than the limit, though no stage before it did.",
		Why:          "Several waits, each within its limit, or one that the log does not part, added up before anything useful came.",
		LookAt:       []string{"model queue", "prefill", "reasoning", "inflight"},
		DoesNotProve: []string{onePlace, "Which part of the time before the response was too long is not known."},
		CompareNext:  []string{"requests with fewer input tokens", "lower reasoning effort", "the same model at a lower number in flight"},
		CannotHelp:   []string{"a longer header timeout: the headers were not what was late"},
	},
	ResponseToTextSlow: {
		Title:        "The response had begun, but visible text came late",
		Means:        "From the first effective content or action to the first visible text (response_to_text_gap_ms) took longer than the limit.",
		Why:          "The model was at work, reasoning or calling tools, while the reader saw nothing.",
		LookAt:       []string{"tools", "reasoning", "composition"},
		DoesNotProve: []string{onePlace, "Reasoning that was paid for may be worth the wait; the gap does not say that anything is broken."},
		CompareNext:  []string{"lower reasoning effort", "the same request without tools", "the same model over another provider"},
		CannotHelp:   []string{"a longer header timeout cannot help: the headers and the first response had arrived before this wait began"},
	},
	GenerationSlow: {
		Title:        "The text came slowly",
		Means:        "The speed of the visible text (visible_output_tps), or of the whole output where no text is shown (effective_output_tps), was below the limit.",
		Why:          "The answer began in time and then trickled; the reader waits through all of it.",
		LookAt:       []string{"decode", "contention", "long context", "output length", "channel", "inflight", "provider"},
		DoesNotProve: []string{onePlace, "The speed that one reader saw is not the throughput of the system."},
		CompareNext:  []string{"the same model over another channel or provider", "the speed by number of requests in flight", "requests with a shorter context"},
		CannotHelp:   []string{"a first-output timeout cannot see it: the first output was in time"},
	},
	LocalAuthSlow: {
		Title:        "Authentication took long",
		Means:        "auth_ms was longer than its limit.",
		Why:          "The gateway itself held the request before anything was asked of the upstream.",
		LookAt:       []string{"auth"},
		DoesNotProve: []string{onePlace, "It says nothing about the upstream."},
		CompareNext:  []string{"other requests of the same minute", "another group or another gateway instance"},
		CannotHelp:   []string{"another upstream channel, route or provider: the time went by before the upstream start"},
	},
	LocalDistributionSlow: {
		Title:        "Channel selection took long",
		Means:        "distribution_ms was longer than its limit.",
		Why:          "The gateway itself held the request before anything was asked of the upstream.",
		LookAt:       []string{"policy"},
		DoesNotProve: []string{onePlace, "It says nothing about the upstream."},
		CompareNext:  []string{"other requests of the same minute", "another group, model or retry policy"},
		CannotHelp:   []string{"a longer upstream timeout: the time went by before the upstream start"},
	},
	LocalBodyReadSlow: {
		Title:        "Reading the request body took long",
		Means:        "body_read_ms was longer than its limit.",
		Why:          "The client sent its request slowly; the upstream had not been asked yet.",
		LookAt:       []string{"client upload"},
		DoesNotProve: []string{onePlace, "It says nothing about the upstream, and a slow upload may be the client's network or its size."},
		CompareNext:  []string{"requests of similar input size from other clients", "the network path"},
		CannotHelp:   []string{"another upstream channel, route or provider: the time went by before the upstream start"},
	},
	LocalRelaySlow: {
		Title:        "The handler ended long after the upstream body",
		Means:        "From the end of the upstream body to the end of the handler (relay_tail_ms) took longer than the limit.",
		Why:          "The upstream had finished; the gateway was still writing to the client, or tidying up.",
		LookAt:       []string{"relay"},
		DoesNotProve: []string{onePlace, "A client that reads slowly looks the same as a gateway that writes slowly."},
		CompareNext:  []string{"other clients on the same gateway instance", "the load of the gateway"},
		CannotHelp:   []string{"another upstream channel or provider: the upstream had finished"},
	},
	NoSlowStage: {
		Title:        "No stage was slow",
		Means:        "No stage whose metric was recorded was beyond its limit, and no unrecorded stage must have been.",
		Why:          "What was slow for the user, if anything was, lies outside this timeline or within the limits.",
		DoesNotProve: []string{"Stages that were not recorded may have been slow within what the recorded ones allow."},
		CompareNext:  []string{"the marks that were not recorded, if the log can be made to record them", "the client's own clock"},
	},
	Undetermined: {
		Title:        "Something was slow, but the log does not say what",
		Means:        "A wait was longer than all that its stages may take, and the marks that would part it were not recorded.",
		Why:          "Naming a stage here would be a guess.",
		DoesNotProve: []string{"None of the candidates is proven."},
		CompareNext:  []string{"the same request with the missing marks recorded", "requests of the same channel that do have them"},
	},
}
