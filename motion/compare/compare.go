package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// Accelerate computes the accelerations and reactions at the state st by a method, as a result document.
//
// With a tree method, accelerations, wrenches, and the counts of rows, rank and redundancy are those of the tree method. The sparse method
// supplies everything that tree methods do not compute: which components of wrenches are undetermined, with their values of least
// norm, the distance to a singularity, contradictions between constraints, energies, and residuals of the joints.
// The result says where the two methods differ: in accelerations (IllScaled) or in rank (RankDiffers). A tree method that loses digits
// (tree.LostError) also has a result, in which IllScaled says how many are lost. A state may violate
// the joints: Violation then names the largest violation.
//
// Cost: one kkt.Solver.Solve and Report, and with a tree method a motion.NewTreeSolver and a solve by it. It returns the errors of
// kkt.Solver.Solve, motion.NewTreeSolver and tree.ClosedSolver.Solve. It panics without a state.
func Accelerate(p *kkt.Plan, m motion.Method, st *mechanism.State) (*results.Document, error) {
	if st == nil {
		panic("compare: no state")
	}
	var (
		s    *tree.ClosedSolver
		lost *tree.LostError
	)
	if m != motion.Sparse {
		var err error
		if s, err = motion.NewTreeSolver(p.Mechanism(), m); err != nil {
			return nil, err
		}
		if err := s.Solve(st); err != nil && !(errors.As(err, &lost) && s.AcceptLoss()) {
			return nil, err
		}
	}
	sparse := p.NewSolver()
	if err := sparse.Solve(st); err != nil {
		if lost != nil { // the constraints contradict each other
			return nil, lost
		}
		return nil, err
	}
	r, err := results.New(sparse)
	if err != nil || m == motion.Sparse {
		return r, err
	}
	r.Method, r.Ordering = m.String(), ""
	sparseBodies, rank := slices.Clone(r.Bodies), r.Constraints.Rank
	treeMotion(r, s)
	if ill := lostByTree(sparseBodies, r.Bodies, m, p.Mechanism().Gravity.Norm()); ill != nil {
		r.IllScaled = ill
	}
	if lost != nil {
		r.IllScaled = withLoss(r.IllScaled, lost, m)
	}
	treeConstraints(&r.Constraints, s)
	if c := r.Contradiction; c != nil {
		c.Text = strings.Replace(c.Text, "those of least squares", "those of the rows that "+m.String()+" keeps, the others do not hold", 1)
	}
	r.RankDiffers = differenceOf(r.Constraints.Rank, rank, m)
	counts := s.Counts()
	r.Solve = results.Solve{
		Unknowns: s.Plan().NumDof() + s.Plan().NumRows(), FactorNonzeros: counts.NonZeros, FactorFlops: counts.Flops, FormationFlops: s.Plan().FormationFlops(),
		Residual: s.Report().Residual, Inconsistency: sparse.Inconsistency(),
	}
	return r, nil
}

// differenceOf returns the difference of the ranks by m and by the sparse method, nil if they are equal.
func differenceOf(rank, sparse int, m motion.Method) *results.RankDiffers {
	if rank == sparse {
		return nil
	}
	return &results.RankDiffers{Sparse: sparse, Text: fmt.Sprintf("%v finds rank %d, the sparse method %d: some constraints are so nearly dependent that they differ about them; "+
		"accelerations may be wrong in what these decide", m, rank, sparse)}
}

// treeMotion stores in r the accelerations, wrenches, armature forces and multipliers of couplings that s has computed. Undetermined
// components of wrenches, and multipliers that are not unique, stay.
func treeMotion(r *results.Document, s *tree.ClosedSolver) {
	a := make([]spatial.ClassicalAccel, len(r.Bodies))
	s.AccelerationsTo(a)
	for i := range r.Bodies {
		r.Bodies[i].ComAcceleration, r.Bodies[i].AngularAcceleration = a[i].Linear(), a[i].Angular()
	}
	w, mech := s.Workspace(), s.Plan().Mechanism()
	var jk mechanism.JointKinematics
	for j := range r.Joints {
		var drive spatial.Force
		mech.JointTo(&jk, j, w.Kinematics(), w.State())
		mech.DriveWrenchTo(&drive, j, &jk)
		mech.AddResistanceTo(&drive, j, &jk, w.State())
		total, out := s.TotalWrench(j), &r.Joints[j]
		replaceWrench(&out.TotalWrench, total, out.Undetermined)
		var tau [6]float64
		if s.FreedomForcesTo(&tau, j) {
			// Couplings and armature act along the freedoms, and are no constraint wrenches, like the drive.
			var along spatial.Force
			mech.Joints[j].WrenchTo(&along, &tau, &jk.Frames)
			drive = drive.Add(along)
		}
		replaceWrench(&out.ConstraintWrench, total.Sub(drive), out.Undetermined)
		if out.ArmatureForce != nil {
			s.ArmatureForceTo(&tau, j)
			copy(out.ArmatureForce, tau[:])
		}
	}
	for i := range r.Couplings {
		if c := &r.Couplings[i]; c.MultiplierUnique {
			c.Multiplier = s.CouplingMultiplier(i)
		}
	}
}

// replaceWrench stores f in w, except the components that are undetermined, with names such as force.x.
func replaceWrench(w *results.Wrench, f spatial.Force, undetermined []string) {
	force, moment := f.Linear(), f.Moment()
	for k, axis := range [3]string{"x", "y", "z"} {
		if !slices.Contains(undetermined, "force."+axis) {
			w.Force[k] = force[k]
		}
		if !slices.Contains(undetermined, "moment."+axis) {
			w.Moment[k] = moment[k]
		}
	}
}

// lostTol is the relative difference from the accelerations of the sparse method, which a report verifies with
// twice the digits, above which the tree method counts as inaccurate.
const lostTol = 1e-6

// cancelled is the acceleration, relative to gravity and for bodies of about a metre, below which it may be rounding.
const cancelled = 1e-8

// lostByTree returns an IllScaled with the body whose acceleration got differs most from the acceleration want of the sparse method,
// relative to the largest acceleration of its kind, angular or linear; nil if no difference is above lostTol. Accelerations up to
// cancelled times gravity, m/s², do not count.
func lostByTree(want, got []results.Body, m motion.Method, gravity float64) *results.IllScaled {
	size := [2]float64{cancelled * gravity, cancelled * gravity} // of angular accelerations, rad/s², and linear ones, m/s²
	for i := range want {
		size[0] = max(size[0], cancelled*want[i].ComAcceleration.Norm())
		size[0] = max(size[0], want[i].AngularAcceleration.Norm())
		size[1] = max(size[1], cancelled*want[i].AngularAcceleration.Norm())
		size[1] = max(size[1], want[i].ComAcceleration.Norm())
	}
	worst := algebra.NewPeak(lostTol)
	for i := range want {
		angular := got[i].AngularAcceleration.Sub(want[i].AngularAcceleration).Norm()
		linear := got[i].ComAcceleration.Sub(want[i].ComAcceleration).Norm()
		worst.Take(max(angular/size[0], linear/size[1]), i)
	}
	if worst.At < 0 {
		return nil
	}
	return &results.IllScaled{Body: want[worst.At].Name,
		Text: fmt.Sprintf("%v loses its acceleration: a relative difference of %.0e from the sparse method", m, worst.Most)}
}

// withLoss returns ill, the result of lostByTree, with the loss that the tree method itself has reported added to the text. If ill is
// nil, the body and joint are those of the error.
func withLoss(ill *results.IllScaled, lost *tree.LostError, m motion.Method) *results.IllScaled {
	text := fmt.Sprintf("last relative correction %.1e, residual of the loops %.1e", lost.Correction, lost.Residual)
	if ill != nil {
		return &results.IllScaled{Body: ill.Body, Joint: ill.Joint, Text: ill.Text + "; " + text}
	}
	out := &results.IllScaled{Text: m.String() + " loses digits: " + text}
	var at *mechanism.Error
	if errors.As(lost, &at) {
		out.Body, out.Joint = at.Body, at.Joint
	}
	return out
}

// treeConstraints stores in c the counts of rows, rank, redundancy and mobility that s has found, with the rows of tree joints included,
// and its redundant joints and couplings.
func treeConstraints(c *results.Constraints, s *tree.ClosedSolver) {
	rep, mech := s.Report(), s.Plan().Mechanism()
	c.Rows, c.Rank = rep.TreeRows+rep.Rows, rep.TreeRows+rep.Rank
	c.Redundant, c.Mobility = rep.Redundant, rep.Mobility
	rows := make([]int, mech.NumConstraints())
	for i := range rep.Rows {
		if !s.Kept(i) {
			rows[s.Constraints().RowConstraint(i)]++
		}
	}
	c.RedundantJoints, c.RedundantCouplings, c.DependentRows = []results.Redundant{}, nil, nil // those of the sparse method may be others
	for j, n := range rows {
		switch {
		case n > 0 && j >= mech.NumJoints():
			c.RedundantCouplings = append(c.RedundantCouplings, mech.ConstraintName(j))
		case n > 0:
			c.RedundantJoints = append(c.RedundantJoints, results.Redundant{Name: mech.JointName(j), Rows: n})
		}
	}
}
