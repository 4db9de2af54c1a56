package objective

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// heldTol is the singular value of the motions of held bodies, relative to the largest one, below which they count as impossible.
	heldTol = 1e-9
	// heldOff is the largest motion of a held body that may remain, relative to its motion without holding it: rounding of some solves.
	heldOff = 1e-8
)

// addHeld finds the bodies that are held, and adds unknown names to bad.
func (g *Problem) addHeld(bad *noted) {
	for i, name := range g.o.Hold {
		b, err := g.mech.BodyIndex(name)
		if err == nil && b < 0 {
			err = fmt.Errorf("derive/objective: the world is held anyway")
		}
		if err != nil {
			bad.add(document.Entry("$.hold", i), name, err)
		}
		g.held = append(g.held, b)
	}
}

// closed returns the state of the model with its joints closed to a tolerance, as rung assemble does, with held bodies fixed.
func (g *Problem) closed(tolerance float64) (*mechanism.State, error) {
	st := g.plan.Initial()
	g.mech.FollowAngles(g.mech.NewKinematics(), st)
	c := closing.NewCloser(g.plan, closing.Options{Hold: g.held, Nearest: true, Tolerance: tolerance})
	if err := c.ClosePositions(st); err != nil {
		return nil, err
	}
	if err := c.ProjectVelocities(st); err != nil {
		return nil, err
	}
	return st, nil
}

// level is the level of poses or of velocities.
type level int

const (
	ofPose level = iota
	ofVelocity
)

// holding holds the motions of the mechanism if held bodies are moved by unit motions. With them the motion of held bodies along a
// direction is taken back, theory.md (V9).
type holding struct {
	d     *derive.Derivatives
	held  []int
	units [2]*derive.Changes // by level: unit motions, six directions a body
	of    [2]*mat.Dense      // by level: pseudoinverse of the motions of the held bodies by units
}

// newHolding computes the unit motions at the state of d. It returns nil if no body is held.
func (g *Problem) newHolding(d *derive.Derivatives) (*holding, error) {
	if len(g.held) == 0 {
		return nil, nil
	}
	h, n := &holding{d: d, held: g.held}, 6*len(g.held)
	for l := range h.units {
		in, out := d.NewDirections(n), d.NewChanges(n)
		for k := range n {
			in.SetFollow(k, true)
			u := in.Body(k, g.held[k/6])
			rotation, travel := &u.Rotation, &u.Position
			if level(l) == ofVelocity {
				rotation, travel = &u.Angular, &u.Linear
			}
			if c := k % 6; c < 3 {
				rotation[c] = 1
			} else {
				travel[c-3] = 1
			}
		}
		if err := d.ForwardTo(out, in, derive.Options{NoReactions: true, Untried: true}); err != nil {
			return nil, err
		}
		A := mat.NewDense(n, n, nil)
		for k := range n {
			A.SetCol(k, h.motion(out, k, level(l)))
		}
		h.units[l] = out
		var err error
		if h.of[l], err = pseudoInverse(A); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// pseudoInverse returns the pseudoinverse of A. Singular values up to heldTol of the largest count as zero.
func pseudoInverse(A *mat.Dense) (*mat.Dense, error) {
	var s mat.SVD
	if err := full.Singular(&s, A, mat.SVDThin); err != nil {
		return nil, fault.Errorf("derive/objective: %w", err)
	}
	var U, V mat.Dense
	s.UTo(&U)
	s.VTo(&V)
	values := s.Values(nil)
	n := len(values)
	B := mat.NewDense(n, n, nil)
	for i, x := range values {
		if !(x > heldTol*max(values[0], math.SmallestNonzeroFloat64)) {
			break
		}
		for a := range n {
			for b := range n {
				B.Set(a, b, B.At(a, b)+V.At(a, i)*U.At(b, i)/x)
			}
		}
	}
	return B, nil
}

// motion returns the motion of the frames of the held bodies along direction k at level l, six numbers a body.
func (h *holding) motion(out *derive.Changes, k int, l level) []float64 {
	var list []float64
	st, mech := h.d.State(), h.d.Mechanism()
	for _, b := range h.held {
		c := out.Body(k, b)
		arm := st.Bodies[b].Rotation.Rotate(mech.Bodies[b].Com)
		turn, travel := c.Rotation, c.Position.Sub(c.Rotation.Cross(arm)) // of the frame's origin: Position has no change by com
		if l == ofVelocity {
			omega := st.Bodies[b].Omega
			turn = c.Angular
			travel = c.Linear.Sub(c.Angular.Cross(arm)).Sub(omega.Cross(c.Rotation.Cross(arm)))
		}
		list = append(append(list, turn[:]...), travel[:]...)
	}
	return list
}

// more is added to a direction so that held bodies stay where they are.
type more struct {
	h      *holding
	weight [2][]float64 // by level: factors of h.units
}

// back returns the addition that takes back the motion of held bodies along direction k; nil without held bodies. It returns an error that
// names a body that cannot be held.
func (h *holding) back(out *derive.Changes, k int) (*more, error) {
	if h == nil {
		return nil, nil
	}
	m := &more{h: h}
	for l := range h.units {
		off := h.motion(out, k, level(l))
		if level(l) == ofVelocity { // holding the pose has changed velocities
			for i, w := range m.weight[ofPose] {
				for j, x := range h.motion(h.units[ofPose], i, ofVelocity) {
					off[j] += w * x
				}
			}
		}
		size := slices.Max(absolute(off))
		var w mat.VecDense
		w.MulVec(h.of[l], mat.NewVecDense(len(off), off))
		left := slices.Clone(off)
		for i := range w.Len() {
			m.weight[l] = append(m.weight[l], -w.AtVec(i))
			for j, x := range h.motion(h.units[l], i, level(l)) {
				left[j] -= w.AtVec(i) * x
			}
		}
		for j, x := range left {
			if math.Abs(x) > heldOff*size {
				b := h.held[j/6]
				return nil, h.d.Mechanism().AtBody(b, fmt.Errorf("derive/objective: it cannot be held along this direction: the joints move it"))
			}
		}
	}
	return m, nil
}

// absolute returns the absolute values of list.
func absolute(list []float64) []float64 {
	list = slices.Clone(list)
	for i, x := range list {
		list[i] = math.Abs(x)
	}
	return list
}

// output returns the change of an output by m; 0 for nil.
func (m *more) output(o derive.Output) (sum float64) {
	if m == nil {
		return 0
	}
	for l, units := range m.h.units {
		for i, w := range m.weight[l] {
			sum += w * units.Output(i, o)
		}
	}
	return sum
}

// body returns the change of body b by m; zero for nil.
func (m *more) body(b int) (c derive.BodyChange) {
	if m == nil {
		return c
	}
	for l, units := range m.h.units {
		for i, w := range m.weight[l] {
			u := units.Body(i, b)
			for _, x := range [4][2]*spatial.Vec3{
				{&c.Rotation, &u.Rotation}, {&c.Position, &u.Position}, {&c.Angular, &u.Angular}, {&c.Linear, &u.Linear},
			} {
				*x[0] = x[0].Add(x[1].Scale(w))
			}
		}
	}
	return c
}
