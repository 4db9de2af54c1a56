package kkt

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// releaseSteps is the largest number of corrections of z, releaseProducts the largest number of products with B in each. If many
	// directions have different h/m, (H3), the number of products grows with the root of the largest: 1500 for a thousand directions down
	// to m = 1e-5·h.
	releaseSteps    = 8
	releaseProducts = 3000
	// releaseShrink is the largest part of a residual that a correction may leave if another one is to follow.
	releaseShrink = 0.5
	// releaseTol is the residual of z = c + B·z, relative to the size of the solution, at which corrections end.
	// enoughReleased is the largest residual that is accepted if they do not reach releaseTol.
	releaseTol     = 1e-15
	enoughReleased = 1e-11
	// innerTol is the residual of conjugate gradients, relative to the right side.
	innerTol = 1e-9
	// undetermined is an eigenvalue of 1 − B up to which it counts as zero.
	undetermined = 1e-9
)

// releaser takes the held inertia off the solution of a Solver; see held.
type releaser struct {
	s       *core
	b, x    []float64 // right side and solution of a product, by scalar of the system
	z, y, c []float64 // by direction: Uᵀ·x in the right side, its correction, and the residual
	r, p, q []float64 // of conjugate gradients, by direction
	probe   []float64 // random, by direction
}

// newReleaser allocates the memory to take the held inertia of its plan off the solutions of s.
func newReleaser(s *core) *releaser {
	n, k := s.plan.layout.Pattern.Dim(), len(s.plan.held)
	v := &releaser{s: s, b: make([]float64, n), x: make([]float64, n)}
	for _, list := range []*[]float64{&v.z, &v.y, &v.c, &v.r, &v.p, &v.q, &v.probe} {
		*list = make([]float64, k)
	}
	rng := rand.New(rand.NewPCG(3, uint64(k)))
	for i := range v.probe {
		v.probe[i] = 0.5 + rng.Float64()
		if rng.Uint64()&1 == 1 {
			v.probe[i] = -v.probe[i]
		}
	}
	s.right = make([]float64, n)
	return v
}

// run corrects the solution of s until the held inertia has no effect on it, theory.md (H1).
//
// Cost: some ten solves for the test whether the accelerations are determined, and some ten for each of two or three
// corrections, up to releaseProducts where m is far below h; no allocation. It returns mechanism.ErrUndetermined with the
// body and the direction if the accelerations are not determined, or ErrInaccurate with a body if z does not converge.
func (v *releaser) run() error {
	s := v.s
	if !s.now.Current() {
		if err := s.factorizeAgain(); err != nil {
			return err
		}
		s.stage = solved
	}
	if err := v.determined(); err != nil {
		return err
	}
	clear(v.z)
	v.polish()
	best := math.Inf(1)
	for step := 0; ; step++ {
		// The residual of z = Uᵀ·x(z).
		v.heldTo(v.c)
		for i := range v.c {
			v.c[i] -= v.z[i]
		}
		size := v.size()
		off := algebra.MaxAbs(v.c) / size
		if size == 0 {
			off = 0
		}
		if ends, found := released(step, off, best); found {
			return nil
		} else if ends {
			return v.lost(v.c)
		}
		best = off
		v.solve(v.y, v.c)
		for i, d := range v.y {
			v.z[i] += d
			h := &s.plan.held[i]
			for k := range h.u {
				s.sys.Right[int(h.row)+k] += d * h.u[k]
			}
		}
		s.alter()
		if s.way > KeepAllFirmly { // there is no factor in doubles: begin again with the first way
			if err := s.factorizeAgain(); err != nil {
				return err
			}
		}
		if err := s.solve(); err != nil {
			return err
		}
		v.polish()
	}
}

// released decides after a number of corrections, the given steps, from the residual off that they have left and the residual best before
// the last one. It reports whether the corrections end, and whether the solution is found then.
func released(step int, off, best float64) (ends, found bool) {
	if off <= releaseTol {
		return true, true
	}
	if step == releaseSteps || off > releaseShrink*best {
		return true, off <= enoughReleased // only the solution at hand counts, as the one before is overwritten
	}
	return false, false
}

// polish refines the solution of s once more, however small its error is, because (1 − B)⁻¹ enlarges the error in the
// held directions. It does nothing for the ways without a factor in doubles, whose solutions are accurate enough.
func (v *releaser) polish() {
	s := v.s
	if s.way > KeepAllFirmly {
		return
	}
	copy(v.x, s.x)
	s.sys.WeighTo(v.x, v.x)
	s.sys.Matrix.ResidualTo(v.b, s.sys.Right, v.x)
	s.now.SolveTo(v.b, v.b)
	for i, d := range v.b {
		v.x[i] += d
	}
	s.sys.AccelerationsTo(v.x, v.x)
	copy(s.x, v.x)
	clear(v.b)
}

// heldTo stores Uᵀ·x in z, the held parts of the solution x of s.
func (v *releaser) heldTo(z []float64) {
	s := v.s
	for i := range s.plan.held {
		h := &s.plan.held[i]
		alpha := spatial.Vec3(s.x[h.row : h.row+3])
		n := s.now.kin.Bodies[h.body].E.MulVec(h.axis)
		z[i] = h.root * n.Dot(alpha)
	}
}

// size returns the size of the solution in weighted coordinates.
func (v *releaser) size() float64 {
	return max(v.s.ref.Size, v.s.free, algebra.MaxAbs(v.z))
}

// product stores p − B·p in q.
func (v *releaser) product(q, p []float64) {
	s := v.s
	for i := range p {
		h := &s.plan.held[i]
		for k := range h.u {
			v.b[int(h.row)+k] += p[i] * h.u[k]
		}
	}
	s.now.SolveTo(v.x, v.b)
	for i := range p {
		h := &s.plan.held[i]
		q[i] = p[i] - (h.u[0]*v.x[h.row] + h.u[1]*v.x[h.row+1] + h.u[2]*v.x[h.row+2])
		clear(v.b[h.row : h.row+3])
	}
}

// solve finds y with (1 − B)·y = c, theory.md (H2), by conjugate gradients. It reports whether it has found y, and returns the
// least quotient pᵀ(1 − B)p/pᵀp of its directions, which is an upper bound of the least eigenvalue. If that counts as zero, solve ends at
// once with the direction in v.p. ok is also true if the watch has ended it.
func (v *releaser) solve(y, c []float64) (ok bool, least float64) {
	clear(y)
	copy(v.r, c)
	copy(v.p, c)
	rr := algebra.Dot(c, c)
	enough := innerTol * innerTol * rr
	least = math.Inf(1)
	for range releaseProducts {
		if rr <= enough || v.s.work.watch.Up() {
			return true, least
		}
		v.product(v.q, v.p)
		pq, pp := algebra.Dot(v.p, v.q), algebra.Dot(v.p, v.p)
		if least = min(least, pq/pp); !(least > undetermined) {
			return false, least
		}
		a := rr / pq
		for i := range y {
			y[i] += a * v.p[i]
			v.r[i] -= a * v.q[i]
		}
		was := rr
		rr = algebra.Dot(v.r, v.r)
		for i := range v.p {
			v.p[i] = v.r[i] + rr/was*v.p[i]
		}
	}
	return false, least
}

// determined tests with a random right side whether an eigenvalue of 1 − B is zero, which means m = 0 in theory.md (H3). A direction
// of the solve then has a quotient of zero, and determined returns mechanism.ErrUndetermined. If releaseProducts are too few to tell, it
// returns ErrInaccurate.
func (v *releaser) determined() error {
	ok, least := v.solve(v.y, v.probe)
	switch {
	case ok || v.s.work.watch.Up():
		return nil
	case least > undetermined:
		return v.lost(v.y)
	}
	copy(v.y, v.p) // the last direction is, up to rounding, an eigenvector of 1 − B for zero
	most := algebra.NewPeak(-1)
	for i, x := range v.y {
		most.Take(math.Abs(x)/v.s.plan.held[i].root, i)
	}
	return v.undetermined(most.At)
}

// undetermined returns the error for the body of direction number at, with the axis of its free rotation in the world. v.y is the
// rotation, by direction.
func (v *releaser) undetermined(at int) error {
	s := v.s
	body := s.plan.held[at].body
	var axis spatial.Vec3
	for i := range s.plan.held {
		if h := &s.plan.held[i]; h.body == body {
			axis = axis.Add(s.now.kin.Bodies[body].E.MulVec(h.axis).Scale(v.y[i]))
		}
	}
	axis = axis.Scale(1 / axis.Norm())
	return fault.Errorf("kkt: %w", s.plan.mech.AtBody(int(body), fault.Errorf("%w, about the axis (%.4g, %.4g, %.4g) of the world", mechanism.ErrUndetermined, axis[0], axis[1], axis[2])))
}

// lost returns the error for a z that does not converge. It names the body of the direction with the largest number in list.
func (v *releaser) lost(list []float64) error {
	at := algebra.Largest(list)
	return fault.Errorf("kkt: %w", v.s.plan.mech.AtBody(int(v.s.plan.held[at].body), fault.Errorf("%w: it has next to no inertia about an axis", ErrInaccurate)))
}

// factorizeAgain fills the whole system again, with the right side that it had, and factors it in the first way that works.
func (s *core) factorizeAgain() error {
	if err := s.sys.FillTo(s.st); err != nil {
		return err
	}
	s.restore()
	s.stage = assembled
	return s.factorize()
}
