package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the flags.
type options struct {
	root   string // of the repository
	record string
	page   string
	python string
	node   string
	draw   bool
	quiet  bool
	rounds int
}

func main() {
	runtime.GOMAXPROCS(1)
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = o.run()
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "doors:", err)
		os.Exit(1)
	}
}

func parse(args []string, w io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("doors", flag.ContinueOnError)
	f.SetOutput(w)
	f.StringVar(&o.root, "root", ".", "`folder` of the repository")
	f.StringVar(&o.record, "record", "", "`file` of the record; bench/doors/record.json of the repository if empty")
	f.StringVar(&o.page, "page", "", "markdown `file` that gets the tables; docs/doors.md if empty, none if -")
	f.StringVar(&o.python, "python", "python3", "the `program` of Python, which has NumPy")
	f.StringVar(&o.node, "node", "node", "the `program` of Node; without it, figures of WebAssembly are missing")
	f.BoolVar(&o.draw, "draw", false, "measure nothing: tables from the record that is there")
	f.IntVar(&o.rounds, "rounds", 5, "rounds of all calls; the least times count")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least 1", o.rounds)
	}
	var err error
	if o.root, err = filepath.Abs(o.root); err != nil {
		return nil, err
	}
	if o.record == "" {
		o.record = filepath.Join(o.root, "bench", "doors", "record.json")
	}
	if o.page == "" {
		o.page = filepath.Join(o.root, "docs", "doors.md")
	}
	return o, nil
}

// run measures, writes the record, and makes the tables from it.
func (o *options) run() error {
	if o.page != "-" { // before anything is measured
		if _, _, err := beside.Around(o.page, begin, end); err != nil {
			return err
		}
	}
	if !o.draw {
		r, err := o.measure()
		if err != nil {
			return err
		}
		if err := beside.WriteRecord(o.record, r); err != nil {
			return err
		}
	}
	r, err := readRecord(o.record)
	if err != nil || o.page == "-" {
		return err
	}
	return r.publish(o.page)
}

// say writes progress to standard error.
func (o *options) say(format string, args ...any) {
	if !o.quiet {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// measure makes the record.
func (o *options) measure() (*record, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("the figures are those of Linux, and this is %s", runtime.GOOS)
	}
	work, err := os.MkdirTemp("", "rung-doors-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.root), Rounds: o.rounds}
	w := beside.NewWatch()
	b := &bench{options: o, paths: newPaths(o.root, work), found: newFigures(), spent: &w.Peers}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"make library fmu-stub wheel", b.build}, {"files", b.files}, {"versions", func() error { return b.versions(r) }},
		{"calls", b.calls}, {"what ends a call, threads, memory", b.once}, {"units", b.units}, {"WebAssembly", b.wasm},
	} {
		o.say("%s", step.what)
		if err := step.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if r.Figures, err = b.found.list(); err != nil {
		return nil, err
	}
	w.End(&r.Machine)
	return r, r.check()
}
