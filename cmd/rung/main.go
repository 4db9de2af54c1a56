package main

import (
	"io"
	"os"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

func main() {
	args := os.Args[1:]
	if !ranks.Hushed(args) {
		os.Exit(run(args, os.Stdin, os.Stdout, os.Stderr))
	}
	status := run(args, os.Stdin, io.Discard, io.Discard)
	if status != shell.ExitDone {
		ranks.Linger()
	}
	os.Exit(status)
}

// run executes one command line and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return shell.Execute(newRoot(), args, stdin, stdout, stderr)
}
