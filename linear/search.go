package linear

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	equilibriumSteps = 500
	// balanceTol is the relative unbalanced force at which the search ends, and
	// balanceLoose that which is accepted where rounding allows no better.
	balanceTol, balanceLoose = 1e-13, 1e-9
	// balanceTurn is the largest rotation of a body in a step, rad.
	balanceTurn = 0.5
	// balanceNear is the part of the largest step below which the work done is not
	// tested, as rounding would decide it.
	balanceNear   = 1e-4
	balanceHalves = 30
	// balanceGain is the part of the work that the slope promises which a step has to do.
	balanceGain = 1e-4
	// balanceShift is the shift of the preconditioner relative to the size of K.
	balanceShift = 1e-6
	kicks        = 30
	// kickSize is the part of the largest step by which an unstable equilibrium is
	// left.
	kickSize = 0.2
	// leastRadius ends the shrinking of steps.
	leastRadius = 1e-6

	conjugateSteps = 200
	// balanceCut is the relative stiffness of directions that count as neutral for
	// forces without potential.
	balanceCut = 1e-5
	// nearReach is the size of a solution relative to the largest step up to which it is
	// taken, shortened; conjugate gradients end at farReach.
	nearReach, farReach = 2, 30
	// dampingRaises is the largest number of values of μ for a step.
	dampingRaises = 40
	// balanceClose is the relative unbalanced force below which steps follow forces
	// without potential, and balancePatience the number of steps after which they do
	// so anywhere: work done tells which way is down, but round a circle it may be down
	// all the way.
	balanceClose, balancePatience = 0.03, 60
)

// search is the memory of one search.
type search struct {
	sys    *System
	closer *rung.Closer
	st     *mechanism.State // at rest and closed
	try    *mechanism.State
	z      *split   // of K at st
	h      *shifted // the preconditioner, or of the last damped step
	mu     float64  // of the last damped step
	length float64  // of the longest body, m
	radius float64  // of the region in which K is trusted, 1 at the start

	f0, f1, move, d []float64
}

func newSearch(p *rung.Plan, st *mechanism.State) *search {
	n := 6 * p.Mechanism().NumBodies()
	if len(st.Bodies) != p.Mechanism().NumBodies() {
		panic("linear: foreign state")
	}
	s := &search{
		sys: NewSystem(p), closer: p.NewCloser(rung.CloserOptions{}), st: st.Clone(),
		f0: make([]float64, n), f1: make([]float64, n), move: make([]float64, n), d: make([]float64, n),
	}
	for i := range s.st.Bodies {
		s.st.Bodies[i].Velocity, s.st.Bodies[i].Omega = spatial.Vec3{}, spatial.Vec3{}
	}
	s.try = s.st.Clone()
	s.sys.rest = true
	s.length, s.radius = s.sys.longest(), 1
	return s
}

// load fills the system at st with the loads in f0.
func (s *search) load(st *mechanism.State) error {
	if err := s.sys.loadState(st); err != nil {
		return err
	}
	copy(s.f0, s.sys.y.B)
	return nil
}

// descend goes to an equilibrium from s.st.
func (s *search) descend(out *Equilibrium, most int) error {
	last := math.Inf(1)
	for {
		if err := s.load(s.st); err != nil {
			return err
		}
		if err := s.sys.react(); err != nil {
			return err
		}
		if err := s.sys.fill(); err != nil {
			return err
		}
		out.Unbalanced, out.Relative = s.sys.Unbalanced()
		if out.Relative <= balanceTol || out.Relative <= balanceLoose && out.Relative > 0.1*last {
			return nil
		}
		last = out.Relative
		if out.Steps == most {
			return s.unbalancedError(out)
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

// step takes one step from s.st and reports whether there was one to take.
func (s *search) step(out *Equilibrium) (bool, error) {
	if err := s.prepare(); err != nil {
		return false, err
	}
	if (out.Relative < balanceClose || out.Steps >= balancePatience) && !s.potential() {
		if ok, err := s.balance(out.Relative); ok || err != nil {
			return ok, err
		}
		if err := s.restore(); err != nil {
			return false, err
		}
	}
	// A solution that is far too long is right in its direction, or nothing but what
	// rounding makes of directions that meet no force.
	bent := s.direction(out.Relative, farReach)
	if bent || s.reach() > nearReach {
		if err := s.damp(); err != nil {
			return false, err
		}
		bent = true
	}
	if ok, err := s.advance(bent); ok || err != nil {
		return ok, err
	}
	return s.advance(s.direction(out.Relative, 1))
}

// damp replaces s.d by the step (K + μM)·x = M·a, with μ such that no body moves
// farther than it may, if forces promise more work along that, both as long as they may
// be: far from equilibrium, where some part of the mechanism meets hardly any force,
// all of it falls a piece, and does not turn that part alone.
func (s *search) damp() error {
	other := slices.Clone(s.d)
	promise := dot(s.f0, s.d) / s.reach()
	g := s.moments()
	mu := max(shiftMargin*s.sys.leastShift(s.z), s.mu/4, balanceShift*s.sys.meanSize())
	for range dampingRaises {
		h, err := s.sys.shift(s.z, mu, s.h)
		if err != nil {
			return err
		}
		s.h = h
		s.h.solveTo(s.d, g)
		reach := s.reach()
		if reach <= 1 {
			s.mu = mu
			if reach == 0 || dot(s.f0, s.d)/reach < promise {
				break
			}
			return nil
		}
		mu *= min(max(reach, 1.5), 10)
	}
	copy(s.d, other)
	return nil
}

// restore makes the system that of s.st again.
func (s *search) restore() error {
	if err := s.load(s.st); err != nil {
		return err
	}
	if err := s.sys.react(); err != nil {
		return err
	}
	return s.sys.fill()
}

// prepare factors the preconditioner at s.st.
func (s *search) prepare() (err error) {
	s.z = s.sys.splitOf(0, 1)
	shift := max(shiftMargin*s.sys.leastShift(s.z), balanceShift*s.sys.meanSize())
	s.h, err = s.sys.shift(s.z, shift, s.h)
	return err
}

// potential reports whether the forces have one near s.st. Out of balance, K less
// half of n× is symmetric then, n the moments that are left.
func (s *search) potential() bool {
	if s.sys.holonomic() {
		return true
	}
	return s.sys.symmetricOn(s.h, s.moments())
}

// moments returns the moments that are left on the bodies, and zero forces.
func (s *search) moments() []float64 {
	left := make([]float64, s.sys.dim())
	s.sys.MassTo(left, s.sys.x[:len(left)])
	return left
}

// balance takes a Newton step for forces that need no potential: the solution of
// K·x = M·a, halved until the largest unbalanced force drops.
func (s *search) balance(relative float64) (bool, error) {
	sys, n := s.sys, s.sys.dim()
	g := s.moments()
	k := &quadratic{sys: sys, h: s.h, cut: balanceCut, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	if k.solveTo(s.d, g) != nil {
		return false, nil
	}
	t := min(1, 1/s.reach())
	for range balanceHalves / 3 {
		s.moveTo(s.try, t)
		if s.closer.ClosePositions(s.try) == nil && s.load(s.try) == nil && sys.react() == nil && sys.fill() == nil {
			if _, after := sys.Unbalanced(); after < (1-0.1*t)*relative {
				s.st, s.try = s.try, s.st
				return true, nil
			}
		}
		t /= 2
	}
	return false, nil
}

func (s *search) unbalancedError(out *Equilibrium) error {
	return &UnbalancedError{out.Unbalanced, out.Steps}
}

// direction stores in s.d the step to take from s.st, at which K is, and reports
// whether it goes along a direction without positive curvature, so that its length
// means nothing. It is shortened to the given multiple of the largest step.
func (s *search) direction(relative, most float64) (bent bool) {
	sys, n := s.sys, s.sys.dim()
	g, r, q, p, Kp := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	sys.MassTo(g, sys.x[:n])
	copy(r, g)
	clear(s.d)
	s.h.solveTo(q, r)
	copy(p, q)
	rho := dot(r, q)
	first := rho
	eta := min(0.1, relative)
	before := make([]float64, n)
	for step := range conjugateSteps {
		if !(rho > eta*eta*first) {
			break
		}
		sys.StiffnessTo(Kp, p)
		curvature := dot(p, Kp)
		if curvature <= zeroTol*sys.termsOf(p) {
			if step == 0 {
				copy(s.d, p)
			}
			return step == 0
		}
		alpha := rho / curvature
		copy(before, s.d)
		addScaled(s.d, alpha, p)
		if s.reach() > most {
			for t := alpha / 2; s.reach() > most; t /= 2 {
				copy(s.d, before)
				addScaled(s.d, t, p)
			}
			return false
		}
		addScaled(r, -alpha, Kp)
		s.h.solveTo(q, r)
		next := dot(r, q)
		beta := next / rho
		rho = next
		for i := range p {
			p[i] = q[i] + beta*p[i]
		}
	}
	return false
}

// advance moves s.st along s.d, as far as the forces do work, and reports whether
// they do.
func (s *search) advance(bent bool) (bool, error) {
	reach := s.reach()
	if reach == 0 {
		return false, nil
	}
	t := min(1, 1/reach)
	if bent {
		t = 1 / reach
	}
	near := !bent && t == 1 && reach < balanceNear
	slope := dot(s.f0, s.d)
	for halves := range balanceHalves {
		s.moveTo(s.try, t)
		if err := s.closer.ClosePositions(s.try); err == nil {
			work, err := s.work()
			if err == nil && (near || work >= balanceGain*t*slope && work > 0) {
				s.st, s.try = s.try, s.st
				if halves == 0 && reach > 0.2 {
					s.radius *= 2
				}
				return true, nil
			}
		} else if c := new(rung.CloseError); !errors.As(err, &c) {
			return false, err
		}
		t /= 2
		s.radius = max(s.radius/2, leastRadius)
	}
	return false, nil
}

// reach returns the size of the step s.d relative to the largest that is taken: of
// rotations, and of travels, which may become larger while steps do what they
// promise.
func (s *search) reach() (size float64) {
	turn, travel := balanceTurn*min(1, s.radius), s.length*s.radius
	for i := 0; i < len(s.d); i += 6 {
		size = max(size, spatial.Vec3(s.d[i:i+3]).Norm()/turn, spatial.Vec3(s.d[i+3:i+6]).Norm()/travel)
	}
	return size
}

// moveTo stores in dst the poses of s.st after the displacement t·d: centres of mass
// along lines, rotations about fixed axes.
func (s *search) moveTo(dst *mechanism.State, t float64) {
	for i := range s.st.Bodies {
		from, to := &s.st.Bodies[i], &dst.Bodies[i]
		com := s.sys.mech.Bodies[i].Com
		arm := from.Rotation.Rotate(com)
		to.Rotation = from.Rotation.Integrate(spatial.Vec3(s.d[6*i:6*i+3]), t)
		step := spatial.Vec3(s.d[6*i+3 : 6*i+6]).Scale(t)
		to.Position = from.Position.Add(step.Add(arm.Sub(to.Rotation.Rotate(com))))
	}
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
		travel, phi := displacement(sys.mech, i, s.st, s.try)
		for k := range 3 {
			sum += (s.f0[6*i+k] + f[i][k]) * phi[k] / 2
			sum += (s.f0[6*i+3+k] + f[i][3+k]) * travel[k] / 2
		}
	}
	return sum, nil
}

// displacement returns the travel of the centre of mass of body i from one state to
// another, and its rotation vector.
func displacement(m *mechanism.Mechanism, i int, from, to *mechanism.State) (travel, phi spatial.Vec3) {
	a, b := &from.Bodies[i], &to.Bodies[i]
	com := m.Bodies[i].Com
	travel = b.Position.Sub(a.Position).Add(b.Rotation.Rotate(com).Sub(a.Rotation.Rotate(com)))
	if a.Rotation != b.Rotation {
		phi = b.Rotation.Mul(a.Rotation.Conj()).Log()
	}
	return travel, phi
}
