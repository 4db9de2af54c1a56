package derive

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// sizes are what changes are compared with.
type sizes struct {
	length, rate float64 // m; the largest rate of a body, rad/s
	second       float64 // the largest acceleration, rad/s², and m/s² over the length
}

// setSizes finds the typical length, and the largest rate at the state.
func (d *Derivatives) setSizes() {
	l := d.mech.TypicalLength()
	d.sizes = sizes{length: l}
	for i := range d.bodies {
		b := &d.bodies[i]
		d.sizes.rate = max(d.sizes.rate, b.omega.Norm(), b.v.Add(b.omega.Cross(b.k)).Norm()/l)
		d.sizes.second = max(d.sizes.second, b.alpha.Norm(), b.c.Norm()/l)
	}
}

// project factors the systems of positions and velocities at the state, where that has not been done.
func (d *Derivatives) project() error {
	if d.projecting {
		return nil
	}
	if d.velocities == nil {
		d.velocities = d.plan.NewAnswers(kkt.AnswersOfVelocities)
		d.positions = d.velocities
		if len(d.mech.Nonholonomic()) > 0 {
			d.positions = d.plan.NewAnswers(kkt.AnswersOfPositions)
		}
	}
	if err := d.velocities.At(d.st); err != nil {
		return fault.Errorf("derive: %w", err)
	}
	if d.positions != d.velocities {
		if err := d.positions.At(d.st); err != nil {
			return fault.Errorf("derive: %w", err)
		}
	}
	d.projecting = true
	return nil
}

// level is that of positions or of velocities.
type level bool

const (
	ofPositions  level = false
	ofVelocities level = true
)

// misses stores in d.plainRight by how much u opens each row at a level.
func (d *Derivatives) misses(u *direction, l level) error {
	d.setTangents(u, nil)
	clear(d.plainRight)
	d.b.want = wantDelta
	if l == ofVelocities {
		d.b.want = wantRate
	}
	defer func() { d.b.want = wantAll }()
	for part := range d.elementNumber(0) {
		if !d.touches(part, u) {
			continue
		}
		if x := d.isCarried(part); x != nil {
			d.missesCarried(part, x, u, l)
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.pull(u, nil)
		for _, n := range d.b.rows {
			node := n.delta
			if l == ofVelocities {
				node = n.rate
			}
			if node >= 0 && n.plain >= 0 {
				d.plainRight[n.plain] += d.b.c.Tangent1(node)
			}
		}
	}
	return nil
}

// take makes u, a copy of given, a direction that the joints allow, theory.md (D3), (D4), or sees that it is one.
func (d *Derivatives) take(u, given *direction, o Options) error {
	if d.plain.Pattern.Len() == d.mech.NumBodies() {
		return nil
	}
	if !u.moves() || o.AsGiven && !u.follow {
		return nil
	}
	if err := d.misses(u, ofPositions); err != nil {
		return err
	}
	if !u.follow {
		if err := d.allowed(u, ofPositions); err != nil {
			return err
		}
		if err := d.misses(u, ofVelocities); err != nil {
			return err
		}
		if err := d.allowed(u, ofVelocities); err != nil {
			return err
		}
		return d.try(given, o)
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
		// The origin of the frame keeps its velocity as the pose is corrected.
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
	return d.try(given, o)
}

// round makes what following has left of a direction zero where that is rounding of the given one, as of a direction that the joints take
// back as a whole: nothing could be compared with it.
func (d *Derivatives) round(u, given *direction) {
	if d.bodySize(u, ofPositions) <= goneTol*d.bodySize(given, ofPositions) {
		for i := range u.bodies {
			u.bodies[i].Rotation, u.bodies[i].Position = spatial.Vec3{}, spatial.Vec3{}
		}
	}
	// Rates follow poses at the rates of the state.
	if d.bodySize(u, ofVelocities) <= goneTol*(d.bodySize(given, ofVelocities)+d.sizes.rate*d.bodySize(given, ofPositions)) {
		for i := range u.bodies {
			u.bodies[i].Angular, u.bodies[i].Linear = spatial.Vec3{}, spatial.Vec3{}
		}
	}
}

// bodySize returns the size of the pose or of the rates of a direction, m or m/s.
func (d *Derivatives) bodySize(u *direction, l level) (most float64) {
	for i := range u.bodies {
		b := &u.bodies[i]
		if l == ofPositions {
			most = max(most, b.Rotation.Norm()*d.sizes.length, b.Position.Norm())
		} else {
			most = max(most, b.Angular.Norm()*d.sizes.length, b.Linear.Norm())
		}
	}
	return most
}

// correct stores in x the least motion that closes what d.plainRight has open, along a direction of a size.
func (d *Derivatives) correct(x []float64, by *kkt.Answers, size float64) error {
	most := 0.0
	for i, y := range d.plainRight {
		d.plainRight[i] = -y
		most = max(most, math.Abs(y))
	}
	if most <= roundTol*size {
		clear(x)
		return nil
	}
	fit, _, err := by.AnswerTo(x, d.plainRight)
	if err == nil && fit.Ratio <= openTol {
		return nil
	}
	if most <= openTol*size { // rounding of the state, by which the rows contradict each other
		clear(x)
		return nil
	}
	return d.opened(fit, err)
}

// allowed returns ErrNotAllowed at the row that d.plainRight has open by more than rounding of u.
func (d *Derivatives) allowed(u *direction, l level) error {
	size := d.sizeOf(u, l)
	p := d.plain.Pattern
	for node := d.plain.FirstJoint(); node < p.Len(); node++ {
		for at := p.Off[node]; at < p.Off[node+1]; at++ {
			x := d.plainRight[at]
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

// sizeOf returns the size of a direction in m, or m/s, and so in rad times lengths.
func (d *Derivatives) sizeOf(u *direction, l level) float64 {
	pose, rate := d.bodySize(u, ofPositions), d.bodySize(u, ofVelocities)
	for i := range u.frames {
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

// moves reports whether a direction may open a joint: whether it changes a pose, a velocity, a frame, time, or a number of a part.
func (u *direction) moves() bool {
	if u.time != 0 {
		return true
	}
	for i := range u.bodies {
		if b := &u.bodies[i]; b.Rotation != (spatial.Vec3{}) || b.Position != (spatial.Vec3{}) || b.Angular != (spatial.Vec3{}) ||
			b.Linear != (spatial.Vec3{}) {
			return true
		}
	}
	for i := range u.frames {
		if u.frames[i] != (FrameChange{}) {
			return true
		}
	}
	for _, x := range u.scalars {
		if x != 0 {
			return true
		}
	}
	return false
}

// touches reports whether a part may change along a direction: if one of its bodies does, or numbers or frames of its own.
func (d *Derivatives) touches(part int, u *direction) bool {
	j := part
	if j >= d.mech.NumJoints() || u.time != 0 || len(d.active) > 0 || len(u.bearings) > 0 {
		return true
	}
	if u.frames[2*j] != (FrameChange{}) || u.frames[2*j+1] != (FrameChange{}) || u.forces[j] != ([6]float64{}) {
		return true
	}
	jt := &d.mech.Joints[j]
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 && u.tangents[b] != (bodyTangent{}) {
			return true
		}
	}
	return false
}
