package batch

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// motionNumbers is the number of derivatives by the motion of a body: by its rotation, by the position of its centre of mass, by its
// angular velocity, and by the velocity of its centre of mass, three each in this order.
const motionNumbers = 12

// Alone takes gradients of single states (Options.Adjoint). It belongs to one goroutine.
type Alone interface {
	// AdjointTo adds to its results, which are zero before, the gradient at st of the sum of weights times accelerations, in the form of
	// Gradients. weights has six numbers a body, for its angular acceleration and for the acceleration of its centre of mass. motion has
	// twelve numbers a body, loads six a body, moment before force, and forces one for each freedom of Options.Forces.
	AdjointTo(motion, loads, forces, weights []float64, st *mechanism.State) error
}

// Gradients are the derivatives of one number of each state: the sum of weights times accelerations (Batch.AdjointTo), or the loss of a
// rollout (Batch.BackTo). They are stored in groups of eight states, number by number. Several goroutines may set weights of different
// groups at the same time.
type Gradients struct {
	of                             *setup
	n                              int
	weights, motion, loads, forces []float64

	gap      []float64 // by state: Gap
	errs     []error   // by state
	single   []uint8   // by group: a bit for each state that was taken alone
	oneByOne []int     // numbers of the states that were taken alone
	failed   []int     // numbers of the states with errors
}

// NewGradients returns memory for the gradients of n states, with weights of zeros. It panics without Options.Adjoint.
func (b *Batch) NewGradients(n int) *Gradients {
	if b.backs == nil {
		panic(noAdjoint)
	}
	b.mustCount(n)
	all := groups(n) * lanes
	nb := b.plan.Mechanism().NumBodies()
	return &Gradients{of: b.setup, n: n, weights: make([]float64, all*6*nb), motion: make([]float64, all*motionNumbers*nb),
		loads: make([]float64, all*6*nb), forces: make([]float64, all*len(b.options.Forces)),
		gap: make([]float64, n), errs: make([]error, n), single: make([]uint8, groups(n)),
		oneByOne: make([]int, 0, n), failed: make([]int, 0, n)}
}

// SetWeights sets the weights of the angular acceleration of a body in state i and of the acceleration of its centre of mass, world axes.
// It panics if i or the body is out of range.
func (g *Gradients) SetWeights(i, body int, angular, com spatial.Vec3) {
	g.mustHave(i, body)
	for k := range 3 {
		*g.at(g.weights, i, 6*body+k), *g.at(g.weights, i, 6*body+3+k) = angular[k], com[k]
	}
}

// MotionTo stores in x the derivatives of state i by the motion of its bodies, as derive.Gradient.TakeMotion does: for each body by a
// rotation, by the position of its centre of mass, by its angular velocity, and by the velocity of its centre of mass.
//
// Shapes: x has twelve numbers a body. Frame: world axes. It panics if i is out of range or on a length mismatch.
func (g *Gradients) MotionTo(x []float64, i int) {
	g.mustHave(i, 0)
	if len(x) != g.each(g.motion) {
		panic("batch: length mismatch")
	}
	g.take(x, g.motion, i)
}

// AddMotion adds x to the derivatives of state i by the motion of its bodies, in the form of MotionTo. It is for the function that
// Batch.BackTo calls.
//
// It panics if i is out of range or on a length mismatch.
func (g *Gradients) AddMotion(i int, x []float64) {
	g.mustHave(i, 0)
	if len(x) != g.each(g.motion) {
		panic("batch: length mismatch")
	}
	for k, v := range x {
		*g.at(g.motion, i, k) += v
	}
}

// Gap returns the largest distance, over all steps of state i, between the end of a step that Batch.BackTo has computed again and the next
// state of the rollout. It is the part of the state that closing has moved: the root of a sum of squares over all bodies, with angles in
// radians, positions in typical lengths of the model, and velocities times the step. It panics if i is out of range.
func (g *Gradients) Gap(i int) float64 {
	g.mustHave(i, 0)
	return g.gap[i]
}

// Load returns the derivatives of state i by a force at the centre of mass of a body, and by a moment, world axes. It panics if i or the
// body is out of range.
func (g *Gradients) Load(i, body int) (force, moment spatial.Vec3) {
	g.mustHave(i, body)
	for k := range 3 {
		moment[k], force[k] = *g.at(g.loads, i, 6*body+k), *g.at(g.loads, i, 6*body+3+k)
	}
	return force, moment
}

// Force returns the derivative of state i by the generalized force of freedom k of Options.Forces. It panics if i or k is out of range.
func (g *Gradients) Force(i, k int) float64 {
	g.mustHave(i, 0)
	if uint(k) >= uint(len(g.of.options.Forces)) {
		panic("batch: force out of range")
	}
	return *g.at(g.forces, i, k)
}

// Error returns the error of state i, whose gradient is then zero, or nil. It panics if i is out of range.
func (g *Gradients) Error(i int) error {
	g.mustHave(i, 0)
	return g.errs[i]
}

// OneByOne returns the numbers of the states that have been taken alone, in order, and Failed the numbers of states with errors. They are
// not to be changed.
func (g *Gradients) OneByOne() []int { return g.oneByOne }
func (g *Gradients) Failed() []int   { return g.failed }

// mustHave panics unless there are a state i and a body; body 0 stands for none.
func (g *Gradients) mustHave(i, body int) {
	if uint(i) >= uint(g.n) {
		panic("batch: state out of range")
	}
	if nb := g.of.plan.Mechanism().NumBodies(); body != 0 && uint(body) >= uint(nb) || body < 0 {
		panic("batch: body out of range")
	}
}

// each returns the number of numbers of a state in a list.
func (g *Gradients) each(list []float64) int {
	if len(g.single) == 0 {
		return 0
	}
	return len(list) / (len(g.single) * lanes)
}

// at returns number k of state i in a list.
func (g *Gradients) at(list []float64, i, k int) *float64 {
	return &list[(i/lanes*g.each(list)+k)*lanes+i%lanes]
}

// take copies the numbers of state i in a list to x.
func (g *Gradients) take(x, list []float64, i int) {
	for k := range x {
		x[k] = *g.at(list, i, k)
	}
}

// put copies x to the numbers of state i in a list.
func (g *Gradients) put(list, x []float64, i int) {
	for k, v := range x {
		*g.at(list, i, k) = v
	}
}

// forget clears the errors of the last call.
func (g *Gradients) forget() {
	for _, i := range g.failed {
		g.errs[i] = nil
	}
}

// leave gives the states of group k, which is not computed, an error and gradients of zeros.
func (g *Gradients) leave(k int, err error) {
	n := min(lanes, g.n-k*lanes)
	for i := k * lanes; i < k*lanes+n; i++ {
		g.errs[i] = err
	}
	for _, list := range [3][]float64{g.motion, g.loads, g.forces} {
		size := g.each(list) * lanes
		clear(list[k*size:][:size])
	}
	g.single[k] = 1<<n - 1
}

// collect lists the states that the workers have taken alone, and the states with errors.
func (g *Gradients) collect() { g.oneByOne, g.failed = collect(g.single, g.errs, g.oneByOne, g.failed) }
