package derive

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// FollowTo stores in x the change of the state along each direction of in, after following, theory.md (D3), (D4): twelve numbers a body, of
// its rotation, of the position of its centre of mass including the change by com, of its angular velocity and of the velocity of its
// centre of mass. It is the transpose of FollowMotion. Rows that contradict each other by rounding only stay open. FollowTo overwrites the
// directions of in, which have to be set again for another call. It returns the errors of kkt.Answers.AnswerTo.
//
// Shapes: x has one entry a direction. Cost: some four solves a direction, no allocation after the first call. It panics on a length
// mismatch, without At, or if in belongs to other Derivatives.
func (d *Derivatives) FollowTo(x [][]float64, in *Directions) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if in.d != d || len(x) != len(in.list) {
		panic("derive: foreign directions or length mismatch")
	}
	in.mustBeNew()
	if err := d.setCarried(); err != nil {
		return err
	}
	for k := range in.list {
		if len(x[k]) != motionNumbers*len(d.bodies) {
			panic("derive: foreign directions or length mismatch")
		}
		d.measure(in.whole(k))
	}
	if d.plain.Pattern.Len() > d.mech.NumBodies() {
		if err := d.followTogether(in); err != nil {
			return err
		}
	}
	for k := range in.list {
		u := &in.list[k]
		for i := range u.bodies {
			b, y := &u.bodies[i], x[k][motionNumbers*i:]
			moved := d.bodies[i].E.MulVec(b.Com)
			place, velocity := b.Position.Add(moved), b.Linear.Add(d.bodies[i].omega.Cross(moved))
			for n, v := range [4]*spatial.Vec3{&b.Rotation, &place, &b.Angular, &velocity} {
				copy(y[3*n:], v[:])
			}
		}
	}
	return nil
}

// followTogether is the transpose of followBack for each measured direction of in: take for all of them, without its tests.
func (d *Derivatives) followTogether(in *Directions) error {
	if err := d.project(); err != nil {
		return err
	}
	x := d.answer[:len(d.plainRight)]
	if d.held.projected.active {
		for k := range in.list {
			d.turnOn(&in.list[k])
			d.measure(&in.list[k])
		}
	}
	for _, l := range [2]level{ofPositions, ofVelocities} {
		by := d.closers()
		if l == ofVelocities {
			by = d.velocities
		}
		if err := d.missesTogether(in, l); err != nil {
			return err
		}
		if d.held.projected.active {
			if err := d.projectionTogether(in, l); err != nil {
				return err
			}
		}
		for k := range in.list {
			u := &in.list[k]
			copy(d.plainRight, d.rough.rows[k])
			d.negate()
			if moves, err := d.correctionTo(x, u, by, l); err != nil {
				return err
			} else if moves {
				d.moveBy(u, x, l)
				d.measure(u)
			}
		}
	}
	return nil
}

// correctionTo stores in x the solution for the right side d.plainRight, the openings of rows along u at a level, and reports whether there
// is anything to correct. After a projection the right side has loads, too.
func (d *Derivatives) correctionTo(x []float64, u *direction, by *kkt.Answers, l level) (bool, error) {
	loads, rows := d.plainRight[:6*len(d.bodies)], d.plainRight[6*len(d.bodies):]
	loaded := d.held.projected.active && algebra.MaxAbs(loads) > 0
	size, most := d.sizeOf(u, l), algebra.MaxAbs(rows)
	if !u.moving || most <= roundTol*size {
		if !loaded {
			return false, nil
		}
		clear(rows)
	}
	there, err := d.closesTo(x, by, openTol*size)
	if err == nil && !there {
		_, _, err = by.AnswerTo(x, d.plainRight)
	}
	if err != nil && most <= openTol*size { // redundant rows contradict each other by rounding
		if !loaded {
			return false, nil
		}
		clear(rows)
		_, _, err = by.AnswerTo(x, d.plainRight)
	}
	return true, err
}

// moveBy adds the correction x at a level to u.
func (d *Derivatives) moveBy(u *direction, x []float64, l level) {
	for i := range u.bodies {
		b, turn, travel := &u.bodies[i], spatial.Vec3(x[6*i:]), spatial.Vec3(x[6*i+3:])
		if l == ofVelocities {
			b.Angular, b.Linear = b.Angular.Add(turn), b.Linear.Add(travel)
			continue
		}
		b.Rotation, b.Position = b.Rotation.Add(turn), b.Position.Add(travel)
		// The correction of the pose keeps the velocity of the frame's origin.
		b.Linear = b.Linear.Add(d.bodies[i].omega.Cross(turn.Cross(d.bodies[i].k)))
	}
}

// missesTogether stores in d.rough.rows the opening of each row at a level along each direction.
func (d *Derivatives) missesTogether(in *Directions, l level) error {
	if err := d.setCarried(); err != nil {
		return err
	}
	for len(d.rough.rows) < len(in.list) {
		d.rough.rows = append(d.rough.rows, make([]float64, len(d.plainRight)))
	}
	for k := range in.list {
		clear(d.rough.rows[k])
	}
	d.b.want = wantDelta
	if l == ofVelocities {
		d.b.want = wantRate
	}
	defer func() { d.b.want = wantAll }()
	var m carriedMove
	for part := range d.elementNumber(0) {
		c := d.carriedOf(part)
		if c == nil {
			if err := d.build(part); err != nil {
				return err
			}
		}
		for k := range in.list {
			u, r := &in.list[k], d.rough.rows[k]
			switch {
			case c == nil:
				d.b.pull(u, nil)
				d.b.misses(r, l)
			case c.plain >= 0:
				d.move(&m, c, u, nil, l.order())
				d.opens(r[c.plain:], c, &m, u, l.order())
			}
		}
	}
	return nil
}
