package kkt

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// Limits of the test for singular poses.
const (
	singularStep = 1e-5 // largest rotation of a body from the pose to each of the poses compared, rad
	// singularTol is the largest part of (dJ/dv)ᵀ·y in the motions, relative to the reaction y, that counts as zero. Differences have
	// errors of singularStep², and of rounding divided by singularStep.
	singularTol = 1e-6
)

// atSingular tests whether redundant rows cease to be redundant along a motion that the joints
// allow. The pose is then singular: r gets the distance 0, NearSingular, and the joint.
//
// Let y be a reaction without effect, Jᵀy = 0, and v a motion, J·v = 0. If the rank is the same
// nearby, y continues along v, theory.md (34), 0 = d(Jᵀy)/dv = (dJ/dv)ᵀ·y + Jᵀ·dy/dv. So the
// part of (dJ/dv)ᵀ·y in the motions that the joints allow is zero. y and v are random.
//
// The geometric matrix is in s.sys, and its factor with terms on all rows in s.work.fac.
func (s *explainer) atSingular(r *Report, k *ranking) {
	if r.NearSingular {
		return // the pose is known to be near a singular one, and nearly redundant rows have no null vector
	}
	rng := rand.New(rand.NewPCG(2, uint64(len(s.x))))
	y, allowed := make([]float64, len(s.x)), s.newAllowed()
	s.nullVector(y, k, rng)
	v := allowed.random(rng)
	if v == nil || s.work.watch.Up() {
		return
	}
	turning, reaction, ahead, behind := s.turning(y, v)
	if turning == nil {
		return // a joint loses its direction on the way
	}
	allowed.project(turning)
	turning = turning[:6*len(s.plan.length)]
	if turns(algebra.MaxAbs(turning), reaction) {
		r.Distance, r.NearSingular = 0, true
		r.WeakestJoint = s.turningJoint(turning, y, ahead, behind)
	}
}

// turns reports whether worst, the largest number of (dJ/dv)ᵀ·y in the motions, is above rounding; reaction is the largest number of y in
// units of the rows.
func turns(worst, reaction float64) bool { return worst > singularTol*reaction }

// turning returns (dJ/dv)ᵀ·y, the largest number of y in units of the rows, and the systems at the poses ahead and behind that are
// compared. It returns nil if one of these systems cannot be filled.
func (s *explainer) turning(y, v []float64) (turning []float64, reaction float64, ahead, behind *assemble.Weighted) {
	ahead, ok := s.geometricAt(v, singularStep)
	behind, ok2 := s.geometricAt(v, -singularStep)
	if !ok || !ok2 {
		return nil, 0, nil, nil
	}
	p := s.plan.layout.Pattern
	turning = make([]float64, len(s.x))
	for node := p.Positive(); node < p.Len() && !s.work.watch.Every(node); node++ {
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			reaction = max(reaction, math.Abs(y[i])*math.Sqrt(ahead.Scale[i]))
		}
		for k := p.Ptr[node]; k < p.Ptr[node]+int32(len(s.plan.bodiesOf(node))); k++ {
			addTurning(turning[p.Off[p.Ind[k]]:][:6], ahead, behind, p.Pos[k], y[p.Off[node]:p.Off[node+1]])
		}
	}
	return turning, reaction, ahead, behind
}

// allowed projects motions on the motions that the joints allow, with the factor of the geometric matrix that has proximal terms on all
// rows. Each projection is refined, because the factor alone may leave J·v of order 1 in long rows of redundant loops.
type allowed struct {
	s       *explainer
	b, rest []float64
}

// newAllowed allocates an allowed.
func (s *explainer) newAllowed() *allowed {
	return &allowed{s, make([]float64, len(s.x)), make([]float64, len(s.x))}
}

// project replaces the motion in v by its projection. v has all scalars of the system; the rest of it is overwritten.
func (a *allowed) project(v []float64) {
	n := a.s.plan.first()
	copy(a.b[:n], v)
	a.s.work.fac.SolveRefinedTo(v, a.rest, a.b, a.s.sys.Matrix, 0)
}

// random returns a random motion in which no body moves by more than a radian or its length, or nil if nothing moves. It is
// in the coordinates of the geometric system.
func (a *allowed) random(rng *rand.Rand) []float64 {
	v, length := make([]float64, len(a.s.x)), a.s.plan.length
	n := 6 * len(length)
	for i := range n {
		v[i] = rng.Float64() - 0.5
	}
	a.project(v)
	if !toUnitSpeed(v[:n], length) {
		return nil
	}
	return v
}

const (
	softStep    = 1e-4                      // largest rotation of a body to the poses on both sides, rad
	softFar     = 0.05                      // distance of a singular pose, rad, up to which it counts as near
	softBelow   = 10 * NearSingularDistance // distances below it are tested
	softMotions = 2                         // number of random motions
)

// soft reports whether pivots are small because the mechanism has soft directions, as long loops have at every pose, and not
// because the pose is next to a singular one. Next to a singular pose the distance (33) falls to zero along some motion, within a
// rotation of about the distance itself. So soft compares the distance of each row with its slope along random motions, between two
// poses nearby. It returns false if nothing moves, or if the pivots in doubles give no distance as small as the report's.
//
// It leaves the factor of this pose in the workspace.
func (s *explainer) soft(r *Report, k *ranking) bool {
	if r.NearSingular || !isSmall(r.Distance) {
		return false
	}
	here := s.rowDistances(k.p1, k.p2, k.redundant)
	if !(slices.Min(here) <= r.Distance) {
		return false
	}
	rng, motions := rand.New(rand.NewPCG(4, uint64(len(s.x)))), s.newAllowed()
	var v [softMotions][]float64
	for i := range v {
		if v[i] = motions.random(rng); v[i] == nil {
			return false
		}
	}
	isSoft := true
	for i := range v {
		isSoft = isSoft && s.isSoftAlong(v[i], here, k)
	}
	return s.geometricPivots(s.sys, make([]float64, len(s.x)), make([]float64, len(s.x))) == nil && isSoft
}

// isSoftAlong reports whether no small distance of a row falls to zero along the motion v. It leaves the factor of another pose.
func (s *explainer) isSoftAlong(v, here []float64, k *ranking) bool {
	p1, p2 := make([]float64, len(s.x)), make([]float64, len(s.x))
	var side [2][]float64
	for i, h := range [2]float64{-softStep, softStep} {
		at, ok := s.geometricAt(v, h)
		if !ok || s.work.watch.Up() || s.geometricPivots(at, p1, p2) != nil {
			return false
		}
		side[i] = s.rowDistances(p1, p2, k.redundant)
	}
	for i, d := range here {
		if isFalling(d, side[1][i]-side[0][i]) {
			return false
		}
	}
	return true
}

// isSmall reports whether a distance is so small that it may come from a soft direction or a singular pose.
func isSmall(d float64) bool { return d < softBelow }

// isFalling reports whether a distance d is small and falls to zero within softFar, where change is its change between the poses on both
// sides, 2·softStep apart.
func isFalling(d, change float64) bool {
	return isSmall(d) && !(math.Abs(change)*softFar < 2*softStep*d)
}

// rowDistances returns the distance (33) for each scalar of the system that is a row and not redundant, and 1 for the others.
func (s *explainer) rowDistances(p1, p2 []float64, redundant []bool) []float64 {
	d := make([]float64, len(p1))
	for i := range d {
		d[i] = 1
		if i >= s.plan.first() && !redundant[i] && s.sys.Scale[i] > 0 {
			d[i] = rowDistance(-p1[i], -p2[i], s.sys.Scale[i])
		}
	}
	return d
}

// Limits of the search for the weakest direction.
const (
	weakSteps = 12   // solves at most
	weakTol   = 1e-2 // relative change of the singular value that ends it
)

// weaken replaces the distance of single pivots by one that does not depend on the order, where rows are redundant and the pose is
// not nearly singular. There a pivot depends on which rows of a dependent set came before. So (33) is taken for one row as if
// it came last, with the reaction shared by all rows of a dependent set. With S⁺ in units of the rows' scales, eᵢ the row and
// z = S⁺eᵢ, its pivot is 1/zᵢ and its n is ‖z‖²/zᵢ², so √t·n is ‖z‖²/zᵢ^(5/2). The row is the one with the largest part in the
// direction of the least singular value, which inverse iteration finds (Golub & Van Loan 2013 §8.2.2).
//
// The weakest joint stays the one of the pivots. Unless the mechanism is soft, the distance is the one of the pivots at
// NearSingularDistance, and goes over to the new one up to softBelow, as a geometric mean. If a solve does not converge, the distance of
// the pivots stays.
func (s *explainer) weaken(r *Report, k *ranking, isSoft bool) {
	if r.NearSingular {
		return
	}
	row, ok := s.weakestRow(k)
	if !ok {
		return
	}
	x := make([]float64, len(s.x))
	x[row] = 1 / math.Sqrt(s.sys.Scale[row])
	k.span.LeastNormTo(x)
	if !s.response(x, k) {
		return
	}
	norm, z := s.rowNorm(x), math.Abs(x[row])*math.Sqrt(s.sys.Scale[row])
	d := norm * norm / (z * z * math.Sqrt(z))
	if part := math.Log(r.Distance/NearSingularDistance) / math.Log(softBelow/NearSingularDistance); !isSoft && part < 1 {
		d = math.Pow(r.Distance, 1-part) * math.Pow(d, part)
	}
	if d > 0 { // not NaN
		r.Distance = min(max(d, NearSingularDistance), 1)
	}
}

// weakestRow returns the row, as a scalar of the system, with the largest part in the direction of the least singular value. ok is false if
// a solve does not converge.
func (s *explainer) weakestRow(k *ranking) (row int, ok bool) {
	first := s.plan.first()
	x, b := make([]float64, len(s.x)), make([]float64, len(s.x))
	rng := rand.New(rand.NewPCG(3, uint64(len(s.x))))
	for i := range first {
		b[i] = rng.Float64() - 0.5
	}
	s.sys.Matrix.MulVecTo(x, b)
	clear(x[:first])
	for i := first; i < len(x); i++ {
		if s.sys.Scale[i] > 0 {
			x[i] /= s.sys.Scale[i]
		}
	}
	was := 0.0
	for range weakSteps {
		size := s.rowNorm(x)
		if !(size > 0) || s.work.watch.Up() {
			return 0, false
		}
		if converges(size-was, size) {
			break
		}
		was = size
		for i := first; i < len(x); i++ {
			x[i] /= size
		}
		if !s.response(x, k) {
			return 0, false
		}
	}
	most := algebra.NewPeak(0)
	for i := first; i < len(x); i++ {
		most.Take(math.Abs(x[i])*math.Sqrt(s.sys.Scale[i]), i)
	}
	return most.At, most.At >= 0
}

// response replaces the reactions x by S⁺·D·x, with D the scales of the rows. Rounding leaves a part of the result in the null space of Jᵀ,
// which the proximal term would enlarge the next time; the orthogonal factors of k remove it. response reports whether the solve
// has converged.
func (s *explainer) response(x []float64, k *ranking) bool {
	b, rest := make([]float64, len(x)), make([]float64, len(x))
	for i := s.plan.first(); i < len(x); i++ {
		b[i] = x[i] * s.sys.Scale[i]
	}
	ref := s.work.fac.SolveRefinedTo(x, rest, b, s.sys.Matrix, 0)
	clear(x[:s.plan.first()])
	if !converges(ref.Error, 1) {
		return false
	}
	k.span.LeastNormTo(x)
	return true
}

// converges reports whether the change of a number of the given size is small enough to end the search.
func converges(change, size float64) bool { return math.Abs(change) <= weakTol*size }

// rowNorm returns the norm of reactions in units of the rows' scales.
func (s *explainer) rowNorm(x []float64) (norm float64) {
	for i := s.plan.first(); i < len(x); i++ {
		norm += x[i] * x[i] * s.sys.Scale[i]
	}
	return math.Sqrt(norm)
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

// turningJoint returns the joint or coupling whose term of (dJ/dv)ᵀ·y is largest on the body that has the largest number in motion.
func (s *explainer) turningJoint(motion, y []float64, ahead, behind *assemble.Weighted) int {
	layout := s.plan.layout
	p := layout.Pattern
	body, most := algebra.Largest(motion)/6, algebra.NewPeak(-1)
	for node := p.Positive(); node < p.Len(); node++ {
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			if int(p.Ind[k]) != body {
				continue
			}
			var w [6]float64
			addTurning(w[:], ahead, behind, p.Pos[k], y[p.Off[node]:p.Off[node+1]])
			most.Take(algebra.MaxAbs(w[:]), layout.NodeConstraint(node))
		}
	}
	return most.At
}

// geometricAt returns the geometric system at the pose after the motion v for a time h; v is in the coordinates of that
// system, (ℓ·ω, ċ) in the axes of the bodies. It reports whether all joints have directions there.
func (s *explainer) geometricAt(v []float64, h float64) (*assemble.Weighted, bool) {
	length := s.plan.length
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
