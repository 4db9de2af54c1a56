package beside

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// TreeText is a model as text for programs of peers that compute with trees: gravity; the number of bodies, and each with the joint
// that it hangs on; the loops; the forces. bench/peers/cpp/tree.hpp says what a line has.
type TreeText struct {
	bytes.Buffer
	Bodies []int          // numbers in the model, in the order of the text: after those that they hang on
	Joints []*model.Joint // those that they hang on
	Loops  []*model.Joint // the other joints
	number map[string]int
}

// NewTreeText writes the model. With planar, loops of revolute joints are those of mechanisms in a plane, which two rows close.
func NewTreeText(m *model.Model, planar bool) (*TreeText, error) {
	w := &TreeText{number: map[string]int{model.World: -1}}
	w.Put(m.Gravity[:]...)
	fmt.Fprintf(w, "\n%d\n", len(m.Bodies))
	if err := w.tree(m); err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%d\n", len(w.Loops))
	for _, j := range w.Loops {
		kind := j.Type.String()
		switch {
		case j.Type == model.Revolute && planar:
			kind = "planar"
		case j.Type != model.Revolute && j.Type != model.Spherical:
			return nil, fmt.Errorf("joint %q of type %v closes a loop", j.Name, j.Type)
		}
		fmt.Fprintf(w, "%s %d %d ", kind, w.number[j.Predecessor], w.number[j.Successor])
		w.pose(&j.PredecessorFrame)
		w.pose(&j.SuccessorFrame)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d\n", len(m.Forces))
	for i := range m.Forces {
		if err := w.force(&m.Forces[i]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Number is that of a body in the text, −1 for the world.
func (w *TreeText) Number(body string) int { return w.number[body] }

// Put writes numbers.
func (w *TreeText) Put(v ...float64) {
	for _, x := range v {
		w.WriteString(Number(x))
		w.WriteByte(' ')
	}
}

// pose writes position and orientation, of which zeros are the identity.
func (w *TreeText) pose(x *model.Pose) {
	q := x.Orientation
	if q == ([4]float64{}) {
		q[0] = 1
	}
	w.Put(x.Position[:]...)
	w.Put(q[:]...)
}

// tree writes each body with the first joint that reaches it from a body before, and notes the other joints.
func (w *TreeText) tree(m *model.Model) error {
	bodies := map[string]int{}
	for i := range m.Bodies {
		bodies[m.Bodies[i].Name] = i
	}
	used := make([]bool, len(m.Joints))
	for grown := true; grown; {
		grown = false
		for i := range m.Joints {
			j := &m.Joints[i]
			_, from := w.number[j.Predecessor]
			_, to := w.number[j.Successor]
			if used[i] || !from || to {
				continue
			}
			switch j.Type {
			case model.Revolute, model.Prismatic, model.Universal, model.Spherical:
			default:
				return fmt.Errorf("joint %q of type %v in the tree", j.Name, j.Type)
			}
			w.number[j.Successor] = len(w.number) - 1
			w.Bodies, w.Joints = append(w.Bodies, bodies[j.Successor]), append(w.Joints, j)
			w.body(&m.Bodies[bodies[j.Successor]], j)
			used[i], grown = true, true
		}
	}
	if len(w.number) != len(m.Bodies)+1 {
		return errors.New("a body hangs on a joint whose successor it is not")
	}
	for i := range m.Joints {
		if !used[i] {
			w.Loops = append(w.Loops, &m.Joints[i])
		}
	}
	return nil
}

// body writes a line of a body with its state and the joint that it hangs on.
func (w *TreeText) body(b *model.Body, j *model.Joint) {
	I := &b.Inertia
	w.Put(b.Mass, b.Com[0], b.Com[1], b.Com[2], I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ)
	w.pose(&b.Pose)
	w.Put(b.Velocity.Linear[:]...)
	w.Put(b.Velocity.Angular[:]...)
	fmt.Fprintf(w, "%v %d ", j.Type, w.number[j.Predecessor])
	w.pose(&j.PredecessorFrame)
	w.pose(&j.SuccessorFrame)
	fmt.Fprintln(w)
}

// force writes a line of a spring-damper or a torque; others are not built by peers.
func (w *TreeText) force(f *model.ForceElement) error {
	switch {
	case f.Type == model.SpringDamper && f.Spring == nil && f.Damper == nil:
		fmt.Fprintf(w, "spring %d ", w.number[f.A.Body])
		w.Put(f.A.Point[:]...)
		fmt.Fprintf(w, "%d ", w.number[f.B.Body])
		w.Put(f.B.Point[:]...)
		w.Put(f.Stiffness, f.Damping, f.RestLength)
	case f.Type == model.Wrench && f.Force == [3]float64{}:
		fmt.Fprintf(w, "torque %d ", w.number[f.A.Body])
		w.Put(f.Torque[:]...)
	default:
		return fmt.Errorf("force %q is not built here", f.Name)
	}
	fmt.Fprintln(w)
	return nil
}
