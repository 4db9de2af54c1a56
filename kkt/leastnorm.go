package kkt

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/mechanism"
)

// Largest residuals with which multipliers count as having the least norm. Rounding leaves 1e-15,
// but in dependent columns it may leave more. The effect on the bodies changes by as much.
const (
	optimalTol   = 1e-10 // LeastNorm.Optimality
	unchangedTol = 1e-10 // LeastNorm.Change
	roundedTol   = 1e-8  // largest LeastNorm.Change if the remainder of a dependent column was as large
)

// isLeast reports whether multipliers with the residuals how, from a basis with the gap g, have the least norm.
func isLeast(how factor.LeastNorm, g factor.SpanGap) bool {
	return how.Optimality <= optimalTol && how.Change <= max(unchangedTol, min(g.Dropped, roundedTol))
}

// confirm compares the rank that the pivots tell with the rank of an orthogonal factorization of
// the geometric matrix. If the second rank is different and clear, confirm takes it. For pivots are squares of the remainders that
// the orthogonal factorization finds, and rounding hides remainders below
// 1e-8 of their scale. Rows so close to redundant make a nearly singular system. confirm reports whether the orthogonal factorization is
// clear and finds the rank of the pivots.
func (s *explainer) confirm(r *Report, k *ranking) (sure bool) {
	if k.span = s.newSpan(); k.span == nil {
		return false // Report returns the cause
	}
	counted := len(s.x) - s.plan.first() - r.Redundant
	if k.off = s.violation(); s.work.watch.Up() {
		return false
	}
	sure = s.factorSpan(k.span, s.sys.Scale, counted, k.off)
	if k.rows == nil && sure && k.span.Rank() != counted {
		r.NearSingular = true
		s.recount(r, r.Redundant+counted-k.span.Rank(), k)
		return false
	}
	return sure && k.span.Rank() == counted
}

// recount replaces the number of redundant rows that the pivots have told. The rows it counts as redundant are those
// whose pivots grow most with the proximal term.
func (s *explainer) recount(r *Report, redundant int, k *ranking) {
	first := s.plan.first()
	rows := make([]int, 0, len(s.x)-first)
	for i := first; i < len(s.x); i++ {
		rows = append(rows, i)
	}
	growth := func(i int) float64 { return k.p2[i] / k.p1[i] }
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(growth(b), growth(a)) })
	r.Redundant = redundant
	clear(r.RedundantRows)
	p := s.plan.layout.Pattern
	for _, i := range rows[:redundant] {
		node, _ := slices.BinarySearch(p.Off, int32(i+1))
		r.RedundantRows[s.plan.layout.NodeConstraint(node-1)]++
	}
}

// spread marks the components of wrenches that the constraints leave undetermined, and replaces
// the multipliers by those of least norm in the given metric, theory.md (27). The geometric
// matrix and its scales are in s.sys.
func (s *explainer) spread(r *Report, metric []float64, k *ranking) {
	s.uniqueness(r, k)
	if s.factorSpan(k.span, metric, r.Rank+s.plan.gears(), k.off); s.work.watch.Up() {
		return
	}
	x := append([]float64(nil), s.x...)
	how := k.span.LeastNormTo(x)
	if r.NormResidual = max(how.Optimality, how.Change); !(r.NormResidual < 1) {
		r.NormResidual = 1 // no norm at all, perhaps not a number
	}
	if r.LeastNorm = isLeast(how, k.span.Gap()); r.LeastNorm {
		copy(s.x, x)
	}
}

const (
	probes   = 2    // random null vectors of the uniqueness test
	probeTol = 1e-8 // largest component of a null vector that counts as zero, relative to the joint's scale; rounding leaves 1e-13
)

// uniqueness finds the wrench components and multipliers of couplings that the constraints leave undetermined. A random
// vector minus the vector of least norm with the same effect is a null vector. With
// probability one all these components are different from zero in it.
func (s *explainer) uniqueness(r *Report, k *ranking) {
	rng := rand.New(rand.NewPCG(1, uint64(len(s.x))))
	z := make([]float64, len(s.x))
	for range probes {
		s.nullVector(z, k, rng)
		for j := range r.Undetermined {
			if s.work.watch.Every(j) {
				return
			}
			s.probeJoint(r, j, z)
		}
		for i := range r.UndeterminedCouplings {
			s.probeCoupling(r, i, z)
		}
	}
}

// probeCoupling marks coupling i as undetermined if its multiplier in the null vector v is not zero.
func (s *explainer) probeCoupling(r *Report, i int, v []float64) {
	o := s.plan.layout.Pattern.Off[s.plan.layout.CouplingNode(i)]
	if math.Abs(v[o])*math.Sqrt(s.sys.Scale[o]) > probeTol {
		r.UndeterminedCouplings[i] = true
	}
}

// nullVector stores in z a random reaction without effect on any body, of order 1 in the metric of the rows' scales.
func (s *explainer) nullVector(z []float64, k *ranking, rng *rand.Rand) {
	first := s.plan.first()
	clear(z[:first])
	c := make([]float64, len(z))
	for i := first; i < len(c); i++ {
		c[i] = (0.5 + rng.Float64()) / math.Sqrt(s.sys.Scale[i])
		if rng.Uint64()&1 == 1 {
			c[i] = -c[i]
		}
	}
	if s.work.watch.Up() {
		return
	}
	if k.rows != nil {
		k.rows.nullTo(z, c)
		return
	}
	copy(z, c)
	k.span.LeastNormTo(z)
	for i := first; i < len(z); i++ {
		z[i] = c[i] - z[i]
	}
}

// probeJoint marks the components of joint j's total wrench that are not zero for the null-space
// multipliers v.
func (s *explainer) probeJoint(r *Report, j int, v []float64) {
	node, mech := s.plan.layout.JointNode(j), s.plan.mech
	if node < 0 && len(mech.LegsAt(j)) == 0 {
		return
	}
	p := s.plan.layout.Pattern
	w := s.couplingWrench(j, v)
	if node >= 0 {
		w = w.Add(s.wrench(j, v[p.Off[node]:p.Off[node+1]]))
	}
	l := 0.0
	for _, b := range [...]int32{mech.Joints[j].Pred, mech.Joints[j].Succ} {
		if b >= 0 {
			l = max(l, s.plan.length[b])
		}
	}
	if s.plan.mech.HasBearing(j) {
		var jk mechanism.JointKinematics
		s.plan.mech.JointTo(&jk, j, s.now.kin, s.st)
		if s.plan.mech.BearingLoad(j, &w, &jk) > probeTol {
			r.Undetermined[j] |= bearingBit
		}
	}
	for c, x := range w {
		tol := probeTol
		if c < 3 {
			tol *= l
		}
		if math.Abs(x) > tol {
			r.Undetermined[j] |= componentBit(c)
		}
	}
}
