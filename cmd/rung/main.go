package main

import (
	"context"
	"io"
	"os"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// main runs the command. A rank of a run that is not the one to speak is silent, and waits a little with its status if it has failed.
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
