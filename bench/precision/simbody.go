package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// simbodyInput is the model as text: gravity; the number of bodies, and each with the joint that it hangs on; the loops;
// the forces. bench/peers/cpp/simbody_motion.cpp says what a line has. Bodies come after those that they hang on.
func simbodyInput(p *problem) ([]byte, []string, error) {
	w := &simbodyText{number: map[string]int{model.World: -1}}
	w.put(p.model.Gravity[:]...)
	fmt.Fprintf(w, "\n%d\n", len(p.model.Bodies))
	loops, err := w.tree(p.model)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(w, "%d\n", len(loops))
	for _, j := range loops {
		kind := j.Type.String()
		switch {
		case j.Type == model.Revolute && p.planar:
			kind = "planar"
		case j.Type != model.Revolute && j.Type != model.Spherical:
			return nil, nil, fmt.Errorf("joint %q of type %v closes a loop", j.Name, j.Type)
		}
		fmt.Fprintf(w, "%s %d %d ", kind, w.number[j.Predecessor], w.number[j.Successor])
		w.pose(&j.PredecessorFrame)
		w.pose(&j.SuccessorFrame)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d\n", len(p.model.Forces))
	for i := range p.model.Forces {
		if err := w.force(&p.model.Forces[i]); err != nil {
			return nil, nil, err
		}
	}
	fmt.Fprintf(w, "%d\n", w.number[p.subject.body])
	return w.Bytes(), nil, nil
}

// simbodyText is the text with the numbers that bodies have in it.
type simbodyText struct {
	bytes.Buffer
	number map[string]int
}

func (w *simbodyText) put(v ...float64) {
	for _, x := range v {
		w.WriteString(number(x))
		w.WriteByte(' ')
	}
}

func (w *simbodyText) pose(x *model.Pose) {
	q := x.Orientation
	if q == ([4]float64{}) {
		q[0] = 1
	}
	w.put(x.Position[:]...)
	w.put(q[:]...)
}

// tree writes each body with the first joint that reaches it from a body before, and returns the other joints.
func (w *simbodyText) tree(m *model.Model) (loops []*model.Joint, err error) {
	bodies := map[string]*model.Body{}
	for i := range m.Bodies {
		bodies[m.Bodies[i].Name] = &m.Bodies[i]
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
			if j.Type != model.Revolute && j.Type != model.Prismatic {
				return nil, fmt.Errorf("joint %q of type %v in the tree", j.Name, j.Type)
			}
			w.number[j.Successor] = len(w.number) - 1
			w.body(bodies[j.Successor], j)
			used[i], grown = true, true
		}
	}
	if len(w.number) != len(m.Bodies)+1 {
		return nil, errors.New("a body hangs on a joint whose successor it is not")
	}
	for i := range m.Joints {
		if !used[i] {
			loops = append(loops, &m.Joints[i])
		}
	}
	return loops, nil
}

func (w *simbodyText) body(b *model.Body, j *model.Joint) {
	I := &b.Inertia
	w.put(b.Mass, b.Com[0], b.Com[1], b.Com[2], I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ)
	w.pose(&b.Pose)
	w.put(b.Velocity.Linear[:]...)
	w.put(b.Velocity.Angular[:]...)
	fmt.Fprintf(w, "%v %d ", j.Type, w.number[j.Predecessor])
	w.pose(&j.PredecessorFrame)
	w.pose(&j.SuccessorFrame)
	fmt.Fprintln(w)
}

func (w *simbodyText) force(f *model.ForceElement) error {
	switch {
	case f.Type == model.SpringDamper && f.Spring == nil && f.Damper == nil:
		fmt.Fprintf(w, "spring %d ", w.number[f.A.Body])
		w.put(f.A.Point[:]...)
		fmt.Fprintf(w, "%d ", w.number[f.B.Body])
		w.put(f.B.Point[:]...)
		w.put(f.Stiffness, f.Damping, f.RestLength)
	case f.Type == model.Wrench && f.Force == [3]float64{}:
		fmt.Fprintf(w, "torque %d ", w.number[f.A.Body])
		w.put(f.Torque[:]...)
	default:
		return fmt.Errorf("force %q is not built here", f.Name)
	}
	fmt.Fprintln(w)
	return nil
}
