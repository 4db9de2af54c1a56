package objective

import (
	"context"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// taken is a sample of a column at a row, with its changes along the directions.
type taken struct {
	sample
	value  float64
	change []float64
}

// ahead holds the results of going forward over a run, by term: the samples of the column, and the value of an integral with its changes.
type ahead struct {
	columns  [][]taken
	integral []float64
	change   [][]float64
	told     RunResult // what is reported about the run
}

// ahead runs the mechanism and collects values by term. With slopes it goes over the run along the parameters, theory.md (V8).
func (g *Problem) ahead(ctx context.Context, slopes bool) (*ahead, error) {
	c, err := g.ranOnce(ctx, slopes)
	if err != nil {
		return nil, err
	}
	n := 0
	if slopes {
		n = len(g.parameters)
	}
	fields, err := g.newFields(c.fieldsAhead(), n)
	if err != nil {
		return nil, err
	}
	along, err := g.wayAhead(c, fields, n)
	if err != nil {
		return nil, err
	}
	samples, err := g.samples(c, fields[0])
	if err != nil {
		return nil, err
	}
	if err := g.noJumps(c, samples); err != nil && slopes {
		return nil, err
	}
	a := &ahead{columns: make([][]taken, len(g.terms)), integral: make([]float64, len(g.terms)), told: c.told}
	dx, err := g.startTangents(fields[0], c.states[0], n)
	if err != nil {
		return nil, err
	}
	rates, of := g.rates(c, slopes)
	for range g.terms {
		a.change = append(a.change, make([]float64, n))
	}
	value, change := make([]float64, len(rates)), make([][]float64, len(rates))
	// Rate j belongs to term i: change[j] and a.change[i] share their numbers.
	for j, i := range of {
		change[j] = a.change[i]
	}
	left := samples
	for row := range c.states { // along.Run takes dx from the row before to this one
		if row > 0 && (n > 0 || len(rates) > 0) {
			if err := along.Run(ctx, c.pieces[row-1], dx, rates, value, change); err != nil {
				return nil, g.reason(err)
			}
		}
		if err := a.take(fields[0], c.states[row], row, dx, left); err != nil {
			return nil, err
		}
	}
	for j, i := range of {
		a.integral[i] = value[j]
	}
	for i, t := range g.terms {
		if t.ofTime() {
			a.integral[i], _ = t.value(c.lastState().Time)
		}
	}
	a.told.Projection = along.Gap()
	return a, nil
}

// keptMost is the largest size in bytes of a run that is kept between a call for values and a call for slopes. Another value costs time
// only.
const keptMost = 16 << 20

// ranOnce returns a run: with slopes the run that was kept by the call for values before, if there is one, else a new run.
func (g *Problem) ranOnce(ctx context.Context, slopes bool) (c *course, err error) {
	if c, g.ran = g.ran, nil; c == nil || !slopes {
		if c, err = g.run(ctx); err != nil {
			return nil, err
		}
	}
	bytes := int64(0)
	for _, p := range c.pieces {
		bytes += p.Bytes()
	}
	if !slopes && bytes <= keptMost {
		g.ran = c
	}
	return c, nil
}

// rates returns the functions that are integrated over a run, and for each the index of its term.
func (g *Problem) rates(c *course, slopes bool) (list []*term, of []int) {
	for i, t := range g.terms {
		if t.Take == Integral {
			list, of = append(list, &term{output: i, of: t}), append(of, i)
		}
		if _, slope := t.value(c.lastState().Time); t.ofTime() && slopes {
			list, of = append(list, &term{clock: slope}), append(of, i)
		}
	}
	return list, of
}

// tangents takes derivatives forward over the tape of a run: adjoint.Tangents, adjoint.AlphaTangents or adjoint.RattleTangents.
type tangents interface {
	Run(ctx context.Context, t *adjoint.Tape, dx [][]float64, rates []*term, value []float64, d [][]float64) error
	Gap() float64
}

// wayAhead returns the tangents of the integrator of a run, for n directions.
func (g *Problem) wayAhead(c *course, fields []*field, n int) (tangents, error) {
	if c.tab == nil {
		f, err := g.newAlphaField(fields[0], n > 0)
		if err != nil {
			return nil, err
		}
		if c.alpha == nil {
			return adjoint.NewRattleTangents(g.mech, f, n), nil
		}
		return adjoint.NewAlphaTangents(g.mech, c.alpha, f, n), nil
	}
	if n > 0 {
		if err := c.begins(fields); err != nil {
			return nil, err
		}
		if err := g.prepare(c); err != nil {
			return nil, err
		}
	}
	list := make([]adjoint.TangentField[term], len(c.tab.B))
	for i := range list {
		list[i] = fields[i]
	}
	t := adjoint.NewTangents(g.mech, c.tab, list, n)
	t.CloseStages(c.closer)
	return t, nil
}

// take computes the outputs that are sampled at a row, with their changes along dx, and appends them to a.columns. It removes these samples
// from left, where samples are in the order of rows.
func (a *ahead) take(f *field, st *mechanism.State, row int, dx [][]float64, left [][]sample) error {
	at := false
	for i := range left {
		if len(left[i]) == 0 || left[i][0].row != row {
			continue
		}
		if !at {
			if err := f.d.At(st); err != nil {
				return err
			}
			at = true
		}
		x := taken{sample: left[i][0], change: make([]float64, len(dx))}
		if left[i] = left[i][1:]; len(dx) == 0 {
			x.value = f.d.OutputValue(f.outputs[i])
		} else {
			var err error
			if x.value, err = f.ValueTo(x.change, dx, &term{output: i, raw: true}, 1); err != nil {
				return err
			}
		}
		a.columns[i] = append(a.columns[i], x)
	}
	return nil
}

// startTangents returns the changes of the start of a run with each of the n parameters, theory.md (D3), (D4): rotation, displacement of
// the centre of mass, angular velocity and velocity of the centre of mass of each body, world axes. They include the change by a parameter
// that moves the centre of mass within its body.
func (g *Problem) startTangents(f *field, st *mechanism.State, n int) ([][]float64, error) {
	dx := make([][]float64, n)
	if n == 0 {
		return dx, nil
	}
	if err := f.d.At(st); err != nil {
		return nil, err
	}
	com := f.d.NewDirections(1)
	err := g.along(f.d, f.parameters, func(out *derive.Changes, at, k int, m *more) {
		com.Reset(0)
		for _, p := range f.parameters[k] {
			com.AddParameter(0, p, 1)
		}
		for i := range st.Bodies {
			c, held := out.Body(at, i), m.body(i)
			moved, faster := comMoves(st, i, com.Body(0, i))
			for _, v := range [4]spatial.Vec3{
				c.Rotation.Add(held.Rotation), c.Position.Add(held.Position).Add(moved),
				c.Angular.Add(held.Angular), c.Linear.Add(held.Linear).Add(faster),
			} {
				dx[k] = append(dx[k], v[:]...)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	far, err := g.far(f.d)
	switch {
	case err != nil:
		return nil, err
	case far:
		return g.nearestTangents()
	}
	return dx, nil
}

// sums returns the value of each term, and its derivatives by the parameters.
func (a *ahead) sums(g *Problem) (value []float64, slopes [][]float64) {
	for i, t := range g.terms {
		sum, slope := a.integral[i], append([]float64(nil), a.change[i]...)
		for j := range a.columns[i] {
			x := &a.columns[i][j]
			v, by := t.at(x.value, x.datum)
			sum += v
			for k := range x.change {
				slope[k] += by * x.change[k]
			}
		}
		value, slopes = append(value, sum), append(slopes, slope)
	}
	return value, slopes
}
