package tree

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The inertia H of a tree with rods and point masses may be singular: some of their rotations have inertia only by the bodies that loops
// connect to them. So a ClosedSolver factors H + N, where N, the held inertia, gives inertia to bodies that have none in a direction
// (mechanism.Singular). It removes the effect of N by conjugate gradients within the motions that the loops allow, with these factors as
// preconditioner. In a direction with the held inertia h, to which joints and loops add the inertia m, the preconditioner leaves the part
// h/(h + m) of an error, theory.md (H3).

// heldLink is a direction of a link without inertia.
type heldLink struct {
	link int32
	axis spatial.Vec3 // unit vector in body axes
	hold float64      // held inertia about it, kg m²
}

// newHeld lists the directions of links without inertia.
func (p *Plan) newHeld() (list []heldLink) {
	for _, s := range p.mech.Singular() {
		for _, n := range s.Axes {
			list = append(list, heldLink{p.LinkOf[s.Body], n, s.Hold})
		}
	}
	return list
}

// holdComposites adds N to the inertias of the links in w.comp.
func (w *Workspace) holdComposites() {
	for i := range w.plan.held {
		h := &w.plan.held[i]
		n := w.kin.Bodies[w.plan.Links[h.link].Body].E.MulVec(h.axis)
		J := &w.comp[h.link].J
		*J = J.Add(spatial.Sym3{n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2]}.Scale(h.hold))
	}
}

// addHeldTo adds N·qdd to tau.
func (w *Workspace) addHeldTo(tau, qdd []float64) {
	p := w.plan
	w.sweep(qdd)
	clear(w.wr)
	for i := range p.held {
		h := &p.held[i]
		n := w.kin.Bodies[p.Links[h.link].Body].E.MulVec(h.axis)
		t := h.hold * n.Dot(spatial.Vec3(w.links[h.link].a[:3]))
		for k := range n {
			w.wr[h.link][k] += t * n[k]
		}
	}
	for i := len(p.Links) - 1; i >= 0; i-- {
		l, f := &p.Links[i], &w.wr[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			tau[d] += w.s[d].Dot(f)
		}
		if l.Parent != World {
			addShifted(&w.wr[l.Parent], f, &w.links[i].r)
		}
	}
}

const (
	// heldMax bounds the steps of conjugate gradients. Their number grows with the root of the largest h/m, theory.md (H3), where many
	// directions have different h/m. They end at a step of heldTol relative to the solution. If they do not get there, a last step of
	// heldEnough is accepted.
	heldMax    = 5000
	heldTol    = 1e-15
	heldEnough = 1e-11
	// heldLost is the part of a random vector that may remain where determined decides that no rotation is free. undetermined is the part
	// m/(h + m) up to which m counts as zero.
	heldLost     = 1e-9
	undetermined = 1e-9
)

// randomStart returns the random vector of n entries from which determined starts.
func randomStart(n int) []float64 {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x := make([]float64, n)
	for d := range x {
		x[d] = rng.Float64() - 0.5
	}
	return x
}

// release removes the effect of the held inertia N from the solution, theory.md (H1). It returns ErrInaccurate, with the joint or body of
// the largest entry of the next step, if that step is too large.
func (s *ClosedSolver) release() error {
	x, r, z, p, Ap := s.qdd, s.rf, s.dq, s.probe[0], s.probe[1]
	cg := algebra.Conjugate{P: p}
	load, left := s.forceNorm(s.f), 0.0 // left is the next step, relative to the solution
	s.freeResidual(r, x)
	for k := 0; k < heldMax && !s.watch.Up(); k++ {
		rz := s.precondition(z, r)
		left = math.Sqrt(max(rz, 0)) / max(s.accelerationNorm(x), load)
		if !(rz > 0) || left <= heldTol {
			break
		}
		cg.Turn(z, rz)
		s.trueInertiaTo(Ap, p)
		pAp := floats.Dot(p, Ap)
		if !(pAp > 0) {
			break
		}
		a := rz / pAp
		floats.AddScaled(x, a, p)
		floats.AddScaled(r, -a, Ap)
	}
	if left > heldEnough && !s.watch.Up() {
		return s.atWorst(z, fault.Errorf("%w: there is next to no inertia (last relative step %.3g)", ErrInaccurate, left))
	}
	// The multipliers balance the remaining forces.
	s.freeResidual(r, x)
	s.how.solveTo(s, z, s.all, r, s.zero)
	if s.G != nil {
		rest := s.all[s.K.rows:]
		s.G.MulVecTo(rest, x)
		for i, I := range s.G.inertia {
			rest[i] = -I * (rest[i] - s.k[s.K.rows+i])
		}
	}
	return nil
}

// precondition stores in z the motion (H + N)⁻¹·r that the loops allow, and returns r·z.
func (s *ClosedSolver) precondition(z, r []float64) float64 {
	s.how.solveTo(s, z, s.dl, r, s.zero)
	s.K.AddMulTransTo(r, s.dl[:s.K.rows]) // removes the part of r that joints bear: it does no work on z, but would cost digits
	return floats.Dot(r, z)
}

// trueInertiaTo stores H·x in y, H without N and with the armature of gears.
func (s *ClosedSolver) trueInertiaTo(y, x []float64) {
	s.bodyInertiaTo(y, x)
	if s.G != nil {
		t := s.rk[s.K.rows:]
		s.G.MulVecTo(t, x)
		for i, I := range s.G.inertia {
			t[i] *= I
		}
		s.G.AddMulTransTo(y, t)
	}
}

// bodyInertiaTo stores H·x in y, H without N and without the armature of gears.
func (s *ClosedSolver) bodyInertiaTo(y, x []float64) {
	s.H.MulVecTo(y, x)
	for d := range y {
		y[d] = -y[d]
	}
	s.w.addHeldTo(y, x)
	for d := range y {
		y[d] = -y[d]
	}
}

// freeResidual stores in r the forces that are left by the accelerations x, without multipliers: f − H·x, with the armature of gears.
func (s *ClosedSolver) freeResidual(r, x []float64) {
	s.trueInertiaTo(r, x)
	for d := range r {
		r[d] = s.f[d] - r[d]
	}
	if s.G != nil {
		t := s.rk[s.K.rows:]
		for i, I := range s.G.inertia {
			t[i] = I * s.k[s.K.rows+i]
		}
		s.G.AddMulTransTo(r, t)
	}
}

// determined tests whether rods and point masses have a rotation without inertia, theory.md (H3), by conjugate gradients for H·x = N·start.
// Such a rotation shows as a direction p with next to no inertia, or x becomes large along it. It returns mechanism.ErrUndetermined with
// the body and the axis, or ErrInaccurate if the steps are too few to decide.
func (s *ClosedSolver) determined() error {
	if s.plan.held == nil {
		return nil
	}
	x, r, z, p, Ap := s.qdd, s.rf, s.dq, s.probe[0], s.probe[1]
	clear(s.zero)
	for d := range p {
		p[d] = s.start[d] * s.colScale[d]
	}
	clear(x)
	clear(r)
	s.w.addHeldTo(r, p)
	begun, cg, k := floats.Dot(p, r), algebra.Conjugate{P: p}, 0
	for ; k < heldMax; k++ {
		rz := s.precondition(z, r)
		if s.watch.Up() {
			return nil
		}
		if !(rz > heldLost*heldLost*begun) {
			break
		}
		cg.Turn(z, rz)
		s.trueInertiaTo(Ap, p)
		pAp := floats.Dot(p, Ap)
		if pAp <= undetermined*(pAp+s.heldEnergy(z, p)) {
			return s.free(p)
		}
		a := rz / pAp
		floats.AddScaled(x, a, p)
		floats.AddScaled(r, -a, Ap)
	}
	switch {
	case s.heldEnergy(z, x)*undetermined*undetermined >= begun && begun > 0:
		return s.free(x)
	case k == heldMax:
		return s.atWorst(x, fault.Errorf("%w: there is next to no inertia", ErrInaccurate))
	}
	return nil
}

// heldEnergy returns x·N·x, and stores N·x in f.
func (s *ClosedSolver) heldEnergy(f, x []float64) float64 {
	clear(f)
	s.w.addHeldTo(f, x)
	return floats.Dot(f, x)
}

// free returns mechanism.ErrUndetermined with the body that rotates fastest about a held axis in the accelerations x, and the axis of that
// rotation in the world.
func (s *ClosedSolver) free(x []float64) error {
	clear(s.rf)
	s.w.addHeldTo(s.rf, x) // stores the accelerations of the links at q̈ = x in links[].a, which are used below
	most := algebra.NewPeak(-1)
	for i := range s.plan.held {
		h := &s.plan.held[i]
		n := s.w.kin.Bodies[s.plan.Links[h.link].Body].E.MulVec(h.axis)
		most.Take(math.Abs(n.Dot(spatial.Vec3(s.w.links[h.link].a[:3]))), int(h.link))
	}
	at := most.At
	alpha := spatial.Vec3(s.w.links[at].a[:3])
	alpha = alpha.Scale(1 / alpha.Norm())
	return fault.Errorf("tree: %w", s.plan.mech.AtBody(int(s.plan.Links[at].Body), fault.Errorf("%w, about the axis (%.4g, %.4g, %.4g) of the world",
		mechanism.ErrUndetermined, alpha[0], alpha[1], alpha[2])))
}
