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

// misfit sums up the errors of all rows at one state.
type misfit struct {
	merit    float64 // Σ δ²/d, d of freeScale
	largest  float64 // |δ|, m or rad
	relative float64 // |δ|/unit, the largest
	row      int     // the row with the largest |δ|/unit
	excess   float64 // |δ| over its tolerance, the largest
	loose    float64 // the same for the tolerance of last resort

	elsewhere bool // the row is one of another rank
}

// add takes in an error of row i with its tolerance.
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

// measureUnits fills what does not change with the state: c.length, c.long, c.unit, c.flat and
// c.weight.
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

// anglesOf returns the rows of a node that are angles, as bits.
func (c *Closer) anglesOf(node int) uint8 {
	if j := c.layout.NodeJoint(node); j >= 0 {
		return c.mech.Joints[j].Angles
	}
	if c.couplingOf(node).Angle {
		return 1
	}
	return 0
}

// couplingOf returns the coupling of a node that is of no joint.
func (c *Closer) couplingOf(node int) *mechanism.Coupling {
	return &c.mech.Couplings[c.layout.NodeConstraint(node)-c.mech.NumJoints()]
}

// size returns the factor from an angle or a length to the error of a row: 1 but for couplings.
func (c *Closer) size(node int) float64 {
	if c.layout.NodeJoint(node) >= 0 {
		return 1
	}
	return c.couplingOf(node).Size
}

// freeScale returns d₀ of theory.md (38), (39), the scale of a row, an angle or a length, on the
// given bodies if their centres of mass were in the joint and their inertias m·diag(ℓ²·1, 1): Σ
// 1/mℓ² or Σ 1/m.
//
// The scale d in the system is not good for the merit. Where the inertia is far less than m·ℓ²,
// d is large for all rows that a rotation can undo, and the merit would not see their errors.
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

// stiffen fills c.stiff, theory.md (40). In the metric of small inertias the least displacement
// prefers every rotation that has the least of an arm, and the errors are soon far from linear
// in it. With inertias of the order of m·ℓ², no rotation is larger than the travel over the arm
// asks for.
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
		if stiff, err := bodies.New(b.Mass, b.Com, I); err == nil { // else the inertia is out of range
			*b = stiff
		}
	}
}

// linearize fills the system at st, takes the held bodies out of it, for poses also the rows of velocities, and gives
// every row a scale.
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
		kkt.FloorScales(scale, unit) // a row may vanish between held bodies, too
	}
	return nil
}

// hold clears the blocks of held bodies in the rows of a joint's node, and subtracts their part
// of the scales.
func (c *Closer) hold(node int, scale []float64) {
	if c.held == nil {
		return
	}
	p, W := c.layout.Pattern, c.sys.Matrix
	any := false
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		if c.held[p.Ind[k]] {
			clear(W.Val[p.Pos[k]:p.Pos[k+1]])
			any = true
		}
	}
	if !any {
		return
	}
	clear(scale)
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		for i, w := range W.Val[p.Pos[k]:p.Pos[k+1]] {
			scale[i/6] += w * w
		}
	}
}

// misfitAt stores the position errors at st in c.delta and sums them up.
func (c *Closer) misfitAt(st *mechanism.State) (misfit, error) { return c.pool(c.misfitHere(st)) }

// misfitHere is misfitAt for the rows of this rank.
func (c *Closer) misfitHere(st *mechanism.State) (fit misfit, err error) {
	if err := c.halt.Err(); err != nil {
		return fit, err
	}
	if err := c.mech.KinematicsTo(c.kin, st); err != nil {
		return fit, err
	}
	if c.coupled() {
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
		_ = c.mech.ErrorsTo(&delta, &rate, j, c.kin, st) // an error is of the rates
		far := FarTol * (reach(st, jt.Pred, &jt.P) + reach(st, jt.Succ, &jt.S))
		o, merit := int(p.Off[node]), fit.merit
		for k := range int(p.Size[node]) {
			i := o + k
			c.delta[i] = delta[k]
			enough := AngleTol*c.unit[i] + far
			if c.exact {
				enough = 0
			}
			fit.add(i, delta[k], c.unit[i], c.weight[i], enough, c.loose*c.unit[i]+far)
		}
		if !c.counts(node) {
			fit.merit = merit
		}
	}
	return fit, nil
}

// addCoupling is the part of misfitAt for the coupling of a node. The error is summed up in the size of the coupling.
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
			r = reach(st, jt.Pred, &jt.P) + reach(st, jt.Succ, &jt.S)
		}
		far += math.Abs(l.Factor) * r
	}
	far *= FarTol / size
	unit := c.unit[i] / size
	enough := AngleTol*unit + far
	if c.exact {
		enough = 0
	}
	fit.add(i, phi/size, unit, c.weight[i]/(size*size), enough, c.loose*unit+far)
}

// reach returns the largest coordinate that rounds the origin of a joint frame: of the body's
// position and of the arm.
func reach(st *mechanism.State, body int32, f *mechanism.Frame) float64 {
	r := algebra.MaxAbs(f.Origin[:])
	if body != mechanism.World {
		r = max(r, algebra.MaxAbs(st.Bodies[body].Position[:]))
	}
	return r
}

// setErrors makes −δ the right side of the rows, and zero the right side of the bodies.
func (c *Closer) setErrors() {
	b := c.sys.Right
	first := 6 * c.mech.NumBodies()
	clear(b[:first])
	for i := first; i < len(b); i++ {
		b[i] = -c.delta[i]
	}
}

// named returns an error of a factorization, which may be nil, as one of this package.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf("closing: %w", err)
}

// units has the scales by which the errors of a mechanism's rows are measured.
type units struct {
	unit    []float64 // by row: the size to which an error is relative: 1, or the length of the longer body, m; of a coupling, times its size
	flat    []bool    // by row: it is an angle
	weight  []float64 // by row: its scale on free bodies, d₀, to which its error is relative in the merit
	long    []float64 // by joint with rows: the length of its longer body, m
	length  []float64 // by body: ℓ, m (assemble.Layout.LengthsTo)
	edition uint64    // of the mechanism that all these are of
}
