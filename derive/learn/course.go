package learn

import (
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// course is one run, with everything that the way back over it needs: a tape from each act to the next, and what was observed and set at
// the acts.
type course struct {
	*job
	law    Law
	own    *kkt.Plan // plan whose forces only this run sets
	inputs *mechanism.Inputs
	see    []func(st *mechanism.State) float64 // observed columns
	tapes  []*adjoint.Tape                     // by act
	seen   [][]float64                         // observations by act, and at the end
	set    [][]float64                         // forces by act
	result Result
}

// forward runs one start to its end, and adds up the cost. With slopes it records the tapes.
func (j *job) forward(start *mechanism.State, law Law) (*course, error) {
	r := j.Rollouts
	c := &course{job: j, law: law, inputs: r.plan.Mechanism().NewInputs()}
	c.own = r.plan.With(c.inputs)
	mech := c.own.Mechanism()
	d := derive.New(c.own, r.doc)
	for _, o := range r.outputs {
		c.see = append(c.see, d.OutputOf(o))
	}
	// Fixed steps with open stages, and a controller that calls the law before the first step of each act.
	dynamics := motion.NewDynamics(c.own)
	period := r.o.Step * float64(r.o.Hold)
	s := sim.New(mech, sim.NewRungeKutta(mech, dynamics, sim.RungeKutta4(), sim.Tolerance{}), start.Clone(), sim.Options{
		Step: r.o.Step, Projector: dynamics, OpenStages: true,
		Controllers: []sim.Controller{{Name: "law", Period: period, Sample: c.act}},
		OnStep: func(s *sim.Simulation) error {
			if !j.slopes {
				return nil
			}
			return c.tapes[len(c.tapes)-1].Add(s.State())
		},
	})
	if err := s.RunContext(c.ctx, start.Time+period*float64(r.o.Acts)); err != nil {
		return c, err
	}
	y := c.observe(s.State())
	c.result.Cost += law.Act(nil, y, r.o.Acts)
	c.seen = append(c.seen, y)
	return c, nil
}

// observe returns the observations of a state.
func (c *course) observe(st *mechanism.State) []float64 {
	y := make([]float64, len(c.see))
	for i, f := range c.see {
		y[i] = f(st)
	}
	return y
}

// act calls the law for the forces of the next act, and begins its tape.
func (c *course) act(st *mechanism.State) error {
	k := len(c.set)
	if k == c.o.Acts {
		return nil // the end
	}
	y, u := c.observe(st), make([]float64, len(c.o.Forces))
	c.result.Cost += c.law.Act(u, y, k)
	if err := c.force(u); err != nil {
		return fault.Errorf("derive/learn: act %d: %w", k, err)
	}
	c.seen, c.set = append(c.seen, y), append(c.set, u)
	if !c.slopes {
		return nil
	}
	t := adjoint.NewTape(c.own.Mechanism())
	t.Before = k * c.o.Hold
	c.tapes = append(c.tapes, t)
	return t.Add(st)
}

// force sets the forces of an act.
func (c *course) force(u []float64) error {
	for i, f := range c.o.Forces {
		if err := c.inputs.SetForce(f.Joint, f.Freedom, u[i]); err != nil {
			return err
		}
	}
	return nil
}

// back goes back over the run, act by act from the last one, and stores the cotangents of the start in the result.
func (c *course) back() error {
	r, mech := c.Rollouts, c.own.Mechanism()
	tab := sim.RungeKutta4()
	stages := len(tab.B)
	if c.own.Layout().Pattern.Len() > mech.NumBodies() { // one more field, as states are projected
		stages++
	}
	fields := make([]adjoint.Field[glance], stages)
	first, last := c.tapes[0].First(), len(c.tapes)
	var on derive.Redundancy
	for i := range fields {
		f := newField(c.own, r)
		if i == 0 {
			if err := f.d.At(first); err != nil {
				return err
			}
			on = f.d.Redundancy()
		}
		f.on, fields[i] = on, f
	}
	sweep := adjoint.NewSweep(mech, tab, fields)
	sweep.Growth = adjoint.NewGrowth(mech, first.Time, first.Time+r.o.Step*float64(r.o.Hold*r.o.Acts))
	end := glance{seen: make([]float64, len(c.see)), state: make([]float64, adjoint.PerBody*mech.NumBodies())}
	c.law.Back(end.seen, c.seen[last], nil, nil, last)
	g := []adjoint.Gradient{{Parameters: make([]float64, len(r.o.Forces))}}
	for k := last - 1; k >= 0; k-- {
		if err := c.force(c.set[k]); err != nil {
			return err
		}
		if err := sweep.Run(c.ctx, c.tapes[k], []adjoint.Objective[glance]{{Final: &end}}, g); err != nil {
			return err
		}
		copy(end.state, g[0].Start)
		clear(end.seen)
		c.law.Back(end.seen, c.seen[k], c.set[k], g[0].Parameters, k)
	}
	// The observations at the start.
	f := fields[0]
	none := make([]float64, 6*mech.NumBodies())
	if err := f.At(make([]float64, len(none)), first); err != nil {
		return err
	}
	c.result.Start = make([]float64, len(end.state))
	_, err := f.PullTo(c.result.Start, make([]float64, len(r.o.Forces)), none, &end, 1)
	c.result.Growth, c.result.Unstable = sweep.Growth.Ratio(), sweep.Growth.Unstable
	return err
}
