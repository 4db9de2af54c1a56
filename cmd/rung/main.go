package main

import (
	"context"
	"io"
	"os"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// main runs the command. A process of a run on ranks other than rank 0 prints nothing; if it fails, it waits a little before it
// exits, so that rank 0 can report the error first.
func main() {
	args := os.Args[1:]
	var stdout, stderr io.Writer = os.Stdout, os.Stderr
	hushed := ranks.Hushed(args)
	if hushed {
		stdout, stderr = io.Discard, io.Discard
	}
	status := shell.Interruptible(stderr, func(ctx context.Context) int {
		return shell.Execute(ctx, newRoot(), args, os.Stdin, stdout, stderr)
	}, func() { os.Exit(shell.ExitFailed) })
	if hushed && status != shell.ExitDone {
		ranks.Linger()
	}
	os.Exit(status)
}
