package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// main reads the flags and runs the test program.
func main() {
	into := flag.String("into", "", "file to which the line of the package is added")
	most := flag.Duration("most", 0, "processor time above which the test program fails; 0: none does")
	flag.Parse()
	os.Exit(run(flag.Args(), *into, *most, os.Stderr))
}

// run runs a command and returns its exit status. It returns 1 if the command succeeds but takes more than most, and 2 if the command
// cannot be run or its time cannot be recorded.
func run(args []string, into string, most time.Duration, errs io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(errs, "processor: a test program is needed")
		return 2
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(1, exit.ExitCode())
	}
	took := time.Duration(0)
	if err == nil {
		took = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		err = note(into, took)
	}
	if err != nil {
		fmt.Fprintln(errs, "processor:", err)
		return 2
	}
	if most > 0 && took > most {
		fmt.Fprintf(errs, "processor: %.1f s, more than %v: give the longest tests a smaller size in short runs\n", took.Seconds(), most)
		return 1
	}
	return 0
}

// note appends the line with the time took and the current folder, which is the folder of the package, to the file into.
func note(into string, took time.Duration) error {
	if into == "" {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(into, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%.2f %s\n", took.Seconds(), dir) // by one call, because other programs write too
	return errors.Join(err, f.Close())
}
