package rung

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// misfit sums up the errors of all rows at one state.
type misfit struct {
	merit    float64 // Σ δ²/d
	largest  float64 // |δ|, m or rad
	relative float64 // |δ|/unit, the largest
	row      int     // of that
	excess   float64 // |δ| over its tolerance, the largest
	loose    float64 // the same for the tolerance of last resort
}

// add books an error of row i with its tolerance.
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

// measureUnits fills c.unit and c.flat from the bodies' lengths and the rows at
// the state of the model: a row without force is an angle.
func (c *Closer) measureUnits() {
	p := c.plan.layout.Pattern
	length := make([]float64, c.mech.NumBodies())
	st := c.mech.Initial()
	// A state that is not good for the rows leaves the lengths as they are.
	_ = c.sys.FillTo(st)
	c.sys.GeometricTo(length)
	for node := len(length); node < p.Len(); node++ {
		j := c.plan.layout.NodeJoint(node)
		T, _ := c.sys.ForceSubspace(j, st)
		long := 0.0
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			long = max(long, length[b])
		}
		o := int(p.Off[node])
		for k := range int(p.Size[node]) {
			c.unit[o+k] = long
			if c.mech.Joints[j].Kind != joints.Distance && T[k].Linear() == (spatial.Vec3{}) {
				c.unit[o+k], c.flat[o+k] = 1, true
			}
		}
	}
}

// linearise fills the system at st, takes the held bodies out of it and gives
// every row a scale.
func (c *Closer) linearise(st *mechanism.State) error {
	c.chord = false
	if err := c.sys.FillTo(st); err != nil {
		return err
	}
	p, nb := c.plan.layout.Pattern, c.mech.NumBodies()
	for node := nb; node < p.Len(); node++ {
		scale := c.sys.Scale[p.Off[node]:p.Off[node+1]]
		unit := c.unit[p.Off[node]:p.Off[node+1]]
		c.hold(node, scale)
		// A row may vanish at a pose, or between held bodies.
		least := 0.0
		for k, d := range scale {
			least = max(least, closeFlat*d/(unit[k]*unit[k]))
		}
		if least == 0 {
			least = 1
		}
		for k, d := range scale {
			scale[k] = max(d, least*unit[k]*unit[k])
		}
	}
	return nil
}

// hold clears the blocks of held bodies in the rows of a joint's node and takes
// them from the scales.
func (c *Closer) hold(node int, scale []float64) {
	if c.held == nil {
		return
	}
	p, W := c.plan.layout.Pattern, c.sys.W
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

// merit sums the squares of c.delta relative to c.weight.
func (c *Closer) merit() (s float64) {
	for i := 6 * c.mech.NumBodies(); i < len(c.delta); i++ {
		s += c.delta[i] * c.delta[i] / c.weight[i]
	}
	return s
}

// misfitAt stores the position errors at st in c.delta and sums them up.
func (c *Closer) misfitAt(st *mechanism.State) (fit misfit, err error) {
	if err := c.mech.KinematicsTo(c.kin, st); err != nil {
		return fit, err
	}
	fit.row = -1
	p := c.plan.layout.Pattern
	var delta, rate [6]float64
	for node := c.mech.NumBodies(); node < p.Len(); node++ {
		j := c.plan.layout.NodeJoint(node)
		jt := &c.mech.Joints[j]
		_ = c.mech.ErrorsTo(&delta, &rate, j, c.kin, st) // an error is of the rates
		far := closeFar * (reach(st, jt.Pred, &jt.P) + reach(st, jt.Succ, &jt.S))
		o := int(p.Off[node])
		for k := range int(p.Size[node]) {
			i := o + k
			c.delta[i] = delta[k]
			fit.add(i, delta[k], c.unit[i], c.weight[i], closeTol*c.unit[i]+far, closeLoose*c.unit[i]+far)
		}
	}
	return fit, nil
}

// reach returns the largest coordinate of what rounds the origin of a joint
// frame: the body's position and the arm.
func reach(st *mechanism.State, body int32, f *mechanism.Frame) float64 {
	r := maxAbs(f.Origin[:])
	if body != mechanism.World {
		r = max(r, maxAbs(st.Bodies[body].Position[:]))
	}
	return r
}
