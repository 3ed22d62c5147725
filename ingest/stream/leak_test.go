package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ttdiag/ingest/source"
)

const canary = "CANARY sk-secret 4711"

// labels are the members whose values are words of a closed list. In a second
// round they are poisoned as well.
var labels = map[string]bool{
	"type": true, "object": true, "finish_reason": true, "stop_reason": true, "finishReason": true, "stopReason": true,
	"done_reason": true, "blockReason": true, "model": true, "modelVersion": true, "code": true, "status": true, "reason": true,
}

// poison puts the canary into every string that is not empty, adds a member with
// a poisoned name, and with all set spares no label either.
func poison(v any, key string, all bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = poison(x, k, all)
		}
		v[canary] = canary
		v["extra"] = []any{canary, map[string]any{canary: canary}}
	case []any:
		for i := range v {
			v[i] = poison(v[i], key, all)
		}
	case string:
		if v != "" && (all || !labels[key]) {
			return canary + v
		}
	}
	return v
}

// poisoned returns a body with the canary in all of its content, and in the
// fields and comments of its frames.
func poisoned(body []byte, all bool) []byte {
	var out bytes.Buffer
	body = bytes.ReplaceAll(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		payload := line
		if string(name) == "data" {
			payload = rest
			out.WriteString(": " + canary + "\nid: " + canary + "\n" + canary + ": " + canary + "\n")
			if all {
				out.WriteString("event: " + canary + "\n")
			}
			out.WriteString("data: ")
		}
		var v any
		if json.Unmarshal(payload, &v) == nil {
			b, _ := json.Marshal(poison(v, "", all))
			payload = b
		}
		out.Write(payload)
		out.WriteByte('\n')
	}
	out.WriteString("data: " + canary + "\n\ndata: {\"error\":{\"message\":\"" + canary + "\",\"type\":\"" + canary + "\",\"code\":\"" + canary + "\"}}\n\n")
	return out.Bytes()
}

// TestNoContentLeaks: canaries in every content field of every dialect appear
// in no row, no rejection, no error, no event list.
func TestNoContentLeaks(t *testing.T) {
	for _, all := range []bool{false, true} {
		for _, c := range loadCases(t) {
			body := poisoned(c.data, all)
			if !bytes.Contains(body, []byte(canary)) {
				t.Fatalf("%s: nothing is poisoned", c.name)
			}
			line, _ := json.Marshal(map[string]any{"request_id": "a", "t_ms": 5, "data": string(body), "prompt": canary, canary: canary})
			input := string(line) + "\n" + string(line[:len(line)-40]) + "\n" + `{"request_id":"a","t_ms":"` + canary + `"}` + "\n" +
				`{"request_id":"b","mark":"` + canary + `","t_ms":1}` + "\n" + `{"request_id":"a","b64":"` + canary + `"}` + "\n"
			clean(t, c.name, readSession(recordingFormat(), source.Options{}, input))
			clean(t, c.name, readDocument(t, formatNamed("sse"), source.Options{ThinkTags: all}, body))
			for _, format := range []string{"recording", "sse", "stream-json"} {
				text := input
				if format != "recording" {
					text = string(body)
				}
				l, err := Events(context.Background(), format, strings.NewReader(text), "", source.Options{})
				if s := fmt.Sprintf("%+v %v", l, err); strings.Contains(s, "CANARY") || strings.Contains(s, "sk-secret") {
					t.Errorf("%s: the canary is in the events: %s", c.name, s)
				}
			}
		}
	}
}

func clean(t *testing.T, name string, part source.Part) {
	t.Helper()
	for _, s := range append(rows(part.Batch), fmt.Sprintf("%+v", part.Rejected)) {
		if strings.Contains(s, "CANARY") || strings.Contains(s, "sk-secret") {
			t.Errorf("%s: the canary is in %s", name, s)
		}
	}
}

// TestNoContentOfDocumentsLeaks does the same with the documents of tools.
func TestNoContentOfDocumentsLeaks(t *testing.T) {
	files, _ := filepath.Glob("testdata/formats/*")
	if len(files) < 4 {
		t.Fatal("no documents")
	}
	keep := map[string]bool{"name": true, "mode": true, "x_request_id": true, "startedDateTime": true, "mimeType": true, "model": true}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format := detected(b)
		var poisonedDoc bytes.Buffer
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			var v any
			if json.Unmarshal(line, &v) == nil {
				line, _ = json.Marshal(poisonDocument(v, "", keep))
			}
			poisonedDoc.Write(append(line, '\n'))
		}
		clean(t, file, readDocument(t, formatNamed(format), source.Options{}, poisonedDoc.Bytes()))
	}
}

// poisonDocument puts the canary behind every string but those that are kept.
func poisonDocument(v any, key string, keep map[string]bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = poisonDocument(x, k, keep)
		}
		v[canary] = canary
	case []any:
		for i := range v {
			v[i] = poisonDocument(v[i], key, keep)
		}
	case string:
		if !keep[key] {
			return v + canary
		}
	}
	return v
}
