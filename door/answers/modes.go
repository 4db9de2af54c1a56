package answers

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// balancedEnough is the relative unbalanced force up to which a state counts as an equilibrium.
const balancedEnough = 1e-6

// Modes is the document rung-modes/1.
type Modes struct {
	Format     string        `json:"format"`
	Name       string        `json:"name"`
	Bodies     int           `json:"bodies"`
	Joints     int           `json:"joints"`
	Method     string        `json:"method"`
	Damped     bool          `json:"damped"`
	Steady     bool          `json:"steady,omitempty"`
	Turning    *spatial.Vec3 `json:"turning,omitempty"` // of the axes of a steady motion, rad/s
	All        bool          `json:"all"`               // Modes are all modes
	Unstable   int           `json:"unstable"`
	Unbalanced *Unbalanced   `json:"unbalanced"`
	Edges      []string      `json:"stops_at_edge,omitempty"` // JOINT.FREEDOM
	Warnings   []string      `json:"warnings,omitempty"`      // why modes may not describe small vibrations
	Modes      []Mode        `json:"modes"`
}

// Mode is one mode.
type Mode struct {
	Kind            string     `json:"kind"`
	Frequency       float64    `json:"frequency"`        // |λ|/2π, Hz
	DampedFrequency float64    `json:"damped_frequency"` // Hz
	DampingRatio    float64    `json:"damping_ratio"`
	Eigenvalue      [2]float64 `json:"eigenvalue"` // real and imaginary part, 1/s
	Stiffness       float64    `json:"stiffness"`  // 1/s²
	Shape           []Shape    `json:"shape"`

	Largest BodyChange `json:"-"` // the body with the largest part of the kinetic energy, and that part
}

// Shape is the motion of one body in a mode, world axes.
type Shape struct {
	Body        string        `json:"body"`
	Linear      spatial.Vec3  `json:"linear"`  // of the centre of mass, 1/√kg
	Angular     spatial.Vec3  `json:"angular"` // rad/(√kg m)
	LinearImag  *spatial.Vec3 `json:"linear_imaginary,omitempty"`
	AngularImag *spatial.Vec3 `json:"angular_imaginary,omitempty"`
}

// ModesOptions say about which motion a mechanism is linearized: without Moving and Steady about the pose at rest.
type ModesOptions struct {
	linear.ModeOptions      // Steady: about the motion of the state, which has to be steady
	Equilibrium        bool // the state is first moved to the equilibrium
	Moving             bool // about the motion of the state at this instant
	Stage              Stage
}

// Exclusive returns an error that names two options which exclude each other, or nil. called returns the name of an option for the
// error: a flag in the command.
func (o *ModesOptions) Exclusive(called func(option string) string) error {
	for _, c := range []struct {
		both     bool
		one, two string
		why      string
	}{
		{o.Moving && o.Equilibrium, "moving", "equilibrium", "an equilibrium is at rest"},
		{o.Steady && o.Moving, "steady", "moving", called("steady") + " takes the motion of the model, too"},
		{o.Steady && o.Equilibrium, "steady", "equilibrium", "an equilibrium is at rest"},
		{o.Steady && o.Undamped, "steady", "undamped", "a steady motion has its velocity terms"},
		{o.Steady && o.Method == linear.Sparse, "steady", "method sparse", "modes of steady motions are found by the dense method"},
	} {
		if c.both {
			return fault.Errorf("door/answers: %s and %s exclude each other: %s", called(c.one), called(c.two), c.why)
		}
	}
	return nil
}

// FindModes linearizes the mechanism about st and finds its lowest modes. It first sets st to rest unless the options ask for its motion,
// and moves it to the equilibrium if they ask for that. A state that violates the joints is taken as it is, and a warning names the joint.
//
// It returns the errors of linear.EquilibrateContext, System.Linearize and System.Modes, and an error that names a joint if
// the mechanism rolls and Moving is asked for. Cost: as these functions.
func FindModes(ctx context.Context, p *kkt.Plan, st *mechanism.State, o ModesOptions) (*Modes, error) {
	if !o.Moving && !o.Steady {
		st.Rest()
	}
	if o.Equilibrium {
		o.Stage.begins("balancing")
		if _, err := linear.EquilibrateContext(ctx, p, st, linear.EquilibriumOptions{}); err != nil {
			return nil, err
		}
	}
	mech := p.Mechanism()
	if rolls := mech.Holonomic(); rolls != nil && o.Moving {
		return nil, fault.Errorf("door/answers: %w: the option steady takes its motion", rolls)
	}
	o.Stage.begins("linearizing")
	s := linear.NewSystem(p)
	defer s.Watch(ctx)()
	var warnings []string
	var open *mechanism.ViolationError
	err := s.Linearize(st)
	if errors.As(err, &open) {
		warnings = append(warnings, openJoint(open))
		err = s.LinearizeAsItIs(st)
	}
	if err != nil {
		return nil, err
	}
	o.Stage.begins("modes")
	found, err := s.Modes(o.ModeOptions)
	if err != nil {
		return nil, err
	}
	r := newModes(mech, s, found)
	r.Warnings = warnings
	r.warn(mech, st, !o.Moving && !o.Steady)
	return r, nil
}

// warn adds a warning for a state at rest that is not in equilibrium, and one for each stop at the edge of contact, whose force begins
// on one side of the state only.
func (r *Modes) warn(mech *mechanism.Mechanism, st *mechanism.State, rest bool) {
	if u := r.Unbalanced; rest && !(*u.Relative <= balancedEnough) {
		left := fmt.Sprintf("body %s is left with a force of %s N and a moment of %s N m",
			fault.Name(u.Body), short(u.Force.Norm()), short(u.Moment.Norm()))
		r.Warnings = append(r.Warnings, "not in equilibrium: "+left+"; seek the equilibrium first")
	}
	k := mech.NewKinematics()
	if mech.KinematicsTo(k, st) != nil {
		return
	}
	for _, f := range mech.StopsAtEdge(k, st) {
		name := fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom)
		r.Edges = append(r.Edges, name)
		const one = "where it holds on one side only: the modes are those of one side"
		r.Warnings = append(r.Warnings, "stop "+fault.Name(name)+" is at the edge of touching, "+one)
	}
}

// short returns x with four digits, for messages.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// openJoint returns the warning that st violates a joint or coupling.
func openJoint(e *mechanism.ViolationError) string {
	what := "joint "
	if e.At.Coupling != "" {
		what = "coupling "
	}
	what += fault.Name(e.Name())
	position, velocity := e.Violation.In(e.Unit)
	const first = "; close the joints first"
	if velocity > position {
		return "the velocities open " + what + " by " + short(max(e.Violation.Speed, e.Violation.Turn)) + " m/s or rad/s" + first
	}
	return what + " is open by " + short(max(e.Violation.Length, e.Violation.Angle)) + " m or rad" + first
}

// newModes returns the document of the modes of s.
func newModes(mech *mechanism.Mechanism, s *linear.System, found *linear.Modes) *Modes {
	left, relative := s.Unbalanced()
	r := &Modes{
		Format: "rung-modes/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(),
		Method: found.Method.String(), Damped: found.Damped, All: found.All, Unstable: found.Unstable(),
		Unbalanced: newUnbalanced(&left, &relative), Modes: make([]Mode, len(found.List)),
	}
	if found.Steady {
		r.Steady, r.Turning = true, &found.Turning
	}
	part := make([]float64, mech.NumBodies())
	for i := range found.List {
		m := &found.List[i]
		out := &r.Modes[i]
		*out = Mode{
			Kind: m.Kind.String(), Frequency: m.Frequency(), DampedFrequency: m.DampedFrequency(),
			DampingRatio: m.DampingRatio(), Eigenvalue: [2]float64{real(m.Lambda), imag(m.Lambda)},
			Stiffness: m.Stiffness, Shape: make([]Shape, mech.NumBodies()),
		}
		s.EnergyPartsTo(part, m)
		largest := algebra.NewPeak(0)
		for b := range out.Shape {
			out.Shape[b] = shapeOf(mech, m, b)
			largest.Take(part[b], b)
		}
		if b := largest.At; b >= 0 {
			out.Largest = BodyChange{mech.BodyName(b), part[b]}
		}
	}
	return r
}

// shapeOf returns the motion of body b in mode m. A damped mode has imaginary parts too.
func shapeOf(mech *mechanism.Mechanism, m *linear.Mode, b int) Shape {
	x := m.Shape[6*b : 6*b+6]
	out := Shape{Body: mech.BodyName(b), Angular: spatial.Vec3(x[:3]), Linear: spatial.Vec3(x[3:])}
	if m.Imag != nil {
		y := m.Imag[6*b : 6*b+6]
		a, l := spatial.Vec3(y[:3]), spatial.Vec3(y[3:])
		out.AngularImag, out.LinearImag = &a, &l
	}
	return out
}
