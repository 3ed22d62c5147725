package report

import (
	"encoding/xml"
	"fmt"
	"strings"

	"ttdiag/diagnose"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Output  string        `xml:"system-out"`
}

type junitMessage struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
}

// CheckJUnit returns the results as JUnit XML. Too little data is an error, not
// a skipped test: a test that is skipped lets a pipeline pass.
func CheckJUnit(c *diagnose.Check) (string, error) {
	suite := junitSuite{Name: "ttdiag check", Tests: len(c.Results)}
	for i := range c.Results {
		r := &c.Results[i]
		one := junitCase{Class: "ttdiag.check", Name: caseName(r), Output: resultWords(r)}
		switch r.Verdict {
		case diagnose.Fail:
			suite.Failures++
			one.Failure = &junitMessage{"requirement", reasonWords(r)}
		case diagnose.TooLittle:
			suite.Errors++
			one.Error = &junitMessage{"too_little", reasonWords(r)}
		}
		suite.Cases = append(suite.Cases, one)
	}
	if c.Other > 0 {
		suite.Tests++
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{Class: "ttdiag.check", Name: "groups beyond the limit",
			Error: &junitMessage{"too_little", grouped(c.Other) + " requests of further groups were not checked"}})
	}
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write junit: %w", err)
	}
	return xml.Header + string(text) + "\n", nil
}

func caseName(r *diagnose.Checked) string {
	if at := checkedWhere(r); at != "" {
		return r.Requirement + " [" + at + "]"
	}
	return r.Requirement
}

// resultWords is a result in one line of ASCII.
func resultWords(r *diagnose.Checked) string {
	text := "value " + checkedValue(r, Style{ASCII: true})
	if between := checkedInterval(r); between != "" {
		text += ", 95 % interval " + between
	}
	return text + ", n=" + grouped(r.N)
}

// CheckGitHub returns the results as annotations of a GitHub workflow: an error
// for a failure, a warning for too little data, a notice for what holds.
func CheckGitHub(c *diagnose.Check) string {
	var b strings.Builder
	for i := range c.Results {
		r := &c.Results[i]
		kind := map[diagnose.CheckVerdict]string{
			diagnose.Pass: "notice", diagnose.TooLittle: "warning", diagnose.Fail: "error",
		}[r.Verdict]
		words := strings.Join(filled(caseName(r)+": "+strings.ReplaceAll(r.Verdict.String(), "_", " "), reasonWords(r), resultWords(r)), "; ")
		fmt.Fprintf(&b, "::%s title=ttdiag check::%s\n", kind, annotation(words))
	}
	if c.Other > 0 {
		fmt.Fprintf(&b, "::warning title=ttdiag check::%s requests of further groups were not checked\n", grouped(c.Other))
	}
	return b.String()
}

// annotation escapes the data of a workflow command.
func annotation(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}
