package objective

import (
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// term is a function of a state: a term of the objective for a datum (of), plus a linear function of the state (seed). Either may be left
// out. A raw term is the value of the column itself.
type term struct {
	output int
	of     *Term
	datum  float64
	raw    bool
	clock  float64   // a rate that does not depend on the state: the derivative of a term by the time at which the run ends
	seed   []float64 // derivatives by the state, PerBody a body; nil for zeros
}

// at returns the value of the function for the value x of the column, and its derivative by x.
func (t *term) at(x float64) (value, slope float64) {
	if t.raw {
		return x, 1
	}
	return t.of.at(x, t.datum)
}

// field is the field of package adjoint: the equations of motion of a mechanism, with their derivative and its transpose.
type field struct {
	d          *derive.Derivatives
	outputs    []derive.Output
	parameters [][]*derive.Parameter
	w          *derive.Weights
	g          *derive.Gradient
	in         *derive.Directions // by parameter
	out        *derive.Changes    // by parameter
	x, p, none []float64          // scratch of ValueTo; none are zeros, six a body
	projects   bool               // the run projects states onto the joints
	on         derive.Redundancy  // at the start of the run; zero: Doubt has nothing to compare with
}

// withoutTask is the argument ofTask of parametersOf for parameters that are numbers of the model only.
const withoutTask = false

// newFields makes n fields with separate memory, for derivatives along the given number of directions.
func (g *Problem) newFields(n, directions int) (list []*field, err error) {
	for range n {
		f := &field{d: derive.New(g.plan, g.doc), outputs: g.outputs, projects: g.projects()}
		for i := range g.o.Parameters {
			found, err := parametersOf(f.d, &g.o.Parameters[i], withoutTask)
			if err != nil {
				return nil, err
			}
			f.parameters = append(f.parameters, found)
		}
		f.w, f.g = f.d.NewWeights(), f.d.NewGradient()
		f.in, f.out = f.d.NewDirections(directions), f.d.NewChanges(directions)
		nb := g.mech.NumBodies()
		f.x, f.p, f.none = make([]float64, adjoint.PerBody*nb), make([]float64, len(f.parameters)), make([]float64, 6*nb)
		list = append(list, f)
	}
	return list, nil
}

// At implements adjoint.Field.
func (f *field) At(a []float64, st *mechanism.State) error {
	if err := f.d.At(st); err != nil {
		return err
	}
	f.d.AccelerationsTo(a)
	return nil
}

// Doubt implements adjoint.DoubtfulField.
func (f *field) Doubt() error { return f.d.Doubt(f.on) }

// PullTo implements adjoint.Field.
func (f *field) PullTo(x, p, w []float64, of *term, scale float64) (value float64, err error) {
	if of != nil {
		value = of.clock
	}
	f.w.Reset()
	f.w.SetAccelerations(w)
	if of != nil && (of.of != nil || of.raw) {
		o := f.outputs[of.output]
		var slope float64
		value, slope = of.at(f.d.OutputValue(o))
		f.w.AddOutput(o, scale*slope)
	}
	if err := f.d.AdjointTo(f.g, f.w, derive.Options{}); err != nil {
		return 0, err
	}
	f.g.TakeMotion(x)
	if of != nil {
		for i, y := range of.seed {
			x[i] += scale * y
		}
	}
	f.gradientTo(p, 1)
	return value, nil
}

// gradientTo adds to p sign times the present gradient by the parameters, each the sum over the numbers that it changes.
func (f *field) gradientTo(p []float64, sign float64) {
	for k, list := range f.parameters {
		for _, q := range list {
			p[k] += sign * f.g.Of(q)
		}
	}
}

// PushTo implements adjoint.TangentField: direction k is along parameter k.
func (f *field) PushTo(da, dx [][]float64) error {
	for k := range dx {
		f.setDirection(k, dx[k])
	}
	if err := f.d.ForwardTo(f.out, f.in, derive.Options{Untried: true, BodiesOnly: true, AsGiven: true}); err != nil {
		return err
	}
	for k := range da {
		f.out.AccelerationsTo(da[k], k)
	}
	return nil
}

// projects reports whether runs project their states onto the joints.
func (g *Problem) projects() bool {
	return g.o.Run.Stabilization != runs.None && g.plan.Layout().Pattern.Len() > g.mech.NumBodies()
}

// Projects implements adjoint.JointField.
func (f *field) Projects() bool { return f.projects }

// Projected implements adjoint.JointField.
func (f *field) Projected(moved, change []float64) error { return f.d.Projected(moved, change) }

// JoinBack implements adjoint.JointField.
func (f *field) JoinBack(x, p []float64) error {
	if err := f.d.FollowMotion(f.g, x); err != nil {
		return err
	}
	clear(x)
	f.g.TakeMotion(x)
	f.gradientTo(p, 1)
	return nil
}

// Join implements adjoint.JointField.
func (f *field) Join(dx [][]float64) error {
	for k := range dx {
		f.setDirection(k, dx[k])
	}
	return f.d.FollowTo(dx, f.in)
}

// setDirection sets direction k to a unit change of parameter k, with the state changed by dx.
func (f *field) setDirection(k int, dx []float64) {
	st := f.d.State()
	f.in.Reset(k)
	for _, p := range f.parameters[k] {
		f.in.AddParameter(k, p, 1)
	}
	for i := range st.Bodies {
		setState(f.in.Body(k, i), st, i, dx[adjoint.PerBody*i:])
	}
}

// setState sets u to the change y of the state of body i, PerBody numbers. If u moves the centre of mass within the body, y is the change
// with that included.
func setState(u *derive.BodyDirection, st *mechanism.State, i int, y []float64) {
	u.Rotation, u.Position = spatial.Vec3(y[:3]), spatial.Vec3(y[3:6])
	u.Angular, u.Linear = spatial.Vec3(y[6:9]), spatial.Vec3(y[9:12])
	moved, faster := comMoves(st, i, u)
	u.Position, u.Linear = u.Position.Sub(moved), u.Linear.Sub(faster)
}

// comMoves returns the changes of the position and of the velocity of the centre of mass of body i by its change u.Com within the body,
// world axes.
func comMoves(st *mechanism.State, i int, u *derive.BodyDirection) (moved, faster spatial.Vec3) {
	if u.Com == (spatial.Vec3{}) {
		return
	}
	b := &st.Bodies[i]
	moved = b.Rotation.Rotate(u.Com)
	return moved, b.Omega.Cross(moved)
}

// ValueTo implements adjoint.TangentField: it multiplies the gradient of the function by the directions.
func (f *field) ValueTo(d []float64, dx [][]float64, of *term, scale float64) (float64, error) {
	clear(f.x)
	clear(f.p)
	value, err := f.PullTo(f.x, f.p, f.none, of, 1)
	if err != nil {
		return 0, err
	}
	for k := range dx {
		sum := f.p[k]
		for i, x := range dx[k] {
			sum += f.x[i] * x
		}
		d[k] += scale * sum
	}
	return value, nil
}
