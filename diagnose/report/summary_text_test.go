package report

import (
	"testing"

	"ttdiag/diagnose"
)

func TestRetryWordsOfSomeRequests(t *testing.T) {
	got := retryWords(diagnose.Retries{Retried: 3, Attempts: 7, Failed: 4, Partial: true, OneIn: 1024})
	want := "3 requests took 7 attempts, 4 of which failed; too many requests to follow all: only failed and numbered attempts were joined, of one request in 1,024"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
