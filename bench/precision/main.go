package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the flags.
type options struct {
	root    string // of the repository
	record  string
	page    string
	peers   string // folder of the programs of peers
	only    string
	draw    bool
	quiet   bool
	rounds  int
	longest float64
	samples int
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
		fmt.Fprintln(os.Stderr, "precision:", err)
		os.Exit(1)
	}
}

func parse(args []string, w io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("precision", flag.ContinueOnError)
	f.SetOutput(w)
	f.StringVar(&o.root, "root", ".", "`folder` of the repository")
	f.StringVar(&o.record, "record", "", "`file` of the record; bench/precision/record.json of the repository if empty")
	f.StringVar(&o.page, "page", "", "markdown `file` that gets the tables, with the pictures in a folder of its name beside it; "+
		"docs/precision.md if empty, none if -")
	f.StringVar(&o.peers, "peers", "", "`folder` of the built programs of peers; none of them if empty")
	f.StringVar(&o.only, "only", "", "run only mechanisms whose name matches this `pattern`")
	f.BoolVar(&o.draw, "draw", false, "measure nothing: tables and pictures from the record that is there")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of all runs; the least times count")
	f.Float64Var(&o.longest, "longest", 0.3, "processor `seconds` from which on a run is the finest of its integrator")
	f.IntVar(&o.samples, "samples", 20, "times at which a run is compared with its reference; has to divide the rows of all references")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least 1", o.rounds)
	case !(o.longest > 0):
		return nil, fmt.Errorf("-longest %v: above 0", o.longest)
	case o.samples < 1:
		return nil, fmt.Errorf("-samples %d: at least 1", o.samples)
	}
	if o.record == "" {
		o.record = filepath.Join(o.root, "bench", "precision", "record.json")
	}
	if o.page == "" {
		o.page = filepath.Join(o.root, "docs", "precision.md")
	}
	return o, nil
}

// run measures, writes the record, and makes page and pictures from it.
func (o *options) run() error {
	if o.page != "-" { // before anything is measured
		if _, _, err := aroundTables(o.page); err != nil {
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
	match, err := regexp.Compile(o.only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	work, err := os.MkdirTemp("", "rung-precision-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.root), Settings: settings{o.rounds, o.longest, o.samples}}
	r.Engines = []beside.Engine{{Name: beside.Ours, Version: r.Machine.Commit}}
	paths := make([]string, len(peers))
	for i := range peers {
		e := peers[i]
		paths[i] = e.find(o.peers)
		if e.Missing != "" {
			o.say("SKIPPED: %s: %s", e.Name, e.Missing)
		}
		r.Engines = append(r.Engines, e.Engine)
	}
	w := beside.NewWatch()
	var tasks []*task
	for i := range subjects {
		s := &subjects[i]
		if !match.MatchString(s.name) {
			continue
		}
		p, err := newProblem(s, filepath.Join(o.root, "reference", "standard"), o.samples)
		if err != nil {
			return nil, err
		}
		t := &task{problem: p, ladders: ownSeries()}
		for k, path := range paths {
			if path != "" {
				t.ladders = append(t.ladders, peers[k].series(path, work, &w.Peers)...)
			}
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("-only %q: no mechanism has such a name", o.only)
	}
	if err := o.rest(tasks); err != nil {
		return nil, err
	}
	for _, t := range tasks {
		r.Mechanisms = append(r.Mechanisms, o.result(t))
	}
	w.End(&r.Machine)
	return r, r.check()
}

// task is a problem with all that follow it.
type task struct {
	*problem
	ladders []*ladder
}

// rest climbs all ladders, and then repeats all runs as often as is wanted.
func (o *options) rest(tasks []*task) error {
	for round := range o.rounds {
		for _, t := range tasks {
			o.say("%s, round %d of %d", t.name, round+1, o.rounds)
			for _, l := range t.ladders {
				if round == 0 {
					l.climb(t.problem, t.longest(o.longest))
					continue
				}
				if err := l.again(t.problem, t.longest(o.longest)); err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
			}
		}
	}
	return nil
}

func (o *options) result(t *task) diagram {
	mech := t.plan.Mechanism()
	m := diagram{
		Name: t.name, Title: t.title, Bodies: mech.NumBodies(), Joints: len(mech.Joints), Seconds: t.seconds, Body: t.subject.body,
		Reference: t.from, Vouched: t.sure, Scale: t.scale,
		Longest: t.longest(o.longest),
	}
	for _, l := range t.ladders {
		m.Series = append(m.Series, l.series)
	}
	return m
}
