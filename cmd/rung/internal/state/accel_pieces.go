package state

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/results"
)

// pieces makes the document of a solution that is distributed over ranks. Rank 0 has the document without bodies and joints,
// which come from the other ranks, some at a time, while the document is written (entries).
type pieces struct {
	rank   *ranks.Rank
	view   *ranks.View
	plan   *dist.Plan
	solver *dist.Solver
	state  *mechanism.State      // of the piece
	kin    *mechanism.Kinematics // of the piece
	a      []float64             // accelerations of the rank's own bodies, six numbers each: angular, then of the centre of mass
	seen   *mechanism.Mechanism  // mechanism of the view; nil but on rank 0
	result *rung.Result          // nil but on rank 0
}

// begin makes the document on rank 0, with the results that follow from the state alone, without bodies and joints.
func (x *pieces) begin() (err error) {
	if !x.rank.Head() {
		return nil
	}
	if x.seen, err = mechanism.New(x.view.Model); err != nil {
		return err
	}
	st, kin := x.seen.Initial(), x.seen.NewKinematics()
	if err = x.seen.KinematicsTo(kin, st); err != nil {
		return err
	}
	if x.result, err = results.NewState(x.seen, kin, st); err == nil {
		x.result.Bodies, x.result.Joints = nil, nil
	}
	return err
}

// explain adds constraints, energies and the quality of the solution to the document on rank 0, and lists the fields that are
// left out with the reasons. All ranks call it together, with the name of the root solver.
func (x *pieces) explain(root string) error {
	p, s := x.plan, x.solver
	q := s.Quality()
	redundant, err := x.redundantRows()
	if err != nil {
		return err
	}
	ill := x.illScaled()
	sums := x.sums()
	out := x.result
	if out == nil {
		return nil
	}
	_, held := p.HeldRows()
	out.Ranks = &results.Ranks{Ranks: x.rank.Size(), Root: root, Held: held}
	out.IllScaled = ill
	out.Contradiction = results.NewContradiction(q.Inconsistency, q.Worst, q.Coupling)
	out.Solve = results.Solve{
		Unknowns: q.Unknowns, FactorNonzeros: q.NonZeros, FactorFlops: q.Flops, Refinements: s.Steps(), Residual: q.BackwardError,
		Inconsistency: q.Inconsistency, CorrectedPivots: q.Corrected, WhyWhole: "the model is cut into pieces", Way: s.Way().String(),
	}
	c := &out.Constraints
	c.Rows = x.seen.NumCouplings() + int(sums[0])
	out.Energy.Kinetic += sums[1]
	out.Energy.Potential += sums[2]
	omit := func(reason string, fields ...string) {
		out.LeftOut = append(out.LeftOut, results.LeftOut{Fields: fields, Reason: reason})
	}
	omit("pieces do not compute the distance to a singular pose, which takes a factorization of the whole geometry",
		"constraints.near_singular", "constraints.distance", "constraints.weakest_joint", "constraints.weakest_coupling")
	omit("it is not gathered from pieces and root", "solve.pivot_growth")
	if s.Redundant() < 0 {
		omit("the way that solved the system keeps all rows, so it is not known which are redundant",
			"constraints.rank", "constraints.redundant", "constraints.mobility", "constraints.redundant_joints", "constraints.redundant_couplings")
	} else {
		c.Redundant = s.Redundant()
		c.Rank = c.Rows - c.Redundant
		c.Mobility = 6*int(x.view.Bodies) - c.Rank
		c.RedundantJoints, c.RedundantCouplings = redundant.joints, redundant.couplings
	}
	if s.Redundant() != 0 {
		omit("pieces do not compute what redundant rows follow from, which takes a factorization of the whole geometry",
			"constraints.dependent_rows")
	}
	if c.LeastNorm = s.Redundant() == 0; !c.LeastNorm {
		why := "redundant constraints share the load, and pieces do not compute how"
		if s.Redundant() < 0 {
			why = "it is not known whether they are unique"
		}
		omit(why, "joints.constraint_wrench", "joints.total_wrench", "joints.armature_force", "joints.wrench_unique", "joints.undetermined",
			"couplings.multiplier", "couplings.multiplier_unique", "constraints.least_norm", "constraints.norm_residual")
	}
	return nil
}

// sums returns, on rank 0, sums over all ranks: the rows of all joints, and the kinetic energy and the energy in gravity, J, of
// the bodies that the view does not have. All ranks call it together.
func (x *pieces) sums() (sums [3]float64) {
	m, piece := x.plan.Mechanism(), x.plan.Piece()
	own := make([]float64, len(sums))
	for j := range m.Joints {
		if x.plan.JointCounts(j) {
			own[0] += float64(m.Joints[j].Rows)
		}
	}
	for i, b := range piece.Body[:piece.Own] {
		if _, ok := x.view.BodyAt(b); !ok {
			kinetic, gravity := m.BodyEnergy(i, &x.kin.Bodies[i], x.state)
			own[1] += kinetic
			own[2] += gravity
		}
	}
	for _, list := range x.rank.Lists(own) {
		for i, v := range list {
			sums[i] += v
		}
	}
	return sums
}

// redundant has the joints and couplings with redundant rows, in the order of the whole model.
type redundant struct {
	joints    []results.Redundant
	couplings []string
}

// redundantRows gathers from all ranks the joints and couplings with redundant rows, and returns them on rank 0. Joints are in the order
// of their numbers, couplings in the order of the mechanism of the view. All ranks call it together.
func (x *pieces) redundantRows() (all redundant, err error) {
	all.joints = []results.Redundant{}
	if x.solver.Redundant() <= 0 {
		return all, nil
	}
	rows, err := x.solver.RedundantRows()
	if err != nil {
		return all, err
	}
	m, piece := x.plan.Mechanism(), x.plan.Piece()
	type named struct {
		Number int64 // of the joint in the whole model, −1 for a coupling
		Name   string
	}
	var own []named
	for _, row := range rows {
		r := named{-1, row.Name}
		if !row.Coupling {
			j, err := m.JointIndex(row.Name)
			if err != nil {
				return all, err
			}
			r.Number = piece.Joint[j]
		}
		own = append(own, r)
	}
	rowsOf, nameOf := make(map[int64]int), make(map[int64]string)
	for _, r := range slices.Concat(ranks.Gather(x.rank, own)...) {
		if r.Number < 0 {
			all.couplings = append(all.couplings, r.Name)
			continue
		}
		rowsOf[r.Number]++
		nameOf[r.Number] = r.Name
	}
	for _, n := range slices.Sorted(maps.Keys(rowsOf)) {
		all.joints = append(all.joints, results.Redundant{Name: nameOf[n], Rows: rowsOf[n]})
	}
	if x.seen != nil {
		number := func(name string) int { i, _ := x.seen.CouplingIndex(name); return i }
		slices.SortFunc(all.couplings, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	}
	return all, nil
}

// illScaled returns, on rank 0, the first badly scaled body or joint found by a rank; nil if there is none. All ranks call it
// together.
func (x *pieces) illScaled() *results.IllScaled {
	var own []results.IllScaled // at most one
	m := x.plan.Mechanism()
	if ill := x.plan.IllScaled(); ill != nil && ill.Body >= 0 {
		own = append(own, results.IllScaled{Body: m.BodyName(ill.Body), Text: ill.Text})
	} else if ill != nil {
		own = append(own, results.IllScaled{Joint: m.JointName(ill.Joint), Text: ill.Text})
	}
	if all := slices.Concat(ranks.Gather(x.rank, own)...); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// gather adds the size of each rank's piece to the document on rank 0 and, if no constraint is redundant, the multipliers of
// couplings. All ranks call it together.
func (x *pieces) gather() {
	p, s := x.plan, x.solver
	piece, m := p.Piece(), p.Mechanism()
	held, _ := p.HeldRows()
	own := results.Piece{Rank: x.rank.Rank(), Bodies: piece.Own, Halo: len(piece.Rank), Held: held, Bytes: s.Sent()}
	var couplings []results.Coupling // with names and multipliers only
	if s.Redundant() == 0 {
		for i := range m.NumCouplings() {
			couplings = append(couplings, results.Coupling{Name: m.CouplingName(i), Multiplier: s.Reactions().CouplingMultiplier(i)})
		}
	}
	pieces, multipliers := ranks.Gather(x.rank, own), ranks.Gather(x.rank, couplings)
	if !x.rank.Head() {
		return
	}
	x.result.Ranks.Pieces = pieces
	for _, of := range slices.Concat(multipliers...) {
		if k, err := x.seen.CouplingIndex(of.Name); err == nil {
			c := &x.result.Couplings[k]
			c.Multiplier, c.MultiplierUnique = of.Multiplier, true
		}
	}
}
