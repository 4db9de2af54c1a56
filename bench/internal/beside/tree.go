package beside

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// TreeText is a model as text for peers' programs that compute with a spanning tree: gravity; the number of bodies and a line for
// each with its joint of the tree; the joints that close loops; the forces. bench/peers/cpp/tree.hpp describes the lines.
type TreeText struct {
	bytes.Buffer
	Bodies []int          // numbers in the model, in the order of the text: parents before children
	Joints []*model.Joint // joint of the tree of each of Bodies
	Loops  []*model.Joint // the other joints, which close loops
	number map[string]int // of a body in the text, by its name; −1 for the world
}

// NewTreeText writes the model. If planar, revolute joints that close loops are taken as in a mechanism in a plane, where two rows
// close a loop. It returns an error for joints and forces that the text cannot have.
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

// Number returns the number of a body in the text by its name; −1 for the world.
func (w *TreeText) Number(body string) int { return w.number[body] }

// Put writes numbers, each with all digits and a space behind it.
func (w *TreeText) Put(v ...float64) {
	for _, x := range v {
		w.WriteString(Number(x))
		w.WriteByte(' ')
	}
}

// pose writes position and orientation, a quaternion with the real part first; four zeros stand for the identity.
func (w *TreeText) pose(x *model.Pose) {
	q := x.Orientation
	if q == ([4]float64{}) {
		q[0] = 1
	}
	w.Put(x.Position[:]...)
	w.Put(q[:]...)
}

// tree chooses the spanning tree and writes its bodies: the joint of a body is the first one, in the order of the model, from a body
// already written to it as successor. The other joints become Loops. A body that cannot be reached so is an error.
func (w *TreeText) tree(m *model.Model) error {
	bodies := map[string]int{}
	for i := range m.Bodies {
		bodies[m.Bodies[i].Name] = i
	}
	used := make([]bool, len(m.Joints))
	for grown := true; grown; { // until a pass over the joints adds no body
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

// body writes the line of a body: inertia, state, and its joint of the tree.
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

// force writes the line of a linear spring-damper or of a torque. Other forces, which peers' programs do not build, are an error.
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
