package derive

import "github.com/rung-mbd/rung/spatial"

// In this file a vector of accelerations has six numbers a body: ω̇, then the acceleration of the centre of mass, world axes.

// AccelerationsTo stores in a the accelerations at the state of At.
//
// Shapes: a has six entries a body. Cost: O(bodies), no allocation. It panics on a length mismatch or without At.
func (d *Derivatives) AccelerationsTo(a []float64) {
	d.mustBeReady()
	mustBeAccelerations(len(a), len(d.bodies))
	copy(a, d.x)
}

// AccelerationsTo stores in a the changes of the accelerations along direction k.
//
// Shapes and cost: as Derivatives.AccelerationsTo. It panics on a length mismatch or without results.
func (c *Changes) AccelerationsTo(a []float64, k int) {
	mustBeAccelerations(len(a), len(c.d.bodies))
	copy(a, c.of(k).x)
}

// SetAccelerations sets the weights on the accelerations to x. A nil x sets zeros.
//
// Shapes and cost: as Derivatives.AccelerationsTo. It panics on a length mismatch.
func (w *Weights) SetAccelerations(x []float64) {
	if x == nil {
		clear(w.bodies)
		return
	}
	mustBeAccelerations(len(x), len(w.bodies))
	for i := range w.bodies {
		w.bodies[i] = BodyWeight{AngularAcceleration: spatial.Vec3(x[6*i:]), ComAcceleration: spatial.Vec3(x[6*i+3:])}
	}
}

func mustBeAccelerations(n, bodies int) {
	if n != 6*bodies {
		panic("derive: length mismatch")
	}
}
