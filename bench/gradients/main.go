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
	"time"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the flags.
type options struct {
	root   string // of the repository
	record string
	page   string
	peers  string // folder of the programs of peers
	only   string
	draw   bool
	quiet  bool
	rounds int
	enough float64
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
		fmt.Fprintln(os.Stderr, "gradients:", err)
		os.Exit(1)
	}
}

func parse(args []string, w io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("gradients", flag.ContinueOnError)
	f.SetOutput(w)
	f.StringVar(&o.root, "root", ".", "`folder` of the repository")
	f.StringVar(&o.record, "record", "", "`file` of the record; bench/gradients/record.json of the repository if empty")
	f.StringVar(&o.page, "page", "", "markdown `file` that gets the tables; docs/derivatives.md if empty, none if -")
	f.StringVar(&o.peers, "peers", "", "`folder` of the built programs of peers; none of them if empty")
	f.StringVar(&o.only, "only", "", "only mechanisms whose name matches this `pattern`")
	f.BoolVar(&o.draw, "draw", false, "measure nothing: tables from the record that is there")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of all figures; the least times count")
	f.Float64Var(&o.enough, "enough", 0.1, "processor `seconds` for each figure in each round")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag", f.Arg(0))
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: at least 1", o.rounds)
	case !(o.enough >= 2*batch && o.enough <= 10):
		return nil, fmt.Errorf("-enough %v: from %v to 10", o.enough, 2*batch)
	}
	if o.record == "" {
		o.record = filepath.Join(o.root, "bench", "gradients", "record.json")
	}
	if o.page == "" {
		o.page = filepath.Join(o.root, "docs", "derivatives.md")
	}
	return o, nil
}

// run measures, writes the record, and makes the tables from it.
func (o *options) run() error {
	if o.page != "-" { // before anything is measured
		if _, _, err := beside.Around(o.page, tablesBegin, tablesEnd); err != nil {
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
	work, err := os.MkdirTemp("", "rung-gradients-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.root), Settings: settings{o.rounds, o.enough}}
	r.Engines = []beside.Engine{{Name: beside.Ours, Version: r.Machine.Commit}}
	paths := make([]string, len(peers))
	for i := range peers {
		e := peers[i].Engine
		if paths[i] = e.Find(o.peers, peers[i].program, peers[i].packageName, "-derivatives"); e.Missing != "" {
			o.say("SKIPPED: %s: %s", e.Name, e.Missing)
		}
		r.Engines = append(r.Engines, e)
	}
	w := beside.NewWatch()
	for i := range subjects {
		s := &subjects[i]
		if !match.MatchString(s.name) {
			continue
		}
		o.say("%s: the true derivatives", s.name)
		p, err := newProblem(s)
		if err != nil {
			return nil, err
		}
		m := diagram{
			Name: s.name, Title: s.title, Bodies: len(p.model.Bodies), Joints: len(p.model.Joints),
			Coordinates: len(p.coordinates), Directions: len(p.directions),
		}
		for round := range o.rounds {
			o.say("%s, round %d of %d", s.name, round+1, o.rounds)
			list, err := o.round(p, paths, work, &w.Peers)
			if err != nil {
				return nil, err
			}
			if round == 0 {
				m.Results = list
				continue
			}
			for k := range list {
				m.Results[k].again(&list[k])
			}
		}
		r.Cases = append(r.Cases, m)
	}
	if len(r.Cases) == 0 {
		return nil, fmt.Errorf("-only %q: no mechanism has such a name", o.only)
	}
	w.End(&r.Machine)
	return r, r.check()
}

// round measures all programs once.
func (o *options) round(p *problem, paths []string, work string, spent *time.Duration) ([]result, error) {
	list, err := measureOwn(p, o.enough)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	for i, path := range paths {
		if path == "" {
			continue
		}
		x, err := peers[i].measure(p, path, work, o.enough, spent)
		if err != nil {
			return nil, err
		}
		if x.Failure != "" {
			o.say("%s: %s: %s", p.name, x.Engine, x.Failure)
		}
		list = append(list, x)
	}
	return list, nil
}
