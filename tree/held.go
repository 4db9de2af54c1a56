package tree

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The inertia H of a tree with rods and point masses may be singular, where the loops alone give their rotations inertia. So a
// ClosedSolver factors H + N, with some inertia held where bodies have none (mechanism.Singular), and takes N off by refinement: residuals are those
// of H. A correction leaves the part h/(h + m) of an error, m the inertia that joints and loops add.

// heldLink is a direction of a link without inertia.
type heldLink struct {
	link int32
	axis spatial.Vec3 // in body axes
	hold float64      // kg m²
}

// newHeld lists the directions without inertia by link.
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
	var none linkState
	for i := range p.Links {
		l, st := &p.Links[i], &w.links[i]
		up := &none
		if l.Parent != World {
			up = &w.links[l.Parent]
		}
		carryVelocity((*spatial.Motion)(&st.a), (*spatial.Motion)(&up.a), &st.r)
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			x, S := qdd[d], &w.s[d]
			for k := range st.a {
				st.a[k] += x * S[k]
			}
		}
		w.wr[i] = spatial.Force{}
	}
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
	// heldMax bounds the refinements that take N off; heldShrink is the part that one has to leave at most.
	heldMax    = 400
	heldShrink = 0.98
	// heldTests is the number of steps of the power method that look for a rotation that nothing resists, and undetermined the part of
	// it that a step loses at most.
	heldTests    = 60
	undetermined = 1e-9
)

// determined tests by the power method whether a rotation of a rod or a point mass is left that nothing resists: x ← (H + N)⁻¹·N·x on
// the motions that the loops allow keeps such an x, and shrinks the others.
func (s *ClosedSolver) determined() error {
	if s.plan.held == nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(5, uint64(s.plan.nv)))
	x, f := s.probe[0], s.probe[1]
	for d := range x {
		x[d] = (rng.Float64() - 0.5) * s.colScale[d]
	}
	clear(s.zero)
	last := 0.0
	for k := range heldTests {
		clear(f)
		s.w.addHeldTo(f, x)
		s.how.solveTo(s, x, s.dl, f, s.zero)
		size := s.norm(x, true)
		if size == 0 || s.watch.Up() {
			return nil
		}
		if k > 2 && size < 0.5*last {
			return nil
		}
		if k == heldTests-1 && size >= (1-undetermined)*last {
			break
		}
		for d := range x {
			x[d] /= size
		}
		last = 1
		if k == heldTests-1 {
			return nil
		}
	}
	clear(f)
	s.w.addHeldTo(f, x)
	at, most := 0, -1.0
	for i := range s.plan.held {
		h := &s.plan.held[i]
		n := s.w.kin.Bodies[s.plan.Links[h.link].Body].E.MulVec(h.axis)
		if a := math.Abs(n.Dot(spatial.Vec3(s.w.links[h.link].a[:3]))); a > most {
			at, most = int(h.link), a
		}
	}
	alpha := spatial.Vec3(s.w.links[at].a[:3])
	alpha = alpha.Scale(1 / alpha.Norm())
	return fault.Errorf("tree: %w", s.plan.mech.AtBody(int(s.plan.Links[at].Body), fault.Errorf("%w, about the axis (%.4g, %.4g, %.4g) of the world",
		mechanism.ErrUndetermined, alpha[0], alpha[1], alpha[2])))
}
