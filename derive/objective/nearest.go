package objective

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// nearestStep is the step of a parameter for differences of starts, relative to its size (stepFor). Differences of order 4 have an error of
// some 1e-12. Closing ends when a step gains no more, which adds an error of some 1e-9 divided by the step.
const nearestStep = 1e-3

// far reports whether the derivatives (D3), (D4) are wrong at the start of a run, or at the closed state. They are of first order in the
// distance of the model's pose from the joints. So they are wrong if that pose violates the joints and held bodies leave the others a
// freedom: the nearest closed state then depends on this distance. d is at the start or the closed state.
func (g *Problem) far(d *derive.Derivatives) (bool, error) {
	closes := g.o.At == AtRun || g.o.At == AtClosed || g.o.At == AtState && g.closes == startClosed
	if !closes || g.mech.Holds(g.plan.Initial()) == nil {
		return false, nil
	}
	h, err := g.newHolding(d)
	if h == nil || err != nil {
		return err == nil, err // without held bodies the mechanism has its freedoms
	}
	return h.leaves()
}

const (
	// leftTol is the part of a motion, relative to its size without joints, that may remain after the held bodies are taken back without
	// the others having a freedom: above the rounding of some solves.
	leftTol = 1e-7
	// golden, the golden section, makes numbers without a pattern: its multiples are spread evenly modulo 1.
	golden = 0.6180339887498949
)

// leaves reports whether the other bodies can still move while the held ones stay. It moves all bodies by displacements without a pattern,
// as far as the joints allow, and takes the held bodies back. If a motion remains, there is a freedom.
func (h *holding) leaves() (bool, error) {
	in, out := h.d.NewDirections(1), h.d.NewChanges(1)
	in.SetFollow(0, true)
	length := h.d.Mechanism().TypicalLength()
	for b := range h.d.State().Bodies {
		u := in.Body(0, b)
		for c := range 3 {
			_, u.Rotation[c] = math.Modf(golden * float64(6*b+c+1))
			_, u.Position[c] = math.Modf(golden * float64(6*b+c+4))
			u.Position[c] *= length
		}
	}
	if err := h.d.ForwardTo(out, in, derive.Options{NoReactions: true, Untried: true}); err != nil {
		return false, err
	}
	m, err := h.back(out, 0)
	if err != nil {
		return false, err
	}
	for b := range h.d.State().Bodies {
		x, y := out.Body(0, b), m.body(b)
		if turn, travel := x.Rotation.Add(y.Rotation), x.Position.Add(y.Position); max(turn.Norm(), travel.Norm()/length) > leftTol {
			return true, nil
		}
	}
	return false, nil
}

// nearestOutputs returns the derivatives of the outputs of the closed state, by parameter and output, from differences of order 4 of models
// that are closed again.
func (g *Problem) nearestOutputs(ctx context.Context) ([][]float64, error) {
	at := func(k int, by float64) ([]float64, error) {
		values := g.Values()
		values[k] += by
		p, err := g.With(values)
		var st *mechanism.State
		if err == nil {
			st, err = p.state(ctx)
		}
		if err == nil {
			err = p.d.At(st)
		}
		if err != nil {
			return nil, fault.Errorf("derive/objective: the closed state by parameter %s: %w", fault.Name(g.o.Parameters[k].Name), err)
		}
		x := make([]float64, len(p.outputs))
		for i, o := range p.outputs {
			x[i] = p.d.OutputValue(o)
		}
		return x, nil
	}
	dx := make([][]float64, len(g.parameters))
	for k := range dx {
		h := g.stepFor(k, nearestStep)
		dx[k] = make([]float64, len(g.outputs))
		for _, x := range [4]struct{ by, weight float64 }{{h, -1. / 6}, {-h, 1. / 6}, {h / 2, 4. / 3}, {-h / 2, -4. / 3}} {
			y, err := at(k, x.by)
			if err != nil {
				return nil, err
			}
			for i := range y {
				dx[k][i] += x.weight / h * y[i]
			}
		}
	}
	return dx, nil
}

// nearestTangents returns the derivative of the nearest state by each parameter, in the form of startTangents, from differences of models
// that are closed again. They are of order 4, or one-sided of order 2 if a parameter cannot be changed to both sides.
func (g *Problem) nearestTangents() ([][]float64, error) {
	dx := make([][]float64, len(g.parameters))
	for k := range dx {
		var err error
		h := g.stepFor(k, nearestStep)
		if dx[k], err = g.nearestTangent(k, h, -1, 4); err == nil {
			continue
		}
		// A number at the end of its range, such as a damping of zero, can be changed to one side only.
		first := err
		if dx[k], err = g.nearestTangent(k, h, 0, 2); err != nil {
			dx[k], err = g.nearestTangent(k, -h, 0, 2)
		}
		if err != nil {
			return nil, first
		}
	}
	return dx, nil
}

// nearestTangent returns the derivative of the start by parameter k, extrapolated from two difference quotients: between the changes h and
// other·h, and between h/2 and other·h/2. The error of the second is smaller by factor.
func (g *Problem) nearestTangent(k int, h, other, factor float64) ([]float64, error) {
	whole, err := g.nearestDifference(k, h, other*h)
	if err != nil {
		return nil, err
	}
	half, err := g.nearestDifference(k, h/2, other*h/2)
	for i := range half {
		half[i] = (factor*half[i] - whole[i]) / (factor - 1)
	}
	return half, err
}

// nearestDifference returns the difference quotient of the starts with parameter k changed by up and by down: rotation, displacement of the
// centre of mass, angular velocity and velocity of the centre of mass of each body, world axes.
func (g *Problem) nearestDifference(k int, up, down float64) ([]float64, error) {
	var sides [2]*mechanism.State
	var mech [2]*mechanism.Mechanism
	for i, by := range [2]float64{up, down} {
		values := g.Values()
		values[k] += by
		p, err := g.With(values)
		if err == nil {
			sides[i], err = p.begun()
		}
		if err != nil {
			return nil, fault.Errorf("derive/objective: the start by parameter %s: %w", fault.Name(g.o.Parameters[k].Name), err)
		}
		mech[i] = p.mech
	}
	dx := make([]float64, 0, adjoint.PerBody*len(sides[0].Bodies))
	for b := range sides[0].Bodies {
		var arm [2]spatial.Vec3 // from the body's origin to its centre of mass
		for i, st := range sides {
			arm[i] = st.Bodies[b].Rotation.Rotate(mech[i].Bodies[b].Com)
		}
		x, y := &sides[0].Bodies[b], &sides[1].Bodies[b]
		for _, v := range [4]spatial.Vec3{
			x.Rotation.Mul(y.Rotation.Conj()).Log(),
			x.Position.Add(arm[0]).Sub(y.Position.Add(arm[1])),
			x.Omega.Sub(y.Omega),
			x.Velocity.Add(x.Omega.Cross(arm[0])).Sub(y.Velocity.Add(y.Omega.Cross(arm[1]))),
		} {
			v = v.Scale(1 / (up - down))
			dx = append(dx, v[:]...)
		}
	}
	return dx, nil
}
