package report

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// hostile is what a log may hold where a name is expected.
const hostile = "a\x1b[31m|<b>\"'&]]>\n::error::%"

func hostileKey() []diagnose.KeyValue {
	return []diagnose.KeyValue{{Column: "channel", Value: hostile}, {Column: "region", Absent: true}}
}

func aCheck() *diagnose.Check {
	figure := stats.Figure{Level: stats.P95, N: 80, Point: stats.Point{Value: 4_000_000, OK: true, LowerBound: true}, HiNeedsN: 368}
	return &diagnose.Check{N: 80, By: []string{"channel", "region"}, Other: 3, Results: []diagnose.Checked{
		{Requirement: "end_to_end_ms p95 < 3s", Group: hostileKey(), Mode: "streaming", Basis: diagnose.Basis{Vantage: hostile, FirstToken: hostile},
			Verdict: diagnose.Fail, Reason: "beyond", Unit: rules.Milliseconds, Limit: 3_000_000, Op: "<", N: 80, Figure: &figure},
		{Requirement: "share slow < 1%", Group: hostileKey(), Verdict: diagnose.TooLittle, Reason: "few", NeedsN: 100, Unit: rules.Fraction, Limit: 10_000, Op: "<", N: 80, Share: &stats.Share{K: 0, N: 80}, Hi: 0.046},
		{Requirement: "count > 1", Group: hostileKey(), Unit: rules.Plain, Limit: 1, Op: ">", N: 80, Share: &stats.Share{K: 80, N: 80}},
		{Requirement: "auth_ms p95 < 1s", Verdict: diagnose.TooLittle, Reason: "no request has a value", Op: "<"},
	}}
}

func aWhy() *diagnose.Why {
	lift := stats.NewLift(stats.Share{K: 20, N: 20}, stats.Share{K: 0, N: 100})
	return &diagnose.Why{N: 1000, Looked: 120, Tests: 7, Rate: 0.01, MinLift: 1.5,
		Dimensions: []diagnose.WhyDimension{{Name: "channel", Values: 3}, {Name: "route", Values: 201, Too: true}},
		Classes: []diagnose.WhyClass{
			{Class: rules.UpstreamHeadersSlow, Slow: stats.Share{K: 20, N: 120}, Metric: "upstream_headers_ms", Usual: 200_000, HasUsual: true, ExcessUs: 80_000_000,
				Findings: []diagnose.WhyFinding{{Where: hostileKey()[:1], Lift: lift, ExcessUs: 80_000_000, Same: [][]diagnose.KeyValue{hostileKey()[:1]}}}},
			{Class: rules.Undetermined, Slow: stats.Share{K: 2, N: 120}, Metric: "end_to_end_ms"},
		}}
}

func aPeers() *diagnose.Peers {
	rank := diagnose.PeerRank{Stage: "headers", Metric: "upstream_headers_ms", Value: 4_000_000, LowerBound: true,
		Position: stats.Position{Below: 8, N: 9}, Median: stats.Figure{Level: stats.P50, N: 9, Point: stats.Point{Value: 200_000, OK: true}}}
	return &diagnose.Peers{Of: hostileKey()[:1], N: 9, Looked: 20, Class: rules.UpstreamHeadersSlow, Ranks: []diagnose.PeerRank{rank},
		Shares:  []diagnose.PeerShare{{Column: "channel", Value: hostile, Here: stats.Share{K: 3, N: 4}, Elsewhere: stats.Share{K: 0, N: 5}, Lo: 0.1, Hi: 0.9, P: 0.04}},
		Load:    diagnose.PeerLoad{Known: true, AtStart: 2, Overlap: 3, Timed: 20, Mean: 1.5},
		Minutes: []diagnose.PeerMinute{{Start: 60_000_000, N: 4, OfClass: 1}},
		Apart:   &diagnose.PeerApart{WhyClass: aWhy().Classes[0], N: 20, Has: []bool{true}}}
}

func aComparison(comparable bool) *diagnose.Comparison {
	c := &diagnose.Comparison{
		A: diagnose.SideSummary{Name: hostile, N: 100, Kept: 50, Warmup: 2, From: 1, To: 2, HasRange: true}, B: diagnose.SideSummary{Name: "b", N: 100, Kept: 100},
		Match: []string{"channel", "region"}, MinEffect: 0.1, Rate: 0.05, Comparable: comparable,
		Conditions: []diagnose.Controlled{{Name: "model", State: diagnose.StateDifferent, Matters: true, How: hostile}},
		Mix:        []diagnose.MixShare{{Mode: "streaming", Stratum: hostileKey(), A: stats.Share{K: 1, N: 2}, B: stats.Share{K: 2, N: 2}}},
	}
	if !comparable {
		c.Blocking = []string{"model"}
		return c
	}
	a, b := stats.NewSample(stats.High), stats.NewSample(stats.High)
	for i := range int64(100) {
		a.Add(1000*(i+1), i)
		b.AddBound(2000*(i+1), i)
	}
	crude := stats.TypicalChange(a, b)
	c.Answers = []diagnose.Answer{
		{Mode: "streaming", Fixed: true, Subject: "end_to_end_ms", Change: stats.TailChange(a, b, stats.P95), Verdict: stats.Changed},
		{Mode: "streaming", Fixed: true, Subject: "end_to_end_ms", Change: crude, Crude: &crude, Verdict: stats.Changed},
		{Mode: "streaming", Stratum: hostileKey(), Subject: "slow", Change: stats.ShareChange(stats.Share{K: 1, N: 50}, stats.Share{K: 40, N: 50}), Verdict: stats.Changed},
		{Mode: "unknown", Subject: "slow", Change: stats.ShareChange(stats.Share{N: 1}, stats.Share{N: 1}), Verdict: stats.TooFew, Enough: 35},
	}
	c.Drift = []diagnose.Drift{{Side: hostile, Mode: "streaming", Metric: "end_to_end_ms", Change: crude}}
	return c
}

func TestEvidenceJSONIsValid(t *testing.T) {
	peers := diagnose.Explanation{Peers: aPeers()}
	outputs := map[string][]byte{
		"check": AppendCheck(nil, aCheck()), "checked": AppendChecked(nil, &aCheck().Results[1]), "why": AppendWhy(nil, aWhy()),
		"comparison": AppendComparison(nil, aComparison(true)), "not comparable": AppendComparison(nil, aComparison(false)),
		"empty why": AppendWhy(nil, &diagnose.Why{}), "empty check": AppendCheck(nil, &diagnose.Check{}),
		"empty comparison": AppendComparison(nil, &diagnose.Comparison{}), "peers": AppendExplanation(nil, &peers),
	}
	for name, text := range outputs {
		if !json.Valid(text) || strings.ContainsAny(string(text), "\x1b\n") {
			t.Errorf("%s is not strict JSON in one line:\n%s", name, text)
		}
	}
}

// No text that a log holds reaches a terminal, or breaks a table.
func TestEvidenceTextIsPrintable(t *testing.T) {
	style := Style{Width: 80}
	texts := map[string]func() (string, error){
		"check": func() (string, error) { return CheckText(aCheck(), style) },
		"why":   func() (string, error) { return WhyText(aWhy(), style) },
		"comparison": func() (string, error) {
			return ComparisonText(aComparison(true), style, time.UTC)
		},
		"not comparable": func() (string, error) { return ComparisonText(aComparison(false), style, time.UTC) },
		"peers": func() (string, error) {
			return ExplanationText([]diagnose.Explanation{{Peers: aPeers()}}, style, time.UTC)
		},
		"check markdown": func() (string, error) { return CheckMarkdown(aCheck()) },
		"why markdown":   func() (string, error) { return WhyMarkdown(aWhy()) },
		"comparison markdown": func() (string, error) {
			return ComparisonMarkdown(aComparison(true), time.UTC)
		},
		"check csv":      func() (string, error) { return CheckCSV(aCheck()) },
		"comparison csv": func() (string, error) { return ComparisonCSV(aComparison(true)) },
		"github":         func() (string, error) { return CheckGitHub(aCheck()), nil },
		"junit":          func() (string, error) { return CheckJUnit(aCheck()) },
	}
	for name, text := range texts {
		got, err := text()
		if err != nil || strings.Contains(got, "\x1b") || strings.Contains(got, "]\n::error") || got == "" {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		if strings.HasSuffix(name, "markdown") && strings.Contains(got, "<b>") {
			t.Errorf("%s holds markup of the log:\n%s", name, got)
		}
		if strings.Contains(strings.ToUpper(got), "TTFT") {
			t.Errorf("%s says TTFT", name)
		}
	}
}

func TestNotComparableRanksNothing(t *testing.T) {
	got, err := ComparisonText(aComparison(false), Style{}, time.UTC)
	if err != nil || !strings.Contains(got, "because of model") || strings.Contains(got, "B against A") || strings.Contains(got, "Mix") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestCheckJUnitCountsAndParses(t *testing.T) {
	text, err := CheckJUnit(aCheck())
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	s := back.Suites[0]
	// The group that was not checked is an error of its own.
	if s.Tests != 5 || s.Failures != 1 || s.Errors != 3 || len(s.Cases) != 5 || s.Cases[0].Failure == nil || s.Cases[2].Error != nil {
		t.Errorf("suite is %+v", s)
	}
}

func TestCheckGitHubHasOneLineEach(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(CheckGitHub(aCheck()), "\n"), "\n")
	kinds := []string{"::error ", "::warning ", "::notice ", "::warning ", "::warning "}
	if len(lines) != len(kinds) {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, kinds[i]) {
			t.Errorf("line %d is %q, want %s", i+1, line, kinds[i])
		}
	}
}
