package closing

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// misfit has the sums and maxima of the errors δ of all rows at one state.
type misfit struct {
	merit    float64 // Σ δ²/d, with d of freeScale
	largest  float64 // largest |δ|: m or rad, m/s or rad/s
	relative float64 // largest |δ|/unit
	row      int     // row with the largest |δ|/unit; −1 without rows
	excess   float64 // largest |δ| over its tolerance: at most 1 if the joints hold
	loose    float64 // largest |δ| over its larger tolerance, which is accepted if no step helps

	elsewhere bool // the row with the largest |δ|/unit belongs to another rank
}

// add adds the error delta of row i, in the unit of the row, with its weight d and its two tolerances.
func (f *misfit) add(i int, delta, unit, weight, tol, loose float64) {
	a := math.Abs(delta)
	f.merit += delta * delta / weight
	f.largest = max(f.largest, a)
	if r := a / unit; r > f.relative || f.row < 0 {
		f.relative, f.row = r, i
	}
	if a != 0 { // tolerances may be zero too
		f.excess, f.loose = max(f.excess, a/tol), max(f.loose, a/loose)
	}
}

// measureUnits computes c.units, which does not depend on the state.
func (c *Closer) measureUnits() {
	p := c.layout.Pattern
	c.edition = c.mech.Edition()
	c.layout.LengthsTo(c.length)
	c.exchangeLengths()
	for node := c.mech.NumBodies(); node < p.Len(); node++ {
		long := 0.0
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			long = max(long, c.length[b])
		}
		c.long[node-len(c.length)] = long
		o, angles := int(p.Off[node]), c.anglesOf(node)
		for k := range int(p.Size[node]) {
			c.unit[o+k] = long
			if angles>>k&1 != 0 {
				c.unit[o+k], c.flat[o+k] = 1, true
			}
			c.weight[o+k] = c.freeScale(p.Ind[p.Ptr[node]:p.Ptr[node+1]], c.flat[o+k])
			if size := c.size(node); size != 1 {
				c.unit[o+k] *= size
				c.weight[o+k] *= size * size
			}
		}
	}
}

// anglesOf returns the rows of a node that are angles: bit k is set for row k.
func (c *Closer) anglesOf(node int) uint8 {
	if j := c.layout.NodeJoint(node); j >= 0 {
		return c.mech.Joints[j].Angles
	}
	if c.couplingOf(node).Angle {
		return 1
	}
	return 0
}

// couplingOf returns the coupling of a node that belongs to a coupling.
func (c *Closer) couplingOf(node int) *mechanism.Coupling {
	return &c.mech.Couplings[c.layout.NodeConstraint(node)-c.mech.NumJoints()]
}

// size returns the factor from an angle or a length to the error of a row of a node: Coupling.Size, and 1 for joints.
func (c *Closer) size(node int) float64 {
	if c.layout.NodeJoint(node) >= 0 {
		return 1
	}
	return c.couplingOf(node).Size
}

// freeScale returns d₀ of theory.md (38), (39): the scale of a row, an angle or a length, on the
// given bodies if their centres of mass were in the joint and their inertias m·diag(ℓ²·1, 1): Σ
// 1/mℓ², 1/(kg m²), or Σ 1/m, 1/kg. It is 1 if all bodies are held.
//
// The merit does not use the scale d of the system. Where the inertia is far less than m·ℓ²,
// d is large for all rows whose errors a rotation can remove, and their errors would have nearly no weight in the merit.
func (c *Closer) freeScale(on []int32, angle bool) (d float64) {
	for _, i := range on {
		m, l := c.mech.Bodies[i].Mass, c.length[i]
		switch {
		case c.held != nil && c.held[i]:
		case angle:
			d += 1 / (m * l * l)
		default:
			d += 1 / m
		}
	}
	if d == 0 {
		return 1 // between held bodies
	}
	return d
}

// stiffen stores in c.stiff the bodies with larger inertias, theory.md (40), at its first call. In the metric of small inertias the least
// displacement has large rotations, even for rows with a short arm, and the errors are then far from linear
// in it. With inertias of the order of m·ℓ², rotations are about the necessary displacement over the arm.
func (c *Closer) stiffen() {
	if c.stiff != nil {
		return
	}
	c.stiff = slices.Clone(c.mech.Bodies)
	for i := range c.stiff {
		b := &c.stiff[i]
		I, more := b.Inertia, closeStiff*b.Mass*c.length[i]*c.length[i]
		for k := range 3 {
			I[k] += more
		}
		if stiff, err := bodies.New(b.Mass, b.Com, I); err == nil { // a body whose larger inertia is out of range keeps its own
			*b = stiff
		}
	}
}

// linearize fills the system at st, without the columns of held bodies, and for poses without the nonholonomic rows. It
// sets the scales of all rows above zero. It returns an error on all ranks if some rank has one.
func (c *Closer) linearize(st *mechanism.State) error {
	c.chord = false
	c.fac.Changed()
	return c.agree(c.fill(st))
}

// fill is linearize for the rows of this rank.
func (c *Closer) fill(st *mechanism.State) error {
	if err := c.sys.FillTo(st); err != nil {
		return err
	}
	p, nb := c.layout.Pattern, c.mech.NumBodies()
	for node := nb; node < p.Len(); node++ {
		if c.halt.Every(node) {
			return c.halt.Err()
		}
		scale := c.sys.Scale[p.Off[node]:p.Off[node+1]]
		unit := c.unit[p.Off[node]:p.Off[node+1]]
		c.hold(node, scale)
		if !c.rates {
			c.sys.ClearVelocityRows(node)
		}
		kkt.FloorScales(scale, unit) // also a row between held bodies may be zero
	}
	return nil
}

// hold clears the blocks of held bodies in the rows of a node, and computes the scales of these rows without them.
func (c *Closer) hold(node int, scale []float64) {
	if c.held == nil {
		return
	}
	p, W := c.layout.Pattern, c.sys.Matrix
	cleared := false
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		if c.held[p.Ind[k]] {
			clear(W.Val[p.Pos[k]:p.Pos[k+1]])
			cleared = true
		}
	}
	if !cleared {
		return
	}
	clear(scale)
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		for i, w := range W.Val[p.Pos[k]:p.Pos[k+1]] {
			scale[i/6] += w * w
		}
	}
}

// misfitAt stores in c.delta the position errors at st, in c.kin the kinematics, and returns the sums of the errors of all ranks. It
// returns mechanism.ErrNotFinite with the name of a body, and the cause if the context ends.
func (c *Closer) misfitAt(st *mechanism.State) (misfit, error) { return c.combine(c.misfitHere(st)) }

// misfitHere is misfitAt for the rows of this rank. If the closer follows angles, it also brings the angles of st to the pose.
func (c *Closer) misfitHere(st *mechanism.State) (fit misfit, err error) {
	if err := c.halt.Err(); err != nil {
		return fit, err
	}
	if err := c.mech.KinematicsTo(c.kin, st); err != nil {
		return fit, err
	}
	if c.followsAngles() {
		c.mech.FollowAngles(c.kin, st)
	}
	fit.row = -1
	p := c.layout.Pattern
	var delta, rate [6]float64
	for node := c.mech.NumBodies(); node < p.Len(); node++ {
		if c.halt.Every(node) {
			return fit, c.halt.Err()
		}
		j := c.layout.NodeJoint(node)
		if j < 0 {
			c.addCoupling(&fit, node, st)
			continue
		}
		jt := &c.mech.Joints[j]
		_ = c.mech.ErrorsTo(&delta, &rate, j, c.kin, st) // an error concerns the rates only, which are not used
		far := FarTol * (largestCoordinate(st, jt.Pred, &jt.P) + largestCoordinate(st, jt.Succ, &jt.S))
		o, merit := int(p.Off[node]), fit.merit
		for k := range int(p.Size[node]) {
			i := o + k
			c.delta[i] = delta[k]
			tol := AngleTol*c.unit[i] + far
			if c.exact {
				tol = 0
			}
			fit.add(i, delta[k], c.unit[i], c.weight[i], tol, c.loose*c.unit[i]+far)
		}
		if !c.counts(node) { // another rank adds these rows to the sum
			fit.merit = merit
		}
	}
	return fit, nil
}

// addCoupling stores in c.delta the error of the coupling of a node, and adds it, relative to the size of the coupling, to fit.
func (c *Closer) addCoupling(fit *misfit, node int, st *mechanism.State) {
	k := c.couplingOf(node)
	n, i, size := c.layout.NodeConstraint(node)-c.mech.NumJoints(), int(c.layout.Pattern.Off[node]), k.Size
	phi, _ := c.mech.CouplingErrors(n, c.kin, st)
	c.delta[i] = phi
	far := c.mech.CouplingSize(n, c.kin, st)
	for _, l := range k.Legs {
		jt := &c.mech.Joints[l.Joint]
		r := 1.0
		if !jt.Kind.Rotational(l.Freedom.Freedom) {
			r = largestCoordinate(st, jt.Pred, &jt.P) + largestCoordinate(st, jt.Succ, &jt.S)
		}
		far += math.Abs(l.Factor) * r
	}
	far *= FarTol / size
	unit := c.unit[i] / size
	tol := AngleTol*unit + far
	if c.exact {
		tol = 0
	}
	fit.add(i, phi/size, unit, c.weight[i]/(size*size), tol, c.loose*unit+far)
}

// largestCoordinate returns the largest magnitude of a coordinate of a body's position and of the origin of a joint frame f on it, m, to
// which the rounding of the origin in the world is relative.
func largestCoordinate(st *mechanism.State, body int32, f *mechanism.Frame) float64 {
	r := algebra.MaxAbs(f.Origin[:])
	if body != mechanism.World {
		r = max(r, algebra.MaxAbs(st.Bodies[body].Position[:]))
	}
	return r
}

// setErrors stores −δ, the errors in c.delta, in the right side of the rows, and zero in the right side of the bodies.
func (c *Closer) setErrors() {
	b := c.sys.Right
	first := 6 * c.mech.NumBodies()
	clear(b[:first])
	for i := first; i < len(b); i++ {
		b[i] = -c.delta[i]
	}
}

// named adds the name of this package to an error of a factorization. It returns nil for nil.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf("closing: %w", err)
}

// units has the scales of the errors of a mechanism's rows.
type units struct {
	unit    []float64 // by row: size to which the error is relative: 1, or the length of the longer body, m; for couplings times Size
	flat    []bool    // by row: the error is an angle
	weight  []float64 // by row: scale on free bodies, d₀, to which the squared error is relative in the merit
	long    []float64 // by node of rows: the length of its longest body, m
	length  []float64 // by body: ℓ, m (assemble.Layout.LengthsTo)
	edition uint64    // Edition of the mechanism for which these have been computed
}
