package state

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
	"github.com/spf13/cobra"
)

// accelOnRanks is runAccel with --ranks.
func accelOnRanks(cmd *cobra.Command, path string, f *accelFlags) error {
	load := func(r *ranks.Rank) (of ranks.Model, err error) {
		switch {
		case f.method.Method != motion.Sparse:
			return of, shell.UseErrorf("--ranks needs --method sparse")
		case !f.ordering.IsAuto():
			return of, shell.UseErrorf("--ordering is not for --ranks: each rank finds the order of its piece")
		}
		p := shell.NewProgress(r.Stderr)
		defer p.End()
		return ranks.ReadModel(r, path, cmd.InOrStdin(), p)
	}
	large := shell.Large(path)
	if large {
		defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	}
	return ranks.Launch(cmd, &f.ranks, load, func(r *ranks.Rank, of ranks.Model) error {
		out, err := accelerateRank(r, &of, f)
		if err != nil {
			return shell.Failed(shell.ModelFile(path), err)
		}
		if !r.Head() {
			return nil
		}
		return f.print(r.Stdout, out)
	})
}

// accelerateRank solves on one rank. Rank 0 returns the document.
func accelerateRank(r *ranks.Rank, of *ranks.Model, f *accelFlags) (*rung.Result, error) {
	r.Options.Threads = int(f.threads)
	p, err := of.Plan(r, r.Options)
	if err != nil {
		return nil, err
	}
	s, err := p.NewSolver()
	if err != nil {
		return nil, err
	}
	if err := s.Solve(p.Mechanism().Initial()); err != nil {
		return nil, err
	}
	out := &pieces{rank: r, plan: p, solver: s}
	if err = dist.Agree(r, out.begin(of.Whole)); err != nil {
		return nil, err
	}
	if err := out.explain(f.ranks.RootName()); err != nil {
		return nil, err
	}
	out.gather()
	return out.result, s.Close()
}

// pieces makes the document of a solution that ranks have.
type pieces struct {
	rank   *ranks.Rank
	plan   *dist.Plan
	solver *dist.Solver
	whole  *mechanism.Mechanism // on rank 0
	result *rung.Result         // on rank 0
}

// begin makes what the state alone tells, on rank 0.
func (x *pieces) begin(m *model.Model) (err error) {
	if !x.rank.Head() {
		return nil
	}
	if x.whole, err = mechanism.New(m); err != nil {
		return err
	}
	st, kin := x.whole.Initial(), x.whole.NewKinematics()
	if err = x.whole.KinematicsTo(kin, st); err != nil {
		return err
	}
	x.result, err = rung.NewStateResult(x.whole, kin, st)
	return err
}

// explain adds what the constraints and the solution are like, and what is left out.
func (x *pieces) explain(root string) error {
	p, s := x.plan, x.solver
	q := s.Quality()
	names, err := x.redundantRows()
	if err != nil {
		return err
	}
	ill := x.illScaled()
	out := x.result
	if out == nil {
		return nil
	}
	_, held := p.HeldRows()
	out.Ranks = &rung.RanksResult{Ranks: x.rank.Size(), Root: root, Held: held}
	out.IllScaled = ill
	out.Contradiction = rung.NewContradiction(q.Inconsistency, q.Worst, q.Coupling)
	out.Solve = rung.SolveResult{
		Unknowns: q.Unknowns, FactorNonzeros: q.NonZeros, FactorFlops: q.Flops, Refinements: s.Steps(), Residual: q.BackwardError,
		Inconsistency: q.Inconsistency, CorrectedPivots: q.Corrected, WhyWhole: "the model is cut into pieces", Way: s.Way().String(),
	}
	c := &out.Constraints
	c.Rows = x.whole.NumCouplings()
	for j := range x.whole.Joints {
		c.Rows += int(x.whole.Joints[j].Rows)
	}
	omit := func(reason string, fields ...string) {
		out.LeftOut = append(out.LeftOut, rung.LeftOutResult{Fields: fields, Reason: reason})
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
		c.Mobility = 6*x.whole.NumBodies() - c.Rank
		x.nameRedundant(names)
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

// redundantRows gathers the rows that count as redundant: on rank 0 how many of each joint and coupling of the whole.
func (x *pieces) redundantRows() (count []int, err error) {
	if x.solver.Redundant() <= 0 {
		return nil, nil
	}
	rows, err := x.solver.RedundantRows()
	if err != nil {
		return nil, err
	}
	names := make([]byte, 0)
	for _, row := range rows {
		kind := byte('j')
		if row.Coupling {
			kind = 'c'
		}
		names = append(append(append(names, kind), row.Name...), 0)
	}
	all := x.rank.Texts(string(names))
	if x.whole == nil {
		return nil, nil
	}
	count = make([]int, x.whole.NumConstraints())
	for _, text := range all {
		for name := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
			if name == "" {
				continue
			}
			i, err := 0, error(nil)
			if name[0] == 'j' {
				i, err = x.whole.JointIndex(name[1:])
			} else if i, err = x.whole.CouplingIndex(name[1:]); err == nil {
				i += x.whole.NumJoints()
			}
			if err != nil {
				return nil, err
			}
			count[i]++
		}
	}
	return count, nil
}

// nameRedundant names the joints and couplings with redundant rows.
func (x *pieces) nameRedundant(count []int) {
	c := &x.result.Constraints
	for i, n := range count {
		switch name := x.whole.ConstraintName(i); {
		case n == 0:
		case i >= x.whole.NumJoints():
			c.RedundantCouplings = append(c.RedundantCouplings, name)
		default:
			c.RedundantJoints = append(c.RedundantJoints, rung.RedundantJoint{Name: name, Rows: n})
		}
	}
}

// illScaled returns the first place of all ranks where bodies of very different size meet, on rank 0.
func (x *pieces) illScaled() *rung.IllScaledResult {
	own, m := "", x.plan.Mechanism()
	if ill := x.plan.IllScaled(); ill != nil && ill.Body >= 0 {
		own = "b" + m.BodyName(ill.Body) + "\x00" + ill.Text
	} else if ill != nil {
		own = "j" + m.JointName(ill.Joint) + "\x00" + ill.Text
	}
	for _, text := range x.rank.Texts(own) {
		switch name, why, there := strings.Cut(text, "\x00"); {
		case !there:
		case name[0] == 'b':
			return &rung.IllScaledResult{Body: name[1:], Text: why}
		default:
			return &rung.IllScaledResult{Joint: name[1:], Text: why}
		}
	}
	return nil
}

// gather brings accelerations and, if they are unique, reactions to rank 0.
func (x *pieces) gather() {
	p, s := x.plan, x.solver
	piece, m := p.Piece(), p.Mechanism()
	held, _ := p.HeldRows()
	v := []float64{float64(piece.Own), float64(len(piece.Rank)), float64(held), float64(s.Sent())}
	for _, b := range piece.Body[:piece.Own] {
		v = append(v, float64(b))
	}
	a := make([]float64, 6*piece.Own)
	s.AccelerationsTo(a)
	v = append(v, a...)
	if s.Redundant() == 0 {
		v = x.reactions(v)
	}
	var couplings []float64
	var names strings.Builder
	if s.Redundant() == 0 {
		for i := range m.NumCouplings() {
			couplings = append(couplings, s.CouplingMultiplier(i))
			names.WriteString(m.CouplingName(i) + "\x00")
		}
	}
	lists, multipliers, of := x.rank.Lists(v), x.rank.Lists(couplings), x.rank.Texts(names.String())
	if x.result == nil {
		return
	}
	for rank, v := range lists {
		x.take(rank, v)
		for i, name := range strings.Split(of[rank], "\x00")[:len(multipliers[rank])] {
			if k, err := x.whole.CouplingIndex(name); err == nil {
				c := &x.result.Couplings[k]
				c.Multiplier, c.MultiplierUnique = multipliers[rank][i], true
			}
		}
	}
}

// jointNumbers are those of a joint on their way to rank 0, but for the forces of its armature: its number, two
// wrenches, and how many forces follow.
const jointNumbers = 14

// reactions appends those of the joints that count on this rank.
func (x *pieces) reactions(v []float64) []float64 {
	re, m := x.solver.Reactions(), x.plan.Mechanism()
	for j := range m.NumJoints() {
		if !x.plan.JointCounts(j) {
			continue
		}
		c, total := re.ConstraintWrench(j), re.TotalWrench(j)
		v = append(v, float64(x.plan.Piece().Joint[j]))
		v = append(append(v, c[:]...), total[:]...)
		jt := &m.Joints[j]
		if jt.Armature == nil {
			v = append(v, 0)
			continue
		}
		var f [6]float64
		re.ArmatureForceTo(&f, j)
		v = append(append(v, float64(jt.Kind.Freedoms())), f[:jt.Kind.Freedoms()]...)
	}
	return v
}

// take stores what a rank has sent.
func (x *pieces) take(rank int, v []float64) {
	out := x.result
	of := rung.PieceResult{Rank: rank, Bodies: int(v[0]), Halo: int(v[1]), Held: int(v[2]), Bytes: int64(v[3])}
	out.Ranks.Pieces = append(out.Ranks.Pieces, of)
	number, v := v[4:4+of.Bodies], v[4+of.Bodies:]
	for _, i := range number {
		b := &out.Bodies[int(i)]
		b.ComAcceleration, b.AngularAcceleration = spatial.Vec3(v[3:6]), spatial.Vec3(v[:3])
		v = v[6:]
	}
	for len(v) > 0 {
		j := &out.Joints[int(v[0])]
		j.ConstraintWrench, j.TotalWrench = rung.NewWrench(spatial.Force(v[1:7])), rung.NewWrench(spatial.Force(v[7:13]))
		j.WrenchUnique = true
		n := int(v[13])
		if v = v[jointNumbers:]; n > 0 {
			j.ArmatureForce = slices.Clone(v[:n])
		}
		v = v[n:]
	}
}
