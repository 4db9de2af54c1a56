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
	ExitFailed = 1 // the computation could not be done, or the disk is full
	ExitUse    = 2 // bad use or bad input
)

// Execute runs one command line of root with the context ctx, reports its error, and returns its exit status.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &watched{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(withTables(ctx, tablesOf(root)))
	err = whyEnded(ctx, err)
	if err == nil { // cobra writes help and completions, and ignores errors of writing
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

// watched is a writer that keeps the first error of w.
type watched struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (o *watched) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Told is an error that has been reported already (rung --ranks mpi).
type Told struct{ Status int }

// Error implements error.
func (*Told) Error() string { return "the error has been reported" }

// Failure marks an error of a computation. All other errors are bad use or bad input.
type Failure struct{ err error }

// Error implements error.
func (f *Failure) Error() string { return f.err.Error() }

func (f *Failure) Unwrap() error { return f.err }

// Failed returns err as the failure of a computation, with the name of the model before its text unless name is empty. nil
// stays nil.
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

// Report prints err: the problems of a document with a line for each, other errors
// with "rung: " before them, and below mistakes in the use a hint to the help.
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
	// Messages of cobra have further lines with hints and tabs.
	text := strings.TrimSpace(strings.ReplaceAll(fault.Plain(err).Error(), "\t", "  "))
	if outfile.Full(err) { // several files may have failed: one line is enough
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

// UseErrorf returns a UseError with a text formatted as by fmt.Errorf.
func UseErrorf(format string, args ...any) error {
	return &UseError{fmt.Errorf(format, args...)}
}

// InputError returns an error of the system as one line with the path; other
// errors, such as problems of a document, and nil are returned as they are.
func InputError(path string, err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return fmt.Errorf("%s: %w", fault.Line(path), p.Err)
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return fmt.Errorf("%s: %w", path, l.Err)
	}
	return err
}

// FileError is InputError with the path in the error itself, for commands with several files.
func FileError(err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return InputError(p.Path, err)
	}
	return err
}

// NamedStdout is standard output for writers that do not name it in messages: errors of the system get the path "stdout".
type NamedStdout struct{ io.Writer }

func (o NamedStdout) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if p := new(os.PathError); errors.As(err, &p) {
		err = &os.PathError{Op: p.Op, Path: "stdout", Err: p.Err}
	}
	return n, err
}
