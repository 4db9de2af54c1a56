package results

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Format is the value of the "format" field of a Document.
const Format = "rung-result/1"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-result/1, the document that a
// Document is.
func Schema() []byte { return slices.Clone(schema) }

// Document is the forward dynamics of one state with names: the document that
// "rung accel --json" prints (docs/cli.md). Vectors are in world axes; wrenches
// act on the successor, moments about the origin of its frame.
type Document struct {
	Format      string      `json:"format"`
	Name        string      `json:"name"`
	Time        float64     `json:"time"`
	Method      string      `json:"method"`
	Ordering    string      `json:"ordering"`
	Bodies      []Body      `json:"bodies"`
	Joints      []Joint     `json:"joints"`
	Couplings   []Coupling  `json:"couplings,omitempty"`
	Constraints Constraints `json:"constraints"`
	Energy      Energy      `json:"energy"`
	Solve       Solve       `json:"solve"`
	IllScaled   *IllScaled  `json:"ill_scaled,omitempty"`
	// Violation is nil where the state satisfies the joints to within mechanism.HoldTolerance. If it does not, the
	// accelerations keep the second derivatives of the violations at zero.
	Violation *Violation `json:"violation,omitempty"`
	// BeyondLimits are the freedoms that are beyond the limits of the model.
	BeyondLimits []BeyondLimit `json:"beyond_limits,omitempty"`

	// Forces are the spring-dampers, bushings and cables, in their order.
	Forces []Force `json:"forces,omitempty"`
	// Contradiction is nil where the constraints contradict each other by no more than rounding.
	Contradiction *Contradiction `json:"contradiction,omitempty"`
	// RankDiffers is nil unless another method than the sparse one finds another rank.
	RankDiffers *RankDiffers `json:"rank_differs,omitempty"`

	// Ranks is how the model was cut into pieces, nil if one process has solved it (docs/cluster.md).
	Ranks *Ranks `json:"ranks,omitempty"`
	// LeftOut are the fields that pieces do not tell. They are zero here, and not in the document.
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// Ranks is how a model was cut into pieces.
type Ranks struct {
	Ranks  int     `json:"ranks"`
	Root   string  `json:"root"`           // the method that solved for the rows between the pieces
	Held   int     `json:"separator_rows"` // rows of joints between pieces
	Pieces []Piece `json:"pieces"`
}

// Piece tells the size of the piece of one rank.
type Piece struct {
	Rank   int   `json:"rank"`
	Bodies int   `json:"bodies"`     // of its own
	Halo   int   `json:"halo"`       // bodies of other ranks that it knows
	Held   int   `json:"held_rows"`  // rows of its joints with other pieces
	Bytes  int64 `json:"bytes_sent"` // in the solution
}

// LeftOut says why fields are not in a document. A dot stands between the levels of a name, such as
// constraints.distance; joints.total_wrench stands for the field of every joint.
type LeftOut struct {
	Fields []string `json:"fields"`
	Reason string   `json:"reason"`
}

// Body returns the result of the body of that name.
//
// Cost: O(bodies). If there is none, the error suggests similar names.
func (r *Document) Body(name string) (*Body, error) {
	for i := range r.Bodies {
		if r.Bodies[i].Name == name {
			return &r.Bodies[i], nil
		}
	}
	meant := fault.MeantOf(name, len(r.Bodies), func(i int) string { return r.Bodies[i].Name })
	return nil, fmt.Errorf("results: no body %s%s", fault.Name(name), meant)
}

// Joint returns the result of the joint of that name.
//
// Cost: O(joints). If there is none, the error suggests similar names.
func (r *Document) Joint(name string) (*Joint, error) {
	for i := range r.Joints {
		if r.Joints[i].Name == name {
			return &r.Joints[i], nil
		}
	}
	meant := fault.MeantOf(name, len(r.Joints), func(i int) string { return r.Joints[i].Name })
	return nil, fmt.Errorf("results: no joint %s%s", fault.Name(name), meant)
}

// Knows reports whether the document has a field: no LeftOut names it.
func (r *Document) Knows(field string) bool {
	for i := range r.LeftOut {
		if slices.Contains(r.LeftOut[i].Fields, field) {
			return false
		}
	}
	return true
}

// BeyondLimit is a freedom that is beyond a limit.
type BeyondLimit struct {
	Joint      string  `json:"joint"`
	Freedom    int     `json:"freedom"`
	Coordinate float64 `json:"coordinate"` // rad or m
	Limit      float64 `json:"limit"`      // that is passed
	Stop       bool    `json:"stop"`       // a stop pushes back
}

// String says it in words.
func (l *BeyondLimit) String() string {
	b := mechanism.BeyondLimit{Freedom: mechanism.Freedom{Freedom: l.Freedom}, Coordinate: l.Coordinate, Bound: l.Limit, Stop: l.Stop}
	return b.Text(l.Joint)
}

// LimitsAt returns the freedoms that are beyond the limits of the model at st, whose kinematics are k.
func LimitsAt(mech *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (list []BeyondLimit) {
	for _, b := range mech.BeyondLimits(k, st) {
		list = append(list, BeyondLimit{mech.JointName(b.Joint), b.Freedom.Freedom, b.Coordinate, b.Bound, b.Stop})
	}
	return list
}

// Contradiction is the residual of constraints that contradict each other at acceleration level.
type Contradiction struct {
	Relative float64 `json:"relative"` // see kkt.Solver.Inconsistency
	Joint    string  `json:"joint"`    // with the worst row
	Text     string  `json:"text"`
	Coupling string  `json:"coupling,omitempty"` // with the worst row, if it is not a row of a joint
}

// RankDiffers says that two methods differ about which constraints are redundant.
type RankDiffers struct {
	Sparse int    `json:"sparse"` // rank of the sparse method
	Text   string `json:"text"`
}

// IllScaled names the body or joint of kkt.IllScaled.
type IllScaled struct {
	Body  string `json:"body,omitempty"`
	Joint string `json:"joint,omitempty"`
	Text  string `json:"text"`
}

// Body is the acceleration of one body.
type Body struct {
	Name                string       `json:"name"`
	ComAcceleration     spatial.Vec3 `json:"com_acceleration"`     // classical, m/s²
	AngularAcceleration spatial.Vec3 `json:"angular_acceleration"` // rad/s²
}

// Wrench is a force (N) and a moment (N m).
type Wrench struct {
	Force  spatial.Vec3 `json:"force"`
	Moment spatial.Vec3 `json:"moment"`
}

// Violation is the joint or the coupling that a state violates most, and by how much.
type Violation struct {
	Name   string  `json:"name"`
	Length float64 `json:"length"` // m
	Angle  float64 `json:"angle"`  // rad
	Speed  float64 `json:"speed"`  // m/s
	Turn   float64 `json:"turn"`   // rad/s
}

// violationAt returns the worst violation at st, whose kinematics are k; nil if st satisfies the joints to within
// mechanism.HoldTolerance.
func violationAt(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) *Violation {
	var e *mechanism.ViolationError
	if !errors.As(m.HoldsIn(k, st, m.DriftUnit()), &e) {
		return nil
	}
	v := &e.Violation
	return &Violation{e.Name(), v.Length, v.Angle, v.Speed, v.Turn}
}

// Joint is the reaction of one joint.
type Joint struct {
	Name             string    `json:"name"`
	ConstraintWrench Wrench    `json:"constraint_wrench"`
	TotalWrench      Wrench    `json:"total_wrench"`             // with the forces along its freedoms
	ArmatureForce    []float64 `json:"armature_force,omitempty"` // −I·q̈ of each freedom, N m or N, of a joint with armature
	WrenchUnique     bool      `json:"wrench_unique"`
	Undetermined     []string  `json:"undetermined"`
	PositionResidual float64   `json:"position_residual"` // m or rad
	VelocityResidual float64   `json:"velocity_residual"` // m/s or rad/s
}

// Coupling is the reaction of one coupling. Everything is in the unit of its terms.
type Coupling struct {
	Name             string  `json:"name"`
	Multiplier       float64 `json:"multiplier"` // λ: the generalized force along the freedom of a term is λ·factor
	MultiplierUnique bool    `json:"multiplier_unique"`
	PositionResidual float64 `json:"position_residual"` // |φ|
	VelocityResidual float64 `json:"velocity_residual"` // |φ̇|
}

// Redundant is a joint with redundant rows.
type Redundant struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Row is a row of a joint or coupling.
type Row struct {
	Joint    string `json:"joint,omitempty"`
	Row      string `json:"row,omitempty"` // what it demands (joints.Spec.RowName)
	Coupling string `json:"coupling,omitempty"`
}

// DependentRow is a redundant row with the rows from which it follows (kkt.Dependency).
type DependentRow struct {
	Row
	From []Row `json:"from"`
}

// Constraints is the Report in the document's form.
type Constraints struct {
	Rows            int         `json:"rows"`
	Rank            int         `json:"rank"`
	Redundant       int         `json:"redundant"`
	Mobility        int         `json:"mobility"`
	Reaches         int         `json:"reaches,omitempty"` // kkt.Report.Reaches; 0 where it is Mobility
	NearSingular    bool        `json:"near_singular"`
	Distance        float64     `json:"distance"` // see kkt.Report.Distance
	WeakestJoint    string      `json:"weakest_joint,omitempty"`
	RedundantJoints []Redundant `json:"redundant_joints"`

	WeakestCoupling    string   `json:"weakest_coupling,omitempty"` // in place of the joint
	RedundantCouplings []string `json:"redundant_couplings,omitempty"`

	DependentRows []DependentRow `json:"dependent_rows,omitempty"` // see kkt.Report.Dependencies

	LeastNorm    bool    `json:"least_norm"`    // see kkt.Report.LeastNorm
	NormResidual float64 `json:"norm_residual"` // see kkt.Report.NormResidual
}

// Solve says what the solution cost and how good it is.
type Solve struct {
	Unknowns        int     `json:"unknowns"`
	FactorNonzeros  int64   `json:"factor_nonzeros"`
	FactorFlops     int64   `json:"factor_flops"`
	FormationFlops  int64   `json:"formation_flops,omitempty"` // of H and K (tree.Plan.FormationFlops); 0 for the sparse method
	Refinements     int     `json:"refinements"`
	Residual        float64 `json:"residual"`      // scaled, of the whole system
	Inconsistency   float64 `json:"inconsistency"` // see kkt.Solver.Inconsistency
	PivotGrowth     float64 `json:"pivot_growth"`
	CorrectedPivots int     `json:"corrected_pivots"`
	Reduced         bool    `json:"reduced"`             // the system was reduced by bodies on the ground (kkt.Route)
	WhyWhole        string  `json:"why_whole,omitempty"` // why it was not; empty for the tree methods too
	Way             string  `json:"way,omitempty"`       // how it was solved (kkt.Way); empty for the tree methods
}

// exact is the largest inconsistency of constraints that counts as rounding. A kkt.Solver takes rows
// for redundant up to the same bound.
const exact = 1e-12

// nameColumns is the length to which a name in a text is cut.
const nameColumns = 60

// New gathers the last solution of s, its Report, energies and residuals under
// the names of bodies and joints.
//
// It returns the errors of Report. It panics without a solution.
func New(s *kkt.Solver) (*Document, error) {
	rep, err := s.Report()
	if err != nil {
		return nil, err
	}
	plan, st, kin, ref := s.Plan(), s.State(), s.Kinematics(), s.Refinement()
	mech, counts, route := plan.Mechanism(), plan.Counts(), s.Route()
	out, err := NewState(mech, kin, st)
	if err != nil {
		return nil, err
	}
	out.Ordering, out.Constraints = plan.Ordering().String(), constraints(mech, rep)
	out.Solve = Solve{
		Unknowns: plan.Layout().Pattern.Dim(), FactorNonzeros: counts.NonZeros, FactorFlops: counts.Flops,
		Refinements: ref.Steps, Residual: rep.BackwardError,
		Inconsistency: s.Inconsistency(), PivotGrowth: rep.Growth, CorrectedPivots: rep.Corrected,
		Reduced: route.Reduced, WhyWhole: route.WhyWhole, Way: route.Way.String(),
	}
	if ill := rep.IllScaled; ill != nil {
		out.IllScaled = &IllScaled{Text: ill.Text}
		if ill.Body >= 0 {
			out.IllScaled.Body = mech.BodyName(ill.Body)
		} else {
			out.IllScaled.Joint = mech.JointName(ill.Joint)
		}
	}
	if size := s.Inconsistency(); size > exact {
		i := plan.Dynamics().Layout().NodeConstraint(ref.Worst.Node)
		out.Contradiction = NewContradiction(size, mech.ConstraintName(i), i >= mech.NumJoints())
	}
	for i := range out.Bodies {
		out.Bodies[i].ComAcceleration, out.Bodies[i].AngularAcceleration = s.ComAcceleration(i), s.AngularAcceleration(i)
	}
	for j := range out.Joints {
		x := &out.Joints[j]
		x.ConstraintWrench, x.TotalWrench = NewWrench(s.ConstraintWrench(j)), NewWrench(s.TotalWrench(j))
		x.ArmatureForce = armatureForce(s, j)
		x.WrenchUnique, x.Undetermined = rep.Unique(j), rep.UndeterminedComponents(j)
	}
	for i := range out.Couplings {
		out.Couplings[i].Multiplier, out.Couplings[i].MultiplierUnique = s.Reactions().CouplingMultiplier(i), !rep.UndeterminedCouplings[i]
	}
	return out, nil
}

// NewState returns a document with the fields that need no solution: names, energies,
// limits that are passed, forces of springs, and the residuals of joints and couplings.
// k are the kinematics of m at st. Format and Method are as in New.
//
// Cost: O(bodies + joints). It returns an error if a formula of a spring is not defined at st.
func NewState(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (*Document, error) {
	e := m.EnergyAt(k, st)
	out := &Document{
		Format: Format, Name: m.Name, Time: st.Time, Method: "sparse",
		Bodies:       make([]Body, m.NumBodies()),
		Joints:       make([]Joint, m.NumJoints()),
		Constraints:  Constraints{RedundantJoints: []Redundant{}},
		Energy:       Energy{Kinetic: e.Kinetic, Potential: e.Potential()},
		BeyondLimits: LimitsAt(m, k, st),
		Violation:    violationAt(m, k, st),
	}
	var err error
	if out.Forces, err = forceResults(m, k, st); err != nil {
		return nil, err
	}
	for i := range out.Bodies {
		out.Bodies[i].Name = m.BodyName(i)
	}
	for j := range out.Joints {
		pos, vel := m.Residuals(j, k, st)
		out.Joints[j] = Joint{Name: m.JointName(j), PositionResidual: pos, VelocityResidual: vel}
	}
	for i := range m.NumCouplings() {
		phi, rate := m.CouplingErrors(i, k, st)
		c := Coupling{Name: m.CouplingName(i), PositionResidual: math.Abs(phi), VelocityResidual: math.Abs(rate)}
		out.Couplings = append(out.Couplings, c)
	}
	return out, nil
}

// NewContradiction returns the entry of a document for constraints that contradict each other by size
// (kkt.Solver.Inconsistency), most in the joint or coupling of that name; nil if rounding may be the cause.
// An empty name stands for a joint between two pieces.
func NewContradiction(size float64, name string, coupling bool) *Contradiction {
	if !(size > exact) {
		return nil
	}
	out := &Contradiction{Relative: size, Joint: name}
	where := "joint " + fault.Text(name, nameColumns)
	switch {
	case name == "":
		where = "a joint between two pieces"
	case coupling:
		out.Joint, out.Coupling, where = "", name, "coupling "+fault.Text(name, nameColumns)
	}
	out.Text = fmt.Sprintf("constraints contradict each other by %.2g of what their terms make, most in %s; "+
		"accelerations are those of least squares", size, where)
	return out
}

// armatureForce returns the forces of the armature of joint j, nil if it has none.
func armatureForce(s *kkt.Solver, j int) []float64 {
	jt := &s.Plan().Mechanism().Joints[j]
	if jt.Armature == nil {
		return nil
	}
	var f [6]float64
	s.Reactions().ArmatureForceTo(&f, j)
	return slices.Clone(f[:jt.Kind.Freedoms()])
}

// constraints returns the report r in the document's form, with names for numbers.
func constraints(mech *mechanism.Mechanism, r *kkt.Report) Constraints {
	c := Constraints{
		Rows: r.Rows, Rank: r.Rank, Redundant: r.Redundant, Mobility: r.Mobility,
		NearSingular: r.NearSingular, Distance: r.Distance, RedundantJoints: []Redundant{},
		LeastNorm: r.LeastNorm, NormResidual: r.NormResidual,
	}
	if r.Reaches != r.Mobility {
		c.Reaches = r.Reaches
	}
	switch i := r.WeakestJoint; {
	case i >= mech.NumJoints():
		c.WeakestCoupling = mech.ConstraintName(i)
	case i >= 0:
		c.WeakestJoint = mech.ConstraintName(i)
	}
	for i, n := range r.RedundantRows {
		switch {
		case n == 0:
		case i >= mech.NumJoints():
			c.RedundantCouplings = append(c.RedundantCouplings, mech.ConstraintName(i))
		default:
			c.RedundantJoints = append(c.RedundantJoints, Redundant{mech.ConstraintName(i), n})
		}
	}
	for _, d := range r.Dependencies {
		x := DependentRow{rowOf(mech, d.ConstraintRow), make([]Row, len(d.From))}
		for i, f := range d.From {
			x.From[i] = rowOf(mech, f)
		}
		c.DependentRows = append(c.DependentRows, x)
	}
	return c
}

// rowOf returns a row with its names.
func rowOf(m *mechanism.Mechanism, r kkt.ConstraintRow) Row {
	name := m.ConstraintName(r.Constraint)
	if r.Constraint >= m.NumJoints() {
		return Row{Coupling: name}
	}
	return Row{Joint: name, Row: r.Name(m)}
}

// NewWrench returns w in the document's form.
func NewWrench(w spatial.Force) Wrench {
	return Wrench{Force: w.Linear(), Moment: w.Moment()}
}
