package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// The functions of this file differentiate helical, universal and distance joints, whose rows are not all along axes of P, and force
// elements.

// specialMultiplier adds the multiplier of the row of joint j that is not along one axis of P to the lines in to: the row of a screw to two
// lines, any other to atSpecial.
func (c *compiler) specialMultiplier(to place, j int, rows *nodeRows, row int) {
	at := rows.place(row)
	if at >= rows.kept {
		return
	}
	x, jt := c.sys.x[rows.node].At(at), &c.mech.Joints[j]
	if jt.Kind != joints.Helical {
		c.OpN(tape.Copy, 1, 0, to.At(atSpecial), x)
		return
	}
	force, moment := to.At(lineOf(true, 2)), to.At(lineOf(false, 2))
	c.OpN(tape.Copy, 1, 0, force, x)
	c.OpN(tape.Scaled, 1, 0, moment, moment, x, c.scalarIn(j, Pitch, -jt.Pitch))
}

// negated returns −x for a number x.
func (c *compiler) negated(x place) place {
	out := c.Room(1)
	c.OpN(tape.Sub, 1, 0, out, c.sys.null, x)
	return out
}

// product returns x·y for numbers x and y.
func (c *compiler) product(x, y place) place {
	out := c.Room(1)
	c.OpN(tape.Scaled, 1, 0, out, c.sys.null, x, y)
	return out
}

// scaledBy returns s·v for a vector v.
func (c *compiler) scaledBy(v, s place) place {
	out := c.Room(3)
	c.OpN(tape.Scaled, 3, 0, out, c.sys.null, v, s)
	return out
}

// plus adds s·v to the vector at to.
func (c *compiler) plus(to, v, s place) { c.OpN(tape.Scaled, 3, 0, to, to, v, s) }

// dot returns v·u for two vectors.
func (c *compiler) dot(v, u place) place {
	out := c.Room(1)
	c.Op(tape.Dot, out, v, u)
	return out
}

// bentLine adds the moment λ·n of a universal joint to the moment in at. Here n = y×u, with y along y of S and u along x of P.
func (c *compiler) bentLine(b *backJoint, at place) (y, u, n, lambda place) {
	y = c.vector(tape.Column, c.frameAxes(b.number, sideS).At(1))
	u = c.vector(tape.Column, at.At(places.BackFrame))
	n = c.vector(tape.Cross, y, u)
	lambda = c.negated(b.solution.At(atSpecial))
	c.plus(at.At(places.BackMoment), n, lambda)
	return y, u, n, lambda
}

// backBent adds the derivatives through the moment λ·n of a universal joint and through its second freedom, a turn about y. Here n = y×u
// with y along y of S and u along x of P, and n˚ = (w×y)×u with the relative angular velocity w. It stores the derivative by the force on
// the second freedom in force, unless that is none. acts is as for backLines.
func (c *compiler) backBent(b *backJoint, at, P, S, force place, acts func()) {
	y, u, n, lambda := c.bentLine(b, at)
	r := c.negated(b.adjoint.At(atSpecial))
	tau, driven := c.acts[6*b.number+1]
	driven = driven && !b.bare
	if driven {
		c.plus(at.At(places.BackMoment), y, tau)
	}
	acts()
	moment := c.difference(S.At(places.BackTurn), P.At(places.BackTurn)) // derivative by the moment
	w := c.difference(S.At(places.BackOmega), P.At(places.BackOmega))
	k := c.vector(tape.Cross, u, w)
	byN := c.scaledBy(moment, lambda)
	c.plus(byN, at.At(places.BackWd), r)
	c.plus(at.At(places.BackRowTurn), n, r)
	spun := c.vector(tape.Cross, c.vector(tape.Cross, w, y), u)
	c.plus(at.At(places.BackRateTurn), c.vector(tape.AddCross, y, k, spun), r)
	byY := c.vector(tape.AddCross, u, byN, c.scaledBy(c.vector(tape.Cross, k, w), r))
	if driven {
		c.plus(byY, moment, tau)
		c.backDamper(b.number, y, w, c.dot(y, moment), at.At(places.BackRateTurn), byY)
	}
	theta := at.At(places.BackTheta)
	c.Op(tape.AddCross, theta, y, byY, theta)
	if force.Is() {
		c.Op(tape.Dot, force, y, moment)
	}
}

// backDamper adds the derivatives through the damper along y of universal joint j, whose rate is y·w. byMoment is the derivative by its
// moment; the derivatives by w and y are added to byW and byY.
func (c *compiler) backDamper(j int, y, w, byMoment, byW, byY place) {
	var damping place
	if numbers := c.ofDrive(6*j + 1); numbers.Is() {
		damping = numbers.At(Damping)
	} else if d := c.mech.Drive(j); d != nil && d.Damping[1] != 0 {
		damping = c.Shared(d.Damping[1])
	} else {
		return
	}
	byRate := c.negated(c.product(byMoment, damping))
	c.plus(byW, y, byRate)
	c.plus(byY, w, byRate)
}

// rodLine adds the force λ·n of a distance joint to the force in at, with n = R/|R|. The fourth number of n is |R|.
func (c *compiler) rodLine(b *backJoint, at place) (n, lambda place) {
	n, lambda = c.Room(4), c.negated(b.solution.At(atSpecial))
	c.Op(tape.Unit, n, at.At(places.BackR))
	c.plus(at.At(places.BackForce), n, lambda)
	return n, lambda
}

// backRod adds the derivatives through the force λ·n of a distance joint, with n = R/|R| and n˚·V = |V − n(n·V)|²/|R|. acts is as for
// backLines. It returns the derivatives by n as far as they are known before BackJoint; backRodSlide adds the others.
func (c *compiler) backRod(b *backJoint, at place, acts func()) (byN place) {
	n, lambda := c.rodLine(b, at)
	r := c.negated(b.adjoint.At(atSpecial))
	c.plus(at.At(places.BackRowSlide), n, r)
	acts()
	V, slip := at.At(places.BackV), at.At(places.BackSlip)
	rate := c.product(r, c.inverseLength(n))
	twice := c.product(rate, c.Shared(2))
	c.plus(at.At(places.BackRate), slip, twice)
	force := c.vector(tape.MulVec, at.At(places.BackFrame), at.At(places.BackLines+3)) // derivative by the force
	byN = c.scaledBy(force, lambda)
	c.plus(byN, at.At(places.BackVd), r)
	c.plus(byN, V, c.negated(c.product(twice, c.dot(n, V))))
	c.plus(at.At(places.BackRho), n, c.negated(c.product(c.product(rate, c.inverseLength(n)), c.dot(slip, slip))))
	return byN
}

// inverseLength returns 1/|R| for what Unit has stored.
func (c *compiler) inverseLength(n place) place {
	out := c.Room(1)
	c.Op(tape.Quotient, out, c.Shared(1), n.At(3))
	return out
}

// backPoint is a point of a body for derivatives: the intermediate results of the body, the arms from the origin of the body's frame
// (near) and from the centre of mass (arm), its velocity, and its velocity under the adjoint solution (moves), all in world axes.
type backPoint struct{ body, near, arm, velocity, moves place }

// backPoint returns the point of an attachment on a body.
func (c *compiler) backPoint(body place, at *mechanism.Attachment) backPoint {
	p := backPoint{body: body, near: c.vector(tape.MulVec, body, c.Shared(at.Point[:]...))}
	p.arm = c.difference(p.near, body.At(places.BackArm))
	p.velocity = c.vector(tape.AddCross, body.At(places.BackOmega), p.near, body.At(places.BackVelocity))
	p.moves = c.vector(tape.AddCross, body.At(places.BackTurn), p.arm, body.At(places.BackPush))
	return p
}

// backWrench adds the derivative by the rotation of a body on which the force f of an element acts. A rotation φ turns the arm by φ×arm,
// and with the angular part y of the adjoint solution the force contributes f·(y×(φ×arm)).
func (c *compiler) backWrench(e *mechanism.ForceElement, body place) {
	if e.A.Body < 0 {
		return
	}
	p := c.backPoint(body, &e.A)
	turn := body.At(places.BackRotation)
	c.Op(tape.AddCross, turn, p.arm, c.vector(tape.Cross, c.Shared(e.Force[:]...), body.At(places.BackTurn)), turn)
}

// backSpring adds the derivatives through spring-damper i: by its line and the rate of the line, which change its tension T and its
// direction n, and by the arms at whose ends T·n acts.
func (c *compiler) backSpring(e *mechanism.ForceElement, i int, bodyA, bodyB place) {
	a, b := c.backPoint(bodyA, &e.A), c.backPoint(bodyB, &e.B)
	numbers := c.ofSpring(i)
	if !numbers.Is() {
		numbers = c.Shared(e.Stiffness, e.Damping, e.RestLength)
	}
	far := c.difference(bodyB.At(places.BackPosition), bodyA.At(places.BackPosition))
	n, inverse := c.Room(4), c.Room(1) // direction and length of the line; 1/length
	c.Op(tape.Unit, n, c.sum(far, c.difference(b.near, a.near)))
	c.Op(tape.Quotient, inverse, c.Shared(1), n.At(3))
	V, U := c.difference(b.velocity, a.velocity), c.difference(a.moves, b.moves)

	stretch, T := c.Room(1), c.Room(1)
	c.OpN(tape.Sub, 1, 0, stretch, n.At(3), numbers.At(2))
	c.OpN(tape.Scaled, 1, 0, T, c.product(stretch, numbers), c.dot(n, V), numbers.At(1))
	byT := c.dot(n, U)
	damped := c.product(byT, numbers.At(1))
	rate := c.scaledBy(n, damped) // derivatives by V, n and the line
	line := c.scaledBy(U, T)
	c.plus(line, V, damped)
	c.plus(line, n, c.negated(c.dot(n, line)))
	line = c.scaledBy(line, inverse)
	c.plus(line, n, c.product(byT, numbers))
	force := c.scaledBy(n, T)
	minus := c.Shared(-1)
	c.backEnd(&a, force, c.scaledBy(line, minus), c.scaledBy(rate, minus))
	c.backEnd(&b, c.scaledBy(force, minus), line, rate)
}

// backEnd adds to the results of a body the derivatives by the position of a point, travel, by its velocity, rate, and by the arm of the
// force that acts there.
func (c *compiler) backEnd(p *backPoint, force, travel, rate place) {
	arm := c.vector(tape.AddCross, force, p.body.At(places.BackTurn), travel)
	arm = c.vector(tape.AddCross, rate, p.body.At(places.BackOmega), arm)
	for _, x := range []struct {
		at     int
		by, of place
	}{{places.BackRotation, p.arm, arm}, {places.BackAngular, p.arm, rate}} {
		to := p.body.At(x.at)
		c.Op(tape.AddCross, to, x.by, x.of, to)
	}
	c.OpN(tape.Add, 3, 0, p.body.At(places.BackTravel), p.body.At(places.BackTravel), travel)
	c.OpN(tape.Add, 3, 0, p.body.At(places.BackLinear), p.body.At(places.BackLinear), rate)
}
