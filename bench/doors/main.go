package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the values of the flags.
type options struct {
	beside.Command
	python string // program
	node   string // program
}

// main runs the command (see the package comment).
func main() {
	beside.Main("doors", func(args []string, w io.Writer) error {
		o, err := parse(args, w)
		if err != nil {
			return err
		}
		return o.run()
	})
}

// parse reads the flags.
func parse(args []string, w io.Writer) (*options, error) {
	o := &options{Command: beside.Command{Name: "doors", In: "doors.md", Begin: begin, End: end, Rounds: 5}}
	f := o.Flags(w)
	f.StringVar(&o.python, "python", "python3", "the `program` of Python, which has NumPy")
	f.StringVar(&o.node, "node", "node", "the `program` of Node; without it, figures of WebAssembly are missing")
	err := o.Parse(f, args)
	if err != nil {
		return nil, err
	}
	o.Root, err = filepath.Abs(o.Root)
	return o, err
}

// run measures, writes the record, and makes the tables from it.
func (o *options) run() error {
	return beside.Run(&o.Command, o.measure, readRecord, (*record).publish)
}

// measure builds and measures everything and returns the record.
func (o *options) measure() (*record, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("the figures are of Linux, and this is %s", runtime.GOOS)
	}
	work, err := os.MkdirTemp("", "rung-doors-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.Root), Rounds: o.Rounds}
	w := beside.NewWatch()
	b := &bench{options: o, paths: newPaths(o.Root, work), found: newFigures(), spent: &w.Peers}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"make library fmu-stub wheel", b.build}, {"files", b.files}, {"versions", func() error { return b.versions(r) }},
		{"calls", b.calls}, {"what ends a call, threads, memory", b.once}, {"units", b.units}, {"WebAssembly", b.wasm},
	} {
		o.Say("%s", step.name)
		if err := step.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if r.Figures, err = b.found.list(); err != nil {
		return nil, err
	}
	w.End(&r.Machine)
	return r, r.check()
}
