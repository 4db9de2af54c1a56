package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// main reads the flags and runs the command.
func main() {
	report := flag.Bool("report", false, "print what did not run")
	verbose := flag.Bool("v", false, "print all that tests print, as go test -v does")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "notrun: one file is needed")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *report, *verbose, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// run prints the tests that did not run according to file, if report is set. Otherwise it passes the output of go test -json from in to
// out, and appends a line to file for each test that was skipped or passed.
func run(file string, report, verbose bool, in io.Reader, out io.Writer) error {
	if report {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return list(out, string(data))
	}
	lines, err := pass(in, out, verbose)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(lines) // by one call, because another run may write too
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
