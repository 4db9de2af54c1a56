package derive

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Most joints have the lines of their rows and freedoms along the axes of P. These lines turn with P, so that for a line T and a relative
// motion X, theory.md (D11),
//
//	δ(T·X) = T·(δX − φ_P×X),   δ(T·λ) = φ_P×(T·λ) + T·δλ.
//
// This is written out here and kept for each joint at the state, as recording takes ten times as long. A test compares it with recorded
// joints. Springs and dampers along freedoms, prescribed motions, and the bent line of universal joints are part of it.

// carriedLines are the lines of a joint along the axes of P: 0 to 2 are moments about x, y and z, 3 to 5 forces along them. They belong to
// a type, or to one joint with prescribed freedoms, whose lines are rows, too.
type carriedLines struct {
	rows, freedoms []int8
	bent           bool // a universal joint: it has one row more, along the bent line, and one freedom more, along a line of S
	slides         bool // the joint allows a part of R: along z of P if onZ, else across z
	onZ            bool
	moments        bool       // some row is a moment
	forces         bool       // some row is a force
	among          [6]float64 // by line: 1 if it is a row, else 0
}

// carriedTypes are the lines of the types in the order of their rows and freedoms.
var carriedTypes = map[joints.Kind]carriedLines{
	joints.Fixed:            {rows: []int8{0, 1, 2, 3, 4, 5}},
	joints.Revolute:         {rows: []int8{3, 4, 5, 0, 1}, freedoms: []int8{2}},
	joints.Prismatic:        {rows: []int8{0, 1, 2, 3, 4}, freedoms: []int8{5}},
	joints.Cylindrical:      {rows: []int8{3, 4, 0, 1}, freedoms: []int8{2, 5}},
	joints.Universal:        {rows: []int8{3, 4, 5}, freedoms: []int8{0}, bent: true},
	joints.Planar:           {rows: []int8{5, 0, 1}, freedoms: []int8{2, 3, 4}},
	joints.Spherical:        {rows: []int8{3, 4, 5}, freedoms: []int8{0, 1, 2}},
	joints.SphereInCylinder: {rows: []int8{3, 4}, freedoms: []int8{0, 1, 2, 5}},
	joints.PointOnPlane:     {rows: []int8{5}},
}

// carriedJoint is a joint whose lines turn with P, at the state. World axes.
type carriedJoint struct {
	lines              *carriedLines
	number, pred, succ int32
	at, plain          int32 // first row in the system of the dynamics and in the one without flywheels, −1 for none
	spring, bentAt     int32 // indices in carried.springs and carried.bent, −1 for none
	motion             int32 // index of the first row of a prescribed freedom, −1 for none

	E            spatial.Mat3 // axes of P
	s, b         vec          // from the centres of mass of both bodies to the origin of S
	a            vec          // from the centre of mass of P's body to the end of the part of R that the joint allows; the rows act there
	R, V, wd, Vd vec          // relative motion, theory.md (4), (7)
	spinS, spinP vec          // ω_S×s, and ω_P×a plus twice the part of V that the joint allows
	load                      // all that acts on S
}

// carriedSpring holds the forces along the freedoms of a joint, and their rates.
type carriedSpring struct {
	stiffness, damping [6]float64 // by line
	rated              bool       // some stiffness or damping is not zero
	push               vec        // force on S, without the moment; world axes
	tilt               [2]float64 // the angle about z of P changes by θ_z + tilt·(θ_x, θ_y) for a rotation θ of S as P sees it
}

// allowed returns the part of the vector v, world axes, that the joint allows: along z of P, across it, or zero.
func (c *carriedJoint) allowed(v vec) vec {
	if !c.lines.slides {
		return vec{}
	}
	z := vec{c.E[2], c.E[5], c.E[8]}
	along := z.scale(z.dot(v))
	if c.lines.onZ {
		return along
	}
	return v.sub(along)
}

// carried holds all joints whose lines turn with P.
type carried struct {
	of       []*carriedLines // by joint; nil for joints that are recorded
	acting   []bool          // by joint: forces act along its freedoms, or have acted at an earlier state; inputs may set forces at any time
	list     []carriedJoint
	place    []int32 // by joint: index in list, −1 for joints that are recorded
	springs  []carriedSpring
	bent     []bentLine
	rest     []vec         // by body: the force of all recorded parts: m·(c̈ − g) less the forces of the joints of list
	versions int           // Derivatives.versions when the list was made, −1 for no list
	current  bool          // the list is computed at the state
	world    bodyAt        // the world as an end of a joint
	still    BodyDirection // its direction: zero
}

// findCarried finds the joints whose lines turn with P. Joints with flywheels, actuators, stops or friction are recorded, as are universal
// joints with prescribed freedoms or forces along freedoms.
func (d *Derivatives) findCarried() {
	x := &d.carried
	if x.acting == nil {
		x.acting = make([]bool, d.mech.NumJoints())
	}
	d.nowActs()
	x.of, x.place = make([]*carriedLines, d.mech.NumJoints()), make([]int32, d.mech.NumJoints())
	x.versions, x.world.E = -1, spatial.Identity3()
	var of [joints.NumKinds]*carriedLines
	for kind, l := range carriedTypes {
		onZ, offZ := kind.Slides()
		l.slides, l.onZ = onZ || offZ, onZ
		of[kind] = &l
	}
	for j := range d.mech.Joints {
		jt := &d.mech.Joints[j]
		more := jt.NumGeared() > 0 || len(d.motors[j]) > 0 || len(d.resisted[j]) > 0
		if more || jt.Kind >= joints.NumKinds || of[jt.Kind] == nil {
			continue
		}
		l := of[jt.Kind]
		if l.bent && (jt.Motion != nil || x.acting[j]) {
			continue
		}
		// The rows of prescribed freedoms follow the rows of the type.
		if jt.Motion != nil {
			more := *l
			more.rows = append([]int8(nil), l.rows...)
			for i, line := range l.freedoms {
				if jt.Prescribed(i) {
					more.rows = append(more.rows, line)
				}
			}
			l = &more
		}
		for _, line := range l.rows {
			l.moments, l.forces, l.among[line] = l.moments || line < 3, l.forces || line >= 3, 1
		}
		x.of[j] = l
	}
}

// nowActs adds joints along whose freedoms forces act to acting, and reports whether there are new ones.
func (d *Derivatives) nowActs() (more bool) {
	for j, was := range d.carried.acting {
		if !was && d.mech.Drive(j).Acts() {
			d.carried.acting[j], more = true, true
		}
	}
	return more
}

// carriedOf returns the joint number part if its lines turn with P. It returns nil for other parts, and for joints with numbers that
// parameters change. It needs setCarried.
func (d *Derivatives) carriedOf(part int) *carriedJoint {
	x := &d.carried
	if part >= len(x.place) || x.place[part] < 0 {
		return nil
	}
	return &x.list[x.place[part]]
}

// setCarried computes all joints whose lines turn with P at the state, unless that has been done.
//
// Cost: O(joints); it allocates at the first call, after new parameters, and if forces act along freedoms of further joints.
func (d *Derivatives) setCarried() error {
	x := &d.carried
	if d.nowActs() {
		d.findCarried()
	}
	if x.versions != d.versions {
		d.placeCarried()
	}
	if x.current {
		return nil
	}
	if x.rest == nil {
		x.rest = make([]vec, len(d.bodies))
	}
	// By the equation of motion, the force of the recorded parts is m·(c̈ − g) less the forces of the listed joints.
	for i := range d.bodies {
		b := &d.bodies[i]
		lift := b.c
		if !d.b.bare {
			lift = lift.Sub(d.mech.Gravity)
		}
		x.rest[i] = vecOf(&lift).scale(b.mass)
	}
	for i := range x.list {
		c := &x.list[i]
		if err := d.carry(c); err != nil {
			return err
		}
		if c.succ >= 0 {
			x.rest[c.succ] = x.rest[c.succ].sub(c.F)
		}
		if c.pred >= 0 {
			x.rest[c.pred] = x.rest[c.pred].add(c.F)
		}
	}
	x.current = true
	return nil
}

// placeCarried lists the joints whose lines turn with P, without joints that have a number which a parameter changes.
func (d *Derivatives) placeCarried() {
	x := &d.carried
	x.list, x.springs, x.bent = x.list[:0], x.springs[:0], x.bent[:0]
	x.versions, x.current = d.versions, false
	// The whole list is allocated first: appending moves no joint.
	n := 0
	for _, l := range x.of {
		if l != nil {
			n++
		}
	}
	if cap(x.list) < n {
		x.list = make([]carriedJoint, 0, n)
	}
	for j, l := range x.of {
		if x.place[j] = none; l == nil || d.hasScalars(j) {
			continue
		}
		x.place[j] = int32(len(x.list))
		jt := &d.mech.Joints[j]
		c := carriedJoint{lines: l, number: int32(j), pred: jt.Pred, succ: jt.Succ, at: none, plain: none,
			spring: none, motion: none, bentAt: none}
		if node := d.layout.JointNode(j); node >= 0 {
			c.at, c.plain = d.layout.Pattern.Off[node], d.b.plainRow(j)
		}
		if l.bent {
			c.bentAt = int32(len(x.bent))
			x.bent = append(x.bent, bentLine{})
		}
		if x.acting[j] {
			c.spring = int32(len(x.springs))
			x.springs = append(x.springs, carriedSpring{})
		}
		if n := prescribed(jt); n > 0 {
			c.motion = int32(len(l.rows) - n)
		}
		x.list = append(x.list, c)
	}
}

// prescribed returns the number of freedoms of a joint that have motions.
func prescribed(jt *mechanism.Joint) (n int) {
	for i := range jt.Kind.Freedoms() {
		if jt.Prescribed(i) {
			n++
		}
	}
	return n
}

// ends returns the bodies of the predecessor and of the successor of a joint.
func (d *Derivatives) ends(c *carriedJoint) (P, S *bodyAt) {
	P, S = &d.carried.world, &d.carried.world
	if c.pred >= 0 {
		P = &d.bodies[c.pred]
	}
	if c.succ >= 0 {
		S = &d.bodies[c.succ]
	}
	return P, S
}

// freedomLine returns the unit motion of S as P sees it along a freedom.
func (c *carriedJoint) freedomLine(freedom int) (turn, step vec) {
	l := c.lines.freedoms[freedom]
	if l < 3 {
		return c.axis(l), vec{}
	}
	return vec{}, c.axis(l)
}

// axis returns the axis of P about or along which a line is.
func (c *carriedJoint) axis(line int8) vec {
	k := line % 3
	return vec{c.E[k], c.E[3+k], c.E[6+k]}
}

// alongFreedom returns the product of the line of a freedom with a motion.
func (c *carriedJoint) alongFreedom(freedom int, turn, step vec) float64 {
	a, b := c.freedomLine(freedom)
	return a.dot(turn) + b.dot(step)
}

// carry computes a joint at the state.
func (d *Derivatives) carry(c *carriedJoint) error {
	j := int(c.number)
	kin := &d.b.kin
	d.mech.JointTo(kin, j, d.kin, d.st)
	P, S := d.ends(c)
	c.E, c.R, c.V = kin.EP, vecOf(&kin.R), vecOf(&kin.V)
	c.s, c.b = vecOf(&kin.ArmS).sub(vecOf(&S.k)), vecOf(&kin.ArmP).add(c.R).sub(vecOf(&P.k))
	c.a = vecOf(&kin.ArmP).add(c.allowed(c.R)).sub(vecOf(&P.k))
	omP, omS, alP, alS := vecOf(&P.omega), vecOf(&S.omega), vecOf(&P.alpha), vecOf(&S.alpha)
	w := omS.sub(omP)
	c.wd = alS.sub(alP).sub(omP.cross(w))
	c.spinS, c.spinP = omS.cross(c.s), omP.cross(c.a).add(c.allowed(c.V).scale(2))
	// The acceleration of S's origin as P sees it, (7) with the parts of R and V that the joint allows.
	aS := vecOf(&S.c).add(alS.cross(c.s)).add(omS.cross(c.spinS))
	c.Vd = aS.sub(vecOf(&P.c)).sub(alP.cross(c.a)).sub(omP.cross(c.spinP))
	local, err := d.acting(c, kin)
	if err != nil {
		return err
	}
	c.N = vec{local[0], local[1], local[2]}.turned(&c.E)
	c.F = vec{local[3], local[4], local[5]}.turned(&c.E)
	if c.bentAt >= 0 {
		l := &d.carried.bent[c.bentAt]
		l.bend(kin, &w)
		if c.at >= 0 {
			c.lambda = -d.x[int(c.at)+len(c.lines.rows)]
		}
		c.N = c.N.add(l.n.scale(c.lambda))
	}
	return nil
}

// acting returns the moments and forces along the lines of a joint, in the axes of P, and stores the rates of its springs. It returns an
// error for a law without a value at the state.
func (d *Derivatives) acting(c *carriedJoint, kin *mechanism.JointKinematics) (local [6]float64, err error) {
	c.multiplied(&local, d.x)
	if c.spring < 0 || d.b.bare {
		return local, nil
	}
	jt, drive, s := &d.mech.Joints[c.number], d.mech.Drive(int(c.number)), &d.carried.springs[c.spring]
	var q, qd, own [6]float64
	jt.CoordinatesTo(&q, &qd, kin)
	*s = carriedSpring{tilt: tiltOf(kin)}
	for i, line := range c.lines.freedoms {
		k, damping := drive.Stiffness[i], drive.Damping[i]
		// The rotations of a ball have damping only.
		if !jt.Kind.Scalar(i) {
			k = 0
			q[i] = drive.Rest[i]
		}
		x := q[i] - drive.Rest[i]
		own[line] = drive.Force[i] - k*x - damping*qd[i]
		if law := drive.Law(i); law != nil && jt.Kind.Scalar(i) {
			f, fx, fy, err := law.At(x, qd[i])
			if err != nil {
				return local, d.mech.AtJoint(int(c.number), -1, err)
			}
			own[line] -= f
			k, damping = k+fx, damping+fy
		}
		s.stiffness[line], s.damping[line] = k, damping
		s.rated = s.rated || k != 0 || damping != 0
		local[line] += own[line]
	}
	s.push = vec{own[3], own[4], own[5]}.turned(&c.E)
	return local, nil
}

// tiltOf returns the derivatives of the angle about z of P by rotations of S about x and y of P. They are not zero if the axes z of P and
// S differ: the angle belongs to the nearest rotation about z, atan2(E₁₀ − E₀₁, E₀₀ + E₁₁) with the axes E of S as P sees them.
func tiltOf(kin *mechanism.JointKinematics) (tilt [2]float64) {
	var E spatial.Mat3
	kin.EP.TMulTo(&E, &kin.ES)
	s, c := E[3]-E[1], E[0]+E[4]
	if n := s*s + c*c; n > 0 {
		tilt = [2]float64{(s*E[7] - c*E[6]) / n, -(s*E[6] + c*E[7]) / n}
	}
	return tilt
}

// multiplied adds to local the moments and forces of the multipliers along the lines of P. x has the multipliers with their signs changed.
func (c *carriedJoint) multiplied(local *[6]float64, x []float64) {
	if c.at >= 0 {
		for i, line := range c.lines.rows {
			local[line] -= x[int(c.at)+i]
		}
	}
}

// load is the wrench of a joint on S about its origin, with the multiplier lambda of the bent line.
type load struct {
	N, F   vec
	lambda float64
}

// force returns the wrench with the moment first.
func (l *load) force() spatial.Force { return spatial.Force{l.N.x, l.N.y, l.N.z, l.F.x, l.F.y, l.F.z} }

// reaction returns the load of the multipliers alone. x has them with their signs changed.
func (d *Derivatives) reaction(c *carriedJoint, x []float64) (l load) {
	var local [6]float64
	c.multiplied(&local, x)
	l.N = vec{local[0], local[1], local[2]}.turned(&c.E)
	l.F = vec{local[3], local[4], local[5]}.turned(&c.E)
	if c.bentAt >= 0 && c.at >= 0 {
		l.lambda = -x[int(c.at)+len(c.lines.rows)]
		l.N = l.N.add(d.carried.bent[c.bentAt].n.scale(l.lambda))
	}
	return l
}

// timedBy returns the changes by time of the prescribed value, rate and second rate of row i of a joint: zeros for rows that prescribe no
// freedom.
func (d *Derivatives) timedBy(c *carriedJoint, i int) (x [3]float64) {
	k := i - int(c.motion)
	if c.motion < 0 || k < 0 {
		return x
	}
	jt := &d.mech.Joints[c.number]
	for f := range jt.Kind.Freedoms() {
		if !jt.Prescribed(f) {
			continue
		}
		if k == 0 {
			m := jt.Motion[f]
			_, x[0], x[1] = m.At(d.st.Time)
			x[2] = m.ThirdAt(d.st.Time)
			return x
		}
		k--
	}
	return x
}

// bentLine is the line of the row of a universal joint's type: a moment along n = y×u with u along x of P and y of S. The second freedom
// of the joint is a rotation about y.
type bentLine struct {
	y, u, n vec
	w       vec // relative angular velocity
	// h0 and h1 are the derivatives of the coordinates: q₀ changes by h0·δy as P sees it, q₁ by h1·θ.
	h0, h1 vec
}

// bend computes the line for the relative angular velocity w.
func (l *bentLine) bend(kin *mechanism.JointKinematics, w *vec) {
	column := func(E *spatial.Mat3, k int) vec { return vec{E[k], E[3+k], E[6+k]} }
	p0, p1, p2 := column(&kin.EP, 0), column(&kin.EP, 1), column(&kin.EP, 2)
	x, y, z := column(&kin.ES, 0), column(&kin.ES, 1), column(&kin.ES, 2)
	l.y, l.u, l.w = y, p0, *w
	l.n = y.cross(p0)
	s, c := y.dot(p2), y.dot(p1)
	l.h0 = p2.scale(c).sub(p1.scale(s)).scale(1 / (s*s + c*c))
	s, c = z.dot(p0), x.dot(p0)
	l.h1 = z.cross(p0).scale(c).sub(x.cross(p0).scale(s)).scale(1 / (s*s + c*c))
}
