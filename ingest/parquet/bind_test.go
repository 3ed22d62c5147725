package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// optionalLeaf is an optional leaf of a schema.
func optionalLeaf(name string, typ arrow.Type, logical schema.LogicalType, width int) schema.Node {
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, arrow.Repetitions.Optional, logical, typ, width, -1))
}

// records reads a file and writes every column of every record.
func records(t *testing.T, data []byte, opt source.Options) (string, error) {
	t.Helper()
	parts, err := Formats()[0].Random(bytes.NewReader(data), int64(len(data)), opt)
	if err != nil {
		return "", err
	}
	out := source.NewOut(parts.Format(), nil)
	reader := parts.NewReader()
	for i := range parts.Len() {
		if err := reader.Read(context.Background(), i, out); err != nil {
			t.Fatal(err)
		}
	}
	part := out.Flush()
	b := part.Batch
	var s strings.Builder
	for i := range b.Len() {
		for c := range timeline.Column(timeline.NumColumns) {
			switch {
			case !b.Has(c, i), c == timeline.ColVantage, c == timeline.ColSourceByte, c == timeline.ColRecordable:
			case c.IsText():
				fmt.Fprintf(&s, "%s=%s ", c, b.Text(c, i))
			default:
				v, _ := b.Num(c, i)
				fmt.Fprintf(&s, "%s=%d ", c, v)
			}
		}
		s.WriteByte('\n')
	}
	for _, r := range part.Rejected {
		fmt.Fprintf(&s, "%d: %s\n", r.Line, r.Reason)
	}
	return s.String(), nil
}

// A value of the same meaning is read from whatever type it is stored as.
func TestOwnColumnTypes(t *testing.T) {
	none := schema.NoLogicalType{}
	text := schema.StringLogicalType{}
	stamp := func(utc bool, unit schema.TimeUnitType) schema.LogicalType {
		return schema.NewTimestampLogicalType(utc, unit)
	}
	t0 := time.Date(2026, 8, 21, 3, 15, 33, 500_000_000, time.UTC)
	bits := func(v float64) []arrow.ByteArray { return []arrow.ByteArray{arrow.ByteArray(fmt.Sprint(v))} }
	cases := []struct {
		name   string
		node   schema.Node
		values any
		zone   *time.Location
		want   string
	}{
		{"double", optionalLeaf("total_handler_ms", arrow.Types.Double, none, -1), []float64{12.3456}, nil, "total_handler_ms=12346"},
		{"float", optionalLeaf("total_handler_ms", arrow.Types.Float, none, -1), []float32{12.5}, nil, "total_handler_ms=12500"},
		{"int", optionalLeaf("total_handler_ms", arrow.Types.Int64, none, -1), []int64{12}, nil, "total_handler_ms=12000"},
		{"int32 seconds", optionalLeaf("total_handler_s", arrow.Types.Int32, none, -1), []int32{3}, nil, "total_handler_ms=3000000"},
		{"nanoseconds", optionalLeaf("total_handler_ns", arrow.Types.Int64, none, -1), []int64{1500}, nil, "total_handler_ms=2"},
		{"camel case", optionalLeaf("totalHandlerUs", arrow.Types.Int64, none, -1), []int64{7}, nil, "total_handler_ms=7"},
		{"decimal", optionalLeaf("total_handler_ms", arrow.Types.Int64, schema.NewDecimalLogicalType(10, 3), -1), []int64{12345}, nil, "total_handler_ms=12345"},
		{"text", optionalLeaf("total_handler_ms", arrow.Types.ByteArray, text, -1), bits(1.25), nil, "total_handler_ms=1250"},
		{"no number", optionalLeaf("total_handler_ms", arrow.Types.ByteArray, text, -1), []arrow.ByteArray{arrow.ByteArray("soon")}, nil, "notes=bad_value:total_handler_ms"},
		{"empty text", optionalLeaf("total_handler_ms", arrow.Types.ByteArray, text, -1), []arrow.ByteArray{nil}, nil, ""},
		{"NaN", optionalLeaf("total_handler_ms", arrow.Types.Double, none, -1), []float64{math.NaN()}, nil, "notes=out_of_range:total_handler_ms"},
		{"infinite", optionalLeaf("total_handler_ms", arrow.Types.Double, none, -1), []float64{math.Inf(-1)}, nil, "notes=out_of_range:total_handler_ms"},
		{"negative", optionalLeaf("total_handler_ms", arrow.Types.Double, none, -1), []float64{-1}, nil, "notes=out_of_range:total_handler_ms"},
		{"huge", optionalLeaf("total_handler_s", arrow.Types.Int64, none, -1), []int64{math.MaxInt64}, nil, "notes=out_of_range:total_handler_ms"},
		{"zero mark", optionalLeaf("first_response_ms", arrow.Types.Double, none, -1), []float64{0}, nil, "notes=zero_mark:first_response_ms"},
		{"a flag is no duration", optionalLeaf("total_handler_ms", arrow.Types.Boolean, none, -1), []bool{true}, nil, "notes=bad_value:total_handler_ms"},
		{"a time is no duration", optionalLeaf("total_handler_ms", arrow.Types.Int64, stamp(true, schema.TimeUnitMillis), -1), []int64{1}, nil, "notes=bad_value:total_handler_ms"},
		{"milliseconds", optionalLeaf("timestamp", arrow.Types.Int64, stamp(true, schema.TimeUnitMillis), -1), []int64{t0.UnixMilli()}, nil, "timestamp=1787282133500000"},
		{"microseconds", optionalLeaf("ts", arrow.Types.Int64, stamp(true, schema.TimeUnitMicros), -1), []int64{t0.UnixMicro()}, nil, "timestamp=1787282133500000"},
		{"nanoseconds", optionalLeaf("time", arrow.Types.Int64, stamp(true, schema.TimeUnitNanos), -1), []int64{t0.UnixNano()}, nil, "timestamp=1787282133500000"},
		{"local", optionalLeaf("timestamp", arrow.Types.Int64, stamp(false, schema.TimeUnitMicros), -1), []int64{t0.UnixMicro()}, time.FixedZone("", 7200), "timestamp=1787274933500000"},
		{"epoch", optionalLeaf("timestamp", arrow.Types.Int64, none, -1), []int64{t0.UnixMilli()}, nil, "timestamp=1787282133500000"},
		{"epoch seconds", optionalLeaf("timestamp", arrow.Types.Double, none, -1), []float64{1787282133.5}, nil, "timestamp=1787282133500000"},
		{"date", optionalLeaf("timestamp", arrow.Types.ByteArray, text, -1), []arrow.ByteArray{arrow.ByteArray("2026-08-21 03:15:33.5")}, nil, "timestamp=1787282133500000"},
		{"flag", optionalLeaf("stream", arrow.Types.Boolean, none, -1), []bool{false}, nil, "stream=0"},
		{"flag as int", optionalLeaf("stream", arrow.Types.Int32, none, -1), []int32{1}, nil, "stream=1"},
		{"flag as float", optionalLeaf("stream", arrow.Types.Double, none, -1), []float64{1}, nil, "stream=1"},
		{"count as float", optionalLeaf("input_tokens", arrow.Types.Double, none, -1), []float64{12}, nil, "input_tokens=12"},
		{"rate", optionalLeaf("visible_output_tps", arrow.Types.Double, none, -1), []float64{55.25}, nil, "visible_output_tps=55250000"},
		{"label as int", optionalLeaf("channel", arrow.Types.Int32, none, -1), []int32{7}, nil, "channel=7"},
		{"UUID", optionalLeaf("request_id", arrow.Types.FixedLenByteArray, schema.UUIDLogicalType{}, 16),
			[]arrow.FixedLenByteArray{arrow.FixedLenByteArray("0123456789abcdef")}, nil, "request_id=30313233-3435-3637-3839-616263646566"},
		{"in a group", schema.MustGroup(schema.NewGroupNode("timings", arrow.Repetitions.Required, schema.FieldList{
			optionalLeaf("first_response_ms", arrow.Types.Double, none, -1)}, -1)), []float64{5}, nil, "first_response_ms=5000"},
	}
	for _, c := range cases {
		root := schema.MustGroup(schema.NewGroupNode("schema", arrow.Repetitions.Required, schema.FieldList{
			c.node, optionalLeaf("longest_gap_ms", arrow.Types.Double, none, -1)}, -1))
		data := writeLeaves(t, root, nil, []leaf{{[]int16{1}, nil, c.values}, {[]int16{0}, nil, []float64{}}})
		got, err := records(t, data, source.Options{Zone: c.zone})
		want := strings.TrimSpace(c.want + " source_line=1 format=parquet")
		for _, word := range strings.Fields(want) {
			if !strings.Contains(" "+got, " "+word+" ") {
				t.Errorf("%s: %v %q, want %q", c.name, err, got, want)
			}
		}
		if n := len(strings.Fields(got)); n != len(strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// The better spelling of a column counts where it has a value.
func TestOwnColumnTwice(t *testing.T) {
	none := schema.NoLogicalType{}
	root := schema.MustGroup(schema.NewGroupNode("schema", arrow.Repetitions.Required, schema.FieldList{
		optionalLeaf("total_handler_s", arrow.Types.Double, none, -1), optionalLeaf("total_handler_ms", arrow.Types.Int64, none, -1)}, -1))
	data := writeLeaves(t, root, nil, []leaf{{[]int16{1, 1, 0}, nil, []float64{9, 2}}, {[]int16{1, 0, 0}, nil, []int64{1000}}})
	got, err := records(t, data, source.Options{})
	want := "total_handler_ms=1000000 source_line=1 format=parquet \ntotal_handler_ms=2000000 source_line=2 format=parquet \nsource_line=3 format=parquet \n"
	if err != nil || got != want {
		t.Errorf("%v %q", err, got)
	}
}

// A data frame of Phoenix has dots in its names, numbers that became floats, and a
// list of events.
func TestPhoenixFrame(t *testing.T) {
	none, text := schema.NoLogicalType{}, schema.StringLogicalType{}
	nanos := schema.NewTimestampLogicalType(true, schema.TimeUnitNanos)
	element := schema.MustGroup(schema.NewGroupNode("element", arrow.Repetitions.Optional, schema.FieldList{
		optionalLeaf("name", arrow.Types.ByteArray, text, -1), optionalLeaf("timestamp", arrow.Types.Int64, nanos, -1),
		optionalLeaf("message", arrow.Types.ByteArray, text, -1)}, -1))
	list := schema.MustGroup(schema.NewGroupNode("list", arrow.Repetitions.Repeated, schema.FieldList{element}, -1))
	events := schema.MustGroup(schema.NewGroupNodeLogical("events", arrow.Repetitions.Optional, schema.FieldList{list}, schema.NewListLogicalType(), -1))
	root := schema.MustGroup(schema.NewGroupNode("schema", arrow.Repetitions.Required, schema.FieldList{
		optionalLeaf("context.span_id", arrow.Types.ByteArray, text, -1), optionalLeaf("span_kind", arrow.Types.ByteArray, text, -1),
		optionalLeaf("start_time", arrow.Types.Int64, nanos, -1), optionalLeaf("end_time", arrow.Types.Int64, nanos, -1),
		optionalLeaf("status_code", arrow.Types.ByteArray, text, -1), optionalLeaf("attributes.llm.model_name", arrow.Types.ByteArray, text, -1),
		optionalLeaf("attributes.llm.token_count.prompt", arrow.Types.Double, none, -1), events}, -1))
	b := func(s ...string) (list []arrow.ByteArray) {
		for _, one := range s {
			list = append(list, arrow.ByteArray(one))
		}
		return list
	}
	at := int64(1_773_230_400_125_000_000)
	three := []int16{1, 1, 1}
	data := writeLeaves(t, root, nil, []leaf{
		{three, nil, b("s1", "s2", "s3")}, {three, nil, b("LLM", "CHAIN", "LLM")}, {three, nil, []int64{at, at, at}},
		{three, nil, []int64{at + 3e9, at + 3e9, at + 1e9}}, {three, nil, b("OK", "OK", "ERROR")}, {[]int16{1, 0, 1}, nil, b("claude", "claude")},
		{[]int16{1, 0, 0}, nil, []float64{900}},
		{[]int16{4, 4, 1, 0}, []int16{0, 1, 0, 0}, b("exception", "First Token Stream Event")},
		{[]int16{4, 4, 1, 0}, []int16{0, 1, 0, 0}, []int64{at, at + 64e7}},
		{[]int16{4, 4, 1, 0}, []int16{0, 1, 0, 0}, b("CANARY", "CANARY")},
	})
	got, err := records(t, data, source.Options{})
	for _, want := range []string{"first_sse_event_ms=640000 total_handler_ms=3000000 timestamp=1773230400125000", "input_tokens=900", "request_id=s1 model=claude",
		"total_handler_ms=1000000", "request_id=s3", "2: not a request"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if err != nil || strings.Contains(got, "CANARY") || strings.Count(got, "format=phoenix") != 2 {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestUnboundColumns(t *testing.T) {
	root := schema.MustGroup(schema.NewGroupNode("schema", arrow.Repetitions.Required, schema.FieldList{
		optionalLeaf("prompt", arrow.Types.ByteArray, schema.StringLogicalType{}, -1)}, -1))
	data := writeLeaves(t, root, nil, []leaf{{[]int16{0}, nil, []arrow.ByteArray{}}})
	_, err := records(t, data, source.Options{})
	if !errors.Is(err, ErrColumns) || !strings.Contains(err.Error(), "first_response_ms") {
		t.Error(err)
	}
	if _, err = records(t, data, source.Options{Format: "haproxy_http"}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if _, err = records(t, data, source.Options{Format: "langfuse"}); !errors.Is(err, ErrColumns) {
		t.Error(err)
	}
	if _, err = records(t, data[:len(data)-1], source.Options{}); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	broken := bytes.Clone(data)
	binary.LittleEndian.PutUint32(broken[len(broken)-8:], 1<<30)
	if _, err = records(t, broken, source.Options{}); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}
