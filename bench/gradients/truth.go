package main

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/model"
)

// truth differentiates the equations of a mechanism with 32 digits, by dual numbers (jet) and dense factors of all its rows. It has
// equations, a choice of rows and a solution of its own: from Rung it uses only the document and the arithmetic of internal/dd.
type truth struct {
	gravity   triple
	bodies    []solid // at the state, with derivatives 0
	rows      []row   // of the joints
	coords    []row   // of the coordinates
	forces    []push
	touched   [][]int  // by body: rows of its joints
	dynamics  *dense   // with the rows of the joints
	all       *dense   // with the rows of the joints and of the coordinates
	a, lambda []dd.Num // accelerations, six numbers for each body (angular first), and multipliers
}

// solid is a body with its state, accelerations, loads and mass properties.
type solid struct {
	E             axes   // axes of the body, world frame
	c, w, v       triple // centre of mass, angular velocity, velocity of the centre of mass, world frame
	alpha, a      triple // angular acceleration, acceleration of the centre of mass, world frame
	force, torque triple // loads, world frame, the force at the centre of mass
	mass          jet
	com           triple // centre of mass, frame of the body
	inertia       [6]jet // xx yy zz xy xz yz about the centre of mass, axes of the body
}

// push is a constant force, or torque, along a freedom.
type push struct {
	row
	size dd.Num
}

// newTruth makes the equations of a model and solves them. coordinates are numbers of joints with one freedom. It returns an error
// for parts of the model that it does not build: everything but bodies and joints of a few types.
func newTruth(m *model.Model, coordinates []int) (*truth, error) {
	if len(m.Forces)+len(m.Couplings)+len(m.Terrains) > 0 {
		return nil, fmt.Errorf("model %q: forces and couplings, and terrains, are not built here", m.Name)
	}
	t := &truth{gravity: fixed(m.Gravity)}
	number := map[string]int{model.World: -1}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		number[b.Name] = i
		I := &b.Inertia
		s := solid{E: rotation(b.Pose.Orientation), com: fixed(b.Com), w: fixed(b.Velocity.Angular)}
		s.mass.v = dd.Of(b.Mass)
		for k, x := range [6]float64{I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ} {
			s.inertia[k].v = dd.Of(x)
		}
		r := s.E.times(s.com)
		s.c, s.v = fixed(b.Pose.Position).plus(r), fixed(b.Velocity.Linear).plus(s.w.cross(r))
		t.bodies = append(t.bodies, s)
	}
	t.touched = make([][]int, len(t.bodies))
	for i := range m.Joints {
		if err := t.join(&m.Joints[i], number); err != nil {
			return nil, err
		}
	}
	for _, i := range coordinates {
		r, err := t.freedom(&m.Joints[i], number)
		if err != nil {
			return nil, err
		}
		t.coords = append(t.coords, r)
	}
	return t, t.solve()
}

// between returns a row between the bodies of a joint, with the origins of its frames as points, without kind and axes.
func (t *truth) between(j *model.Joint, number map[string]int) row {
	return row{
		a: number[j.Predecessor], b: number[j.Successor],
		pa: fixed(j.PredecessorFrame.Position), pb: fixed(j.SuccessorFrame.Position),
	}
}

// freedom returns the row of the coordinate of a joint with one freedom.
func (t *truth) freedom(j *model.Joint, number map[string]int) (row, error) {
	r := t.between(j, number)
	switch j.Type {
	case model.Revolute:
		r.kind = turn
	case model.Prismatic:
		r.kind = slide
	default:
		return r, fmt.Errorf("joint %q of type %v has not one coordinate", j.Name, j.Type)
	}
	r.ua = frameAxis(&j.PredecessorFrame, 2)
	return r, nil
}

// frameAxis returns the axis k of a frame, in the frame of its body.
func frameAxis(f *model.Pose, k int) triple {
	E := rotation(f.Orientation)
	return E[k]
}

// join adds the rows of a joint, and its constant force. It returns an error for types of joints, and for other forces on their
// freedoms, that it does not build.
func (t *truth) join(j *model.Joint, number map[string]int) error {
	stops := slices.ContainsFunc(j.Limits, func(l *model.Limit) bool { return l != nil && l.Stop != (model.Stop{}) })
	if stops || len(j.Damping)+len(j.Stiffness)+len(j.Dampers)+len(j.Springs)+len(j.Friction)+len(j.Motion)+len(j.Armature) > 0 {
		return fmt.Errorf("joint %q: springs, dampers, friction, stops, motions and armature are not built here", j.Name)
	}
	if len(j.Force) > 0 {
		r, err := t.freedom(j, number)
		if err != nil {
			return err
		}
		t.forces = append(t.forces, push{r, dd.Of(j.Force[0])})
	}
	base := t.between(j, number)
	add := func(r row) {
		for _, i := range [2]int{r.a, r.b} {
			if i >= 0 {
				t.touched[i] = append(t.touched[i], len(t.rows))
			}
		}
		t.rows = append(t.rows, r)
	}
	// square adds the row that axis p of the predecessor's frame and axis s of the successor's are at right angles.
	square := func(p, s int) {
		r := base
		r.kind, r.ua, r.ub = cross, frameAxis(&j.PredecessorFrame, p), frameAxis(&j.SuccessorFrame, s)
		add(r)
	}
	if j.Type != model.Prismatic {
		for k := range 3 {
			r := base
			r.kind, r.axis = meet, k
			add(r)
		}
	}
	switch j.Type {
	case model.Spherical:
	case model.Revolute:
		square(0, 2)
		square(1, 2)
	case model.Universal:
		square(0, 1)
	case model.Prismatic:
		square(0, 1)
		square(1, 2)
		square(2, 0)
		for k := range 2 {
			r := base
			r.kind, r.ua = slide, frameAxis(&j.PredecessorFrame, k)
			add(r)
		}
	default:
		return fmt.Errorf("joint %q of type %v is not built here", j.Name, j.Type)
	}
	return nil
}

// moment returns I·x, world axes, with the inertia I about the centre of mass.
func (s *solid) moment(x triple) triple {
	y := s.E.back(x)
	I := &s.inertia
	return s.E.times(triple{
		I[0].times(y[0]).plus(I[3].times(y[1])).plus(I[4].times(y[2])),
		I[3].times(y[0]).plus(I[1].times(y[1])).plus(I[5].times(y[2])),
		I[4].times(y[0]).plus(I[5].times(y[1])).plus(I[2].times(y[2])),
	})
}

// balance returns M·a − f of a body, angular first: inertia forces less gravity and loads, without the forces of joints.
func (t *truth) balance(s *solid) (r [6]jet) {
	h := s.moment(s.alpha).plus(s.w.cross(s.moment(s.w))).minus(s.torque)
	f := s.a.minus(t.gravity).by(s.mass).minus(s.force)
	copy(r[:3], h[:])
	copy(r[3:], f[:])
	return r
}

// residual returns the residuals of the equations of all bodies and rows, with their derivatives along the derivatives that the
// bodies carry, the multipliers held. If only is not negative, only the body with that number has derivatives, and the residuals of
// other bodies and rows are left 0 or incomplete.
func (t *truth) residual(bodies []solid, only int) (body, joint []jet) {
	body, joint = make([]jet, 6*len(bodies)), make([]jet, len(t.rows))
	act := func(r *row, size dd.Num) {
		J := r.jacobian(bodies)
		for side, b := range [2]int{r.a, r.b} {
			for k := 0; b >= 0 && k < 6; k++ {
				body[6*b+k] = body[6*b+k].minus(J[side][k].times(jet{v: size}))
			}
		}
	}
	add := func(i int) {
		r := &t.rows[i]
		joint[i] = r.at(bodies, atAcceleration)
		if t.lambda != nil {
			act(r, t.lambda[i])
		}
	}
	for i := range t.forces {
		act(&t.forces[i].row, t.forces[i].size)
	}
	free := func(i int) {
		r := t.balance(&bodies[i])
		for k := range r {
			body[6*i+k] = body[6*i+k].plus(r[k])
		}
	}
	if only >= 0 {
		free(only)
		for _, i := range t.touched[only] {
			add(i)
		}
		return body, joint
	}
	for i := range bodies {
		free(i)
	}
	for i := range t.rows {
		add(i)
	}
	return body, joint
}

// solve finds accelerations and multipliers at the state, and stores them in the bodies.
func (t *truth) solve() error {
	var err error
	if t.dynamics, err = newDense(t, t.rows); err != nil {
		return err
	}
	if t.all, err = newDense(t, append(append([]row(nil), t.rows...), t.coords...)); err != nil {
		return err
	}
	body, joint := t.residual(t.bodies, -1)
	t.a, t.lambda = t.dynamics.solve(negative(values(body)), negative(values(joint)))
	for i := range t.bodies {
		setAcceleration(&t.bodies[i], t.a[6*i:], nil)
	}
	return nil
}

// setAcceleration sets the accelerations of a body to a, six numbers, angular first, and their derivatives to change, if not nil.
func setAcceleration(s *solid, a, change []dd.Num) {
	for k := range 3 {
		s.alpha[k].v, s.a[k].v = a[k], a[3+k]
		if change != nil {
			s.alpha[k].d, s.a[k].d = change[k], change[3+k]
		}
	}
}

// values returns the values of x.
func values(x []jet) []dd.Num {
	v := make([]dd.Num, len(x))
	for i := range x {
		v[i] = x[i].v
	}
	return v
}

// changes returns the derivatives of x.
func changes(x []jet) []dd.Num {
	v := make([]dd.Num, len(x))
	for i := range x {
		v[i] = x[i].d
	}
	return v
}

// negative negates x in place and returns it.
func negative(x []dd.Num) []dd.Num {
	for i := range x {
		x[i] = dd.Neg(x[i])
	}
	return x
}

// move returns the bodies with derivatives along a direction of the state.
func (t *truth) move(u []derive.BodyDirection) []solid {
	list := append([]solid(nil), t.bodies...)
	for i := range list {
		s := &list[i]
		phi := fixed(u[i].Rotation)
		for k := range s.E {
			n := phi.cross(s.E[k])
			for c := range n {
				s.E[k][c].d = n[c].v
			}
		}
		for c := range 3 {
			s.c[c].d, s.w[c].d, s.v[c].d = dd.Of(u[i].Position[c]), dd.Of(u[i].Angular[c]), dd.Of(u[i].Linear[c])
		}
	}
	return list
}

// forward returns the derivatives along a direction of the accelerations, six numbers for each body, and of the second derivatives of
// the coordinates.
func (t *truth) forward(u []derive.BodyDirection) (a, coords []float64) {
	list := t.move(u)
	body, joint := t.residual(list, -1)
	change, _ := t.dynamics.solve(negative(changes(body)), negative(changes(joint)))
	for i := range list {
		setAcceleration(&list[i], t.a[6*i:], change[6*i:])
	}
	for i := range t.coords {
		coords = append(coords, dd.Float(t.coords[i].at(list, atAcceleration).d))
	}
	return floats(change), coords
}

// floats returns x rounded to doubles.
func floats(x []dd.Num) []float64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = dd.Float(x[i])
	}
	return v
}

// coordinate returns two directions: along pose, coordinate k changes by 1, and other coordinates and all rates do not; along rate,
// only the rate of coordinate k changes by 1.
func (t *truth) coordinate(k int) (pose, rate []derive.BodyDirection) {
	right := make([]dd.Num, len(t.rows)+len(t.coords))
	right[len(t.rows)+k] = dd.Of(1)
	n, _ := t.all.solve(make([]dd.Num, 6*len(t.bodies)), right)
	pose, rate = make([]derive.BodyDirection, len(t.bodies)), make([]derive.BodyDirection, len(t.bodies))
	for i := range pose {
		for c := range 3 {
			pose[i].Rotation[c], pose[i].Position[c] = dd.Float(n[6*i+c]), dd.Float(n[6*i+3+c])
		}
		rate[i].Angular, rate[i].Linear = pose[i].Rotation, pose[i].Position
	}
	t.keepRates(pose, t.all, append(append([]row(nil), t.rows...), t.coords...))
	return pose, rate
}

// keepRates changes the velocities of a direction u by the least amount, in the metric of the inertias, so that the rates of all
// rows do not change along u. by is the factored system of the rows.
func (t *truth) keepRates(u []derive.BodyDirection, by *dense, rows []row) {
	list := t.move(u)
	right := make([]dd.Num, len(rows))
	for i := range rows {
		right[i] = dd.Neg(rows[i].at(list, atVelocity).d)
	}
	x, _ := by.solve(make([]dd.Num, 6*len(t.bodies)), right)
	for i := range u {
		for c := range 3 {
			u[i].Angular[c] += dd.Float(x[6*i+c])
			u[i].Linear[c] += dd.Float(x[6*i+3+c])
		}
	}
}

// follow replaces a direction by the nearest one that the joints allow, in the metric of the inertias: first its poses, then its
// velocities.
func (t *truth) follow(u []derive.BodyDirection) {
	list, right := t.move(u), make([]dd.Num, len(t.rows))
	for i := range t.rows {
		right[i] = dd.Neg(t.rows[i].at(list, atPosition).d)
	}
	x, _ := t.dynamics.solve(make([]dd.Num, 6*len(t.bodies)), right)
	for i := range u {
		for c := range 3 {
			u[i].Rotation[c] += dd.Float(x[6*i+c])
			u[i].Position[c] += dd.Float(x[6*i+3+c])
		}
	}
	t.keepRates(u, t.dynamics, t.rows)
}

// gradient returns the derivatives of a weighted sum of accelerations by the loads on all bodies, their masses, centres of mass and
// inertias. There are six weights for each body, angular first.
func (t *truth) gradient(weights []float64) []derive.BodyDirection {
	w := make([]dd.Num, len(weights))
	for i, x := range weights {
		w[i] = dd.Of(x)
	}
	y, l := t.dynamics.solve(w, make([]dd.Num, len(t.rows)))
	g := make([]derive.BodyDirection, len(t.bodies))
	list := append([]solid(nil), t.bodies...)
	for i := range g {
		// along returns the derivative of the sum along the derivatives that set gives to body i, by the adjoint solution y, l.
		along := func(set func(s *solid)) float64 {
			set(&list[i])
			body, joint := t.residual(list, i)
			list[i] = t.bodies[i]
			z := dd.Num{}
			for k, r := range body {
				z = dd.Sub(z, dd.Mul(y[k], r.d))
			}
			for k, r := range joint {
				z = dd.Add(z, dd.Mul(l[k], r.d))
			}
			return dd.Float(z)
		}
		one := dd.Of(1)
		g[i].Mass = along(func(s *solid) { s.mass.d = one })
		for c := range 3 {
			g[i].Force[c] = along(func(s *solid) { s.force[c].d = one })
			g[i].Torque[c] = along(func(s *solid) { s.torque[c].d = one })
			g[i].Com[c] = along(func(s *solid) {
				s.com[c].d = one
				v := s.w.cross(s.E[c])
				for k := range 3 {
					s.c[k].d, s.v[k].d = s.E[c][k].v, v[k].v
				}
			})
		}
		for c := range 6 {
			g[i].Inertia[c] = along(func(s *solid) { s.inertia[c].d = one })
		}
	}
	return g
}
