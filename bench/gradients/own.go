package main

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// batch is the least processor time, s, between two readings of the clock, which take some microseconds.
const batch = 1e-3

// least returns the least processor time of a call of f, s, over batches of calls that take the time enough, s, together. A first
// call is not timed. The garbage collector is off meanwhile.
func least(enough float64, f func() error) (best float64, err error) {
	defer runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := f(); err != nil {
		return 0, err
	}
	for n, spent := 1, 0.0; spent < enough; {
		begun := machine.ProcessorTime()
		for range n {
			if err := f(); err != nil {
				return 0, err
			}
		}
		took := (machine.ProcessorTime() - begun).Seconds()
		spent += took
		if took < batch {
			n *= 2
			continue
		}
		if t := took / float64(n); best == 0 || t < best {
			best = t
		}
	}
	if best == 0 {
		return 0, errors.New("no batch took long enough")
	}
	return best, nil
}

// own has Rung's solver and derivatives for a problem, with their inputs and results.
type own struct {
	p       *problem
	solver  *kkt.Solver
	d       *derive.Derivatives
	st      *mechanism.State
	in      *derive.Directions
	out     *derive.Changes
	weights *derive.Weights
	all     *derive.Gradient
	bodies  []derive.BodyDirection
	space   derive.StateSpaceOptions
	ss      *derive.StateSpace
}

// newOwn prepares the derivatives of a problem, with its directions, weights and coordinates, on one thread.
func newOwn(p *problem) *own {
	plan := kkt.NewPlan(p.mech, kkt.Options{Threads: 1})
	o := &own{p: p, solver: plan.NewSolver(), d: derive.New(plan, p.model), st: plan.Initial()}
	o.in, o.out = o.d.NewDirections(len(p.directions)), o.d.NewChanges(len(p.directions))
	o.weights, o.all, o.bodies = o.d.NewWeights(), o.d.NewGradient(), make([]derive.BodyDirection, p.mech.NumBodies())
	for k, u := range p.directions {
		for i := range u {
			*o.in.Body(k, i) = u[i]
		}
	}
	for i := range o.bodies {
		w := o.weights.Body(i)
		w.AngularAcceleration, w.ComAcceleration = spatial.Vec3(p.weights[6*i:][:3]), spatial.Vec3(p.weights[6*i+3:][:3])
	}
	for _, j := range p.coordinates {
		o.space.Coordinates = append(o.space.Coordinates, mechanism.Freedom{Joint: j})
	}
	return o
}

// forward computes the derivatives of all accelerations along the directions.
func (o *own) forward() error {
	if err := o.d.At(o.st); err != nil {
		return err
	}
	return o.d.ForwardTo(o.out, o.in, derive.Options{BodiesOnly: true, Untried: true})
}

// back computes the gradient by loads and mass properties of the bodies.
func (o *own) back() error {
	if err := o.d.At(o.st); err != nil {
		return err
	}
	return o.d.BodiesTo(o.bodies, o.weights)
}

// stateSpace computes the derivatives in the coordinates.
func (o *own) stateSpace() (err error) {
	if err := o.d.At(o.st); err != nil {
		return err
	}
	o.ss, err = o.d.StateSpace(o.space)
	return err
}

// everything computes the gradient by all inputs, also by the state and by frames of joints.
func (o *own) everything() error {
	if err := o.d.At(o.st); err != nil {
		return err
	}
	return o.d.AdjointTo(o.all, o.weights, derive.Options{})
}

// The two ways in which Rung computes derivatives, as named in the tables.
const (
	alongWay = "ForwardTo, BodiesTo"
	spaceWay = "StateSpace, AdjointTo"
)

// measureOwn measures both ways of Rung.
func measureOwn(p *problem, enough float64) ([]result, error) {
	o := newOwn(p)
	evaluation, err := least(enough, func() error { return o.solver.Solve(o.st) })
	if err != nil {
		return nil, err
	}
	along := result{Engine: beside.Ours, Way: alongWay, Evaluation: evaluation}
	for _, x := range []struct {
		to *float64
		f  func() error
	}{{&along.Matrix, o.forward}, {&along.Gradient, o.back}} {
		if *x.to, err = least(enough, x.f); err != nil {
			return nil, err
		}
	}
	n := p.mech.NumBodies()
	a, columns := make([]float64, 6*n), make([][]float64, o.out.Len())
	o.d.AccelerationsTo(a)
	for k := range columns {
		columns[k] = make([]float64, 6*n)
		o.out.AccelerationsTo(columns[k], k)
	}
	along.AccelerationError = p.errorOfAccelerations(a)
	along.MatrixError = errorOf(columns, p.wantBodies)
	along.Numbers, along.GradientError = 16*n, errorOfGradient(o.bodies, p.wantBody)
	list := []result{along}
	space := result{Engine: beside.Ours, Way: spaceWay, Evaluation: evaluation, AccelerationError: along.AccelerationError}
	if len(p.coordinates) > 0 {
		if space.Matrix, err = least(enough, o.stateSpace); err != nil {
			return nil, err
		}
		space.MatrixError = errorOf(o.secondRates(), p.wantCoords)
	}
	if space.Gradient, err = least(enough, o.everything); err != nil {
		return nil, err
	}
	got := make([]derive.BodyDirection, n)
	for i := range got {
		got[i] = o.all.Body(i)
	}
	// For each body twelve numbers of the state, six of the load, ten of the mass properties; for each joint six of each of two frames.
	space.Numbers, space.GradientError = 28*n+12*p.mech.NumJoints(), errorOfGradient(got, p.wantBody)
	return append(list, space), nil
}

// secondRates returns the columns of the rows of A that give the second derivatives of the coordinates.
func (o *own) secondRates() (columns [][]float64) {
	n := len(o.space.Coordinates)
	for k := range 2 * n {
		column := make([]float64, n)
		for i := range column {
			column[i] = o.ss.A[n+i][k]
		}
		columns = append(columns, column)
	}
	return columns
}
