package derive

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// ErrUndetermined is the error for a weight on a component of a wrench that the constraints do not determine: it has no gradient.
var ErrUndetermined = errors.New("derive: the constraints do not determine this component")

// BodyWeight holds the weights of an output on the accelerations of a body, world axes.
type BodyWeight struct {
	ComAcceleration, AngularAcceleration spatial.Vec3
}

// JointWeight holds the weights of an output on the wrench and the coordinates of a joint.
type JointWeight struct {
	Moment, Force spatial.Vec3 // of the total wrench on the successor about the origin of S, world axes
	Q, Qd, Qdd    [6]float64   // by freedom
}

// Weights define one output of the state: the sum of weights times accelerations, wrenches and coordinates.
type Weights struct {
	d       *Derivatives
	bodies  []BodyWeight
	joints  []JointWeight
	motions []bodyTangent // weights on the motions of bodies' frames (AddOutput)
	moved   bool          // motions has weights other than zero
	jointed bool          // joints may have weights other than zero
}

// NewWeights allocates weights of zeros.
func (d *Derivatives) NewWeights() *Weights {
	n := d.mech.NumBodies()
	return &Weights{d: d, bodies: make([]BodyWeight, n), joints: make([]JointWeight, d.mech.NumJoints()), motions: make([]bodyTangent, n)}
}

// Body returns the weights of body i.
func (w *Weights) Body(i int) *BodyWeight { return &w.bodies[i] }

// Joint returns the weights of joint j.
func (w *Weights) Joint(j int) *JointWeight {
	w.jointed = true
	return &w.joints[j]
}

// scaled stores in w the weights of from times s.
func (w *Weights) scaled(from *Weights, s float64) {
	w.moved, w.jointed = from.moved, from.jointed
	for i, b := range from.bodies {
		w.bodies[i] = BodyWeight{b.ComAcceleration.Scale(s), b.AngularAcceleration.Scale(s)}
	}
	for j, x := range from.joints {
		x.Moment, x.Force = x.Moment.Scale(s), x.Force.Scale(s)
		for i := range x.Q {
			x.Q[i], x.Qd[i], x.Qdd[i] = s*x.Q[i], s*x.Qd[i], s*x.Qdd[i]
		}
		w.joints[j] = x
	}
	for i, t := range from.motions {
		for _, v := range [9]*spatial.Vec3{&t.phi, &t.r, &t.w, &t.v, &t.al, &t.a, &t.dk, &t.moment, &t.force} {
			*v = v.Scale(s)
		}
		w.motions[i] = t
	}
}

// Reset makes all weights zero.
func (w *Weights) Reset() {
	clear(w.bodies)
	if w.jointed {
		clear(w.joints)
	}
	if w.moved {
		clear(w.motions)
	}
	w.moved, w.jointed = false, false
}

// AdjointTo stores in g the gradient of the output w, theory.md (D2). Without Follow, the product of g with an allowed direction is the
// derivative of w along it. With Follow, the state follows the directions, (D3), (D4): g then has products with any direction, and total
// derivatives by parameters.
//
// Cost: two sweeps over the mechanism and one refined solve, whatever the number of parameters; twice that with Follow. If the ratio of
// masses is 1e6 or more, or the pose is next to a singular one, it computes the gradient twice and allocates.
//
// It returns an error that wraps ErrUndetermined, with the joint, for a weight on a component of a wrench that the constraints do not
// determine, and one that wraps ErrDoubt if the two gradients differ. g has no results then. It does not see components that the
// constraints determine at this pose only, nor directions that break a loop: ForwardTo does. It panics without At, or if g or w belong to
// other Derivatives, or if o has options of ForwardTo.
func (d *Derivatives) AdjointTo(g *Gradient, w *Weights, o Options) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if g.d != d || w.d != d {
		panic("derive: foreign gradient")
	}
	if g.versions != d.versions {
		panic("derive: gradient from before a parameter")
	}
	if o != (Options{Follow: o.Follow}) {
		panic("derive: AdjointTo takes the option Follow alone")
	}
	g.ready = false
	err := d.gradientTo(g, w, o)
	g.ready = err == nil
	return err
}

// gradientTo is AdjointTo without its checks and its guard. States follow as along the directions of ForwardTo: a Projected state is
// ignored meanwhile.
func (d *Derivatives) gradientTo(g *Gradient, w *Weights, o Options) error {
	was := d.held.projected.active
	d.held.projected.active = false
	defer func() { d.held.projected.active = was }()
	if err := d.determined(w); err != nil {
		return err
	}
	if err := d.setCarried(); err != nil {
		return err
	}
	if err := d.adjoint(g, w); err != nil {
		return err
	}
	if err := d.inDoubtBack(g, w); err != nil {
		return err
	}
	if !o.Follow || d.plain.Pattern.Len() == d.mech.NumBodies() {
		return nil
	}
	return d.followBack(g)
}

// adjoint stores in g the gradient along given directions: the state does not follow.
func (d *Derivatives) adjoint(g *Gradient, w *Weights) error {
	g.clear()
	if err := d.seedOutputs(g, w); err != nil {
		return err
	}
	if len(g.bearings) == 0 && algebra.MaxAbs(g.x) == 0 {
		clear(g.y) // the output depends on poses and velocities only
		return nil
	}
	if err := d.answerAdjoint(g); err != nil {
		return err
	}
	for i := range g.y {
		g.y[i] = -g.y[i]
	}
	g.used, d.b.want = true, wantSecond|wantForce
	defer func() { d.b.want = wantAll }()
	for part := range d.numParts() {
		if c := d.carriedOf(part); c != nil {
			var t carriedCotangent
			t.addResidualOf(d, c, g.y)
			d.backCarried(&g.direction, nil, c, &t, orderAcceleration)
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.back(&g.direction, g.y, nil)
	}
	for i := range d.bodies {
		d.bodies[i].addResidualAdjoint(&g.bodies[i], &d.carried.rest[i], &d.mech.Gravity, &g.gravity, g.y[6*i:][:6])
	}
	return nil
}

// inDoubtBack returns ErrDoubt if rounding may be a large part of the gradient g, which does not follow yet (again). It compares gradients
// along directions that the joints allow.
func (d *Derivatives) inDoubtBack(g *Gradient, w *Weights) error {
	_, err := d.again(func(by other, moved bool) (float64, error) {
		less, y, along := d.NewWeights(), d.NewGradient(), d.NewGradient()
		less.scaled(w, againScale)
		copy(along.bodies, g.bodies)
		if err := d.followBack(along); err != nil {
			return 0, err
		}
		err := by(func() error {
			if err := d.adjoint(y, less); err != nil || !moved {
				return err
			}
			return d.followBack(y) // as the joints there allow
		})
		if err != nil {
			return 0, err
		}
		y.scale(-1 / againScale)
		if moved {
			y.addBodies(along)
		} else {
			y.addBodies(g)
			if err := d.followBack(y); err != nil {
				return 0, err
			}
		}
		seed, err := d.seedSize(w)
		if err != nil {
			return 0, err
		}
		most := max(d.turnSize(&along.direction), againPart*seed)
		return lostPart(d.turnSize(&y.direction), most), nil
	})
	return err
}

// seedSize estimates the largest derivative of the output by an angle, 1/rad, before terms cancel: the explicit derivative by poses, and
// the derivatives by rates and accelerations times their sizes, as rates and accelerations turn along with a pose.
func (d *Derivatives) seedSize(w *Weights) (float64, error) {
	seed := d.NewGradient()
	if err := d.seedOutputs(seed, w); err != nil {
		return 0, err
	}
	l, rates, accelerations := d.sizes.length, 0.0, 0.0
	for i := range seed.bodies {
		b, x := &seed.bodies[i], seed.x[6*i:][:6]
		rates = max(rates, b.Angular.Norm(), b.Linear.Norm()*l)
		accelerations = max(accelerations, spatial.Vec3(x).Norm()/l, spatial.Vec3(x[3:]).Norm())
	}
	return max(d.turnSize(&seed.direction), rates*d.sizes.rate, accelerations*d.natural()), nil
}

// seedOutputs stores in g.x the cotangents of the solution (accelerations and multipliers), and adds to g the derivatives of the output
// with the solution held.
func (d *Derivatives) seedOutputs(g *Gradient, w *Weights) error {
	for part := range d.elementNumber(0) {
		if part < len(w.joints) && (!w.jointed || w.joints[part] == (JointWeight{})) {
			continue
		}
		if c := d.carriedOf(part); c != nil {
			var t carriedCotangent
			t.addWeights(c, d.mech.Joints[part].Kind, &w.joints[part])
			d.backCarried(&g.direction, g.x, c, &t, orderAcceleration)
			g.used = true
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		b := &d.b
		for _, l := range b.legs {
			b.weigh(l.moment, w.joints[l.joint].Moment)
			b.weigh(l.force, w.joints[l.joint].Force)
		}
		if part < len(w.joints) {
			x := &w.joints[part]
			b.weigh(b.total[0], x.Moment)
			b.weigh(b.total[1], x.Force)
			r := &b.rel[0]
			for i := range r.joint.Kind.Freedoms() {
				f := &r.freedoms[i]
				b.c.AddAdjoint1(f.qd, x.Qd[i])
				b.c.AddAdjoint1(f.qdd, x.Qdd[i])
				if f.q >= 0 {
					b.c.AddAdjoint1(f.q, x.Q[i])
				}
			}
		}
		b.back(&g.direction, nil, g.x)
		g.used = true
	}
	if w.moved {
		for i := range w.motions {
			d.addTangent(&g.direction, g.x, int32(i), &w.motions[i])
		}
		g.used = true
	}
	// Accelerations are entries of the solution.
	for i := range w.bodies {
		for k := range 3 {
			g.x[6*i+k] += w.bodies[i].AngularAcceleration[k]
			g.x[6*i+3+k] += w.bodies[i].ComAcceleration[k]
		}
	}
	return nil
}

// answerAdjoint solves K·y = x̄. Where friction grows with reactions, the reactions have cotangents of their own. They are found by a
// fixed-point iteration, the transpose of the iteration in forward.
func (d *Derivatives) answerAdjoint(g *Gradient) error {
	explicit := append([]float64(nil), g.bearings...)
	last := math.Inf(1)
	for step := 0; ; step++ {
		// The right side: the cotangents of the solution by the output, and by the loads of friction.
		copy(g.rest, g.x)
		if len(explicit) > 0 {
			unused := d.newDirection()
			if err := d.loadsBack(&unused, g.rest, g.bearings); err != nil {
				return err
			}
		}
		// K is symmetric.
		fit, _, err := d.dynamics.AnswerTo(g.y, g.rest)
		if err != nil || fit.Ratio > openTol {
			return d.opened(fit, err)
		}
		if len(explicit) == 0 {
			return nil
		}
		now, err := d.loadsOfAnswer(g)
		if err != nil {
			return err
		}
		// The cotangents of the loads by this solution. The iteration ends when they stay the same.
		change, size := 0.0, d.loadSize()
		for i := range now {
			now[i] += explicit[i]
			change, size = max(change, math.Abs(now[i]-g.bearings[i])), max(size, math.Abs(now[i]))
			g.bearings[i] = now[i]
		}
		if settled(change, last, size) {
			return d.loadsBack(&g.direction, make([]float64, len(g.rest)), g.bearings)
		}
		last = change
		if step == settleSteps {
			return d.mech.AtJoint(d.mech.Bearing(0), -1, kkt.ErrJammed)
		}
	}
}

// loadsBack takes the cotangents load of the reactions further back: it adds the cotangents of the solution to x, and the cotangents of
// states and parameters to to.
func (d *Derivatives) loadsBack(to *direction, x, load []float64) error {
	for i := range load {
		if err := d.build(d.mech.Bearing(i)); err != nil {
			return err
		}
		for _, l := range d.b.loads {
			d.b.c.AddAdjoint1(l.load, load[l.bearing])
		}
		d.b.back(to, nil, x)
	}
	return nil
}

// loadsOfAnswer returns −(∂r/∂loads)ᵀ·y.
func (d *Derivatives) loadsOfAnswer(g *Gradient) ([]float64, error) {
	scratch := d.newDirection()
	y := negated(g.y)
	for i := range scratch.bearings {
		if err := d.build(d.mech.Bearing(i)); err != nil {
			return nil, err
		}
		d.b.back(&scratch, y, nil)
	}
	return scratch.bearings, nil
}

// determined returns ErrUndetermined for a weight on a component of a wrench that the constraints do not determine.
func (d *Derivatives) determined(w *Weights) error {
	if !w.jointed {
		return nil
	}
	weighs := false
	for j := range w.joints {
		weighs = weighs || w.joints[j].Moment != (spatial.Vec3{}) || w.joints[j].Force != (spatial.Vec3{})
	}
	if !weighs || d.dynamics.Redundant() == 0 {
		return nil
	}
	if err := d.setUndetermined(); err != nil {
		return err
	}
	for j := range w.joints {
		x := &w.joints[j]
		for k, y := range spatial.NewForce(x.Moment, x.Force) {
			if y != 0 && d.undetermined[j]&undeterminedBit(k) != 0 {
				return d.mech.AtJoint(j, -1, fault.Errorf("%w: %s", ErrUndetermined, componentNames[k]))
			}
		}
	}
	return nil
}

// componentNames are the names of the six components of a spatial.Force.
var componentNames = [6]string{"moment.x", "moment.y", "moment.z", "force.x", "force.y", "force.z"}
