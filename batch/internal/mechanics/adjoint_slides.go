package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
)

// Backward pass of joints that slide, in states that do not close them exactly. The rows of such a joint depend on the part of R and V that
// the joint allows, theory.md (9), while forces along freedoms act at the origin of S.

// backFrames makes room for the numbers of a joint between the bodies P and S, and stores its relative motion and the part of it that the
// joint allows, theory.md (9).
func (c *compiler) backFrames(j int, P, S place) place {
	at, kind := c.Room(places.BackJoint), c.mech.Joints[j].Kind
	c.Op(tape.BackFrames, at, P, S, c.frameIn(j, sideP), c.originIn(j, sideS))
	if isPinned(kind) {
		return at
	}
	c.Op(tape.BackSeparation, at, P, S)
	R, V := at.At(places.BackR), at.At(places.BackV)
	if kind != joints.Distance {
		c.Op(tape.BackAllow, at, P, c.allowed(kind, at, R), c.allowed(kind, at, V))
		return at
	}
	n, slip := c.Room(4), c.Room(3)
	c.Op(tape.Unit, n, R)
	c.OpN(tape.Scaled, 3, 0, slip, V, n, c.negated(c.dot(n, V)))
	c.Op(tape.BackAllow, at, P, c.scaledBy(n, c.scalarIn(j, Length, c.mech.Joints[j].Length)), slip)
	return at
}

// allowed returns the part of v that a type allows, which slides along the axis z of P or across it.
func (c *compiler) allowed(kind joints.Kind, at, v place) place {
	frame, out, code := at.At(places.BackFrame), c.Room(3), tape.OnZ
	if _, offZ := kind.Slides(); offZ {
		code = tape.OffZ
	}
	c.Op(code, out, frame, c.vector(tape.TMulVec, frame, v))
	return out
}

// backPush corrects the derivatives for forces along freedoms. They act at the origin of S, which is away from the point where the rows act
// by the gap, so they have an additional moment on P. It returns the derivative by the relative position that comes through the gap, or
// none if there is none.
func (c *compiler) backPush(b *backJoint, at, P place) (byPlace place) {
	kind, push := c.mech.Joints[b.number].Kind, none
	if isPinned(kind) {
		return none
	}
	frame := at.At(places.BackFrame)
	for i, u := range duals(kind) {
		if tau, ok := c.acts[6*b.number+i]; ok && u.force {
			if !push.Is() {
				push = c.Constant(make([]float64, 3)...)
			}
			c.OpN(tape.Copy, 1, 0, push.At(u.axis), tau)
		}
	}
	if !push.Is() {
		return none
	}
	push = c.vector(tape.MulVec, frame, push)
	turn, gap := P.At(places.BackTurn), at.At(places.BackGap)
	byForce := c.vector(tape.Cross, gap, turn) // −y_P×gap
	lines := at.At(places.BackLines + 3)
	c.OpN(tape.Add, 3, 0, lines, lines, c.vector(tape.TMulVec, frame, byForce))
	phi := at.At(places.BackPhi)
	c.Op(tape.AddCross, phi, push, byForce, phi)
	byGap := c.vector(tape.Cross, turn, push)
	c.Op(tape.AddCross, phi, gap, byGap, phi)
	return c.difference(byGap, c.allowed(kind, at, byGap))
}

// backTilt adds the derivatives by rotations of S about the axes x and y of P that come through the angle of the joint's spring about z. If
// the axes z of P and S differ, this angle is atan2(E₁₀ − E₀₁, E₀₀ + E₁₁), where E are the axes of S in the coordinates of P.
func (c *compiler) backTilt(b *backJoint, at place) {
	E, s, k, inverse := c.Room(9), c.Room(1), c.Room(1), c.Room(1)
	c.Op(tape.TMul3, E, at.At(places.BackFrame), c.frameAxes(b.number, sideS))
	c.OpN(tape.Sub, 1, 0, s, E.At(3), E.At(1))
	c.OpN(tape.Add, 1, 0, k, E, E.At(4))
	c.Op(tape.Quotient, inverse, b.stiff.At(2), c.sumOfSquares(s, k))
	for line, parts := range [2][2]place{{E.At(7), c.negated(E.At(6))}, {c.negated(E.At(6)), c.negated(E.At(7))}} {
		turn := c.Room(1)
		c.OpN(tape.Scaled, 1, 0, turn, c.product(s, parts[0]), k, parts[1])
		c.OpN(tape.Scaled, 1, 0, b.stiff.At(line), c.sys.null, turn, inverse)
	}
}

// sumOfSquares returns x² + y².
func (c *compiler) sumOfSquares(x, y place) place {
	out := c.Room(1)
	c.OpN(tape.Scaled, 1, 0, out, c.product(x, x), y, y)
	return out
}

// backRodSlide adds to the derivatives by R and V the derivatives of a distance joint that come through n = R/|R|, and through the allowed
// parts of R and V, which are length·n and U = V − n(n·V).
func (c *compiler) backRodSlide(j int, at, byN place) {
	n, V, past, rate := c.Room(4), at.At(places.BackV), at.At(places.BackPast), at.At(places.BackRate)
	c.Op(tape.Unit, n, at.At(places.BackR))
	twice := c.Shared(2)
	along := c.negated(c.product(c.dot(n, past), twice)) // derivative by U: 2·past
	c.plus(rate, past, twice)
	c.plus(rate, n, along)
	c.plus(byN, V, along)
	c.plus(byN, past, c.negated(c.product(c.dot(n, V), twice)))
	c.plus(byN, at.At(places.BackDb), c.scalarIn(j, Length, c.mech.Joints[j].Length))
	c.plus(byN, n, c.negated(c.dot(n, byN)))
	c.plus(at.At(places.BackRho), byN, c.inverseLength(n))
}
