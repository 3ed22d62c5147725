package document_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const canary = "sk-canary-4d1f prompt"

// content names keys that hold what must not be read, or be read for a class of
// error alone.
var content = map[string]bool{
	"prompt": true, "output": true, "input": true, "generated_texts": true, "errors": true, "error_msg": true, "error_message": true,
	"error_text": true, "error_traceback": true, "message": true, "messages": true, "content": true, "status_message": true,
	"statusMessage": true, "inputs": true, "outputs": true, "kwargs": true, "input_text": true, "output_text": true, "metadata": true,
	"reasoning_output": true, "tool_calls": true, "traceback": true, "cmd": true, "request_headers": true, "x_headers": true,
}

// poison puts the canary wherever content may stand: under keys of content and
// under a key of its own in each object. Values under keys of content that hold
// numbers or objects the formats read stay.
func poison(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = poison(e, k)
		}
		v["zz_"+canary] = canary
		v["api_key"] = []any{canary, map[string]any{canary: canary}}
		return v
	case []any:
		for i, e := range v {
			v[i] = poison(e, key)
		}
		return v
	case string:
		if content[key] && v != "" {
			return canary
		}
	}
	return v
}

// Content never reaches a column, a note or a rejection, whatever the format.
func TestCanary(t *testing.T) {
	for name, e := range expectations(t) {
		data, err := os.ReadFile(filepath.Join(corpus, name, e.File))
		if err != nil {
			t.Fatal(err)
		}
		poisoned := poisonAll(bytes.ReplaceAll(data, []byte("Infinity"), []byte("9")))
		if poisoned == nil {
			continue // not JSON
		}
		part := read(t, formatNamed(t, e.Format), poisoned)
		if strings.Contains(text(part), "canary") {
			t.Errorf("%s: content leaks: %.2000s", name, text(part))
		}
		if len(e.Rows) > 0 && part.Batch.Len() == 0 {
			t.Errorf("%s: nothing was read of the poisoned input", name)
		}
	}
}

func poisonAll(data []byte) []byte {
	var out []byte
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))))
	dec.UseNumber()
	for dec.More() {
		var v any
		if dec.Decode(&v) != nil {
			return nil
		}
		line, err := json.Marshal(poison(v, ""))
		if err != nil {
			return nil
		}
		out = append(append(out, line...), '\n')
	}
	return out
}

// A CSV of a store keeps its cells of content to itself too.
func TestCanaryCSV(t *testing.T) {
	data := "id,type,startTime,endTime,completionStartTime,model,input,output,statusMessage,usageDetails\n" +
		`o,GENERATION,2026-06-22T20:44:35.5Z,2026-06-22T20:44:36Z,,m,"` + canary + `",` + canary + `,` + canary + `,"{""` + canary + `"":1,""input"":5}"` + "\n"
	part := read(t, formatNamed(t, "langfuse"), []byte(data))
	if part.Batch.Len() != 1 || strings.Contains(text(part), "canary") {
		t.Error(text(part))
	}
}
