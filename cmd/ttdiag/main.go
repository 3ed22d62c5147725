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
		fmt.Println("ttdiag " + version())
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], systemStd())
	stop()
	os.Exit(code)
}
