// A run is short: the number of processors is not looked at again.
//go:debug updatemaxprocs=0

// Command ttdiag tells where streaming AI requests waited, from recorded logs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A closed pipe then is an error of writing, which commands clean up after.
	signal.Ignore(syscall.SIGPIPE)
	if len(os.Args) == 2 && os.Args[1] == "--version" { // scripts ask often, and want nothing else
		fmt.Println(program())
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	go stopAtSignal(stop) // it takes threads, which the command need not wait for
	os.Exit(run(ctx, os.Args[1:], systemStd()))
}

// stopAtSignal calls stop when the user, or the system, wants the program to end.
func stopAtSignal(stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	stop()
}
