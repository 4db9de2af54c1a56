package derive

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// sizes are the sizes relative to which changes are large or small.
type sizes struct {
	length, rate float64 // typical length, m; largest rate of a body, rad/s, and m/s over the length
	second       float64 // the largest acceleration, rad/s², and m/s² over the length
}

// setSizes finds the largest rate and the largest acceleration at the state.
func (d *Derivatives) setSizes() {
	var spin, speed, al, a float64 // squares
	for i := range d.bodies {
		b := &d.bodies[i]
		v := vecOf(&b.v).add(vecOf(&b.omega).cross(vecOf(&b.k)))
		spin, speed = max(spin, square(&b.omega)), max(speed, v.dot(v))
		al, a = max(al, square(&b.alpha)), max(a, square(&b.c))
	}
	l := d.sizes.length
	d.sizes.rate = max(math.Sqrt(spin), math.Sqrt(speed)/l)
	d.sizes.second = max(math.Sqrt(al), math.Sqrt(a)/l)
}

// project factors the systems of positions and velocities at the state, unless that has been done.
func (d *Derivatives) project() error {
	if d.projecting {
		return nil
	}
	if d.velocities == nil {
		d.velocities = d.dynamics
		if !d.oneMetric() {
			d.velocities = d.plan.NewAnswers(kkt.AnswersOfVelocities)
		}
		d.positions = d.velocities
		if len(d.mech.Nonholonomic()) > 0 || len(d.mech.Singular()) > 0 {
			d.positions = d.plan.NewAnswers(kkt.AnswersOfPositions)
		}
	}
	if d.velocities != d.dynamics {
		if err := d.velocities.At(d.st); err != nil {
			return fault.Errorf("derive: %w", err)
		}
	}
	if d.positions != d.velocities {
		if err := d.positions.At(d.st); err != nil {
			return fault.Errorf("derive: %w", err)
		}
	}
	d.projecting = true
	return nil
}

// oneMetric reports whether the system of velocities is the system of the dynamics, which is factored already: if there is no armature, and
// no body without inertia in some direction.
func (d *Derivatives) oneMetric() bool {
	for i := range d.mech.Bodies {
		if _, n := d.mech.Bodies[i].Null(); n > 0 {
			return false
		}
	}
	return d.dynamics.Layout() == d.plain
}

// level is the level of positions or of velocities.
type level bool

const (
	ofPositions  level = false
	ofVelocities level = true
)

// order returns the order of derivative of the rows at the level.
func (l level) order() order {
	if l == ofVelocities {
		return orderVelocity
	}
	return orderPosition
}

// misses stores in d.plainRight the opening of each row at level l along u.
func (d *Derivatives) misses(u *direction, l level) error {
	clear(d.plainRight)
	d.b.want = wantDelta
	if l == ofVelocities {
		d.b.want = wantRate
	}
	defer func() { d.b.want = wantAll }()
	var m carriedMove
	for part := range d.elementNumber(0) {
		if !d.touches(part, u) {
			continue
		}
		if c := d.carriedOf(part); c != nil {
			if c.plain >= 0 {
				d.move(&m, c, u, nil, l.order())
				d.opens(d.plainRight[c.plain:], c, &m, u, l.order())
			}
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.pull(u, nil)
		d.b.misses(d.plainRight, l)
	}
	return nil
}

// misses adds to right the opening of the rows of the part at level l, along the direction of pull.
func (b *builder) misses(right []float64, l level) {
	for _, n := range b.rows {
		node := n.delta
		if l == ofVelocities {
			node = n.rate
		}
		if node >= 0 && n.plain >= 0 {
			right[n.plain] += b.c.Tangent1(node)
		}
	}
}

// take makes u, a copy of given, follow: it adds the least change with which the joints allow u, theory.md (D3), (D4).
func (d *Derivatives) take(u, given *direction) error {
	if d.plain.Pattern.Len() == d.mech.NumBodies() {
		return nil
	}
	given.pose, given.rate = u.pose, u.rate
	if err := d.misses(u, ofPositions); err != nil {
		return err
	}
	if err := d.project(); err != nil {
		return err
	}
	x := d.answer[:len(d.plainRight)]
	if err := d.correct(x, d.positions, d.sizeOf(u, ofPositions)); err != nil {
		return err
	}
	for i := range u.bodies {
		b, phi := &u.bodies[i], spatial.Vec3(x[6*i:][:3])
		b.Rotation = b.Rotation.Add(phi)
		b.Position = b.Position.Add(spatial.Vec3(x[6*i+3:][:3]))
		// The correction of the pose keeps the velocity of the frame's origin.
		b.Linear = b.Linear.Add(d.bodies[i].omega.Cross(phi.Cross(d.bodies[i].k)))
	}
	d.round(u, given)
	if err := d.misses(u, ofVelocities); err != nil {
		return err
	}
	if err := d.correct(x, d.velocities, max(d.sizeOf(u, ofVelocities), d.sizeOf(given, ofVelocities))); err != nil {
		return err
	}
	for i := range u.bodies {
		b := &u.bodies[i]
		b.Angular = b.Angular.Add(spatial.Vec3(x[6*i:][:3]))
		b.Linear = b.Linear.Add(spatial.Vec3(x[6*i+3:][:3]))
	}
	d.round(u, given)
	return nil
}

// closesTo stores in x the solution for d.plainRight by the independent rows, and reports whether it leaves no row open by more than left.
// Without Plain it reports false.
func (d *Derivatives) closesTo(x []float64, by *kkt.Answers, left float64) (bool, error) {
	if !by.Plain() {
		return false, nil
	}
	d.needRough()
	r, y := d.rough.right, d.rough.answer
	if err := by.RoughTo(x, d.plainRight); err != nil {
		return false, err
	}
	by.ProductTo(r, x)
	most := 0.0
	for i, b := range d.plainRight {
		r[i] = b - r[i]
		most = max(most, math.Abs(r[i]))
	}
	if !(most <= left) {
		return false, nil
	}
	err := by.RoughTo(y, r)
	for i := range x {
		x[i] += y[i]
	}
	return true, err
}

// needRough allocates the memory for rough solutions.
func (d *Derivatives) needRough() {
	if n := len(d.plainRight); d.rough.right == nil {
		d.rough.right, d.rough.answer = make([]float64, n), make([]float64, n)
	}
}

// round sets the poses or the rates of u, after following, to zero if they are rounding of the given direction, as when the joints cancel
// the direction entirely. Nothing could be compared with them.
func (d *Derivatives) round(u, given *direction) {
	d.measure(u)
	if u.pose <= goneTol*given.pose {
		for i := range u.bodies {
			u.bodies[i].Rotation, u.bodies[i].Position = spatial.Vec3{}, spatial.Vec3{}
		}
	}
	// A change of poses changes rates by about the rates of the state.
	if u.rate <= goneTol*(given.rate+d.sizes.rate*given.pose) {
		for i := range u.bodies {
			u.bodies[i].Angular, u.bodies[i].Linear = spatial.Vec3{}, spatial.Vec3{}
		}
	}
	d.measure(u)
}

func square(v *spatial.Vec3) float64 { return v[0]*v[0] + v[1]*v[1] + v[2]*v[2] }

// measure sets the sizes of u and the bits of the bodies that it moves, and whether u may open a joint (moving): it does if it changes a
// pose, a velocity, a frame, time, or a number of a part.
func (d *Derivatives) measure(u *direction) {
	var turn, travel, spin, speed float64 // squares
	u.moving, u.shifts = u.time != 0, false
	bit := uint8(1) << u.lane
	for i := range u.bodies {
		b := &u.bodies[i]
		q, p := square(&b.Rotation), square(&b.Position)
		w, v := square(&b.Angular), square(&b.Linear)
		turn, travel, spin, speed = max(turn, q), max(travel, p), max(spin, w), max(speed, v)
		com := b.Com != (spatial.Vec3{})
		u.shifts = u.shifts || com
		if d.moved[i] &^= bit; com || q+p+w+v != 0 {
			d.moved[i] |= bit
		}
	}
	l := d.sizes.length
	u.pose, u.rate = max(math.Sqrt(turn)*l, math.Sqrt(travel)), max(math.Sqrt(spin)*l, math.Sqrt(speed))
	// Squares near the ends of the range may have under- or overflowed.
	if most := max(turn, travel, spin, speed); !(most > 1e-280 && most < 1e300) {
		d.measureFar(u)
	}
	u.moving = u.moving || u.pose != 0 || u.rate != 0
	if u.framed {
		for i := range u.frames {
			if u.frames[i] != (FrameChange{}) {
				u.moving, u.shifts = true, true
				break
			}
		}
	}
	for _, x := range u.scalars {
		u.moving = u.moving || x != 0
	}
}

// measureFar measures the bodies along a direction whose squares underflow or overflow.
func (d *Derivatives) measureFar(u *direction) {
	u.pose, u.rate = 0, 0
	l, none := d.sizes.length, spatial.Vec3{}
	for i := range u.bodies {
		b := &u.bodies[i]
		if b.Rotation == none && b.Position == none && b.Angular == none && b.Linear == none {
			continue
		}
		d.moved[i] |= 1 << u.lane
		u.pose, u.rate = max(u.pose, b.Rotation.Norm()*l, b.Position.Norm()), max(u.rate, b.Angular.Norm()*l, b.Linear.Norm())
	}
}

// correct stores in x the least motion that closes the rows by the openings in d.plainRight. size is the size of the direction that opens
// them; openings that are rounding of it count as zero.
func (d *Derivatives) correct(x []float64, by *kkt.Answers, size float64) error {
	most := d.negate()
	if most <= roundTol*size {
		clear(x)
		return nil
	}
	return d.corrected(x, by, most, size)
}

// corrected is correct for openings in d.plainRight whose signs are changed, the largest of which is most.
func (d *Derivatives) corrected(x []float64, by *kkt.Answers, most, size float64) error {
	fit, _, err := by.AnswerTo(x, d.plainRight)
	if err == nil && fit.Ratio <= openTol {
		return nil
	}
	if most <= openTol*size { // the rows contradict each other by rounding of the state
		clear(x)
		return nil
	}
	return d.opened(fit, err)
}

// negate changes the sign of d.plainRight, and returns its largest magnitude.
func (d *Derivatives) negate() (most float64) {
	for i, y := range d.plainRight {
		d.plainRight[i] = -y
		most = max(most, math.Abs(y))
	}
	return most
}

// allowed returns ErrNotAllowed at the first row whose opening in right is more than rounding of u.
func (d *Derivatives) allowed(right []float64, u *direction, l level) error {
	size := d.sizeOf(u, l)
	p := d.plain.Pattern
	for node := d.plain.FirstJoint(); node < p.Len(); node++ {
		for at := p.Off[node]; at < p.Off[node+1]; at++ {
			x := right[at]
			if math.Abs(x) <= allowedTol*size {
				continue
			}
			what, row := "", int(at-p.Off[node])
			if what = "position"; l == ofVelocities {
				what = "velocity"
			}
			return d.plain.At(node, row,
				fault.Errorf("%w: it opens by %.3g a unit, at the level of %s; let the state follow", ErrNotAllowed, x, what))
		}
	}
	return nil
}

// sizeOf returns the size of a measured direction at a level: the larger of its sizes in m and in rad, or in m/s and rad/s.
func (d *Derivatives) sizeOf(u *direction, l level) float64 {
	pose, rate := u.pose, u.rate
	for i := range u.frames {
		if !u.framed {
			break
		}
		pose = max(pose, u.frames[i].Origin.Norm(), u.frames[i].Turn.Norm()*d.sizes.length)
	}
	for _, x := range u.scalars {
		pose = max(pose, math.Abs(x))
	}
	if pose = max(pose, pose/d.sizes.length); l == ofPositions {
		return max(pose, math.Abs(u.time)*d.sizes.rate)
	}
	rate = max(rate, rate/d.sizes.length)
	return rate + pose*(1+d.sizes.rate) + math.Abs(u.time)*(1+d.sizes.rate)*d.sizes.rate
}

// touches reports whether a part may change along a measured direction: if its bodies move, or if numbers or frames of the part change.
func (d *Derivatives) touches(part int, u *direction) bool {
	j := part
	if j >= d.mech.NumJoints() || u.time != 0 || len(u.bearings) > 0 || len(d.active) > 0 && d.carried.place[j] < 0 {
		return true
	}
	jt := &d.mech.Joints[j]
	if jt.Pred >= 0 && d.moved[jt.Pred]>>u.lane&1 != 0 || jt.Succ >= 0 && d.moved[jt.Succ]>>u.lane&1 != 0 {
		return true
	}
	if u.framed && (u.frames[2*j] != (FrameChange{}) || u.frames[2*j+1] != (FrameChange{})) {
		return true
	}
	return u.forced && u.forces[j] != ([6]float64{})
}
