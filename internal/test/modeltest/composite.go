package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Composites returns a random mechanism of n bodies with composite joints: a tree, and up to loops joints that close
// loops. Poses and velocities satisfy all joints. A joint that closes a loop leaves the joints of the loop at least one
// freedom, together with all other loops. A joint that would leave none is left out.
func Composites(seed uint64, n, loops int) *model.Model {
	g := composites{rng: check.Rand(seed), m: model.New(fmt.Sprintf("composites-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	for i := range n {
		up := g.rng.IntN(i+1) - 1
		axes, q, qd := g.chain(1 + g.rng.IntN(4))
		g.up, g.spare = append(g.up, up), append(g.spare, len(axes))
		g.hang(up, axes, q, qd)
	}
	for i := range loops {
		g.close(i, 1+g.rng.IntN(joints.MaxAxes))
	}
	return g.m
}

// composites grows a mechanism.
type composites struct {
	rng   *rand.Rand
	m     *model.Model
	up    []int // by body: its predecessor in the tree, −1 for the world
	spare []int // by body: number of freedoms of the joint to its predecessor
	loops []loop
}

// path returns the bodies whose joints in the tree are on the path from a to b.
func (g *composites) path(a, b int) (list []int) {
	for a != b {
		if a > b { // the outer one has the larger number
			list = append(list, a)
			a = g.up[a]
		} else {
			list = append(list, b)
			b = g.up[b]
		}
	}
	return list
}

// take adds a loop over a path, closed by a joint with this number of rows, and returns true. It returns false, and adds nothing, if the
// loops would leave no freedom. Two counts have to be positive for each set of loops:
//   - free, the freedoms of all joints on its paths less the rows of the joints that close the loops;
//   - around, the freedoms less 6 of the loop around the set. It consists of the closing joints and the joints on an odd number of paths.
func (g *composites) take(path []int, rows int) bool {
	loops := append(g.loops, loop{path, rows})
	for set := range 1 << len(loops) {
		paths, free, around := map[int]int{}, 0, -6 // paths: by body, the number of paths over its joint
		for i, l := range loops {
			if set>>i&1 == 0 {
				continue
			}
			free -= l.rows
			around += 6 - l.rows
			for _, b := range l.path {
				if paths[b]++; paths[b] == 1 {
					free += g.spare[b]
				}
				if paths[b]%2 == 1 {
					around += g.spare[b]
				} else {
					around -= g.spare[b]
				}
			}
		}
		if set > 0 && min(free, around) < 1 {
			return false
		}
	}
	g.loops = loops
	return true
}

// loop is a loop closed by a joint.
type loop struct {
	path []int // bodies; see path
	rows int   // number of rows of the joint
}

// vec returns a random vector with components within ±size.
func (g *composites) vec(size float64) (v spatial.Vec3) {
	for i := range v {
		v[i] = size * (2*g.rng.Float64() - 1)
	}
	return v
}

// chain returns n random axes, coordinates q and rates qd. At q the axes are far from linearly dependent.
func (g *composites) chain(n int) (axes []joints.Axis, q, qd []float64) {
	for {
		axes, q, qd = nil, nil, nil
		for range n {
			a := joints.Axis{Kind: joints.Revolute, Axis: g.vec(1), Point: g.vec(0.4)}
			switch x := g.rng.Float64(); {
			case x < 0.25 && len(axes) > 0: // not the first one: only slides cannot close a loop
				a.Kind = joints.Prismatic
			case x < 0.35:
				a.Kind, a.Pitch = joints.Helical, 0.2+0.2*g.rng.Float64()
			}
			if g.rng.IntN(3) == 0 {
				a.Axis = spatial.Vec3{}
				a.Axis[g.rng.IntN(3)] = 1
			}
			if g.rng.IntN(3) == 0 {
				a.Point = spatial.Vec3{}
			}
			axes = append(axes, a)
			q, qd = append(q, 2*g.rng.Float64()-1), append(qd, 2*g.rng.Float64()-1)
		}
		if regular(axes, q) {
			return axes, q, qd
		}
	}
}

// regular reports whether the pose at q determines the coordinates and the rates well: the coordinates computed from the pose are
// q, and the wrenches for unit forces at the axes are small.
func regular(axes []joints.Axis, q []float64) bool {
	a, err := joints.NewAxes(axes)
	if err != nil {
		return false
	}
	p := postured(a, q)
	s, f := joints.Spec{Kind: a.Kind(), Axes: a}, joints.Frames{EP: spatial.Identity3(), ES: p.E, R: p.R}
	var found, qd [6]float64
	s.CoordinatesTo(&found, &qd, &f)
	f.Near = q // so that WrenchTo does not search for the coordinates again
	for i := range q {
		var w spatial.Force
		var tau [6]float64
		tau[i] = 1
		if math.Abs(found[i]-q[i]) > 1e-9 {
			return false
		}
		if s.WrenchTo(&w, &tau, &f); w.Moment().Norm()+w.Linear().Norm() > 5 {
			return false
		}
	}
	return true
}

// postured returns the posture of axes at q.
func postured(a *joints.Axes, q []float64) *joints.Posture {
	p := new(joints.Posture)
	copy(p.Q[:], q)
	p.Place(a)
	return p
}

// end is a frame of a body, or of the world, with its motion.
type end struct {
	body  int          // −1 for the world
	local model.Pose   // in the body
	E     spatial.Mat3 // axes in the world
	at    spatial.Vec3 // origin in the world
	v, w  spatial.Vec3 // velocity of the origin, and angular velocity
}

// end returns a random frame of a body, with its pose and motion in the world; body is −1 for a frame of the world.
func (g *composites) end(body int) end {
	e := end{body: body, local: model.Pose{Position: g.vec(0.5), Orientation: spatial.Exp(g.vec(3))}}
	e.E, e.at = spatial.Quat(e.local.Orientation).Mat(), e.local.Position
	if body >= 0 {
		b := &g.m.Bodies[body]
		E := spatial.Quat(b.Pose.Orientation).Mat()
		arm := E.MulVec(e.at)
		e.E, e.at = E.Mul(e.E), spatial.Vec3(b.Pose.Position).Add(arm)
		e.w = b.Velocity.Angular
		e.v = spatial.Vec3(b.Velocity.Linear).Add(e.w.Cross(arm))
	}
	return e
}

// name returns the name of a body, or of the world for −1.
func (g *composites) name(body int) string {
	if body < 0 {
		return model.World
	}
	return g.m.Bodies[body].Name
}

// hang adds a body, and the composite joint that connects it to the body up. The joint is at the coordinates q and the rates qd.
func (g *composites) hang(up int, axes []joints.Axis, q, qd []float64) {
	a, err := joints.NewAxes(axes)
	if err != nil {
		panic(err)
	}
	from, p := g.end(up), postured(a, q)
	i := len(g.m.Bodies)
	b := model.Body{Name: fmt.Sprintf("b%d", i), Mass: 0.5 + g.rng.Float64(), Com: g.vec(0.2)}
	d := spatial.Vec3{0.02 + 0.02*g.rng.Float64(), 0.02 + 0.02*g.rng.Float64(), 0.02 + 0.02*g.rng.Float64()}
	b.Inertia = model.Inertia{XX: d[1] + d[2], YY: d[0] + d[2], ZZ: d[0] + d[1]}
	// The frame S of the joint, then the body around it.
	local := model.Pose{Position: g.vec(0.4), Orientation: spatial.Exp(g.vec(3))}
	E := from.E.Mul(p.E)
	arm := from.E.MulVec(p.R)
	w, v := from.w, from.v.Add(from.w.Cross(arm))
	for k := range q {
		w = w.Add(from.E.MulVec(p.S[k].Angular()).Scale(qd[k]))
		v = v.Add(from.E.MulVec(p.S[k].Linear()).Scale(qd[k]))
	}
	EB := E.MulT(spatial.Quat(local.Orientation).Mat())
	out := EB.MulVec(local.Position)
	b.Pose = model.Pose{Position: from.at.Add(arm).Sub(out), Orientation: spatial.FromMat(EB)}
	b.Velocity = model.Velocity{Linear: v.Sub(w.Cross(out)), Angular: w}
	g.m.Bodies = append(g.m.Bodies, b)
	j := model.Joint{Name: fmt.Sprintf("j%d", i), Type: model.Composite, Axes: axes, Predecessor: g.name(up), Successor: b.Name, PredecessorFrame: from.local, SuccessorFrame: local}
	g.load(&j, len(axes))
	g.m.Joints = append(g.m.Joints, j)
}

// load gives a joint of n freedoms random forces, springs and dampers, half of the time.
func (g *composites) load(j *model.Joint, n int) {
	if g.rng.IntN(2) == 0 {
		return
	}
	for range n {
		j.Force = append(j.Force, 2*g.rng.Float64()-1)
		j.Stiffness = append(j.Stiffness, 5*g.rng.Float64())
		j.Damping = append(j.Damping, g.rng.Float64())
		j.Rest = append(j.Rest, 2*g.rng.Float64()-1)
	}
}

// close closes a loop between two random bodies by a joint of n axes. The last axis is the screw axis of the relative
// velocity minus the velocities of the other axes.
func (g *composites) close(i, n int) {
	for range 200 {
		a := g.rng.IntN(len(g.m.Bodies)+1) - 1
		b := g.rng.IntN(len(g.m.Bodies))
		if a == b {
			continue
		}
		from, to := g.end(a), g.end(b)
		axes, q, qd := g.chain(n)
		q[n-1] = 0
		x, err := joints.NewAxes(axes)
		if err != nil {
			continue
		}
		// The axes determine the pose of S, and the frame of the successor is placed there.
		p := postured(x, q)
		E, at := from.E.Mul(p.E), from.at.Add(from.E.MulVec(p.R))
		body := &g.m.Bodies[b]
		EB := spatial.Quat(body.Pose.Orientation).Mat()
		to.local = model.Pose{Position: EB.TMulVec(at.Sub(body.Pose.Position)), Orientation: spatial.FromMat(EB.TMul(E))}
		// Motion of S relative to P, in the axes of P, minus the motion of the other axes.
		arm := at.Sub(body.Pose.Position)
		w := spatial.Vec3(body.Velocity.Angular).Sub(from.w)
		v := spatial.Vec3(body.Velocity.Linear).Add(spatial.Vec3(body.Velocity.Angular).Cross(arm)).Sub(from.v).Sub(from.w.Cross(at.Sub(from.at)))
		w, v = from.E.TMulVec(w), from.E.TMulVec(v)
		for k := range n - 1 {
			w = w.Sub(p.S[k].Angular().Scale(qd[k]))
			v = v.Sub(p.S[k].Linear().Scale(qd[k]))
		}
		ww := w.Dot(w)
		if ww < 0.1 {
			continue
		}
		// In the axes of P at the coordinates q, the screw axis goes through S + (w×v)/w². If all coordinates are zero, S is at P.
		last := &axes[n-1]
		*last = joints.Axis{Kind: joints.Helical, Axis: p.E.TMulVec(w), Point: p.E.TMulVec(w.Cross(v).Scale(1 / ww)), Pitch: w.Dot(v) / ww}
		if math.Abs(last.Pitch) < 0.05 || last.Point.Norm() > 1 || !regular(axes, q) || !g.take(g.path(a, b), 6-n) {
			continue
		}
		g.m.Joints = append(g.m.Joints, model.Joint{
			Name: fmt.Sprintf("k%d", i), Type: model.Composite, Axes: axes, Predecessor: g.name(a), Successor: g.name(b),
			PredecessorFrame: from.local, SuccessorFrame: to.local,
		})
		return
	}
}

// axesOf returns the axes of a composite joint that is equivalent to j, and the freedom of j for each axis. It returns nil if there is no
// such joint. The rotation axis of a planar joint moves with its slides, so it comes last.
func axesOf(j *model.Joint) (axes []joints.Axis, freedom []int) {
	x, y, z := spatial.Vec3{1}, spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1}
	turn := func(u spatial.Vec3) joints.Axis { return joints.Axis{Kind: joints.Revolute, Axis: u} }
	slide := func(u spatial.Vec3) joints.Axis { return joints.Axis{Kind: joints.Prismatic, Axis: u} }
	switch j.Type {
	case model.Revolute:
		return []joints.Axis{turn(z)}, []int{0}
	case model.Prismatic:
		return []joints.Axis{slide(z)}, []int{0}
	case model.Helical:
		return []joints.Axis{{Kind: joints.Helical, Axis: z, Pitch: j.Pitch}}, []int{0}
	case model.Cylindrical:
		return []joints.Axis{turn(z), slide(z)}, []int{0, 1}
	case model.Universal:
		return []joints.Axis{turn(x), turn(y)}, []int{0, 1}
	case model.Planar:
		return []joints.Axis{slide(x), slide(y), turn(z)}, []int{1, 2, 0}
	}
	return nil, nil
}

// AsComposites returns a copy of m in which composite joints replace all joints that have an equivalent one. For each replaced joint,
// freedom has the former freedom of each axis; for other joints it is nil.
func AsComposites(m *model.Model) (out *model.Model, freedom [][]int) {
	c := *m
	c.Joints = append([]model.Joint(nil), m.Joints...)
	freedom = make([][]int, len(m.Joints))
	for i := range c.Joints {
		j := &c.Joints[i]
		axes, of := axesOf(j)
		if axes == nil {
			continue
		}
		freedom[i] = of
		was := *j
		j.Type, j.Axes, j.Pitch = model.Composite, axes, 0
		for _, list := range [...]struct{ to, from *[]float64 }{
			{&j.Force, &was.Force}, {&j.Stiffness, &was.Stiffness}, {&j.Damping, &was.Damping}, {&j.Rest, &was.Rest}, {&j.Armature, &was.Armature},
		} {
			*list.to = reordered(*list.from, of)
		}
		j.Motion, j.Limits = reordered(was.Motion, of), reordered(was.Limits, of)
		if j.Turns = nil; len(was.Turns) > 0 {
			j.Turns = make([]int64, len(of))
			for k, f := range of {
				if f < len(was.Turns) && axes[k].Kind != joints.Prismatic {
					j.Turns[k] = was.Turns[f]
				}
			}
		}
	}
	return &c, freedom
}

// reordered returns the entries of list at the indices of, or nil if list is empty.
func reordered[T any](list []T, of []int) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, len(of))
	for k, f := range of {
		out[k] = list[f]
	}
	return out
}

// Expand returns a copy of m in which chains of elementary joints replace the composite
// joints. The bodies within a chain have the given mass, and an inertia of mass
// times 0.01 m². Poses and velocities are consistent with m. The bodies of m come first.
func Expand(m *model.Model, mass float64) *model.Model {
	g := composites{m: new(model.Model)}
	*g.m = *m
	g.m.Bodies = append([]model.Body(nil), m.Bodies...)
	g.m.Joints = nil
	for i := range m.Joints {
		if j := &m.Joints[i]; j.Type == model.Composite {
			g.expand(j, mass)
		} else {
			g.m.Joints = append(g.m.Joints, *j)
		}
	}
	return g.m
}

// at returns the frame local of a body, with its pose and motion in the world.
func (g *composites) at(body string, local *model.Pose) (e end) {
	e.E, e.at = unitQuat(local.Orientation).Mat(), local.Position
	for i := range g.m.Bodies {
		if b := &g.m.Bodies[i]; b.Name == body {
			E := unitQuat(b.Pose.Orientation).Mat()
			arm := E.MulVec(e.at)
			e.E, e.at = E.Mul(e.E), spatial.Vec3(b.Pose.Position).Add(arm)
			e.w = b.Velocity.Angular
			e.v = spatial.Vec3(b.Velocity.Linear).Add(e.w.Cross(arm))
		}
	}
	return e
}

// unitQuat returns q normalized, or the identity if q is zero.
func unitQuat(q [4]float64) spatial.Quat {
	if q == ([4]float64{}) {
		return spatial.IdentityQuat()
	}
	return spatial.Quat(q).Normalize()
}

// expand adds the chain of elementary joints for a composite joint.
func (g *composites) expand(j *model.Joint, mass float64) {
	axes, err := joints.NewAxes(j.Axes)
	if err != nil {
		panic(err)
	}
	// Coordinates and rates at the state of the model.
	from, to := g.at(j.Predecessor, &j.PredecessorFrame), g.at(j.Successor, &j.SuccessorFrame)
	s := joints.Spec{Kind: axes.Kind(), Axes: axes}
	f := joints.Frames{EP: from.E, ES: to.E, R: to.at.Sub(from.at), OmegaP: from.w, OmegaS: to.w}
	f.V = to.v.Sub(from.v).Sub(from.w.Cross(f.R))
	var q, qd [6]float64
	s.CoordinatesTo(&q, &qd, &f)
	body, frame := j.Predecessor, j.PredecessorFrame
	for k := range axes.Len() {
		a := axes.At(k)
		turned := model.Pose{Position: a.Point, Orientation: zAlong(a.Axis)}
		next, nextFrame := j.Successor, j.SuccessorFrame
		if k+1 < axes.Len() {
			next, nextFrame = fmt.Sprintf("%s-%d", j.Name, k), model.Pose{Orientation: [4]float64{1}}
			before := q // coordinates up to this axis; zero for the later axes
			clear(before[k+1:])
			p := postured(axes, before[:axes.Len()])
			// Later axes do not move this body, so their rates are left out.
			w, v := from.w, from.v.Add(from.w.Cross(from.E.MulVec(p.R)))
			for i := range k + 1 {
				w = w.Add(from.E.MulVec(p.S[i].Angular()).Scale(qd[i]))
				v = v.Add(from.E.MulVec(p.S[i].Linear()).Scale(qd[i]))
			}
			g.m.Bodies = append(g.m.Bodies, model.Body{
				Name: next, Mass: mass, Inertia: model.Inertia{XX: 0.01 * mass, YY: 0.01 * mass, ZZ: 0.01 * mass},
				Pose:     model.Pose{Position: from.at.Add(from.E.MulVec(p.R)), Orientation: spatial.FromMat(from.E.Mul(p.E))},
				Velocity: model.Velocity{Linear: v, Angular: w},
			})
		}
		own := model.Joint{
			Name: fmt.Sprintf("%s.%d", j.Name, k), Type: a.Kind, Pitch: a.Pitch, Predecessor: body, Successor: next,
			PredecessorFrame: within(&frame, &turned), SuccessorFrame: within(&nextFrame, &turned),
		}
		for _, list := range [...]struct{ to, from *[]float64 }{
			{&own.Force, &j.Force}, {&own.Stiffness, &j.Stiffness}, {&own.Damping, &j.Damping}, {&own.Rest, &j.Rest}, {&own.Armature, &j.Armature},
		} {
			if len(*list.from) > 0 {
				*list.to = []float64{(*list.from)[k]}
			}
		}
		g.m.Joints = append(g.m.Joints, own)
		body, frame = next, nextFrame
	}
}

// zAlong returns an orientation whose third axis is along u.
func zAlong(u spatial.Vec3) [4]float64 {
	x, y := joints.AxisError(&u)
	return spatial.Exp(spatial.Vec3{x, y, 0})
}

// within returns the pose inner, which is given in the frame outer, in the coordinates in which outer is given.
func within(outer, inner *model.Pose) model.Pose {
	q := unitQuat(outer.Orientation)
	return model.Pose{Position: spatial.Vec3(outer.Position).Add(q.Rotate(inner.Position)), Orientation: q.Mul(spatial.Quat(inner.Orientation))}
}
