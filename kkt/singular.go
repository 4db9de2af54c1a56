package kkt

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// Limits of the test for singular poses.
const (
	singularStep = 1e-5 // largest rotation of a body between the poses compared, rad
	// singularTol is the part of a null reaction that works on the motions, relative to their
	// sizes. Above it a pose is singular. Differences have errors of singularStep², and of
	// rounding divided by singularStep.
	singularTol = 1e-6
	movesTol    = 1e-6 // part of a random motion that the joints have to leave if a mechanism moves
)

// atSingular tests whether redundant rows cease to be redundant along a motion that the joints
// allow. The pose is then singular, which is stored in r.
//
// Let y be a reaction without effect, Jᵀy = 0, and v a motion, J·v = 0. If the rank is the same
// nearby, y continues along v, theory.md (34), 0 = d(Jᵀy)/dv = (dJ/dv)ᵀ·y + Jᵀ·dy/dv. So the
// part of (dJ/dv)ᵀ·y in the motions that the joints allow is zero. y and v are random.
//
// The geometric matrix is in s.sys.
func (s *Solver) atSingular(r *Report, k *ranking) {
	if r.NearSingular {
		return // that is known, and rows that are nearly redundant have no null vector
	}
	length, p := s.plan.length, s.plan.layout.Pattern
	n := 6 * len(length)
	// With the scales of the redundant rows on the diagonal, the factor replaces v by its part
	// in the motions that the joints allow.
	e := make([]float64, len(s.x))
	for i, redundant := range k.redundant {
		if redundant {
			e[i] = s.sys.Scale[i]
		}
	}
	if s.work.fac.Factorize(s.sys.Matrix, e, 1, factor.Everywhere) != nil {
		r.NearSingular = true
		return
	}
	motion := func(v []float64) {
		clear(v[s.plan.first():])
		s.work.fac.SolveTo(v, v)
	}
	rng := rand.New(rand.NewPCG(2, uint64(len(s.x))))
	y, v := make([]float64, len(s.x)), make([]float64, len(s.x))
	s.nullVector(y, k, rng)
	for i := range n {
		v[i] = rng.Float64() - 0.5
	}
	motion(v)
	speed := 0.0 // largest, rad or lengths of the body
	for i, x := range v[:n] {
		if !(math.Abs(x) > movesTol) {
			v[i] = 0
		}
		speed = max(speed, math.Abs(v[i])/length[i/6])
	}
	if speed == 0 {
		return // nothing moves
	}
	for i := range n {
		v[i] /= speed
	}
	if s.work.watch.Up() {
		return
	}
	ahead, ok := s.geometricAt(v, length, singularStep)
	behind, ok2 := s.geometricAt(v, length, -singularStep)
	if !ok || !ok2 {
		return // a joint loses its direction on the way
	}
	// (dJ/dv)ᵀ·y, and its part in the motions.
	turning := make([]float64, len(s.x))
	reaction := 0.0
	for node := p.Positive(); node < p.Len() && !s.work.watch.Every(node); node++ {
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			reaction = max(reaction, math.Abs(y[i])*math.Sqrt(ahead.Scale[i]))
		}
		for k := p.Ptr[node]; k < p.Ptr[node]+int32(len(s.plan.bodiesOf(node))); k++ {
			addTurning(turning[p.Off[p.Ind[k]]:][:6], ahead, behind, p.Pos[k], y[p.Off[node]:p.Off[node+1]])
		}
	}
	motion(turning)
	if worst := algebra.MaxAbs(turning[:n]); worst > singularTol*reaction {
		r.Distance, r.NearSingular = 0, true
		r.WeakestJoint = s.turningJoint(turning[:n], y, ahead, behind)
	}
}

// addTurning adds to out the derivative of the product of a block, at pos in the values of both systems, with y.
func addTurning(out []float64, ahead, behind *assemble.Weighted, pos int64, y []float64) {
	for k, f := range y {
		at := int(pos) + 6*k
		for i := range out {
			out[i] += (ahead.Matrix.Val[at+i] - behind.Matrix.Val[at+i]) / (2 * singularStep) * f
		}
	}
}

// turningJoint returns the joint whose reaction to y works most on the body of the largest motion.
func (s *Solver) turningJoint(motion, y []float64, ahead, behind *assemble.Weighted) int {
	layout := s.plan.layout
	p := layout.Pattern
	body := 0
	for i, x := range motion {
		if math.Abs(x) == algebra.MaxAbs(motion) {
			body = i / 6
			break
		}
	}
	joint, most := -1, 0.0
	for node := p.Positive(); node < p.Len(); node++ {
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			if int(p.Ind[k]) != body {
				continue
			}
			var w [6]float64
			addTurning(w[:], ahead, behind, p.Pos[k], y[p.Off[node]:p.Off[node+1]])
			if size := algebra.MaxAbs(w[:]); joint < 0 || size > most {
				joint, most = layout.NodeConstraint(node), size
			}
		}
	}
	return joint
}

// geometricAt returns the geometric system at the pose after the motion v for a time h; v is in the coordinates of that
// system, (ℓ·ω, ċ) in the axes of the bodies. It reports whether all joints have directions there.
func (s *Solver) geometricAt(v, length []float64, h float64) (*assemble.Weighted, bool) {
	world := make([]float64, 6*len(length))
	for i, l := range length {
		E, u := &s.now.kin.Bodies[i].E, (*[6]float64)(v[6*i:])
		w := E.MulVec(spatial.Vec3{u[0] / l, u[1] / l, u[2] / l})
		c := E.MulVec(spatial.Vec3{u[3], u[4], u[5]})
		copy(world[6*i:], w[:])
		copy(world[6*i+3:], c[:])
	}
	st := s.st.Clone()
	s.plan.mech.DisplaceTo(st, s.st, h, world)
	y := s.plan.layout.NewWeightedOn(s.work.team)
	y.Heed(s.work.watch)
	if y.FillTo(st) != nil {
		return nil, false
	}
	y.GeometricTo(make([]float64, len(length)))
	return y, true
}
