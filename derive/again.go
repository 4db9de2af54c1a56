package derive

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Two causes make derivatives less accurate than accelerations. First, uneven masses: the forces that pass through a light body between
// heavy ones are larger than the force that accelerates it, by the ratio of the masses. In the balance of the light body they cancel, and
// so do their changes along a direction, except for the digits that the multipliers lack. Second, singular poses: at a distance t from one,
// a multiplier has an error of ε/t², and derivatives have ε/t³. Where either may matter, derivatives are computed again with other
// roundings: of the solution and, next to a singular pose, of the poses, as each solution has the same rounding of the poses in its factor.

const (
	// emptyTol bounds othersLeave()·√(least pivot of the independent rows) for rows that are redundant but for rounding. In 1000 random
	// mechanisms and all families the product is at most 1300 ε. In a four-bar it tells a pose 3e-10 rad from a singular one from that
	// pose. A smaller value costs time only.
	emptyTol = 4e3 * 0x1p-52
	// awayStep is the size of the motion, in rad and typical lengths, that moves the model away from a singular pose. Pivots rise by its
	// square, far above rounding. Joints open by its square, too, which is so little that rows which depend on others still count as
	// redundant.
	awayStep = 1e-4
	// againStep is the relative change of the solution and of the right sides of its rows: a few roundings.
	againStep = 0x1p-50
	// nextStep is the edge of the cube from which the changes of poses are drawn, in rad and typical lengths: a few roundings.
	nextStep = 0x1p-50
	// againScale scales the direction or the weights for the second computation. Any factor except a power of 2 changes the roundings.
	againScale = 1. / 3
	// againPart is the least size of a derivative in the comparison, relative to the change of accelerations that turn along with the
	// direction: smaller derivatives result from cancellation.
	againPart = 1e-3
)

// shaky reports whether derivatives at the state may have lost digits, and at which joint or coupling, −1 for none.
func (d *Derivatives) shaky() (bool, int) {
	if d.plain.Pattern.Len() == len(d.bodies) {
		return false, -1
	}
	if d.digits.known {
		return d.digits.uneven || d.digits.near, d.digits.constraint
	}
	if !d.digits.weighed {
		d.digits.weighed, d.digits.uneven = true, d.mech.MassRatio() > kkt.UnevenRatio
	}
	at, _, ratio, dropped := d.dynamics.Weakest()
	d.digits.known, d.digits.constraint = true, at
	d.digits.near = ratio < kkt.NearTol || d.isMissed(ratio, dropped)
	return d.digits.uneven || d.digits.near, at
}

// isMissed reports whether an independent row may count as redundant. kept is the least pivot of the independent rows, and dropped the
// largest pivot of the redundant ones. At a distance t from a singular pose the pivot of a row is t², which is rounding below 1e-8 rad, but
// the part of its force that the other rows leave is t: isEmpty looks at that. With armature and with bodies without inertia (not Plain)
// this product is not available, and the number of redundant rows decides.
func (d *Derivatives) isMissed(kept, dropped float64) bool {
	rows := d.dynamics.Redundant()
	switch {
	case rows == 0:
		return false
	case d.dynamics.Plain():
		return !d.isEmpty(kept)
	}
	return dropped > kkt.DroppedTol || rows != d.fewest()
}

// isEmpty reports whether the redundant rows depend on the others but for rounding. kept is the least pivot of the others. If there are no
// more redundant rows than at any state, the answer is yes without a product. Finding that number (fewest) takes two factors, so the first
// state does without it.
func (d *Derivatives) isEmpty(kept float64) bool {
	x := &d.digits
	if x.asked {
		d.fewest()
	}
	x.asked = true
	return x.counted && d.dynamics.Redundant() == x.fewest || d.othersLeave()*math.Sqrt(kept) <= emptyTol
}

// fewest returns fewestRedundant, which it computes once.
func (d *Derivatives) fewest() int {
	x := &d.digits
	if !x.counted {
		x.counted, x.fewest = true, d.fewestRedundant()
	}
	return x.fewest
}

// fewestRedundant returns the number of redundant rows away from singular poses: the number at the state of the model or, if smaller, at a
// state that a random motion takes it to, as the model's own state may be singular. It returns −1 if the equations have no solution at
// these states. The number depends on the plan only, so results at a state do not depend on earlier states.
func (d *Derivatives) fewestRedundant() int {
	a, st := d.plan.NewAnswers(kkt.AnswersOfImpulses), d.plan.Initial()
	if a.At(st) != nil {
		return -1
	}
	rows, n := a.Redundant(), a.Layout().Pattern.Dim()
	x, right, rng := make([]float64, n), make([]float64, n), rand.New(rand.NewPCG(46, uint64(n)))
	for i := range right[:6*len(d.bodies)] {
		right[i] = rng.Float64() - 0.5
	}
	if _, _, err := a.AnswerTo(x, right); err != nil {
		return -1
	}
	size := d.accelerationSize(x[:6*len(d.bodies)]) / d.sizes.length
	if size == 0 {
		return rows // no body can move
	}
	moved := st.Clone()
	d.mech.DisplaceTo(moved, st, awayStep/size, x)
	if a.At(moved) != nil {
		return -1
	}
	return min(rows, a.Redundant())
}

// othersLeave returns the part of the forces of the rows at the bodies, for multipliers of ±1, that the independent rows cannot exert:
// rounding if the other rows are redundant. In large mechanisms pivots do not show this, as they contain the rounding of many rows. It
// returns NaN if there is no solution. The dynamics have to be Plain.
func (d *Derivatives) othersLeave() float64 {
	first, n := 6*len(d.bodies), len(d.plainRight)
	d.needRough()
	x, right, r := d.answer[:n], d.plainRight, d.rough.right
	clear(x[:first])
	for i := range x[first:] {
		x[first+i] = 1
		if isChosen(i) {
			x[first+i] = -1
		}
	}
	d.dynamics.ProductTo(right, x)
	clear(right[first:])
	if err := d.dynamics.RoughTo(x, right); err != nil {
		return math.NaN()
	}
	clear(x[first:])
	d.dynamics.ProductTo(r, x) // the forces that the other rows leave
	most, size := 0.0, 0.0
	for i := 0; i < first; i += 6 {
		f, left := right[i:][:6], r[i:][:6]
		for k := range 3 {
			f[k], left[k] = f[k]/d.sizes.length, left[k]/d.sizes.length
		}
		most, size = max(most, algebra.MaxAbs(left)), max(size, algebra.MaxAbs(f))
	}
	return lostPart(most, size)
}

// isChosen chooses half of the indices without a pattern: the multiples of the golden section are spread evenly modulo 1.
func isChosen(i int) bool { return uint64(i+1)*0x9e3779b97f4a7c15>>63 == 0 }

// jolt changes each number of x by againStep·size(i), down at the indices that isChosen chooses and up at the others.
func jolt(x []float64, size func(i int) float64) {
	for i := range x {
		by := againStep * size(i)
		if isChosen(i) {
			by = -by
		}
		x[i] += by
	}
}

// The argument moved of the functions that compute derivatives again: whether the state has moved by a rounding.
const (
	atSame  = false
	atMoved = true
)

// other calls do at a state or a solution with other roundings.
type other func(do func() error) error

// again returns ErrDoubt, with a joint, if derivatives may have lost digits and a second computation differs too much. part computes the
// derivatives again by the given other, and returns their relative difference: with another solution at the same state, and next to a
// singular pose also at a state whose poses are a rounding away (moved). most is the largest difference.
func (d *Derivatives) again(part func(by other, moved bool) (float64, error)) (most float64, err error) {
	shaky, at := d.shaky()
	if !shaky {
		return 0, nil
	}
	if most, err = part(d.solvedOtherwise, atSame); err == nil && d.digits.near && !d.digits.uneven {
		x := 0.0
		switch x, err = part(d.nextTo, atMoved); {
		case errors.Is(err, errNothing):
			err = nil
		case errors.Is(err, errLost):
			x, err = 1, nil // all of them
		}
		most = max(most, x)
	}
	if err == nil {
		err = d.lost(most, at)
	}
	return most, err
}

// solvedOtherwise calls do with another solution at the state: the right sides of its rows are changed by a rounding, and the solution is
// rounded anew. Afterwards it restores the solution.
func (d *Derivatives) solvedOtherwise(do func() error) error {
	was, x := append([]float64(nil), d.x...), append([]float64(nil), d.x...)
	if first := 6 * len(d.bodies); d.dynamics.Plain() {
		right := make([]float64, len(x))
		d.dynamics.ProductTo(right, x)
		demand := d.sizes.second + d.sizes.rate*d.sizes.rate // rad/s², and m/s² of rows whose arms are a metre long
		jolt(right[first:], func(int) float64 { return demand })
		if _, _, err := d.dynamics.AnswerTo(x, right); err != nil {
			return err
		}
	}
	jolt(x, func(i int) float64 { return x[i] })
	err := d.solvedBy(x)
	if err == nil {
		err = do()
	}
	if again := d.solvedBy(was); err == nil {
		err = again
	}
	return err
}

// nextTo calls do at a state whose poses are a rounding away, each by a random displacement, and then returns to the state. It returns
// errNothing if do fails because redundant rows contradict each other there: that says nothing about the state. It returns errLost if the
// accelerations there are too inaccurate to be returned: derivatives at the state are then in doubt. Other errors come from do.
func (d *Derivatives) nextTo(do func() error) error {
	was, to, rng := d.own.Clone(), d.own.Clone(), rand.New(rand.NewPCG(45, uint64(len(d.x))))
	vec := func(size float64) spatial.Vec3 {
		return spatial.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Scale(size)
	}
	for i := range to.Bodies {
		b := &to.Bodies[i]
		b.Rotation = spatial.Exp(vec(nextStep)).Mul(b.Rotation)
		b.Position = b.Position.Add(vec(nextStep * d.sizes.length))
	}
	fails := d.carriedAt(to)
	if fails == nil {
		fails = do()
	}
	if err := d.carriedAt(was); err != nil {
		return err
	}
	return beside(fails)
}

// beside translates the error of derivatives next to a state for the state itself.
func beside(err error) error {
	switch {
	case errors.Is(err, kkt.ErrInconsistent) || errors.Is(err, ErrBreaksLoop) || errors.Is(err, ErrNotAllowed):
		return errNothing
	case errors.Is(err, kkt.ErrInaccurate):
		return errLost
	}
	return err
}

var (
	// errNothing means that a neighbouring state says nothing about the state.
	errNothing = errors.New("derive: nothing to compare with")
	// errLost means that the accelerations of a neighbouring state are rounding.
	errLost = errors.New("derive: accelerations a rounding away are lost")
)

// carriedAt is at followed by setCarried.
func (d *Derivatives) carriedAt(st *mechanism.State) error {
	if err := d.at(st); err != nil {
		return err
	}
	return d.setCarried()
}

// solvedBy sets the solution at the state to x.
func (d *Derivatives) solvedBy(x []float64) error {
	copy(d.x, x)
	d.setBodies()
	d.carried.current = false
	return d.setCarried()
}

// natural is the acceleration, m/s², relative to which a derivative is the result of cancellation: the largest acceleration of the state,
// or gravity.
func (d *Derivatives) natural() float64 {
	return max(d.sizes.second*d.sizes.length, d.mech.Gravity.Norm())
}

// lostPart returns x/size, the part of size that is rounding. It is 0 if x is 0, even if size is 0.
func lostPart(x, size float64) float64 {
	if x == 0 {
		return 0
	}
	return x / size
}

// accelerationSize returns the largest acceleration in a, m/s². Angular accelerations are multiplied by the typical length.
func (d *Derivatives) accelerationSize(a []float64) (most float64) {
	for i := 0; i < len(a); i += 6 {
		most = max(most, spatial.Vec3(a[i:]).Norm()*d.sizes.length, spatial.Vec3(a[i+3:]).Norm())
	}
	return most
}

// turnSize returns the largest derivative by the pose of a body or by its centre of mass, per radian. Derivatives by lengths are multiplied
// by the typical length. Derivatives by frames do not count: where rows are redundant, they are unique only along directions that break no
// loop.
func (d *Derivatives) turnSize(g *direction) (most float64) {
	l := d.sizes.length
	for i := range g.bodies {
		b := &g.bodies[i]
		most = max(most, b.Rotation.Norm(), l*b.Position.Norm(), l*b.Com.Norm())
	}
	return most
}

// lost returns ErrDoubt if rounding makes a part of the derivatives above kkt.AccurateTol. With uneven masses the error names the joint
// with the largest force relative to the lighter of its bodies, else constraint, whose row depends most on others.
func (d *Derivatives) lost(part float64, constraint int) error {
	switch {
	case part <= kkt.AccurateTol:
		return nil
	case !d.digits.uneven:
		return d.atRow(constraint, -1, fault.Errorf("%w: %.1g of them is rounding, as the pose is next to a singular one", ErrDoubt, part))
	}
	most := algebra.NewPeak(-1)
	reactions := d.dynamics.Reactions()
	for j := range d.mech.Joints {
		w := reactions.ConstraintWrench(j)
		most.Take(w.Linear().Norm()/d.lighter(&d.mech.Joints[j]), j)
	}
	return d.mech.AtJoint(most.At, -1, fault.Errorf("%w: %.1g of them is rounding, as masses are so different", ErrDoubt, part))
}

// lighter returns the smaller mass of the two bodies of a joint, kg; the world counts as infinitely heavy.
func (d *Derivatives) lighter(jt *mechanism.Joint) float64 {
	mass := math.Inf(1)
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 {
			mass = min(mass, d.mech.Bodies[b].Mass)
		}
	}
	return mass
}
