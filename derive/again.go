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

// Two things cost derivatives digits that accelerations keep. Forces that pass through a light body between heavy ones are as many times
// larger than those that accelerate it as these are heavier: they hold each other in its balance, and so do their changes along a
// direction, but for the digits that multipliers do not have. And next to a singular pose, at a distance of t, a multiplier is rounded by
// ε/t², and derivatives by ε/t³. Where either may matter, derivatives are taken once more, with other roundings: of the solution, and next
// to a singular pose of the state, as the factor has rounding of poses, too, that is the same for each solution.

const (
	// emptyTol is the part of the forces of rows at bodies that other rows may leave, where they depend on them: rounding, over the root of
	// the least pivot of those. Of 1000 random mechanisms and all families it is 1300 at most. Poses from 3e-10 rad on are found to be next
	// to a singular one in a four-bar. A smaller value costs time only.
	emptyTol = 4e3 * 0x1p-52
	// awayStep is the size of the motion, rad, and typical lengths, that takes the model away from a singular pose: pivots rise by its square,
	// far above rounding, and joints open by its square, so little that rows which depend on others still count as redundant.
	awayStep = 1e-4
	// againStep is the relative change of the solution, and of what its rows demand: some roundings.
	againStep = 0x1p-50
	// nextStep is the size of the cube in which poses next to a state are, rad, and typical lengths: some roundings.
	nextStep = 0x1p-50
	// againScale is by how much the direction or the weights are smaller. No number but a power of 2 leaves the roundings as they are.
	againScale = 1. / 3
	// againPart is the least size that counts of a derivative, as a part of what the direction makes of accelerations that turn along: what
	// is below cancels.
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

// isMissed reports whether a row may count as redundant that is not, dropped being the largest pivot of those that do. That of a row at a
// distance t from a singular pose is t², and rounding from 1e-8 rad on; what the other rows leave of its force is t. kept is the least
// pivot of the other rows. Where there are no products with these, their number alone tells: with armature, and bodies without inertia.
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

// isEmpty reports whether the rows that count as redundant are so but for rounding. Where they are as few as anywhere, the others have the
// rank of all, so nobody has to ask. How few that is takes two factors to find, so the first state asks. kept is the least
// pivot of the others.
func (d *Derivatives) isEmpty(kept float64) bool {
	x := &d.digits
	if x.asked {
		d.fewest()
	}
	x.asked = true
	return x.counted && d.dynamics.Redundant() == x.fewest || d.othersLeave()*math.Sqrt(kept) <= emptyTol
}

// fewest returns what fewestRedundant does, which it asks once.
func (d *Derivatives) fewest() int {
	x := &d.digits
	if !x.counted {
		x.counted, x.fewest = true, d.fewestRedundant()
	}
	return x.fewest
}

// fewestRedundant returns how many rows count as redundant away from singular poses: as many as at the state of the model or, if these are
// fewer, at one that a random motion takes it to, as the model's own may be singular. It is −1 where these states have no answers. The
// number is one of the plan, so what is found of a state does not depend on the states before.
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
		return rows // nothing moves
	}
	moved := st.Clone()
	d.mech.DisplaceTo(moved, st, awayStep/size, x)
	if a.At(moved) != nil {
		return -1
	}
	return min(rows, a.Redundant())
}

// othersLeave returns the part of the largest force of rows at a body that those which do not count as redundant leave: rounding where the
// others are redundant. Pivots do not tell that in large mechanisms, where rounding of many others is in them. But then the other rows have
// multipliers with the same forces at the bodies as any of all rows. It returns a NaN where there are none. Solutions have to be plain.
func (d *Derivatives) othersLeave() float64 {
	first, n := 6*len(d.bodies), len(d.plainRight)
	d.needRough()
	x, right, r := d.answer[:n], d.plainRight, d.rough.right
	clear(x[:first])
	for i := range x[first:] {
		x[first+i] = 1
		if isOdd(i) {
			x[first+i] = -1
		}
	}
	d.dynamics.ProductTo(right, x)
	clear(right[first:])
	if err := d.dynamics.RoughTo(x, right); err != nil {
		return math.NaN()
	}
	clear(x[first:])
	d.dynamics.ProductTo(r, x) // what the other rows leave
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

// isOdd chooses half of the places of a list, without a pattern: multiples of the golden section are spread evenly.
func isOdd(i int) bool { return uint64(i+1)*0x9e3779b97f4a7c15>>63 == 0 }

// jolt changes each number of a list by againStep times its size, down at the places that isOdd chooses and up at the others.
func jolt(x []float64, size func(i int) float64) {
	for i := range x {
		by := againStep * size(i)
		if isOdd(i) {
			by = -by
		}
		x[i] += by
	}
}

// other calls do where roundings are others.
type other func(do func() error) error

// again returns ErrDoubt, with a joint, where derivatives may have lost digits and part, which takes them once more, finds a difference:
// with another solution, and next to a singular pose at a state whose poses are a rounding away, where moved says so. It returns the
// difference as a part of the derivatives.
func (d *Derivatives) again(part func(by other, moved bool) (float64, error)) (most float64, err error) {
	shaky, at := d.shaky()
	if !shaky {
		return 0, nil
	}
	if most, err = part(d.solvedOtherwise, false); err == nil && d.digits.near && !d.digits.uneven {
		x := 0.0
		switch x, err = part(d.nextTo, true); {
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

// solvedOtherwise calls do with another solution at the state: one whose rows demand a rounding more or less, rounded anew.
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

// nextTo calls do at a state whose poses are a rounding away, each in a direction of its own. Where redundant rows contradict each other
// there by so much that do fails, it says nothing about the state (errNothing). Where accelerations there are further off than any that are
// returned, derivatives at the state are in doubt (errLost). Other errors come from do.
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

// beside returns what the error of derivatives at a state says about those at the one next to it.
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
	// errNothing is for a state that says nothing about the one beside it.
	errNothing = errors.New("derive: nothing to compare with")
	// errLost is for a state whose accelerations are rounding.
	errLost = errors.New("derive: accelerations a rounding away are lost")
)

// carriedAt is at with what setCarried finds.
func (d *Derivatives) carriedAt(st *mechanism.State) error {
	if err := d.at(st); err != nil {
		return err
	}
	return d.setCarried()
}

// solvedBy makes x the solution at the state.
func (d *Derivatives) solvedBy(x []float64) error {
	copy(d.x, x)
	d.setBodies()
	d.carried.current = false
	return d.setCarried()
}

// natural is the acceleration, m/s², with which a derivative that cancels is compared: the largest of the state, or gravity.
func (d *Derivatives) natural() float64 {
	return max(d.sizes.second*d.sizes.length, d.mech.Gravity.Norm())
}

// lostPart returns the part x of size that is rounding; 0 for no rounding of nothing.
func lostPart(x, size float64) float64 {
	if x == 0 {
		return 0
	}
	return x / size
}

// accelerationSize is the largest of accelerations, m/s²: angular ones count times the typical length.
func (d *Derivatives) accelerationSize(a []float64) (most float64) {
	for i := 0; i < len(a); i += 6 {
		most = max(most, spatial.Vec3(a[i:]).Norm()*d.sizes.length, spatial.Vec3(a[i+3:]).Norm())
	}
	return most
}

// turnSize is the largest derivative by the pose of a body or its centre of mass, a radian; those by lengths count times the typical one.
// Derivatives by frames do not count: where rows are redundant they are unique along directions that break no loop alone.
func (d *Derivatives) turnSize(g *direction) (most float64) {
	l := d.sizes.length
	for i := range g.bodies {
		b := &g.bodies[i]
		most = max(most, b.Rotation.Norm(), l*b.Position.Norm(), l*b.Com.Norm())
	}
	return most
}

// lost returns ErrDoubt for derivatives of which rounding makes a part above kkt.AccurateTol: with uneven masses at the joint that bears
// most beside the lighter of its bodies, else at the one whose row depends most on others.
func (d *Derivatives) lost(part float64, near int) error {
	switch {
	case part <= kkt.AccurateTol:
		return nil
	case !d.digits.uneven:
		return d.atRow(near, -1, fault.Errorf("%w: %.1g of them is rounding, as the pose is next to a singular one", ErrDoubt, part))
	}
	most := algebra.NewPeak(-1)
	reactions := d.dynamics.Reactions()
	for j := range d.mech.Joints {
		w := reactions.ConstraintWrench(j)
		most.Take(w.Linear().Norm()/d.lighter(&d.mech.Joints[j]), j)
	}
	return d.mech.AtJoint(most.At, -1, fault.Errorf("%w: %.1g of them is rounding, as masses are so different", ErrDoubt, part))
}

// lighter returns the lesser mass of the bodies of a joint.
func (d *Derivatives) lighter(jt *mechanism.Joint) float64 {
	mass := math.Inf(1)
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 {
			mass = min(mass, d.mech.Bodies[b].Mass)
		}
	}
	return mass
}
