package main

import (
	"io"
	"os"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

func main() {
	stdout, stderr := ranks.Quiet(os.Args[1:], os.Stdout, os.Stderr)
	os.Exit(run(os.Args[1:], os.Stdin, stdout, stderr))
}

// run executes one command line and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return shell.Execute(newRoot(), args, stdin, stdout, stderr)
}
