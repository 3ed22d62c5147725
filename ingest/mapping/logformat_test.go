package mapping

import (
	"errors"
	"fmt"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func TestFromLogFormat(t *testing.T) {
	const (
		envoy = `{"t":"%START_TIME%","ms":"%DURATION%","n":{"code":"%RESPONSE_CODE%","h":"%COMMON_DURATION(US_TX_BEG:US_RX_BEG:us)%"},
			"id":"%REQ(X-REQUEST-ID)%","flags":"%RESPONSE_FLAGS%","path":"%REQ(:PATH)%","both":"%DURATION% %BYTES_SENT%",
			"b":"%COMMON_DURATION(DS_RX_BEG:US_RX_BODY_BEG)%","up":"%UPSTREAM_HOST%"}`
		derived = `{"ms":"%DURATION%","t2":"%RESPONSE_DURATION%","t1":"%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:ms)%"}`
		mixed   = `{"ms":"%DURATION%","t2":"%RESPONSE_DURATION%","t1":"%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:us)%"}`
		service = `{"ms":"%DURATION%","svc":"%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%"}`
		ai      = `{"ms":"%DURATION%","m":"%REQ(X-AI-EG-MODEL)%","in":"%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_input_token)%"}`
		nginx   = `log_format llm escape=json '{"at":$msec,"st":$status,'
			'"rt":"$request_time",' '"uht":"$upstream_header_time","peer":"$upstream_addr","rid":"${request_id}","ua":"$http_user_agent"}';`
	)
	for _, tt := range []struct{ name, format, line, want string }{
		{"Envoy under own names", envoy,
			`{"ms":6421,"t":"2026-08-21T03:15:27.512Z","id":"x","n":{"h":1203456,"code":200},"flags":"DC","b":1246,"up":"10.0.0.1:80","path":"/p?k"}`,
			"total 6421000 headers 1203456 sse 1246000 status 200 attempt -1 id x channel 10.0.0.1:80 outcome client_cancelled"},
		{"Envoy with nulls", envoy, `{"ms":6421,"n":{"h":null,"code":null},"flags":"-"}`,
			"total 6421000 headers -1 sse -1 status -1 attempt -1 id  channel  outcome "},
		{"t2 less t1", derived, `{"ms":3000,"t2":1241,"t1":38}`, "total 3000000 headers 1203000 sse -1 status -1 attempt -1 id  channel  outcome "},
		{"t2 and t1 in different units", mixed, `{"ms":3000,"t2":1241,"t1":38000}`,
			"total 3000000 headers -1 sse -1 status -1 attempt -1 id  channel  outcome "},
		{"service time where nothing better is written", service, `{"ms":3000,"svc":"1237"}`,
			"total 3000000 headers 1237000 sse -1 status -1 attempt -1 id  channel  outcome "},
		{"nginx under own names", nginx, `{"at":1787282133.933,"st":200,"rt":"5.204","uht":"-, 0.812","peer":"10.0.0.1:80, 10.0.0.2:80","rid":"y"}`,
			"total 5204000 headers 812000 sse -1 status 200 attempt 2 id y channel 10.0.0.2:80 outcome "},
		{"Envoy AI Gateway", ai, `{"ms":3000,"m":"gpt-4o","in":512}`, "total 3000000 headers -1 sse -1 status -1 attempt -1 id  channel  outcome "},
	} {
		if !IsJSONLogFormat(tt.format) {
			t.Errorf("%s: not taken for JSON", tt.name)
		}
		f, err := FromLogFormat(tt.format)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if sure := f.Detect(window([]byte(tt.line))); sure != 100 {
			t.Errorf("%s: detected with %d", tt.name, sure)
		}
		b, rows, why := parse(f, source.Options{}, [][]byte{[]byte(tt.line)})
		if rows[0] < 0 {
			t.Errorf("%s: rejected: %+v", tt.name, why[0])
			continue
		}
		ids := b.RequestIDs()
		id := ""
		if b.Has(timeline.ColRequestID, 0) {
			id = string(ids.Data[ids.Offsets[0]:ids.Offsets[1]])
		}
		got := fmt.Sprintf("total %d headers %d sse %d status %d attempt %d id %s channel %s outcome %s",
			num(b, timeline.ColTotalHandler, 0), num(b, timeline.ColUpstreamHeaders, 0), num(b, timeline.ColFirstSSEEvent, 0),
			num(b, timeline.ColStatus, 0), num(b, timeline.ColAttempt, 0), id, b.Text(timeline.ColChannel, 0), b.Text(timeline.ColOutcome, 0))
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	f, err := FromLogFormat(ai)
	if err != nil {
		t.Fatal(err)
	}
	if b, _, _ := parse(f, source.Options{}, [][]byte{[]byte(`{"ms":3000,"m":"gpt-4o","in":512}`)}); b.Text(timeline.ColModel, 0) != "gpt-4o" ||
		num(b, timeline.ColInputTokens, 0) != 512 {
		t.Error("no model or tokens of the AI gateway")
	}
}

func TestFromLogFormatErrors(t *testing.T) {
	for _, format := range []string{"", "{", "$request_time", `{"a":"$uri"}`, `{"a":"%REQ(:PATH)%"}`, `{"a":1}`, `[]`, `log_format x '{"a":`} {
		if _, err := FromLogFormat(format); !errors.Is(err, ErrLogFormat) {
			t.Errorf("%s: %v", format, err)
		}
	}
	for _, format := range []string{"$remote_addr [$time_local]", "[%START_TIME%] %DURATION%", `log_format x '$msec'`} {
		if IsJSONLogFormat(format) {
			t.Errorf("%s is taken for JSON", format)
		}
	}
}

func FuzzFromLogFormat(f *testing.F) {
	for _, text := range []string{`{"a":"%DURATION%"}`, `log_format x escape=json '{"a":$msec}';`, `'{' '"a":"$status"' '}'`, `{"":{"\"":"%COMMON_DURATION(:)%"}}`, `{"a":"%%"}`} {
		f.Add(text, []byte(`{"a":1}`))
	}
	f.Fuzz(func(t *testing.T, text string, line []byte) {
		format, err := FromLogFormat(text)
		if err != nil {
			return
		}
		format.Detect(window(line))
		parse(format, source.Options{}, [][]byte{line})
	})
}
