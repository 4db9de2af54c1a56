package state

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
	"github.com/spf13/cobra"
)

// PiecesResult is the document of rung accel --ranks --json: fields of rung.Result that pieces know, and how the model was cut.
type PiecesResult struct {
	Format      string            `json:"format"`
	Name        string            `json:"name"`
	Time        float64           `json:"time"`
	Bodies      []rung.BodyResult `json:"bodies"`
	Joints      []PieceJoint      `json:"joints,omitempty"` // nil where rows are redundant
	Constraints piecesConstraints `json:"constraints"`
	Energy      rung.EnergyResult `json:"energy"`
	Way         string            `json:"way"`
	Refinements int               `json:"refinements"`
	Notes       []string          `json:"notes,omitempty"`
	Ranks       int               `json:"ranks"`
	Root        string            `json:"root"`
	Held        int               `json:"separator_rows"` // rows of joints between pieces
	Pieces      []AccelPiece      `json:"pieces"`
}

// PieceJoint is the reaction of a joint.
type PieceJoint struct {
	Name             string            `json:"name"`
	ConstraintWrench rung.WrenchResult `json:"constraint_wrench"`
	TotalWrench      rung.WrenchResult `json:"total_wrench"`
	PositionResidual float64           `json:"position_residual"`
	VelocityResidual float64           `json:"velocity_residual"`
}

// piecesConstraints is what pieces know of the constraints.
type piecesConstraints struct {
	Rows      int `json:"rows"`
	Rank      int `json:"rank"`
	Redundant int `json:"redundant"`
	Mobility  int `json:"mobility"`

	RedundantJoints    []rung.RedundantJoint `json:"redundant_joints"`
	RedundantCouplings []string              `json:"redundant_couplings,omitempty"`
}

// AccelPiece is what a rank has.
type AccelPiece struct {
	Rank     int   `json:"rank"`
	Bodies   int   `json:"bodies"`
	Halo     int   `json:"halo"`
	HeldRows int   `json:"held_rows"`
	Bytes    int64 `json:"bytes_sent"`
}

// accelOnRanks is runAccel with --ranks.
func accelOnRanks(cmd *cobra.Command, path string, f *accelFlags) error {
	load := func(r *ranks.Rank) (*model.Model, error) {
		switch {
		case f.method.Method != motion.Sparse:
			return nil, shell.UseErrorf("--ranks needs --method sparse")
		case !f.ordering.IsAuto():
			return nil, shell.UseErrorf("--ordering is not for --ranks: each rank finds the order of its piece")
		case r.Processes && path == shell.Stdio:
			return nil, shell.UseErrorf("--ranks mpi: each process reads the model, so it has to be a file")
		}
		p := shell.NewProgress(r.Stderr)
		defer p.End()
		return shell.ReadModel(path, cmd.InOrStdin(), p)
	}
	large := shell.Large(path)
	if large {
		defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	}
	return ranks.Launch(cmd, &f.ranks, load, func(r *ranks.Rank, m *model.Model) error {
		out, err := accelerateRank(r, m, f)
		if err != nil {
			return shell.Failed(shell.ModelFile(path), err)
		}
		if !r.Head() {
			return nil
		}
		if f.json {
			return shell.WriteJSON(r.Stdout, out)
		}
		most := listed
		if f.all {
			most = max(len(out.Bodies), len(out.Joints))
		}
		return shell.Print(r.Stdout, func(p *sheet.Page) { printPieces(p, out, most) })
	})
}

// accelerateRank solves on one rank. Rank 0 returns the document.
func accelerateRank(r *ranks.Rank, m *model.Model, f *accelFlags) (*PiecesResult, error) {
	r.Options.Threads = int(f.threads)
	p, err := dist.NewPlan(r, m, r.Options)
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
	_, held := p.HeldRows()
	out := &PiecesResult{Format: "rung-pieces/1", Way: s.Way().String(), Refinements: s.Steps(), Ranks: r.Size(), Root: f.ranks.RootName(), Held: held}
	var whole *mechanism.Mechanism
	if r.Head() {
		whole, err = mechanism.New(m)
	}
	if err = dist.Agree(r, err); err != nil {
		return nil, err
	}
	if err := out.redundantRows(r, p, s, whole); err != nil {
		return nil, err
	}
	out.gather(r, p, s, whole)
	if r.Head() {
		out.describe(whole)
	}
	return out, s.Close()
}

// redundantRows gathers the rows that count as redundant, by the numbers of joints and couplings in the whole.
func (out *PiecesResult) redundantRows(r *ranks.Rank, p *dist.Plan, s *dist.Solver, whole *mechanism.Mechanism) error {
	out.Constraints.Redundant = s.Redundant()
	out.Constraints.RedundantJoints = []rung.RedundantJoint{}
	if out.Constraints.Redundant <= 0 {
		return nil
	}
	rows, err := s.RedundantRows()
	if err != nil {
		return err
	}
	names := make([]byte, 0)
	for _, row := range rows {
		kind := byte('j')
		if row.Coupling {
			kind = 'c'
		}
		names = append(append(append(names, kind), row.Name...), 0)
	}
	all := r.Texts(string(names))
	if !r.Head() {
		return nil
	}
	count := make([]int, whole.NumConstraints())
	for _, text := range all {
		for start := 0; start < len(text); {
			end := start + slices.Index([]byte(text[start:]), 0)
			name, i := text[start+1:end], 0
			if text[start] == 'j' {
				i, err = whole.JointIndex(name)
			} else if i, err = whole.CouplingIndex(name); err == nil {
				i += whole.NumJoints()
			}
			if err != nil {
				return err
			}
			count[i]++
			start = end + 1
		}
	}
	c := &out.Constraints
	for i, n := range count {
		switch {
		case n == 0:
		case i >= whole.NumJoints():
			c.RedundantCouplings = append(c.RedundantCouplings, whole.ConstraintName(i))
		default:
			c.RedundantJoints = append(c.RedundantJoints, rung.RedundantJoint{Name: whole.ConstraintName(i), Rows: n})
		}
	}
	return nil
}

// jointNumbers are those of a joint on their way to rank 0: its number, two wrenches, two residuals.
const jointNumbers = 15

// gather brings accelerations and reactions to rank 0.
func (out *PiecesResult) gather(r *ranks.Rank, p *dist.Plan, s *dist.Solver, whole *mechanism.Mechanism) {
	piece := p.Piece()
	held, _ := p.HeldRows()
	v := []float64{float64(piece.Own), float64(len(piece.Rank)), float64(held), float64(s.Sent())}
	for _, b := range piece.Body[:piece.Own] {
		v = append(v, float64(b))
	}
	a := make([]float64, 6*piece.Own)
	s.AccelerationsTo(a)
	v = append(v, a...)
	if out.Constraints.Redundant == 0 {
		re := s.Reactions()
		m := p.Mechanism()
		for j := range m.NumJoints() {
			if !p.JointCounts(j) {
				continue
			}
			c, total := re.ConstraintWrench(j), re.TotalWrench(j)
			pos, vel := m.Residuals(j, re.Kin, re.State)
			v = append(v, float64(piece.Joint[j]))
			v = append(append(append(v, c[:]...), total[:]...), pos, vel)
		}
	}
	lists := r.Lists(v)
	if !r.Head() {
		return
	}
	out.Bodies = make([]rung.BodyResult, whole.NumBodies())
	if out.Constraints.Redundant == 0 {
		out.Joints = make([]PieceJoint, whole.NumJoints())
	}
	for rank, v := range lists {
		x := AccelPiece{rank, int(v[0]), int(v[1]), int(v[2]), int64(v[3])}
		out.Pieces = append(out.Pieces, x)
		number, v := v[4:4+x.Bodies], v[4+x.Bodies:]
		for _, i := range number {
			out.Bodies[int(i)] = rung.BodyResult{Name: whole.BodyName(int(i)), ComAcceleration: spatial.Vec3(v[3:6]), AngularAcceleration: spatial.Vec3(v[:3])}
			v = v[6:]
		}
		for ; len(v) > 0; v = v[jointNumbers:] {
			c, total := spatial.Force(v[1:7]), spatial.Force(v[7:13])
			out.Joints[int(v[0])] = PieceJoint{
				Name: whole.JointName(int(v[0])), ConstraintWrench: rung.WrenchResult{Force: c.Linear(), Moment: c.Moment()},
				TotalWrench: rung.WrenchResult{Force: total.Linear(), Moment: total.Moment()}, PositionResidual: v[13], VelocityResidual: v[14],
			}
		}
	}
	out.Notes = p.Notes()
}

// describe adds what the whole mechanism tells without a solution.
func (out *PiecesResult) describe(m *mechanism.Mechanism) {
	st, kin := m.Initial(), m.NewKinematics()
	out.Name, out.Time = m.Name, st.Time
	if m.KinematicsTo(kin, st) == nil {
		e := m.EnergyAt(kin, st)
		out.Energy = rung.EnergyResult{Kinetic: e.Kinetic, Potential: e.Potential()}
	}
	c := &out.Constraints
	c.Rows = m.NumCouplings()
	for j := range m.Joints {
		c.Rows += int(m.Joints[j].Rows)
	}
	if c.Redundant >= 0 {
		c.Rank = c.Rows - c.Redundant
		c.Mobility = 6*m.NumBodies() - c.Rank
	}
}

// printPieces writes the document for people.
func printPieces(p *sheet.Page, out *PiecesResult, most int) {
	p.Line("%s at %s s: %s in %s", sheet.ModelTitle(out.Name), sheet.Short(out.Time), sheet.Plural(len(out.Bodies), "body"), sheet.Plural(out.Ranks, "piece"))
	printBodies(p, out.Bodies, most)
	joints := make([]rung.JointResult, len(out.Joints))
	for i := range joints {
		j := &out.Joints[i]
		joints[i] = rung.JointResult{Name: j.Name, TotalWrench: j.TotalWrench, PositionResidual: j.PositionResidual, VelocityResidual: j.VelocityResidual}
	}
	printJoints(p, joints, most)
	p.Blank()
	c := &out.Constraints
	if c.Redundant < 0 {
		p.Item("constraints", sheet.Plural(c.Rows, "row")+"; which are redundant is not known, as the way that solved the system keeps all")
	} else {
		p.Item("constraints", fmt.Sprintf("%s, rank %d, mobility %d", sheet.Plural(c.Rows, "row"), c.Rank, c.Mobility))
		p.Item("redundant", redundancy(&rung.ConstraintsResult{Redundant: c.Redundant, RedundantJoints: c.RedundantJoints, RedundantCouplings: c.RedundantCouplings}))
	}
	p.Item("singularity", "not looked at in pieces")
	if c.Redundant == 0 {
		p.Item("reactions", "all determined")
		p.Item("state", violations(joints))
	} else if c.Redundant < 0 {
		p.Item("reactions", "left out, as it is not known whether they are unique")
	} else {
		p.Item("reactions", "left out, as redundant constraints share the load, and how they do is not looked at in pieces")
	}
	p.Item("energy", fmt.Sprintf("kinetic %s J, potential %s J", sheet.Short(out.Energy.Kinetic), sheet.Short(out.Energy.Potential)))
	p.Item("solve", fmt.Sprintf("%s; %s", out.Way, sheet.Plural(out.Refinements, "refinement")))
	largest, bytes := 0, int64(0)
	for _, x := range out.Pieces {
		largest, bytes = max(largest, x.Bodies), max(bytes, x.Bytes)
	}
	p.Item("pieces", fmt.Sprintf("%s of at most %s, root %s; %s between them; at most %s bytes sent by a rank",
		sheet.Plural(out.Ranks, "rank"), sheet.Plural(largest, "body"), out.Root, sheet.Plural(out.Held, "row"), sheet.Count(bytes)))
	for _, note := range out.Notes {
		p.Item("note", fault.Escape(note))
	}
}
