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

// Accelerate solves and explains the state st by a method.
//
// With a tree method, accelerations, wrenches and counts are those of the tree side. The rest is of the sparse side,
// where the tree side has nothing for it: which components of wrenches are undetermined, with their values of least
// norm, the distance to a singularity, how far constraints contradict each other, energies and residuals of the joints.
// The result says where the two sides differ: in accelerations (IllScaled) or in rank (RankDiffers). A tree method that loses digits
// (tree.LostError) has a result all the same, and IllScaled says how much is lost. A state that violates
// the joints is taken as it is: Violation names the worst.
//
// Cost: one Solve and one Report, and those of motion.NewTreeSolver. It returns the errors of kkt.Solver.Solve,
// motion.NewTreeSolver and tree.ClosedSolver.Solve. It panics without a state.
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
	found, rank := slices.Clone(r.Bodies), r.Constraints.Rank
	treeMotion(r, s)
	if ill := lostByTree(found, r.Bodies, m, p.Mechanism().Gravity.Norm()); ill != nil {
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

// differenceOf compares the ranks by m and by the sparse method, nil if they agree.
func differenceOf(rank, sparse int, m motion.Method) *results.RankDiffers {
	if rank == sparse {
		return nil
	}
	return &results.RankDiffers{Sparse: sparse, Text: fmt.Sprintf("%v finds rank %d, the sparse method %d: some constraints are so nearly dependent that they differ about them; "+
		"accelerations may be wrong in what these decide", m, rank, sparse)}
}

// treeMotion stores the accelerations and wrenches of s in r.
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
			// Couplings and armature act along the freedoms, as the drive does.
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

// replaceWrench stores f in w but for the components that are undetermined.
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

// lostTol is the relative difference of accelerations from those of the sparse method, which a report verifies with
// twice the digits, above which the tree method has lost them.
const lostTol = 1e-6

// cancelled is the part of gravity below which accelerations, on bodies of about a metre, are what rounding leaves of it.
const cancelled = 1e-8

// lostByTree names the body whose acceleration differs most from that of the sparse method, relative to the largest of
// its kind, if that is by more than lostTol. Nothing is lost of what is rounding beside gravity.
func lostByTree(want, got []results.Body, m motion.Method, gravity float64) *results.IllScaled {
	size := [2]float64{cancelled * gravity, cancelled * gravity} // rad/s², m/s²
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

// withLoss adds to what lostByTree has found what the tree method itself says that it has lost. Without the former the place is that of
// the error.
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

// treeConstraints puts the counts of s in c, with the rows of the tree joints.
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
	c.RedundantJoints, c.RedundantCouplings, c.DependentRows = []results.Redundant{}, nil, nil // others than those of the sparse method
	for j, n := range rows {
		switch {
		case n > 0 && j >= mech.NumJoints():
			c.RedundantCouplings = append(c.RedundantCouplings, mech.ConstraintName(j))
		case n > 0:
			c.RedundantJoints = append(c.RedundantJoints, results.Redundant{Name: mech.JointName(j), Rows: n})
		}
	}
}
