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
	equilibriumSteps = 500
	// balanceTol is the relative unbalanced force at which the search ends. balanceLoose is the
	// one that is accepted where rounding allows no better.
	balanceTol, balanceLoose = 1e-13, 1e-9
	// balanceFall is a part of the unbalanced force before a step. A step that leaves more of it has come to rounding.
	balanceFall = 0.1
	// balanceRounding is an unbalanced force relative to the rounding of a spring's force, up
	// to which forces count as balanced. It is for states in which all forces vanish, as with
	// springs at rest length and no weight: there is no force to compare with.
	balanceRounding = 4
	// balanceTurn is the largest rotation of a body in a step, rad.
	balanceTurn = 0.5
	// balanceNear is the part of the largest step below which the work done is not
	// tested, as rounding would decide it.
	balanceNear   = 1e-4
	balanceHalves = 30
	// balanceGain is the part of the work that the slope promises which a step has to do at
	// least.
	balanceGain = 1e-4
	// balanceStraight is the part of that work from which on a step is worth doubling. A step
	// to where the slope ends does half.
	balanceStraight = 0.75
	// awayMost is the distance of a body, relative to the extent at the start, beyond which
	// nothing seems to hold the body.
	awayMost = 1e4
	kicks    = 30
	// kickSize is the size of the push that leaves an unstable equilibrium, as a part of the
	// largest step.
	kickSize = 0.2
	// leastRadius and mostRadius bound the region.
	leastRadius, mostRadius = 1e-6, 64

	// conjugateMost and conjugateLeast bound the relative residual at which conjugate gradients
	// end. Below, directions that meet no force show up in the rounding errors.
	conjugateSteps                = 200
	conjugateMost, conjugateLeast = 0.1, 1e-6
	// neutralTol is a curvature of a direction relative to its terms. Once the relative
	// residual is below neutralRest, a direction with less counts as neutral: what is left in
	// it may come of rounding, and in all other directions the step so far is right.
	neutralTol, neutralRest = 1e-10, 1e-3
	// balanceCut is the relative stiffness of directions that count as neutral for
	// forces without potential.
	balanceCut = 1e-5
	// nearReach is the size of a solution relative to the largest step up to which it is taken,
	// shortened. Conjugate gradients end at farReach.
	nearReach, farReach = 2, 30
	// dampingRaises is the largest number of values of μ for a step, and dampingRaise the
	// largest factor between two. From step to step μ drops by dampingDrop, to dampingLeast at
	// least.
	dampingRaises, dampingRaise, dampingDrop, dampingLeast = 40, 100, 4, 1e-6
	// balanceClose is the relative unbalanced force below which steps follow forces without
	// potential. balancePatience is the number of steps after which they do so anywhere. Until
	// then the sign of the work shows which way is down. But round a circle it may be down all the
	// way.
	balanceClose, balancePatience = 0.03, 60
)

// search is the memory of one search.
type search struct {
	sys    *System
	closer *closing.Closer
	mover  *mechanism.Mover
	start  *mechanism.State
	st     *mechanism.State // at rest and closed
	try    *mechanism.State
	other  *mechanism.State // another way to make a step

	metric  *brace
	statics *shifted // of the metric
	h       *shifted // of K braced at st, the preconditioner
	mu      float64  // of the last damped step
	length  float64  // of the longest body, m
	extent  float64  // of the mechanism, m
	extent0 float64  // the same at the start
	radius  float64  // of the region in which K is trusted, 1 at the start

	same        same      // the unbalanced force, of the steps before
	bristles    []bristle // at st
	f0, left, d []float64 // loads; forces left by loads and the reactions in K; the step
}

// load fills the system at st with the loads in f0.
func (s *search) load(st *mechanism.State) error {
	if err := s.sys.loadState(st); err != nil {
		return err
	}
	copy(s.f0, s.sys.y.Right)
	return nil
}

// descend goes to an equilibrium from s.st.
func (s *search) descend(out *Equilibrium, most int) error {
	last := math.Inf(1)
	for {
		if err := s.sys.orCause(nil); err != nil {
			return err
		}
		if err := s.settle(); err != nil {
			return err
		}
		var left float64
		out.Unbalanced, out.Relative, left = s.balanced()
		rounding := left <= balanceRounding*s.sys.rounding || out.Relative <= balanceTol
		if rounding || out.Relative <= balanceLoose && out.Relative > balanceFall*last {
			return nil
		}
		last = out.Relative
		switch away, _ := s.away(); {
		case away > awayMost*s.extent0 || s.same.carries(left, s.sys.mech):
			return s.goneError(out, -1)
		case out.Steps == most:
			return s.goneError(out, s.extent0)
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

// balanced returns what System.Unbalanced returns at s.st, and the force that is left, N.
func (s *search) balanced() (at Unbalanced, relative, left float64) {
	at, left, size := s.sys.unbalanced()
	if size > 0 {
		relative = left / size
	}
	return at, relative, left
}

// settle linearizes the system at s.st. Its accelerations are those from rest, which tell what
// is out of balance. Its multipliers are in s.reactions.
func (s *search) settle() error {
	s.extent = s.extentOf(s.st)
	if err := s.load(s.st); err != nil {
		return err
	}
	if err := s.bristlesAt(); err != nil {
		return err
	}
	if err := s.sys.react(); err != nil {
		return err
	}
	if err := s.sys.orCause(nil); err != nil {
		return err
	}
	if err := s.reactions(); err != nil {
		return err
	}
	return s.sys.fill()
}

// reactions replaces the multipliers by those that leave the least forces in the metric of the
// loads. In that metric a travel weighs next to nothing where bodies travel only because others
// turn, so hardly anything but moments is left.
//
// With these multipliers, K is the curvature of the potential along the motions that mechanism.Mover
// makes: in them rotations, and not travels, are in proportion to the step. The multipliers of
// a mechanism that falls from rest would leave out all that hangs on a free end. In equilibrium
// both are the same.
func (s *search) reactions() (err error) {
	sys, n := s.sys, s.sys.dim()
	s.metric.loads(s.f0)
	if err := sys.orCause(nil); err != nil {
		return err
	}
	if s.statics, err = s.metric.solver(sys, 0, s.statics, s.metric.split); err != nil {
		return err
	}
	s.statics.solveTo(s.left, s.f0)
	s.statics.multipliersTo(sys.x[n:])
	for i := range s.metric.turn {
		for k := range 3 {
			s.left[6*i+k] *= s.metric.turn[i]
			s.left[6*i+3+k] *= s.metric.travel[i]
		}
	}
	return nil
}

// step takes one step from s.st and reports whether there was one to take.
func (s *search) step(out *Equilibrium) (bool, error) {
	if err := s.prepare(); err != nil {
		return false, err
	}
	if (out.Relative < balanceClose || out.Steps >= balancePatience) && !s.potential() {
		if ok, err := s.balance(out.Relative); ok || err != nil {
			return ok, err
		}
		if err := s.settle(); err != nil {
			return false, err
		}
	}
	// A solution may be far too long. It is then right in its direction, or consists of
	// rounding in directions that meet no force.
	bent := s.direction(out.Relative, farReach)
	if !bent && s.reach() <= nearReach {
		if ok, err := s.advance(); ok || err != nil {
			return ok, err
		}
	}
	if err := s.damp(); err != nil {
		return false, err
	}
	return s.advance()
}

// damp replaces s.d by the solution of (K' + μG)·x = f + Jᵀλ, K' the braced K and G the metric.
// μ is the least value of a sequence for which no body moves farther than it may.
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
			z, err := sys.braced(0, s.metric, false)
			if err == nil {
				s.metric.addTo(z, mu)
			}
			return z, err
		})
		if err != nil {
			return err
		}
		s.h = h
		s.h.solveTo(s.d, s.left)
		reach := s.reach()
		if reach <= nearReach {
			break
		}
		mu = max(mu*min(max(reach, 1.5), dampingRaise), dampingLeast)
	}
	s.mu = mu
	return nil
}

// prepare factors the preconditioner at s.st.
func (s *search) prepare() (err error) {
	s.metric.stiffen(s.sys)
	s.h, err = s.metric.solver(s.sys, 0, s.h, func() (*split, error) { return s.sys.braced(0, s.metric, false) })
	return err
}

// potential reports whether the forces have a potential near s.st. K less half of n× is
// symmetric then, with n the moments that are out of balance.
func (s *search) potential() bool {
	return s.sys.conservative() || s.sys.symmetricOn(s.h, s.left)
}

// curveTo stores in dst the product of x with the symmetric K.
func (s *search) curveTo(dst, x []float64) {
	s.sys.StiffnessTo(dst, x)
	subtractTurning(dst, s.left, x)
}

// balance takes a Newton step for forces that need no potential: the solution of
// K·x = M·a, halved until the largest unbalanced force drops.
func (s *search) balance(relative float64) (bool, error) {
	sys, n := s.sys, s.sys.dim()
	k := &quadratic{sys: sys, h: s.h, cut: balanceCut, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	if k.solveTo(s.d, s.left) != nil {
		return false, nil
	}
	t := min(1, 1/s.reach())
	for range balanceHalves / 3 {
		if err := s.sys.orCause(nil); err != nil {
			return false, err
		}
		if s.place(t) == nil && s.load(s.try) == nil && sys.react() == nil && sys.fill() == nil {
			if _, after := sys.Unbalanced(); after < (1-0.1*t)*relative {
				s.take()
				return true, nil
			}
		}
		t /= 2
	}
	return false, nil
}

func (s *search) unbalancedError(out *Equilibrium) *UnbalancedError {
	e := &UnbalancedError{Unbalanced: out.Unbalanced, Steps: out.Steps}
	s.blame(e)
	return e
}

// goneError is unbalancedError, with the body that has gone farthest if that is more than a distance.
func (s *search) goneError(out *Equilibrium, beyond float64) *UnbalancedError {
	e := s.unbalancedError(out)
	if away, body := s.away(); away > beyond {
		e.Away, e.Gone, e.GoneIndex = away, s.sys.mech.BodyName(body), body
	}
	return e
}

// away returns the largest distance that a body has gone, and the body.
func (s *search) away() (far float64, body int) {
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

// direction stores in s.d the solution of K·x = f + Jᵀλ by conjugate gradients, with the braced
// K as preconditioner (Steihaug 1983). It ends where the curvature is not positive, or where x
// exceeds the given multiple of the largest step, and returns true if one of these has ended
// it.
func (s *search) direction(relative, most float64) (bent bool) {
	n := s.sys.dim()
	r, q, Kp := slices.Clone(s.left), make([]float64, n), make([]float64, n)
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
		if s.reach() > most {
			return true
		}
		floats.AddScaled(r, -alpha, Kp)
	}
	return false
}

// advance moves s.st along s.d as far as the forces do work. It returns false if they do none.
func (s *search) advance() (bool, error) {
	reach := s.reach()
	if reach == 0 {
		return false, nil
	}
	t := min(1, 1/reach)
	near := t == 1 && reach < balanceNear
	slope := floats.Dot(s.left, s.d)
	for halves := range balanceHalves {
		err := s.place(t)
		if err == nil {
			work, err := s.work()
			if err == nil && (near || work >= balanceGain*t*slope && work > 0) {
				if halves == 0 && !near {
					if err := s.lengthen(t, work, slope); err != nil {
						return false, err
					}
				}
				s.take()
				if halves == 0 && reach > 0.2 {
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

// lengthen doubles the step t·d to s.try, which has done the given work. It goes on under two
// conditions. The work grows all but in proportion to the step: the curvature along d is then
// far below the one with which d was made. And no body moves farther than it may.
func (s *search) lengthen(t, work, slope float64) error {
	for most := 1 / s.reach(); 2*t <= most && work >= balanceStraight*t*slope; t *= 2 {
		err := s.place(2 * t)
		if c := new(closing.CloseError); err != nil && !errors.As(err, &c) {
			return err
		}
		if err != nil {
			return s.place(t)
		}
		more, err := s.work()
		if err != nil || !(more > work) {
			return s.place(t)
		}
		work = more
	}
	return nil
}

// take makes s.try the state of the search.
func (s *search) take() {
	s.st, s.try = s.try, s.st
	s.sys.mech.FollowAngles(s.sys.y.Kin, s.st)
}

// place stores in s.try the poses after the displacement t·d, with the joints closed, and the
// bristles bent by as much. Bodies move along the tree, or each body for itself if that opens
// the joints of loops less. It returns the errors of the mover and of the closer.
func (s *search) place(t float64) error {
	s.try.Angles, s.other.Angles = s.st.Angles, s.st.Angles // the closer may have given s.try angles of its own
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
	s.bend(s.try)
	return nil
}

// reach returns the size of the step s.d relative to the largest that is taken, the larger one
// of rotations and of travels. The largest travel grows as long as the work of steps is as predicted.
func (s *search) reach() (size float64) {
	turn, travel := balanceTurn*min(1, s.radius), s.extent*s.radius
	for i := 0; i < len(s.d); i += 6 {
		size = max(size, spatial.Vec3(s.d[i:i+3]).Norm()/turn, spatial.Vec3(s.d[i+3:i+6]).Norm()/travel)
	}
	return size
}

// work returns the work of the loads from s.st to s.try by the trapezoidal rule,
// which does not lose small differences of large energies.
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
