package objective

import (
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// term is a function of a state: a term of the objective for a datum, with the derivative seed by the state more. Without of it is that
// alone. A raw one is the value of the column itself.
type term struct {
	output int
	of     *Term
	datum  float64
	raw    bool
	clock  float64 // of the time at which the run ends: a rate that does not depend on the state
	seed   []float64
}

// at returns the function for a value of the column, and its derivative.
func (t *term) at(x float64) (value, slope float64) {
	if t.raw {
		return x, 1
	}
	return t.of.at(x, t.datum)
}

// field is the equations of motion of a mechanism with their derivative and its transpose, for package adjoint.
type field struct {
	d          *derive.Derivatives
	outputs    []derive.Output
	parameters [][]*derive.Parameter
	w          *derive.Weights
	g          *derive.Gradient
	in         *derive.Directions // one a parameter, as the two below
	out        *derive.Changes
	x, p, none []float64         // of ValueTo
	projects   bool              // the run takes states back to the joints
	on         derive.Redundancy // where the run begins; zero: there is no doubt
}

// newFields makes n fields, each of its own memory, which have derivatives along directions, too.
func (g *Problem) newFields(n, directions int) (list []*field, err error) {
	for range n {
		f := &field{d: derive.New(g.plan, g.doc), outputs: g.outputs, projects: g.projects()}
		for i := range g.o.Parameters {
			found, err := parametersOf(f.d, &g.o.Parameters[i], false)
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
	if err := f.d.AdjointTo(f.g, f.w, false); err != nil {
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

// gradientTo adds to p sign times the gradient at hand by the parameters: by all numbers that one stands for.
func (f *field) gradientTo(p []float64, sign float64) {
	for k, list := range f.parameters {
		for _, q := range list {
			p[k] += sign * f.g.Of(q)
		}
	}
}

// PushTo implements adjoint.TangentField: each direction is that of a parameter.
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

// projects reports whether runs take their states back to joints.
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

// setDirection makes direction k that of its parameter, with the state changed by dx.
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

// setState makes a direction change the state of body i by y, wherever the centre of mass is in the body.
func setState(u *derive.BodyDirection, st *mechanism.State, i int, y []float64) {
	u.Rotation, u.Position = spatial.Vec3(y[:3]), spatial.Vec3(y[3:6])
	u.Angular, u.Linear = spatial.Vec3(y[6:9]), spatial.Vec3(y[9:12])
	moved, faster := comMoves(st, i, u)
	u.Position, u.Linear = u.Position.Sub(moved), u.Linear.Sub(faster)
}

// comMoves returns how the centre of mass of body i, and its velocity, change with its place in the body along a direction.
func comMoves(st *mechanism.State, i int, u *derive.BodyDirection) (moved, faster spatial.Vec3) {
	if u.Com == (spatial.Vec3{}) {
		return
	}
	b := &st.Bodies[i]
	moved = b.Rotation.Rotate(u.Com)
	return moved, b.Omega.Cross(moved)
}

// ValueTo implements adjoint.TangentField, by the gradient of the function.
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
