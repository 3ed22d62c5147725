// Command ttdiag tells where streaming AI requests waited, from recorded logs.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// A closed pipe then is an error of writing, which commands clean up after.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if _, ok := os.LookupEnv("GOGC"); !ok {
		// Nearly all memory is numbers, which the collector need not look at:
		// it may as well come twice as often.
		debug.SetGCPercent(50)
	}
	code := run(ctx, os.Args[1:], systemStd())
	stop()
	os.Exit(code)
}
