package main

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// accelerateByTree solves and explains m by a tree method. Accelerations,
// wrenches and counts are those of the tree side. The rest is of the sparse
// side, where the tree side has nothing for it: which components of wrenches are
// undetermined, with their values of least norm, the distance to a singularity,
// how far constraints contradict each other, energies and residuals of the joints.
func accelerateByTree(m *model.Model, method string, o rung.Options) (*acceleration, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, err
	}
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	if n := float64(plan.NumDof() + plan.NumRows()); 8*n*n > treeMemory {
		return nil, fmt.Errorf("%s takes too much memory for %s", method, plural(mech.NumBodies(), "body"))
	}
	s := plan.NewSolver(treeMethod(method), tree.SolverOptions{})
	if err := s.Solve(mech.Initial()); err != nil {
		return nil, err
	}
	sparsePlan := kkt.PlanMechanism(mech, o)
	sparse := sparsePlan.NewSolver()
	if err := sparse.Solve(mech.Initial()); err != nil {
		return nil, err
	}
	r, err := rung.NewResult(sparse)
	if err != nil {
		return nil, err
	}
	r.Method, r.Ordering = method, ""
	found := append([]rung.BodyResult(nil), r.Bodies...)
	treeMotion(r, s)
	rank := r.Constraints.Rank
	if ill := lostByTree(found, r.Bodies, method, mech.Gravity.Norm()); ill != nil {
		r.IllScaled = ill
	}
	treeConstraints(&r.Constraints, s)
	counts := s.Counts()
	r.Solve = rung.SolveResult{
		Unknowns: plan.NumDof() + plan.NumRows(), FactorNonzeros: counts.NonZeros, FactorFlops: counts.Flops,
		Residual: s.Report().Residual, Inconsistency: sparse.Inconsistency(),
	}
	return &acceleration{
		Result: r, Contradiction: contradictionOf(sparsePlan, sparse, method), RankDiffers: differenceOf(r.Constraints.Rank, rank, method),
	}, nil
}

// treeMotion stores the accelerations and wrenches of s in r.
func treeMotion(r *rung.Result, s *tree.ClosedSolver) {
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
		total, out := s.TotalWrench(j), &r.Joints[j]
		replaceWrench(&out.TotalWrench, total, out.Undetermined)
		replaceWrench(&out.ConstraintWrench, total.Sub(drive), out.Undetermined)
	}
}

// replaceWrench stores f in w but for the components that are undetermined.
func replaceWrench(w *rung.WrenchResult, f spatial.Force, undetermined []string) {
	open := marks(undetermined)
	force, moment := f.Linear(), f.Moment()
	for k := range 3 {
		if open>>k&1 == 0 {
			w.Force[k] = force[k]
		}
		if open>>(3+k)&1 == 0 {
			w.Moment[k] = moment[k]
		}
	}
}

// lostTol is the relative difference of accelerations from those of the sparse method, which a report verifies with twice the
// digits, above which the tree method has lost them.
const lostTol = 1e-6

// cancelled is the part of gravity below which accelerations, on bodies of about a metre, are what rounding leaves of it.
const cancelled = 1e-8

// lostByTree names the body whose acceleration differs most from that of the sparse method, relative to the largest of its
// kind, if that is by more than lostTol. Nothing is lost of what is rounding beside gravity.
func lostByTree(want, got []rung.BodyResult, method string, gravity float64) *rung.IllScaledResult {
	size := [2]float64{cancelled * gravity, cancelled * gravity} // rad/s², m/s²
	for i := range want {
		size[0] = max(size[0], cancelled*want[i].ComAcceleration.Norm())
		size[0] = max(size[0], want[i].AngularAcceleration.Norm())
		size[1] = max(size[1], want[i].ComAcceleration.Norm())
	}
	worst, body := lostTol, -1
	for i := range want {
		angular := got[i].AngularAcceleration.Sub(want[i].AngularAcceleration).Norm()
		linear := got[i].ComAcceleration.Sub(want[i].ComAcceleration).Norm()
		if e := max(angular/size[0], linear/size[1]); e > worst {
			worst, body = e, i
		}
	}
	if body < 0 {
		return nil
	}
	return &rung.IllScaledResult{Body: want[body].Name,
		Text: fmt.Sprintf("%s loses its acceleration: a relative difference of %.0e from the sparse method", method, worst)}
}

// treeConstraints puts the counts of s in c, with the rows of the tree joints.
func treeConstraints(c *rung.ConstraintsResult, s *tree.ClosedSolver) {
	rep, mech := s.Report(), s.Plan().Mechanism()
	c.Rows, c.Rank = rep.TreeRows+rep.Rows, rep.TreeRows+rep.Rank
	c.Redundant, c.Mobility = rep.Redundant, rep.Mobility
	rows := make([]int, mech.NumJoints())
	for i := range rep.Rows {
		if !s.Kept(i) {
			rows[s.Constraints().RowJoint(i)]++
		}
	}
	c.RedundantJoints = []rung.RedundantJoint{}
	for j, n := range rows {
		if n > 0 {
			c.RedundantJoints = append(c.RedundantJoints, rung.RedundantJoint{Name: mech.JointName(j), Rows: n})
		}
	}
}
