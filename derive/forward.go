package derive

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// ForwardTo stores in out the derivatives along the directions, theory.md (D1). Those with SetFollow are first replaced by what the joints
// make of them, (D3), (D4).
//
// Cost: of each direction two sweeps over the mechanism and a refined solve; two more of each where the state follows. Where rows are
// redundant and reactions are wanted, two solves more, and where geometry changes two closings of the model (Options). It returns a
// *DirectionError for the first direction without derivatives, or with derivatives in doubt (ErrDoubt): with masses of ratios from 1e6 on,
// and next to singular poses, each direction is taken twice, which allocates. out has no results then. It panics without At, or if in or
// out are of others.
func (d *Derivatives) ForwardTo(out *Changes, in *Directions, o Options) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if in.d != d || out.d != d || len(out.list) != len(in.list) {
		panic("derive: foreign directions")
	}
	in.mustBeNew()
	for k := range in.list {
		out.list[k].ready = false
	}
	together := o.AsGiven && o.BodiesOnly && o.Untried && d.mech.NumBearings() == 0
	if shaky, _ := d.shaky(); shaky {
		together = false
	}
	if together {
		if err := d.forwardTogether(out, in); err != nil {
			return err
		}
	}
	for k := range in.list {
		if together {
			break
		}
		if err := d.forward(&out.list[k], &in.list[k], o); err != nil {
			return &DirectionError{k, in.list[k].name, err}
		}
	}
	for k := range in.list {
		out.list[k].ready = true
	}
	return nil
}

// ForwardEach takes the derivatives along all directions, one after the other, in memory of one, and calls see after each: out has one
// direction, which is number k of in. An error of see ends it.
//
// Cost: as ForwardTo; allocates results of one direction. Errors and panics: as ForwardTo, and errors of see as they are.
func (d *Derivatives) ForwardEach(in *Directions, o Options, see func(out *Changes, k int) error) error {
	if in.d != d {
		panic("derive: foreign directions")
	}
	out, one := d.NewChanges(1), &Directions{d: d, versions: in.versions}
	for k := range in.list {
		one.list = in.list[k : k+1]
		err := d.ForwardTo(out, one, o)
		if e := new(DirectionError); errors.As(err, &e) {
			e.Direction = k
		}
		if err == nil {
			err = see(out, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reply takes the derivatives of accelerations and multipliers along one direction. The direction that is taken is left in out.
func (d *Derivatives) reply(out *changes, given *direction, o Options) error {
	u := &out.taken
	copyDirection(u, given)
	if err := d.setCarried(); err != nil {
		return err
	}
	d.measure(u)
	out.corrected = 0
	if u.follow && u.moving {
		if err := d.take(u, given); err != nil {
			return err
		}
		if err := d.try(given, o); err != nil {
			return err
		}
		out.corrected = corrected(u, given)
	}
	return d.settleLoads(out, u, given, o, !u.follow && u.moving && !o.AsGiven)
}

// forward is ForwardTo of one direction.
func (d *Derivatives) forward(out *changes, given *direction, o Options) error {
	if given.bodies == nil {
		given = d.filled(given)
	}
	if err := d.reply(out, given, o); err != nil {
		return err
	}
	if err := d.inDoubt(out, given, o); err != nil {
		return err
	}
	u := &out.taken
	if o.BodiesOnly {
		for j := range out.joints {
			out.joints[j] = JointChange{}
		}
	} else if err := d.outputs(out, u, o, nil); err != nil {
		return err
	}
	hidden := o.BodiesOnly || o.NoReactions
	if !hidden || !o.Untried && u.moving {
		if err := d.unique(out, u); err != nil {
			return err
		}
	}
	if hidden {
		out.hideWrenches()
	}
	return nil
}

// inDoubt takes the derivatives along a given direction once more where they may have lost digits, and returns ErrDoubt, with a joint, if
// these are others.
func (d *Derivatives) inDoubt(out *changes, given *direction, o Options) error {
	if !out.taken.moving {
		return nil
	}
	o.Untried = true
	part, err := d.again(func(by other, _ bool) (float64, error) {
		less, y := d.newDirection(), &d.NewChanges(1).list[0]
		copyDirection(&less, given)
		less.scale(againScale)
		if err := by(func() error { return d.reply(y, &less, o) }); err != nil {
			return 0, err
		}
		first := 6 * len(d.bodies)
		for i := range y.x[:first] {
			y.x[i] = out.x[i] - y.x[i]/againScale
		}
		natural := d.natural() * d.sizeOf(&out.taken, ofPositions)
		return lostPart(d.accelerationSize(y.x[:first]), max(d.accelerationSize(out.x[:first]), againPart*natural)), nil
	})
	out.accuracy = max(out.accuracy, part)
	return err
}

// settleLoads solves (D1), again and again where friction grows with reactions, until these follow from what they make. With look it sees
// first whether the joints allow u.
func (d *Derivatives) settleLoads(out *changes, u, given *direction, o Options, look bool) error {
	clear(u.bearings)
	size, last := d.loadSize(), math.Inf(1)
	for step := 0; ; step++ {
		if err := d.respond(out, u, given, o, look && step == 0); err != nil {
			return err
		}
		if len(u.bearings) == 0 {
			break
		}
		change, err := d.loads(u, out.x)
		if err != nil {
			return err
		}
		for _, x := range u.bearings {
			size = max(size, math.Abs(x))
		}
		if settled(change, last, size) {
			break
		}
		last = change
		if step == settleSteps {
			return d.mech.AtJoint(d.mech.Bearing(0), -1, kkt.ErrJammed)
		}
	}
	return nil
}

// settled reports whether reactions of a size are found, after a change that follows the last one.
func settled(change, last, size float64) bool {
	return change <= settleTol*size || change <= roughTol*size && change >= last/2
}

// loadSize returns a small part of the reactions that friction grows with: changes that are much smaller consist of rounding.
func (d *Derivatives) loadSize() (most float64) {
	for _, x := range d.st.Bearings {
		most = max(most, math.Abs(x))
	}
	return loadPart * most
}

// respond solves (D1): out.x has the changes of accelerations and multipliers along u. With look it sees first whether the joints
// allow u.
func (d *Derivatives) respond(out *changes, u, given *direction, o Options, look bool) error {
	r := d.right
	clear(r)
	still := u.gravity == (spatial.Vec3{})
	for i := range d.bodies {
		if still && u.bodies[i] == (BodyDirection{}) {
			continue
		}
		d.bodies[i].addResidual(r[6*i:][:6], &u.bodies[i], &d.carried.rest[i], &d.mech.Gravity, &u.gravity)
	}
	if err := d.sweep(r, u, look); err != nil {
		return err
	}
	if look {
		if err := d.allowed(d.plainRight, u, ofPositions); err != nil {
			return err
		}
		if err := d.allowed(d.plainRates, u, ofVelocities); err != nil {
			return err
		}
		if err := d.try(given, o); err != nil {
			return err
		}
	}
	for i := range r {
		r[i] = -r[i]
	}
	fit, accuracy, err := d.dynamics.AnswerTo(out.x, r)
	if err != nil || fit.Ratio > openTol && !o.AsGiven {
		if !d.rounded(r, u) {
			return d.opened(fit, err)
		}
		if fit, accuracy, err = d.dynamics.AnswerTo(out.x, r); err != nil {
			return d.opened(fit, err)
		}
	}
	out.accuracy = accuracy
	return nil
}

// sweep adds to r the changes of what all parts add to the residual, accelerations and multipliers held. With look it stores by how much u
// opens each row at the levels of positions and velocities.
func (d *Derivatives) sweep(r []float64, u *direction, look bool) error {
	d.b.want, d.b.given = wantSecond|wantForce, u
	if look {
		d.b.want |= wantDelta | wantRate
		clear(d.plainRight)
		clear(d.plainRates)
	}
	defer func() { d.b.want, d.b.given = wantAll, nil }()
	var m carriedMove
	for part := range d.numParts() {
		if !d.touches(part, u) {
			continue
		}
		if c := d.isCarried(part); c != nil {
			d.move(&m, c, u, nil, orderAcceleration)
			d.gatherCarried(r, c, &m, u)
			if look && c.plain >= 0 {
				d.opens(d.plainRight[c.plain:], c, &m, u, orderPosition)
				d.opens(d.plainRates[c.plain:], c, &m, u, orderVelocity)
			}
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.pull(u, nil)
		if err := d.timed(part, u); err != nil {
			return err
		}
		d.b.gather(r)
		if look {
			d.b.misses(d.plainRight, ofPositions)
			d.b.misses(d.plainRates, ofVelocities)
		}
	}
	return nil
}

// loads computes how the reactions that friction grows with change with x, and returns by how much that is more than before.
func (d *Derivatives) loads(u *direction, x []float64) (change float64, err error) {
	for i := range u.bearings {
		if err := d.build(d.mech.Bearing(i)); err != nil {
			return 0, err
		}
		d.b.pull(u, x)
		for _, l := range d.b.loads {
			t := d.b.c.Tangent1(l.load)
			change = max(change, math.Abs(t-u.bearings[l.bearing]))
			u.bearings[l.bearing] = t
		}
	}
	return change, nil
}

// outputs stores in out.joints how wrenches, coordinates, rates and second derivatives of joints change with accelerations and multipliers.
// It does so for the joints and couplings in only, or for all if only is nil.
func (d *Derivatives) outputs(out *changes, u *direction, o Options, only []int) error {
	d.b.given = u
	if o.NoReactions {
		d.b.want = wantRate | wantSecond | wantCoordinates
	}
	defer func() { d.b.want, d.b.given = wantAll, nil }()
	if only != nil {
		for _, j := range only {
			out.joints[j] = JointChange{}
			if err := d.outputsOf(out, u, j); err != nil {
				return err
			}
		}
		return nil
	}
	clear(out.joints)
	for part := range d.elementNumber(0) {
		if err := d.outputsOf(out, u, part); err != nil {
			return err
		}
	}
	return nil
}

// outputsOf is outputs for one part: a joint, or a coupling by its number after the joints.
func (d *Derivatives) outputsOf(out *changes, u *direction, part int) error {
	if c := d.isCarried(part); c != nil {
		d.outputsCarried(&out.joints[part], c, u, out.x)
		return nil
	}
	if err := d.build(part); err != nil {
		return err
	}
	b := &d.b
	b.pull(u, out.x)
	for _, l := range b.legs {
		w := b.change(l.moment, l.force)
		out.joints[l.joint].Wrench = out.joints[l.joint].Wrench.Add(w)
	}
	if part >= d.mech.NumJoints() {
		return nil
	}
	to := &out.joints[part]
	to.Wrench = to.Wrench.Add(b.change(b.total[0], b.total[1]))
	r := &b.rel[0]
	for i := range r.joint.Kind.Freedoms() {
		f := &r.freedoms[i]
		to.Qd[i], to.Qdd[i] = b.c.Tangent1(f.qd), b.c.Tangent1(f.qdd)
		if f.q >= 0 {
			to.Q[i] = b.c.Tangent1(f.q)
		}
	}
	return nil
}
