package kkt

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/rung-mbd/rung/internal/dd"
)

// verification has the redundant rows and the pivots that a Report finds with twice the digits.
type verification struct {
	p         *precise  // factored in the metric of the geometry
	redundant []bool    // by scalar of the system
	pivots    []float64 // by scalar of the system: geometric, relative to the row's scale
}

// verify solves with twice the digits unless the Solve has done so. It stores in r.IllScaled an acceleration that doubles or
// the data do not determine, and returns the redundant rows. It returns nil for a large
// mechanism without a reason to verify it, and where twice the digits do not tell redundant rows from others. doubt says that a nearly
// singular pose may be the cause.
func (s *explainer) verify(r *Report) (rows *verification, doubt bool) {
	wide := s.plan.spread.wide()
	if wide {
		r.IllScaled = s.plan.spread.describe()
	}
	if !s.verifies(r) {
		if wide {
			r.IllScaled.Text += "; the mechanism is too large to be solved with twice the digits, and doubles may not do"
		}
		return nil, false
	}
	if s.work.watch.Up() {
		return nil, false
	}
	was := append([]float64(nil), s.x...)
	way, err, inconsistency, ref := s.way, s.imprecise, s.inconsistency, s.ref
	doubled := way == TwiceTheDigits
	if !doubled && err == nil {
		err = s.refineMore()
	}
	if err != nil {
		if wide {
			r.IllScaled.Text += "; " + strings.TrimPrefix(err.Error(), "kkt: ")
		}
		if errors.Is(err, errContradict) && s.poseAgrees() {
			return s.redundant(r), false
		}
		return nil, doubts(err, s.more.error)
	}
	if !doubled {
		body, by, own := s.change(was)
		if by > lostTol {
			r.IllScaled = &IllScaled{Body: body, Joint: -1,
				Text: fmt.Sprintf("doubles lose its acceleration, which was found with twice the digits: a relative change of %.0e", by)}
		}
		if own <= sameTol { // the bits are those of Solve
			copy(s.x, was)
			s.way, s.inconsistency, s.ref = way, inconsistency, ref
		}
	}
	doubt = s.shake(r)
	if s.work.watch.Up() {
		return nil, false
	}
	return s.redundant(r), doubt
}

// verifies reports whether the mechanism is small enough for twice the digits; the limit is higher if there is a reason for them.
func (s *explainer) verifies(r *Report) bool {
	flops := s.plan.symbolic.Counts.Flops
	reason := s.plan.spread.wide() || r.BackwardError > soundResidual || s.ref.Error > lostDigits || s.way == TwiceTheDigits
	return flops <= verifyFlops || reason && flops <= preciseReportFlops
}

// poseAgrees reports whether twice the digits have a solution for random loads, with zero as the right side of all rows. If so, redundant
// rows contradict each other only in their right sides, by velocities or prescribed motions, and no true row passes for redundant. The
// redundant rows depend on the pose alone.
func (s *explainer) poseAgrees() bool {
	p := s.more
	rng := rand.New(rand.NewPCG(5, uint64(len(s.x))))
	p.own = make([]float64, len(s.x))
	for i := range p.own[:s.plan.first()] {
		p.own[i] = rng.Float64() - 0.5
	}
	err := p.solve(s.st, s.violation())
	p.own = nil
	return err == nil
}

// doubts reports whether the pose may be the reason why twice the digits have failed with err, after a correction of the given relative
// size.
func doubts(err error, correction float64) bool {
	return !(correction <= preciseTol) || !errors.Is(err, errImprecise) && !errors.Is(err, errRough)
}

// change returns the largest relative difference by between the accelerations of the solution and was, and its body; −1 if there is no
// difference. own is the largest difference relative to the largest acceleration of its kind, angular or linear, and the loads of its body
// alone (yardsticks).
func (s *explainer) change(was []float64) (body int, by, own float64) {
	free := make([]float64, len(was))
	s.more.sys.AccelerationsTo(free, s.more.sys.Right)
	of := s.yardsticks(free)
	body = -1
	for i, l := range s.plan.length {
		var d [6]float64
		for k := range d {
			d[k] = s.x[6*i+k] - was[6*i+k]
		}
		angular, linear := partsOf(free[6*i:])
		floor := [2]float64{max(angular, linear/l), max(angular*l, linear)}
		turn, travel := partsOf(d[:])
		for k, e := range [2]float64{turn, travel} {
			if x := e / max(of.alone[k], cancelled*floor[k]); x > own { // false for 0/0, which is NaN
				own = x
			}
			if x := e / max(of.size[k], cancelled*max(floor[k], of.loaded[k])); x > by {
				body, by = i, x
			}
		}
	}
	return body, by, own
}

// yardsticks are the sizes with which differences of accelerations are compared, [0] for angular ones, rad/s², and [1] for linear ones,
// m/s². An acceleration that symmetry makes zero consists of rounding of the others. Where loads balance each other, accelerations consist
// of rounding of the accelerations that the loads of each body alone would make.
type yardsticks struct {
	alone  [2]float64 // the largest acceleration of the kind
	size   [2]float64 // the largest acceleration of the kind, or of the other kind converted by the lengths of bodies if that is more
	loaded [2]float64 // the largest acceleration that the loads alone would make
}

// yardsticks returns the sizes with which changes of the solution are compared. The input free has the accelerations that the loads alone
// would make, six numbers a body.
func (s *explainer) yardsticks(free []float64) (of yardsticks) {
	longest, sweep := 0.0, 0.0 // sweep is the largest linear acceleration that turning gives to a point of a body
	for i, l := range s.plan.length {
		turning, travelling := partsOf(s.x[6*i:])
		of.alone[0], of.alone[1] = max(of.alone[0], turning), max(of.alone[1], travelling)
		longest, sweep = max(longest, l), max(sweep, turning*l)
		angular, linear := partsOf(free[6*i:])
		of.loaded[1] = max(of.loaded[1], angular*l, linear)
	}
	of.loaded[0] = of.loaded[1] / longest
	of.size[0], of.size[1] = max(of.alone[0], of.alone[1]/longest), max(of.alone[1], sweep)
	return of
}

// partsOf returns the norms of the angular and the linear part of the six numbers x.
func partsOf(x []float64) (angular, linear float64) {
	norm := func(v []float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }
	return norm(x[:3]), norm(x[3:6])
}

// shake solves with the directions of the rows rounded in another way, and names in r a body whose acceleration changes much. doubt says
// that there is no solution with these directions.
func (s *explainer) shake(r *Report) (doubt bool) {
	p := s.more
	p.sys.Shake(true)
	defer p.sys.Shake(false)
	if p.solve(s.st, s.violation()) != nil {
		return true
	}
	x := make([]float64, 6*s.plan.mech.NumBodies())
	p.sys.AccelerationsTo(x, p.x)
	if body, by, _ := s.change(x); by > lostTol {
		r.IllScaled = &IllScaled{Body: body, Joint: -1,
			Text: fmt.Sprintf("the data do not determine its acceleration: one unit in the last place of the joints' directions changes it by %.0e", by)}
	}
	return false
}

// redundant finds the redundant rows in the metric of the geometry. It returns nil if a factorization fails. If the metric of the inertias
// finds another number, or the pivots are not well separated, it tries other factorizations; r.NearSingular is set if pivots stay close.
func (s *explainer) redundant(r *Report) *verification {
	p := s.more
	if p.fill(s.st) != nil || p.factorize() != nil {
		return nil
	}
	want := count(p.redundant())
	p.sys.GeometricTo(s.plan.length)
	if p.factorize() != nil {
		return nil
	}
	if count(p.redundant()) != want || !p.separated() {
		if p.factorizeLate() != nil || !p.separated() && p.factorizeByGap() != nil {
			return nil
		}
	}
	r.NearSingular = r.NearSingular || !p.separated()
	rows := p.redundant()
	v := &verification{p: p, redundant: append([]bool(nil), rows...), pivots: make([]float64, len(s.x))}
	p.last.EachRow(func(i int32, _ bool, pivot float64) { v.pivots[i] = pivot })
	return v
}

// count returns the number of true entries.
func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// book reports whether scalar i of the system, a row of joint j, is redundant by 32 digits; redundant is the verdict of doubles. If doubles
// find it redundant and 32 digits do not, the row is nearly redundant: book stores its distance and joint in r, if it is the nearest so
// far.
func (v *verification) book(r *Report, j, i int, redundant bool) bool {
	if redundant && !v.redundant[i] {
		if d := math.Sqrt(v.pivots[i]); r.WeakestJoint < 0 || d < r.Distance {
			r.Distance, r.WeakestJoint = d, j
		}
	}
	return v.redundant[i]
}

// nullTo stores in z the vector of the null space of Jᵀ that equals c in the redundant rows: (S
// + Γ)⁻¹·Γ·c with Γ the scales of these rows, S = J·G⁻¹·Jᵀ and G the geometric inertia.
func (v *verification) nullTo(z, c []float64) {
	p := v.p
	for i, x := range c {
		p.r[i] = dd.Num{}
		if v.redundant[i] {
			p.r[i] = dd.MulFloat(dd.Of(-p.sys.Scale[i]), x)
		}
	}
	p.last.SolveTo(p.r, p.r)
	for i := p.plan.first(); i < len(z); i++ {
		z[i] = dd.Float(p.r[i])
	}
}
