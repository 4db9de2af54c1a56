package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the values of the flags.
type options struct {
	beside.Command
	peers   string  // folder of the programs of peers; "": none
	only    string  // regular expression for names of mechanisms
	longest float64 // processor time from which on a run is the finest of its integrator, s
	samples int     // times at which a run is compared with its reference
}

// main runs the command (see the package comment).
func main() {
	beside.Main("precision", func(args []string, w io.Writer) error {
		o, err := parse(args, w)
		if err != nil {
			return err
		}
		return o.run()
	})
}

// parse reads the flags.
func parse(args []string, w io.Writer) (*options, error) {
	o := &options{Command: beside.Command{Name: "precision", In: "precision.md", Begin: tablesBegin, End: tablesEnd, Rounds: 3}}
	f := o.Flags(w)
	f.StringVar(&o.peers, "peers", "", "`folder` of the built programs of peers; none of them if empty")
	f.StringVar(&o.only, "only", "", "run only mechanisms whose name matches this `pattern`")
	f.Float64Var(&o.longest, "longest", 0.3, "processor `seconds` from which on a run is the finest of its integrator")
	f.IntVar(&o.samples, "samples", 20, "times at which a run is compared with its reference; has to divide the rows of all references")
	if err := o.Parse(f, args); err != nil {
		return nil, err
	}
	switch {
	case !(o.longest > 0):
		return nil, fmt.Errorf("-longest %v: above 0", o.longest)
	case o.samples < 1:
		return nil, fmt.Errorf("-samples %d: at least 1", o.samples)
	}
	return o, nil
}

// run measures, writes the record, and makes page and pictures from it.
func (o *options) run() error {
	return beside.Run(&o.Command, o.measure, readRecord, (*record).publish)
}

// measure measures all chosen mechanisms by all integrators that are there, and returns the record.
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
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.Root), Settings: settings{o.Rounds, o.longest, o.samples}}
	r.Engines = []beside.Engine{{Name: beside.Ours, Version: r.Machine.Commit}}
	paths := make([]string, len(peers))
	for i := range peers {
		e := peers[i]
		paths[i] = e.find(o.peers)
		if e.Missing != "" {
			o.Say("SKIPPED: %s: %s", e.Name, e.Missing)
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
		p, err := newProblem(s, filepath.Join(o.Root, "reference", "standard"), o.samples)
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

// task is a problem with the series of all integrators.
type task struct {
	*problem
	ladders []*ladder
}

// rest measures all series in the first round, and repeats their runs in the other rounds.
func (o *options) rest(tasks []*task) error {
	for round := range o.Rounds {
		for _, t := range tasks {
			o.Say("%s, round %d of %d", t.name, round+1, o.Rounds)
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

// result returns the entry of a mechanism in the record.
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
