package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1 // the computation could not be done, or there is no room for what it gave
	exitUse    = 2 // bad use or bad input
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(newRoot(), args, stdin, stdout, stderr)
}

func execute(root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &watched{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if err == nil { // help and completion are written by the library, which asks for no errors
		err = failed("", inputError("stdout", out.err))
	}
	if err == nil {
		return exitDone
	}
	report(stderr, cmd, err)
	if failed := new(failure); errors.As(err, &failed) || outfile.Full(err) {
		return exitFailed
	}
	return exitUse
}

// watched keeps the first error of writing.
type watched struct {
	w   io.Writer
	err error
}

func (o *watched) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// failure marks an error of a computation. All others are bad use or input.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failed marks err, which may be nil, as the failure of a computation with the
// model called name, if that is not empty.
func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	err = plain(err)
	if name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return &failure{err}
}

// plain returns err without the name of the package that its text begins with,
// which tells a user of the command nothing.
func plain(err error) error {
	return fault.Plain(err)
}

// report prints err: the problems of a document a line each, other errors
// after the name of the command, mistakes in the use with where to read on.
func report(w io.Writer, cmd *cobra.Command, err error) {
	if p := new(model.Problems); errors.As(err, &p) {
		fmt.Fprintln(w, p)
		return
	}
	// The messages of cobra have lines of hints, and tabs, behind the first.
	text := strings.TrimSpace(strings.ReplaceAll(plain(err).Error(), "\t", "  "))
	if outfile.Full(err) { // of several files, one line is enough
		text, _, _ = strings.Cut(strings.Replace(text, "write /dev/stdout", "stdout", 1), "\n")
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fault.Line(line)
	}
	fmt.Fprintln(w, "rung: "+strings.Join(lines, "\n"))
	if u := new(useError); errors.As(err, &u) {
		fmt.Fprintf(w, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
}

// useError is a mistake in the command line.
type useError struct{ err error }

func (u *useError) Error() string { return u.err.Error() }
func (u *useError) Unwrap() error { return u.err }

func useErrorf(format string, args ...any) error {
	return &useError{fmt.Errorf(format, args...)}
}
