package main

import (
	"fmt"
	"path/filepath"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// subject is a mechanism that is simulated.
type subject struct {
	name, title string
	body        string  // carries the reference point
	planar      bool    // all bodies move in a plane, so that two rows close a loop
	links       int     // number of links of an open chain of package bench; 0: a model of reference/standard
	seconds     float64 // of motion; for models of reference/standard the time of the reference
	times       float64 // factor on -longest, for mechanisms that take long; 0 stands for 1
	off         float64 // error of the model against the reference, as its rods have inertias about their axes; 0: none
}

// chainLinks is the number of links of the open chain, for which recursive methods are at their best.
const chainLinks = 40

// subjects are the mechanisms of the tables.
var subjects = []subject{
	{name: "a01-pendulum", title: "A01, simple pendulum", body: "bob", planar: true, off: 1e-8},
	{name: "a02-n-four-bar-2", title: "A02, N-four-bar with 2 windows", body: "V0", planar: true},
	{name: "a02-n-four-bar-40", title: "A02, N-four-bar with 40 windows", body: "V0", planar: true, times: 3},
	{name: "a03-andrews-ivp", title: "A03, Andrews' squeezing mechanism", body: "K1", planar: true},
	{name: "a04-bricard-slender", title: "A04, Bricard's mechanism", body: "rod2", off: 1e-8},
	{name: "a05-flyball-governor", title: "A05, stiff flyball governor", body: "slider", times: 4},
	{name: "chain-40", title: "Open chain of 40 links", body: fmt.Sprint("b", chainLinks-1), links: chainLinks, seconds: 1},
}

// problem is a subject with its model, plan and reference.
type problem struct {
	*subject
	model *model.Model
	plan  *kkt.Plan
	body  int            // number of the body
	point spatial.Vec3   // reference point, frame of the body
	want  []spatial.Vec3 // reference: positions of the point at the start and at the samples, world frame
	scale float64        // m, largest distance of the reference from its start
	from  string         // origin of the reference
	sure  float64        // estimate of the error of the reference, relative to scale
}

// newProblem reads or makes the model of a subject and its reference, at a number of equally spaced samples. standard is the folder
// reference/standard.
func newProblem(s *subject, standard string, samples int) (*problem, error) {
	p := &problem{subject: s}
	var err error
	if s.links > 0 {
		p.model, err = bench.Chain(s.links, 1)
	} else {
		p.model, err = model.ReadFile(filepath.Join(standard, s.name+".model.json"))
	}
	if err != nil {
		return nil, err
	}
	mech, err := mechanism.New(p.model)
	if err != nil {
		return nil, err
	}
	p.plan = kkt.NewPlan(mech, kkt.Options{Threads: 1})
	if p.body, err = mech.BodyIndex(s.body); err != nil {
		return nil, err
	}
	if s.links > 0 {
		err = p.fine(samples)
	} else {
		err = p.table(filepath.Join(standard, s.name+".csv"), samples)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if p.scale = extent(p.want); p.scale == 0 {
		return nil, fmt.Errorf("%s: the reference does not move", s.name)
	}
	return p, nil
}

// longest returns the processor time, s, from which on a run is the finest of its integrator, for the value of the flag -longest.
func (p *problem) longest(flag float64) float64 {
	if p.times > 0 {
		return p.times * flag
	}
	return flag
}

// samples returns the number of times at which runs are compared with the reference, without the start.
func (p *problem) samples() int { return len(p.want) - 1 }

// interval returns the time between two samples, s.
func (p *problem) interval() float64 { return p.seconds / float64(p.samples()) }

// at returns the position of the reference point in a state, world frame.
func (p *problem) at(st *mechanism.State) spatial.Vec3 {
	b := &st.Bodies[p.body]
	return b.Position.Add(b.Rotation.Rotate(p.point))
}

// extent returns the largest distance from the first point.
func extent(list []spatial.Vec3) (most float64) {
	for _, x := range list {
		most = max(most, x.Sub(list[0]).Norm())
	}
	return most
}

// away returns the largest distance of the points, which are at the samples, from the reference, relative to the scale. It returns an
// error if a point is farther away than lost, or if the number of points is wrong.
func (p *problem) away(got []spatial.Vec3) (float64, error) {
	if len(got) != p.samples() {
		return 0, fmt.Errorf("%d samples in place of %d", len(got), p.samples())
	}
	most := 0.0
	for i, x := range got {
		d := x.Sub(p.want[i+1]).Norm()
		if !(d <= lost*p.scale) {
			return 0, fmt.Errorf("sample %d is not where the mechanism can be", i+1)
		}
		most = max(most, d)
	}
	return most / p.scale, nil
}

// lost is the distance from the reference, relative to the scale, beyond which a run has failed: no mechanism moves so far.
const lost = 1e3
