package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
)

// Exit statuses.
const (
	ExitDone   = 0
	ExitFailed = 1 // the computation could not be done, or there is no room for what it gave
	ExitUse    = 2 // bad use or bad input
)

// Execute runs one command line of root and returns its exit status. It reports errors. The context is that of the
// command.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &watched{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(withTables(ctx, tablesOf(root)))
	err = whyEnded(ctx, err)
	if err == nil { // help and completion are written by the library, which asks for no errors
		err = Failed("", InputError("stdout", out.err))
	}
	if err == nil {
		return ExitDone
	}
	if told := new(Told); errors.As(err, &told) {
		return told.Status
	}
	Report(stderr, cmd, err)
	return StatusOf(err)
}

// StatusOf returns the exit status of an error.
func StatusOf(err error) int {
	if failed := new(Failure); errors.As(err, &failed) || outfile.Full(err) || errors.Is(err, ErrInterrupted) {
		return ExitFailed
	}
	return ExitUse
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

// Told is an error that has been reported already (rung --ranks mpi).
type Told struct{ Status int }

// Error says so.
func (*Told) Error() string { return "the error has been reported" }

// Failure marks an error of a computation. All others are bad use or input.
type Failure struct{ err error }

func (f *Failure) Error() string { return f.err.Error() }

func (f *Failure) Unwrap() error { return f.err }

// Failed marks err, which may be nil, as the failure of a computation with the model called
// name. name may be empty.
func Failed(name string, err error) error {
	if err == nil {
		return nil
	}
	err = fault.Plain(err)
	if name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return &Failure{err}
}

// Report prints err: the problems of a document a line each, other errors
// after the name of the command, mistakes in the use with where to read on.
func Report(w io.Writer, cmd *cobra.Command, err error) {
	if p := new(model.Problems); errors.As(err, &p) {
		fmt.Fprintln(w, p)
		return
	}
	if p := new(source.Problems); errors.As(err, &p) {
		fmt.Fprintln(w, p)
		return
	}
	if p := new(ground.Problems); errors.As(err, &p) {
		fmt.Fprintln(w, p)
		return
	}
	// The messages of cobra have lines of hints, and tabs, behind the first.
	text := strings.TrimSpace(strings.ReplaceAll(fault.Plain(err).Error(), "\t", "  "))
	if outfile.Full(err) { // of several files, one line is enough
		text, _, _ = strings.Cut(strings.Replace(text, "write /dev/stdout", "stdout", 1), "\n")
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fault.Line(line)
	}
	fmt.Fprintln(w, "rung: "+strings.Join(lines, "\n"))
	if u := new(UseError); errors.As(err, &u) {
		fmt.Fprintf(w, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
}

// UseError is a mistake in the command line.
type UseError struct{ err error }

func (u *UseError) Error() string { return u.err.Error() }

func (u *UseError) Unwrap() error { return u.err }

// UseErrorf returns a UseError with a text as of fmt.Errorf.
func UseErrorf(format string, args ...any) error {
	return &UseError{fmt.Errorf(format, args...)}
}

// InputError makes errors of the system one line; problems of the document and
// nil pass.
func InputError(path string, err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return fmt.Errorf("%s: %w", fault.Line(path), p.Err)
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return fmt.Errorf("%s: %w", path, l.Err)
	}
	return err
}

// FileError is InputError with the name that the error of the system has: of one of several files.
func FileError(err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return InputError(p.Path, err)
	}
	return err
}

// NamedStdout is standard output for what does not know its name in messages: errors of the system have it.
type NamedStdout struct{ io.Writer }

func (o NamedStdout) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if p := new(os.PathError); errors.As(err, &p) {
		err = &os.PathError{Op: p.Op, Path: "stdout", Err: p.Err}
	}
	return n, err
}
