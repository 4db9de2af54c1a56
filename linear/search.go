package linear

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	equilibriumSteps = 500 // largest number of Newton steps if none is given
	// balanceTol is the relative unbalanced force at which the search ends. balanceLoose is the
	// force that is accepted where rounding allows no smaller one.
	balanceTol, balanceLoose = 1e-13, 1e-9
	// balanceFall is the factor from the unbalanced force before a step to the force after it above which the step has reached rounding.
	balanceFall = 0.1
	// balanceRounding is the unbalanced force, relative to the rounding of a spring's force, up
	// to which forces count as balanced. It is for states in which all forces vanish, as with
	// springs at rest length and no weight: there is no force to compare with.
	balanceRounding = 4
	// largestAngle is the largest rotation of a body in a step, rad, before the radius reduces it.
	largestAngle = 0.5
	// balanceNear is the step, relative to the largest step, below which its work is not
	// tested, as rounding would decide the sign.
	balanceNear = 1e-4
	// balanceHalves is the largest number of times that a step is halved.
	balanceHalves = 30
	// balanceGain is the least work of a step relative to the work of the initial force along it.
	balanceGain = 1e-4
	// balanceStraight is the work of a step, relative to the work of the initial force along it, from which the step is doubled. A step to
	// the minimum of a quadratic potential has half.
	balanceStraight = 0.75
	// awayMost is the distance of a body from its start, relative to the extent of the mechanism at the start, beyond which
	// nothing seems to hold the body.
	awayMost = 1e4
	// mostKicks is the largest number of unstable equilibria from which the search goes on.
	mostKicks = 30
	// kickSize is the size of the step from an unstable equilibrium, relative to the
	// largest step.
	kickSize = 0.2
	// leastRadius and mostRadius bound search.radius.
	leastRadius, mostRadius = 1e-6, 64

	// conjugateSteps is the largest number of steps of conjugate gradients. conjugateMost and conjugateLeast bound the relative residual at
	// which they end. Below the least one, rounding grows in directions without stiffness.
	conjugateSteps                = 200
	conjugateMost, conjugateLeast = 0.1, 1e-6
	// neutralTol is the curvature of a direction, relative to the magnitudes of its terms, below which it counts as neutral once the
	// relative residual is below neutralRest: the force along it may then be rounding, and the step so far is good in all other directions.
	neutralTol, neutralRest = 1e-10, 1e-3
	// balanceCut is the relative stiffness of directions that count as neutral for
	// forces without potential.
	balanceCut = 1e-5
	// nearStep is the size of a solution, relative to the largest step, up to which it is taken,
	// shortened to the largest step. Conjugate gradients end when their solution has the size farStep.
	nearStep, farStep = 2, 30
	// dampingRaises is the largest number of values of μ for a step, and dampingRaise the
	// largest factor from one to the next. The first μ of a step is the last one of the step before over dampingDrop, or 0 if
	// that is below dampingLeast, the least value other than 0.
	dampingRaises, dampingRaise, dampingDrop, dampingLeast = 40, 100, 4, 1e-6
	// balanceClose is the relative unbalanced force below which steps for forces without
	// potential lower the unbalanced force. balancePatience is the number of steps after which all their steps do so. Other steps go where
	// the forces do work. But forces without potential may do work all round a circle.
	balanceClose, balancePatience = 0.03, 60
)

// search is the memory of one search for an equilibrium.
type search struct {
	sys    *System
	closer *closing.Closer
	mover  *mechanism.Mover
	start  *mechanism.State // where the search began, before joints were closed
	st     *mechanism.State // where it is: at rest and closed
	try    *mechanism.State // after a step from st that is not accepted yet
	other  *mechanism.State // scratch of moveTry

	metric  *stepMetric
	statics *shifted // solver with the metric of the loads alone, for the multipliers
	h       *shifted // solver with the modified K at st, the preconditioner
	mu      float64  // factor on the metric of the last damped step
	length  float64  // of the longest body, m
	extent  float64  // of the mechanism at st, m
	extent0 float64  // the same at the start
	radius  float64  // factor on the largest step, by how well K has predicted the work of steps; 1 at the start

	constant constantForce // the unbalanced force of the steps before
	bristles []bristle     // at st
	f0       []float64     // loads at the state of the last load
	residual []float64     // unbalanced forces f + Jᵀλ at st, with the multipliers in K
	d        []float64     // displacements of the step
}

// load fills the system at st, and stores the loads there in f0.
func (s *search) load(st *mechanism.State) error {
	if err := s.sys.loadState(st); err != nil {
		return err
	}
	copy(s.f0, s.sys.y.Right)
	return nil
}

// descend moves s.st to an equilibrium, in at most most steps, counted in out with steps before. It stores the unbalanced force in out. It
// returns an *UnbalancedError after most steps, if no step lowers the potential, or if nothing seems to hold the mechanism.
func (s *search) descend(out *Equilibrium, most int) error {
	last := math.Inf(1)
	for {
		if err := s.sys.orCause(nil); err != nil {
			return err
		}
		if err := s.linearize(); err != nil {
			return err
		}
		var force float64
		out.Unbalanced, out.Relative, force = s.balanced()
		rounding := force <= balanceRounding*s.sys.rounding || out.Relative <= balanceTol
		if rounding || out.Relative <= balanceLoose && out.Relative > balanceFall*last {
			return nil
		}
		last = out.Relative
		switch away, _ := s.farthest(); {
		case away > awayMost*s.extent0 || s.constant.driven(force, s.sys.mech):
			return s.awayError(out, -1)
		case out.Steps == most:
			return s.awayError(out, s.extent0)
		}
		ok, err := s.step(out)
		if err != nil {
			return err
		}
		if !ok {
			if out.Relative <= balanceLoose {
				return nil
			}
			return s.unbalancedError(out)
		}
		out.Steps++
	}
}

// balanced returns the results of System.Unbalanced at s.st, and the size of the unbalanced force, N.
func (s *search) balanced() (at Unbalanced, relative, force float64) {
	at, force, size := s.sys.unbalanced()
	if size > 0 {
		relative = force / size
	}
	return at, relative, force
}

// linearize linearizes the system at s.st, and stores the bristles and the extent there. The accelerations in the system are
// from rest, and show the unbalanced forces; the multipliers, and so the reactions in K, are set by setReactions.
func (s *search) linearize() error {
	s.extent = s.extentOf(s.st)
	if err := s.load(s.st); err != nil {
		return err
	}
	if err := s.listBristles(); err != nil {
		return err
	}
	if err := s.sys.react(); err != nil {
		return err
	}
	if err := s.sys.orCause(nil); err != nil {
		return err
	}
	if err := s.setReactions(); err != nil {
		return err
	}
	return s.sys.fill()
}

// setReactions replaces the multipliers in the system by those that make the unbalanced forces f + Jᵀλ least, in the metric of the loads,
// and stores these forces in s.residual. In that metric translations have nearly no weight where bodies translate only because others
// rotate, so that nearly all of the unbalanced forces are moments.
//
// With these multipliers, K is the curvature of the potential along the motions that mechanism.Mover
// makes, in which rotations, not translations, are in proportion to the step. The multipliers of
// a mechanism that starts to fall from rest would differ: the weight of a free end, which falls, would not be in the reactions. In
// equilibrium both are the same.
func (s *search) setReactions() (err error) {
	sys, n := s.sys, s.sys.dim()
	s.metric.setLoads(s.f0)
	if err := sys.orCause(nil); err != nil {
		return err
	}
	if s.statics, err = s.metric.solver(sys, 0, s.statics, s.metric.split); err != nil {
		return err
	}
	s.statics.solveTo(s.residual, s.f0)
	s.statics.multipliersTo(sys.x[n:])
	for i := range s.metric.rotation {
		for k := range 3 {
			s.residual[6*i+k] *= s.metric.rotation[i]
			s.residual[6*i+3+k] *= s.metric.translation[i]
		}
	}
	return nil
}

// step takes one step from s.st. It returns false if it finds no step along which the forces do work or the unbalanced force drops.
func (s *search) step(out *Equilibrium) (bool, error) {
	if err := s.prepare(); err != nil {
		return false, err
	}
	if (out.Relative < balanceClose || out.Steps >= balancePatience) && !s.potential() {
		if ok, err := s.balance(out.Relative); ok || err != nil {
			return ok, err
		}
		if err := s.linearize(); err != nil {
			return false, err
		}
	}
	// A solution that is far too long may consist of rounding in directions without stiffness: it is then replaced by a damped one.
	ended := s.direction(out.Relative, farStep)
	if !ended && s.stepSize() <= nearStep {
		if ok, err := s.advance(); ok || err != nil {
			return ok, err
		}
	}
	if err := s.damp(); err != nil {
		return false, err
	}
	return s.advance()
}

// damp replaces s.d by the solution of (K' + μG)·x = f + Jᵀλ, K' the modified K and G the metric.
// μ is the first value of an increasing sequence for which the solution is at most nearStep times the largest step.
func (s *search) damp() error {
	sys := s.sys
	mu := s.mu / dampingDrop
	if mu < dampingLeast {
		mu = 0
	}
	for range dampingRaises {
		if err := s.sys.orCause(nil); err != nil {
			return err
		}
		h, err := s.metric.solver(sys, 0, s.h, func() (*split, error) {
			z, err := sys.modified(0, s.metric, dropNegative)
			if err == nil {
				s.metric.addTo(z, mu)
			}
			return z, err
		})
		if err != nil {
			return err
		}
		s.h = h
		s.h.solveTo(s.d, s.residual)
		size := s.stepSize()
		if size <= nearStep {
			break
		}
		mu = max(mu*min(max(size, 1.5), dampingRaise), dampingLeast)
	}
	s.mu = mu
	return nil
}

// prepare adds K to the metric and factors the preconditioner, the modified K, at s.st.
func (s *search) prepare() (err error) {
	s.metric.addStiffness(s.sys)
	s.h, err = s.metric.solver(s.sys, 0, s.h, func() (*split, error) { return s.sys.modified(0, s.metric, dropNegative) })
	return err
}

// potential reports whether the forces have a potential near s.st: by their kind, or because K is symmetric up to the skew part that
// unbalanced moments give it (subtractSkew).
func (s *search) potential() bool {
	return s.sys.conservative() || s.sys.symmetricOn(s.h, s.residual)
}

// curveTo stores K·x in dst, with the skew part of K from unbalanced moments taken off.
func (s *search) curveTo(dst, x []float64) {
	s.sys.StiffnessTo(dst, x)
	subtractSkew(dst, s.residual, x)
}

// balance takes a Newton step for forces that need no potential: the solution of
// K·x = f + Jᵀλ, halved until the largest unbalanced force drops. relative is that force before, relative to the largest force. It returns
// false, with s.st as it was, if no step lowers it; the system is then not the one at s.st.
func (s *search) balance(relative float64) (bool, error) {
	sys, n := s.sys, s.sys.dim()
	k := &quadratic{sys: sys, h: s.h, cut: balanceCut, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	if k.solveTo(s.d, s.residual) != nil {
		return false, nil
	}
	t := min(1, 1/s.stepSize())
	for range balanceHalves / 3 {
		if err := s.sys.orCause(nil); err != nil {
			return false, err
		}
		if s.moveTry(t) == nil && s.load(s.try) == nil && sys.react() == nil && sys.fill() == nil {
			if _, after := sys.Unbalanced(); after < (1-0.1*t)*relative { // a tenth of the drop that K predicts, t
				s.accept()
				return true, nil
			}
		}
		t /= 2
	}
	return false, nil
}

// unbalancedError returns the error of a search that ends with the unbalanced force in out, with the friction that may explain it.
func (s *search) unbalancedError(out *Equilibrium) *UnbalancedError {
	e := &UnbalancedError{Unbalanced: out.Unbalanced, Steps: out.Steps}
	s.setFriction(e)
	return e
}

// awayError is unbalancedError, with the body that is farthest from its start if that distance is above beyond, m.
func (s *search) awayError(out *Equilibrium, beyond float64) *UnbalancedError {
	e := s.unbalancedError(out)
	if away, body := s.farthest(); away > beyond {
		e.Away, e.Gone, e.GoneIndex = away, s.sys.mech.BodyName(body), body
	}
	return e
}

// farthest returns the largest distance of a body from its start, m, and the number of the body; 0 and 0 if none has moved.
func (s *search) farthest() (distance float64, body int) {
	most := algebra.NewPeak(0)
	for i := range s.st.Bodies {
		most.Take(s.st.Bodies[i].Position.Sub(s.start.Bodies[i].Position).Norm(), i)
	}
	return most.Most, max(most.At, 0)
}

// extentOf returns the largest distance of a body from the first body, but no less than the
// length of the longest body.
func (s *search) extentOf(st *mechanism.State) float64 {
	extent := s.length
	for i := range st.Bodies {
		extent = max(extent, st.Bodies[i].Position.Sub(st.Bodies[0].Position).Norm())
	}
	return extent
}

// direction stores in s.d the solution of K·x = f + Jᵀλ by conjugate gradients, with the modified
// K as preconditioner (Steihaug 1983), up to a residual by the relative unbalanced force. It ends early, and returns true, if the curvature
// of a direction is not positive, or if x is longer than most times the largest step. It returns false if the direction counts as neutral.
func (s *search) direction(relative, most float64) (ended bool) {
	n := s.sys.dim()
	r, q, Kp := slices.Clone(s.residual), make([]float64, n), make([]float64, n)
	cg := algebra.Conjugate{P: make([]float64, n)}
	clear(s.d)
	first, eta := 0.0, max(conjugateLeast, min(conjugateMost, relative))
	for step := range conjugateSteps {
		if s.sys.over() {
			break
		}
		s.h.solveTo(q, r)
		cg.Turn(q, floats.Dot(r, q))
		rho, p := cg.Rho, cg.P
		if step == 0 {
			first = rho
		}
		if !(rho > eta*eta*first) {
			break
		}
		s.curveTo(Kp, p)
		curvature := floats.Dot(p, Kp)
		if terms := s.sys.termsOf(p); curvature <= zeroTol*terms {
			return curvature < -neutralTol*terms || rho > neutralRest*neutralRest*first
		}
		alpha := rho / curvature
		floats.AddScaled(s.d, alpha, p)
		if s.stepSize() > most {
			return true
		}
		floats.AddScaled(r, -alpha, Kp)
	}
	return false
}

// advance moves s.st by a step t·s.d, halved until the forces do enough work along it, and updates s.radius. Very short steps are taken
// without a test of the work. It returns false, with s.st as it was, if the forces do too little work along all steps.
func (s *search) advance() (bool, error) {
	size := s.stepSize()
	if size == 0 {
		return false, nil
	}
	t := min(1, 1/size)
	near := t == 1 && size < balanceNear
	slope := floats.Dot(s.residual, s.d)
	for halves := range balanceHalves {
		err := s.moveTry(t)
		if err == nil {
			work, err := s.work()
			if err == nil && (near || work >= balanceGain*t*slope && work > 0) {
				if halves == 0 && !near {
					if err := s.lengthen(t, work, slope); err != nil {
						return false, err
					}
				}
				s.accept()
				if halves == 0 && size > 0.2 { // not a short step, and K has predicted its work
					s.radius = min(2*s.radius, mostRadius)
				}
				return true, nil
			}
		} else if c := new(closing.CloseError); !errors.As(err, &c) {
			return false, err
		}
		t /= 2
		s.radius = max(s.radius/2, leastRadius)
	}
	return false, nil
}

// lengthen doubles the step t·d to s.try, along which the forces have done the given work, as long as two
// conditions hold. The work is nearly in proportion to the step: slope is the work of the initial forces for t = 1, and the curvature along
// d is then far smaller than the modified K, with which d was computed, has it. And the step is at most the largest one.
func (s *search) lengthen(t, work, slope float64) error {
	for most := 1 / s.stepSize(); 2*t <= most && work >= balanceStraight*t*slope; t *= 2 {
		err := s.moveTry(2 * t)
		if c := new(closing.CloseError); err != nil && !errors.As(err, &c) {
			return err
		}
		if err != nil {
			return s.moveTry(t)
		}
		more, err := s.work()
		if err != nil || !(more > work) {
			return s.moveTry(t)
		}
		work = more
	}
	return nil
}

// accept makes s.try the state of the search. The kinematics of the system are at s.try.
func (s *search) accept() {
	s.st, s.try = s.try, s.st
	s.sys.mech.FollowAngles(s.sys.y.Kin, s.st)
}

// moveTry stores in s.try the poses after the displacement t·d from s.st, with the joints closed, and the deflections of
// bristles there. Bodies move along the spanning tree, or each body by itself if that leaves smaller gaps in
// the joints that close loops. It returns the errors of the mover and of the closer.
func (s *search) moveTry(t float64) error {
	s.try.Angles, s.other.Angles = s.st.Angles, s.st.Angles // the closer may have replaced the angles of s.try
	if err := s.mover.MoveTo(s.try, s.st, s.d, t); err != nil {
		return err
	}
	if s.mover.Loops() {
		s.sys.mech.DisplaceTo(s.other, s.st, t, s.d)
		if s.mover.Gap(s.other) < s.mover.Gap(s.try) {
			s.try, s.other = s.other, s.try
		}
	}
	if err := s.closer.ClosePositions(s.try); err != nil {
		return err
	}
	s.bendBristles(s.try)
	return nil
}

// stepSize returns the size of the step s.d relative to the largest step that is taken: the largest of all rotations over largestAngle and
// of all translations over the extent, with s.radius as factor. A radius above 1 allows longer translations only.
func (s *search) stepSize() (size float64) {
	angle, distance := largestAngle*min(1, s.radius), s.extent*s.radius
	for i := 0; i < len(s.d); i += 6 {
		size = max(size, spatial.Vec3(s.d[i:i+3]).Norm()/angle, spatial.Vec3(s.d[i+3:i+6]).Norm()/distance)
	}
	return size
}

// work returns the work of the loads from s.st to s.try, J, by the trapezoidal rule,
// which does not lose small differences of large energies. It leaves the kinematics of the system at s.try.
func (s *search) work() (float64, error) {
	sys := s.sys
	if err := sys.mech.KinematicsTo(sys.y.Kin, s.try); err != nil {
		return 0, err
	}
	f := make([]spatial.Force, len(s.try.Bodies))
	if err := sys.mech.ForcesTo(f, sys.y.Kin, s.try); err != nil {
		return 0, err
	}
	sum := 0.0
	for i := range f {
		travel, phi := sys.mech.Displacement(i, s.st, s.try)
		for k := range 3 {
			sum += (s.f0[6*i+k] + f[i][k]) * phi[k] / 2
			sum += (s.f0[6*i+3+k] + f[i][3+k]) * travel[k] / 2
		}
	}
	return sum, nil
}
