package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// options are the values of the flags.
type options struct {
	beside.Command
	peers  string  // folder of the programs of peers; "": none
	only   string  // regular expression for names of mechanisms
	enough float64 // processor time for each figure in each round, s
}

// main runs the command (see the package comment).
func main() {
	beside.Main("gradients", func(args []string, w io.Writer) error {
		o, err := parse(args, w)
		if err != nil {
			return err
		}
		return o.run()
	})
}

// parse reads the flags.
func parse(args []string, w io.Writer) (*options, error) {
	o := &options{Command: beside.Command{Name: "gradients", In: "derivatives.md", Begin: tablesBegin, End: tablesEnd, Rounds: 3}}
	f := o.Flags(w)
	f.StringVar(&o.peers, "peers", "", "`folder` of the built programs of peers; none of them if empty")
	f.StringVar(&o.only, "only", "", "only mechanisms whose name matches this `pattern`")
	f.Float64Var(&o.enough, "enough", 0.1, "processor `seconds` for each figure in each round")
	if err := o.Parse(f, args); err != nil {
		return nil, err
	}
	if !(o.enough >= 2*batch && o.enough <= 10) {
		return nil, fmt.Errorf("-enough %v: from %v to 10", o.enough, 2*batch)
	}
	return o, nil
}

// run measures, writes the record, and makes the tables from it.
func (o *options) run() error {
	return beside.Run(&o.Command, o.measure, readRecord, (*record).publish)
}

// measure measures all chosen mechanisms by all programs that are there, and returns the record.
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
	r := &record{Format: recordFormat, Machine: beside.NewHost(o.Root), Settings: settings{o.Rounds, o.enough}}
	r.Engines = []beside.Engine{{Name: beside.Ours, Version: r.Machine.Commit}}
	paths := make([]string, len(peers))
	for i := range peers {
		e := peers[i].Engine
		if paths[i] = e.Find(o.peers, peers[i].program, peers[i].packageName, "-derivatives"); e.Missing != "" {
			o.Say("SKIPPED: %s: %s", e.Name, e.Missing)
		}
		r.Engines = append(r.Engines, e)
	}
	w := beside.NewWatch()
	for i := range subjects {
		s := &subjects[i]
		if !match.MatchString(s.name) {
			continue
		}
		o.Say("%s: the true derivatives", s.name)
		p, err := newProblem(s)
		if err != nil {
			return nil, err
		}
		m := diagram{
			Name: s.name, Title: s.title, Bodies: len(p.model.Bodies), Joints: len(p.model.Joints),
			Coordinates: len(p.coordinates), Directions: len(p.directions),
		}
		for round := range o.Rounds {
			o.Say("%s, round %d of %d", s.name, round+1, o.Rounds)
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

// round measures a problem by Rung and by the peers at the paths; an empty path is a peer that is not there. It adds the peers'
// processor time to spent.
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
			o.Say("%s: %s: %s", p.name, x.Engine, x.Failure)
		}
		list = append(list, x)
	}
	return list, nil
}
