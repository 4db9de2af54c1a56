package objective

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
)

// overRun runs the mechanism, goes back over the run, and stores values and derivatives of the terms in r.
func (g *Problem) overRun(ctx context.Context, r *Result) error {
	c, err := g.run(ctx)
	if err != nil {
		return err
	}
	list, err := g.newFields(c.fieldsBack(g.projects()), 0)
	if err != nil {
		return err
	}
	first := list[0]
	if err := c.begins(list); err != nil {
		return err
	}
	way, err := g.wayBack(c, list)
	if err != nil {
		return err
	}
	samples, err := g.samples(c, first)
	if err != nil {
		return err
	}
	if err := g.noJumps(c, samples); err != nil {
		return err
	}
	back, err := g.back(ctx, c, way, samples)
	if err != nil {
		return g.reason(err)
	}
	for i, t := range g.terms {
		if t.ofTime() {
			back[i].Final, _ = t.value(c.lastState().Time)
			back[i].Integral = 0
		}
	}
	if err := g.atStart(first, c.states[0], samples, back); err != nil {
		return err
	}
	c.told.Growth, c.told.Unstable = c.growth.Ratio(), c.growth.Unstable
	r.Run = &c.told
	return g.start(r, first, c.states[0], back)
}

// sweeper goes back over a tape: an adjoint.Sweep, adjoint.AlphaSweep or adjoint.RattleSweep.
type sweeper interface {
	Run(ctx context.Context, t *adjoint.Tape, of []adjoint.Objective[term], g []adjoint.Gradient) error
}

// prepare allocates the memory for the derivatives of events over the run.
func (g *Problem) prepare(c *course) error {
	if c.impacts != nil {
		if err := c.impacts.prepare(g); err != nil {
			return err
		}
	}
	if g.ending == nil {
		return nil
	}
	list, err := g.newFields(1, 0)
	if err != nil {
		return err
	}
	g.ending.f = list[0]
	g.ending.f.outputs = []derive.Output{g.ending.output}
	return nil
}

// begins sets the redundancy of the start of the run, which is on the joints, in all fields of explicit steps.
func (c *course) begins(list []*field) error {
	if c.tab == nil {
		return nil
	}
	d := list[0].d
	if err := d.At(c.states[0]); err != nil {
		return err
	}
	on := d.Redundancy()
	for _, f := range list {
		f.on = on
	}
	return nil
}

// wayBack returns the sweep of the integrator of a run.
func (g *Problem) wayBack(c *course, list []*field) (sweeper, error) {
	c.growth = adjoint.NewGrowth(g.mech, c.states[0].Time, c.lastState().Time)
	// RATTLE and generalized-α; the others are explicit methods.
	if c.tab == nil {
		f, err := g.newAlphaField(list[0], withSlopes)
		if err != nil {
			return nil, err
		}
		if c.alpha == nil {
			s := adjoint.NewRattleSweep(g.mech, f)
			s.Growth = c.growth
			return s, nil
		}
		s := adjoint.NewAlphaSweep(g.mech, c.alpha, f)
		s.Growth = c.growth
		return s, nil
	}
	if err := g.prepare(c); err != nil {
		return nil, err
	}
	fields := make([]adjoint.Field[term], len(list))
	for i := range list {
		fields[i] = list[i]
	}
	s := adjoint.NewSweep(g.mech, c.tab, fields)
	s.CloseStages(c.closer)
	s.Growth = c.growth
	return s, nil
}

// back goes back over the run, piece by piece from the last. The cotangents at the start of a piece are those at the end of the piece
// before.
func (g *Problem) back(ctx context.Context, c *course, sweep sweeper, samples [][]sample) ([]adjoint.Gradient, error) {
	n := len(g.terms)
	of, total, part := make([]adjoint.Objective[term], n), make([]adjoint.Gradient, n), make([]adjoint.Gradient, n)
	for i, t := range g.terms {
		if t.Take == Integral {
			of[i].Rate = &term{output: i, of: t}
		}
		if t.ofTime() {
			_, slope := t.value(c.lastState().Time)
			of[i].Rate = &term{clock: slope}
		}
		total[i].Parameters, part[i].Parameters = make([]float64, len(g.parameters)), make([]float64, len(g.parameters))
	}
	left := slices.Clone(samples) // by term, those at rows that the way back has not come to
	for k := len(c.pieces) - 1; k >= 0; k-- {
		for i, t := range g.terms {
			// At the end of the piece: the cotangent at the start of the next one, and the sample of its last row.
			end := &term{seed: total[i].Start}
			if s := last(left[i]); s != nil && s.row == k+1 {
				end.output, end.of, end.datum = i, t, s.datum
				left[i] = left[i][:len(left[i])-1]
			}
			of[i].Final = end
		}
		if err := sweep.Run(ctx, c.pieces[k], of, part); err != nil {
			return nil, err
		}
		for i := range part {
			p, sum := &part[i], &total[i]
			sum.Final, sum.Integral = sum.Final+p.Final, sum.Integral+p.Integral
			sum.Gap, sum.Matrix = max(sum.Gap, p.Gap), max(sum.Matrix, p.Matrix)
			sum.Start = append(sum.Start[:0], p.Start...)
			for q := range p.Parameters {
				sum.Parameters[q] += p.Parameters[q]
			}
		}
	}
	return total, nil
}

// last returns the last sample of list, nil if there is none.
func last(list []sample) *sample {
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// atStart adds the samples of the start itself to the values and gradients.
func (g *Problem) atStart(f *field, st *mechanism.State, samples [][]sample, back []adjoint.Gradient) error {
	none := make([]float64, 6*g.mech.NumBodies())
	at := false
	for i, t := range g.terms {
		if len(samples[i]) == 0 || samples[i][0].row != 0 {
			continue
		}
		if !at {
			if err := f.d.At(st); err != nil {
				return err
			}
			at = true
		}
		x, err := f.PullTo(back[i].Start, back[i].Parameters, none, &term{output: i, of: t, datum: samples[i][0].datum}, 1)
		if err != nil {
			return err
		}
		back[i].Final += x
	}
	return nil
}

// start stores the values of the terms and their derivatives in r: the result of the way back, with the part by the start, which follows
// the parameters, theory.md (V5).
func (g *Problem) start(r *Result, f *field, st *mechanism.State, back []adjoint.Gradient) error {
	dx, err := g.startTangents(f, st, len(f.parameters))
	if err != nil {
		return err // the start has no derivative by a parameter
	}
	if len(dx) == 0 { // without parameters, startTangents has not set the state of f.d
		if err := f.d.At(st); err != nil {
			return err
		}
	}
	if g.o.Initial {
		for i := range g.mech.NumBodies() {
			r.Initial = append(r.Initial, InitialResult{Body: g.mech.BodyName(i)})
		}
	}
	for i := range back {
		b := &back[i]
		r.Run.Projection = max(r.Run.Projection, b.Gap)
		r.Terms[i].Value = b.Final + b.Integral
		for k := range dx {
			r.Parameters[k].Terms[i] = b.Parameters[k]
			for j, x := range dx[k] {
				r.Parameters[k].Terms[i] += b.Start[j] * x
			}
		}
		r.Run.Matrix = max(r.Run.Matrix, g.leftPart(r, i, b.Matrix))
		if i >= len(g.o.Terms) || !g.o.Initial {
			continue
		}
		if err := f.d.FollowMotion(f.g, b.Start); err != nil {
			return err
		}
		for j := range r.Initial {
			x, y := &r.Initial[j], f.g.Body(j)
			x.Rotation, x.Position = x.Rotation.Add(y.Rotation), x.Position.Add(y.Position)
			x.Angular, x.Linear = x.Angular.Add(y.Angular), x.Linear.Add(y.Linear)
		}
	}
	return nil
}

// leftPart returns left relative to the largest change of term i by a parameter that changes by its own value; by its size, if no number
// counts that is not zero. A smaller change than unseen counts as that: it may be rounding. Without parameters leftPart is 0.
func (g *Problem) leftPart(r *Result, i int, left float64) float64 {
	if len(r.Parameters) == 0 {
		return 0
	}
	byValue, bySize := 0.0, 0.0
	for k := range r.Parameters {
		p := &r.Parameters[k]
		slope := math.Abs(p.Terms[i])
		bySize = max(bySize, slope*g.stepFor(k, 1))
		if value := math.Abs(p.Value); value >= smallNumber {
			byValue = max(byValue, slope*value)
		}
	}
	if byValue == 0 {
		byValue = bySize
	}
	return left / max(byValue, unseen*max(math.Abs(r.Terms[i].Value), leastTerm))
}
