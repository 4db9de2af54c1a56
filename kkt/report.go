package kkt

import (
	"context"
	"errors"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Report explains the constraints of a mechanism at the state of a Solve.
type Report struct {
	Rows      int // constraint rows, prescribed freedoms included
	Rank      int // of the constraint Jacobian
	Redundant int // Rows − Rank
	Mobility  int // 6·bodies − Rank: independent velocities

	// Reaches is the number of independent displacements: 6·bodies − the rank of all rows but those of velocities alone
	// (joints.Kind.VelocityRows). A car has two independent velocities and three independent displacements. Reaches is equal to Mobility if
	// no joint has rows of velocities alone.
	Reaches int

	Ordering order.Ordering // the elimination order (Plan.Ordering); order.Own for the user's

	// RedundantRows counts, joint by joint and then coupling by coupling
	// (mechanism.Mechanism.NumConstraints), the rows that depend on rows
	// eliminated before. The number of redundant rows does not depend on the
	// elimination order, but their distribution over the joints does.
	RedundantRows []int

	// Dependencies has the first hundred redundant rows, in the order of the nodes, each with the rows from which it follows. It is nil if
	// twice the digits have not told which rows are redundant, as in large mechanisms.
	Dependencies []Dependency

	// Undetermined has a number for each joint. A bit is set for each component of the joint's total wrench that the
	// constraints leave undetermined: bits 0 to 2 are the force along x, y, z of the world, bits 3 to 5 the moment about
	// these axes through the origin of the successor frame. Bit 6 is set where friction grows with a reaction that is
	// undetermined.
	Undetermined []uint8
	// UndeterminedCouplings reports for each coupling whether the constraints
	// leave its multiplier undetermined; nil if there are no couplings.
	UndeterminedCouplings []bool

	// LeastNorm says that the multipliers have, to rounding, the least norm of all multipliers with the same effect on
	// the bodies, or are unique. If not, the undetermined parts of the reactions
	// are arbitrary: those of the solution, or of a norm that is not the least.
	LeastNorm bool
	// NormResidual says how far the multipliers are from least norm, theory.md (30). It is the
	// larger of two numbers, both relative to the largest multiplier. The first is the distance,
	// in the metric of the norm, from the multipliers that belong to a motion of the bodies. The
	// second is the change of the forces on the bodies. It is 1 if no least norm was computed,
	// and 0 if the multipliers are unique.
	NormResidual float64

	// Distance tells how far the pose is from a singular one, theory.md (33): the smallest √t·n
	// over the rows that are not redundant. t is the row's geometric pivot relative to its
	// scale. n is the number of rows, weighted, over which its reaction spreads. Close to a
	// singular pose the distance is about three times the relative motion, in rad or joint
	// lengths, that leads there. Far from any it is of order 1, or falls with the length of soft
	// loops. Where rows are redundant it does not depend on their order (33). It is at least
	// NearSingularDistance unless NearSingular is set, and 1 if there are no rows.
	Distance     float64
	WeakestJoint int // joint or coupling (mechanism.Mechanism.NumConstraints) with the smallest √t·n of pivots, −1 if there are no rows

	// NearSingular says that the pose is close to a singular one, or that the rank is not sure.
	// There are five reasons. Distance is below NearSingularDistance, and would fall to zero
	// along a small motion: the loops are not just soft. A pivot answers to the
	// proximal term neither as a redundant nor as a true one. Refinement left an error far
	// above rounding. The constraints do not hold to rounding (Solver.Inconsistency): the
	// pose violates redundant joints, or joints are too close to redundant. Or neither twice the
	// digits nor orthogonal factors tell which rows are redundant. Velocities that violate redundant
	// joints are no reason where twice the digits tell which rows are redundant (Violation tells of them).
	NearSingular  bool
	Violation     *mechanism.ViolationError // of the state (Solver.Holds); nil if the joints hold
	IllScaled     *IllScaled                // a place with inertias too different for doubles, or an acceleration that is lost or undetermined; nil if none
	Growth        float64                   // of rounding errors in the factorization, relative to the rows' scales; 0 if only twice the digits did
	BackwardError float64                   // scaled residual of the whole KKT system
	Corrected     int                       // pivots lost to rounding and replaced
}

// NearSingularDistance is the Distance below which a pose counts as nearly
// singular.
const NearSingularDistance = 5e-3

// wrenchComponents names the components of a wrench in the order of the bits of
// Report.Undetermined.
var wrenchComponents = [6]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"}

// bearingBit is the bit of Report.Undetermined for a joint whose friction grows with a reaction that is undetermined.
const bearingBit = 1 << 6

// componentBit returns the bit of Report.Undetermined for entry c of a spatial.Force.
func componentBit(c int) uint8 { return 1 << ((c + 3) % 6) }

const (
	geometricEpsilon = 1e-12 // proximal term of the rank decision
	epsilonStep      = 10    // factor between the two proximal terms that are compared
	redundantStep    = 3.3   // factor on a pivot, by the larger term, above which its row is redundant: little more than √epsilonStep
	ambiguous        = 1.1   // deviation of that factor from 1 or epsilonStep, as a factor, above which the rank is not sure
	lostDigits       = 1e-11 // predicted relative error of the accelerations, or residual of a row, that only a nearly singular system leaves
)

// Report explains the constraints at the state of the last Solve, and replaces
// the multipliers by those of least norm in the metric of the joints' scales
// (docs/theory.md (27)).
//
// Rank, (24), is decided in a metric of the geometry alone, theory.md (25). A pivot of the factor that
// grows with the proximal term belongs to a redundant row; one that does not is a true pivot.
// Where rows are redundant, an orthogonal factorization confirms the rank, or replaces it. A
// component of a wrench is undetermined where a random vector of the null space of the
// constraint forces does not vanish.
//
// A mechanism of up to 10⁷ flops a factorization is solved and analysed once more with twice
// the digits, a larger one if there is a reason (docs/theory.md "Twice the digits"). Where the
// accelerations then differ by more than a relative 1e-9, they replace the accelerations of the Solve.
//
// Cost: two factorizations, two more where there are rows of velocities alone, and up to ten where a distance is small.
// Redundant rows take the analysis of an orthogonal
// factorization the first time, two of these factorizations, some twenty products with
// each, and up to a dozen refined solves. Twice the digits take some 0.1 µs a flop. Allocates, also the whole system where a
// reduced one has been solved. It panics without a solution. It returns a *factor.PivotError if
// the geometric factorization fails, which takes a state that is not finite.
func (s *Solver) Report() (*Report, error) {
	s.enter()
	defer s.guard.Leave()
	r, err := s.explainer().report()
	if err = s.orCause(err); err != nil {
		return nil, err
	}
	return r, nil
}

func (s *core) explainer() *explainer { return &explainer{s} }

// report is Report, without its guard; its errors do not give way to the cause of an ended context.
func (s *explainer) report() (*Report, error) {
	s.complete()
	r := s.newReport()
	errors.As(holds(s.plan.mech, s.now.kin, s.st), &r.Violation)
	if err := s.work.watch.Err(); err != nil {
		return nil, err
	}
	if s.reduced() {
		if err := s.assembleWhole(); err != nil {
			return nil, err
		}
	}
	s.stage = solved // the solution stays, although the factor is overwritten
	if r.BackwardError = s.backwardError(); s.work.watch.Up() {
		return nil, s.work.watch.Err()
	}
	rows, doubt := s.verify(r)
	if rows != nil {
		r.BackwardError = s.backwardError()
	}
	if err := s.work.watch.Err(); err != nil {
		return nil, err
	}
	was := append([]float64(nil), s.x...)
	if err := s.explain(r, rows, doubt); err != nil {
		return nil, err
	}
	// The geometric matrix has taken the place of the assembled one.
	if err := s.sys.FillTo(s.st); err != nil {
		return nil, err
	}
	s.restore()
	if err := s.work.watch.Err(); err != nil {
		return nil, err
	}
	if !s.holds(r) {
		r.LeastNorm = r.Redundant == 0
		copy(s.x, was)
	}
	return r, nil
}

// leastNormTol is the backward error up to which multipliers of least norm replace the multipliers of the
// solution.
const leastNormTol = 1e-11

// holds reports whether the multipliers of least norm satisfy the equations, and stores their
// backward error if they do.
func (s *explainer) holds(r *Report) bool {
	e := s.backwardError()
	if !keeps(e, r.BackwardError) {
		return false
	}
	r.BackwardError = e
	return true
}

// keeps reports whether the backward error e is small, or hardly larger than the error was before.
func keeps(e, was float64) bool { return e <= max(leastNormTol, 2*was) }

// newReport returns a report with the number of rows, and with Growth and Corrected of the solution's factor.
func (s *explainer) newReport() *Report {
	nj := s.plan.mech.NumJoints()
	r := &Report{
		Rows:          s.plan.layout.Pattern.Dim() - s.plan.first() - s.plan.gears(),
		RedundantRows: make([]int, s.plan.mech.NumConstraints()),
		Undetermined:  make([]uint8, nj),
		Distance:      1,
		WeakestJoint:  -1,
		Ordering:      s.plan.ordering,
	}
	if n := s.plan.mech.NumCouplings(); n > 0 {
		r.UndeterminedCouplings = make([]bool, n)
	}
	if s.way != TwiceTheDigits || s.now.Current() {
		r.Growth, r.Corrected = s.growth(), s.now.Corrected
	}
	return r
}

// explain finds rank, distance, undetermined reactions and the multipliers of least norm, which takes factorizations of the geometric
// matrix. rows and doubt come from verify.
func (s *explainer) explain(r *Report, rows *verification, doubt bool) error {
	metric := append([]float64(nil), s.sys.Scale...)
	k, err := s.rank(r, rows)
	if err != nil {
		return fault.Errorf("kkt: rank: %w", err)
	}
	s.distance(r, k, doubt)
	r.Rank = r.Rows - r.Redundant
	r.Mobility = 6*s.plan.mech.NumBodies() - r.Rank
	r.LeastNorm = true
	if r.Redundant > 0 {
		if rows != nil {
			r.Dependencies = s.depend(rows)
		}
		if s.spread(r, metric, k); s.work.watch.Up() {
			return s.work.watch.Err()
		}
		s.atSingular(r, k)
	}
	return s.reach(r)
}

// reach counts the independent displacements, r.Reaches: the rank of the geometric matrix without the rows of velocities alone, theory.md
// (24), (W7). It uses up that matrix and its factor. Where this rank is not sure, r.NearSingular says so.
func (s *explainer) reach(r *Report) error {
	r.Reaches = r.Mobility
	m, layout := s.plan.mech, s.plan.layout
	if len(m.Nonholonomic()) == 0 {
		return nil
	}
	p := layout.Pattern
	for node := layout.FirstJoint(); node < p.Len(); node++ {
		if s.work.watch.Every(node) {
			return s.work.watch.Err()
		}
		from, to := s.sys.ClearVelocityRows(node)
		for i := from; i < to; i++ {
			s.sys.Scale[int(p.Off[node])+i] = 1 // the row is zero now, and counts as redundant
		}
	}
	p1, p2 := make([]float64, len(s.x)), make([]float64, len(s.x))
	if err := s.geometricPivots(s.sys, p1, p2); err != nil {
		return fault.Errorf("kkt: rank of the positions: %w", err)
	}
	t := &Report{WeakestJoint: -1}
	rank := r.Rows
	for node := layout.FirstJoint(); node < p.Len(); node++ {
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			if classify(t, layout.NodeConstraint(node), -p1[i], -p2[i], s.sys.Scale[i]) {
				rank--
			}
		}
	}
	r.Reaches = 6*m.NumBodies() - rank
	r.NearSingular = r.NearSingular || t.NearSingular
	return s.work.watch.Err()
}

// backwardError returns the backward error of the solution in mass-weighted coordinates, NaN if the watch has ended it.
func (s *explainer) backwardError() float64 {
	x := append([]float64(nil), s.x...)
	if s.sys.WeighTo(x, x); s.work.watch.Up() {
		return math.NaN()
	}
	r := make([]float64, len(x))
	if s.sys.Matrix.ResidualTo(r, s.sys.Right, x); s.work.watch.Up() {
		return math.NaN()
	}
	return s.sys.Matrix.ScaledResidual(r, s.sys.Right, x)
}

// growth returns the largest diagonal of |L||D||Lᵀ| of the solution's factor relative to the scale of
// its row.
func (s *explainer) growth() float64 {
	g, scale := make([]float64, len(s.now.Scale)), s.now.Scale
	s.now.growthTo(g)
	worst := 0.0
	for i, v := range g {
		d := scale[i]
		if d == 0 {
			d = 1 // a body's row: its block is the unit matrix
		}
		worst = max(worst, v/d)
	}
	return worst
}

// ranking has the results of rank that are not in the Report.
type ranking struct {
	p1, p2 []float64    // pivots under both proximal terms, negative
	span   *factor.Span // of the geometric matrix; nil if nothing is redundant
	sure   bool         // span is clear, and finds the rank of the pivots
	off    float64      // core.violation

	redundant []bool        // by scalar of the system, as counted before confirm
	rows      *verification // nil if twice the digits have not been used
}

// rank counts the redundant rows of each joint and finds the weakest pivot. It
// leaves the geometric matrix in s.sys, and its factor with terms on all rows in s.work.fac. rows has the redundant rows by twice
// the digits; with nil the pivots tell them.
func (s *explainer) rank(r *Report, rows *verification) (*ranking, error) {
	nb := s.plan.mech.NumBodies()
	k := &ranking{p1: make([]float64, len(s.x)), p2: make([]float64, len(s.x)), redundant: make([]bool, len(s.x)), rows: rows}
	s.sys.GeometricTo(make([]float64, nb)) // its lengths are those of the plan
	if err := s.work.watch.Err(); err != nil {
		return nil, err
	}
	if err := s.geometricPivots(s.sys, k.p1, k.p2); err != nil {
		return nil, err
	}
	layout, near := s.plan.layout, r.NearSingular
	for node := layout.FirstJoint(); node < layout.Pattern.Len(); node++ {
		if s.work.watch.Every(node) {
			return nil, s.work.watch.Err()
		}
		j := layout.NodeConstraint(node)
		for i := layout.Pattern.Off[node]; i < layout.Pattern.Off[node+1]; i++ {
			redundant := classify(r, j, -k.p1[i], -k.p2[i], s.sys.Scale[i])
			if rows != nil {
				redundant = rows.book(r, j, int(i), redundant)
			}
			if k.redundant[i] = redundant; redundant {
				r.Redundant++
				r.RedundantRows[j]++
			}
		}
	}
	if rows != nil {
		r.NearSingular = near // twice the digits leave no doubt of the rank
	}
	r.NearSingular = r.NearSingular || rows == nil && s.ref.Error > lostDigits || s.inconsistency > lostDigits && s.unsure(rows)
	if r.Redundant > 0 {
		k.sure = s.confirm(r, k)
	}
	return k, s.work.watch.Err()
}

// unsure reports whether constraints that do not hold to rounding leave the rank in doubt. If twice the digits tell which rows are
// redundant, the rank is in doubt only if the error of the pose explains the inconsistency. Else it comes from velocities, on which no
// rank depends.
func (s *explainer) unsure(rows *verification) bool {
	return rows == nil || explains(s.violation(), s.inconsistency)
}

// distance decides whether the pose is nearly singular, and sets its distance from a singular one. doubt says that twice the digits have
// not found the redundant rows; the pose is then nearly singular unless orthogonal factors are sure of the rank. It uses the factor that
// rank has left.
func (s *explainer) distance(r *Report, k *ranking, doubt bool) {
	if r.WeakestJoint < 0 {
		r.NearSingular = r.NearSingular || doubt
		return // there are no rows
	}
	isSoft := s.soft(r, k)
	r.NearSingular = r.NearSingular || doubt && !k.sure || r.Distance < NearSingularDistance && !isSoft
	if r.Redundant > 0 {
		s.weaken(r, k, isSoft)
	} else if isSoft {
		r.Distance = max(r.Distance, NearSingularDistance)
	}
}

// geometricPivots stores the pivots of a geometric system under both proximal terms. It leaves the factor with the smaller one.
func (s *explainer) geometricPivots(sys *assemble.Weighted, p1, p2 []float64) error {
	for _, c := range []struct {
		dst []float64
		eps float64
	}{{p2, geometricEpsilon * epsilonStep}, {p1, geometricEpsilon}} {
		if err := s.work.fac.Factorize(sys.Matrix, sys.Scale, c.eps, factor.Everywhere); err != nil {
			return err
		}
		s.work.fac.PivotsTo(c.dst)
	}
	return nil
}

// classify reports whether a row of joint or coupling j is redundant, from its pivots p1 and p2 under the smaller and the larger proximal
// term, with the sign changed. Relative to the row's scale a pivot is t + ε·n, theory.md (32). t is
// 0 where the row is redundant. n is the squared norm, in the metric of the scales, of the
// reaction to a unit force along the row. In a long row of loops that are all nearly singular
// the proximal term itself bounds n, and true pivots grow with the root of the term. The least √t·n of (33) becomes
// r.Distance. Pivots that fit neither case set r.NearSingular.
func classify(r *Report, j int, p1, p2, scale float64) bool {
	if p2 > p1*redundantStep {
		if p2*ambiguous < epsilonStep*p1 {
			r.NearSingular = true
		}
		return true
	}
	if p2 > ambiguous*p1 {
		r.NearSingular = true
	}
	if d := rowDistance(p1, p2, scale); r.WeakestJoint < 0 || d < r.Distance {
		r.Distance, r.WeakestJoint = d, j
	}
	return false
}

// rowDistance returns √t·n of (33), at most 1, of a row with its pivots under both proximal terms.
func rowDistance(p1, p2, scale float64) float64 {
	t := (epsilonStep*p1 - p2) / ((epsilonStep - 1) * scale)
	n := (p2 - p1) / ((epsilonStep - 1) * geometricEpsilon * scale)
	return min(math.Sqrt(max(t, 0))*max(n, 1), 1)
}

// Unique reports whether the constraints determine the whole wrench of joint j.
//
// It panics if j is out of range, as does UndeterminedComponents.
func (r *Report) Unique(j int) bool { return r.components(j) == 0 }

// components returns Undetermined of joint j. It panics if j is out of range.
func (r *Report) components(j int) uint8 {
	if j < 0 || j >= len(r.Undetermined) {
		panic("kkt: joint out of range")
	}
	return r.Undetermined[j]
}

// UndeterminedComponents names the undetermined components of joint j's
// wrench, forces first.
func (r *Report) UndeterminedComponents(j int) []string {
	names, marked := []string{}, r.components(j)
	for c, name := range wrenchComponents {
		if marked>>c&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

// ReportContext is Report, and ends early when ctx does (Watch). There is no solution then.
func (s *Solver) ReportContext(ctx context.Context) (*Report, error) {
	defer s.Watch(ctx)()
	return s.Report()
}
