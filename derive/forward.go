package derive

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// ForwardTo stores in out the derivatives along the directions in, theory.md (D1). Directions with SetFollow are first changed so that the
// joints allow them, (D3), (D4).
//
// Eight directions are solved together. The kernels for eight add in another order than the kernel for one, so a direction alone
// (ForwardEach) has other roundings than among others. The roundings do not depend on which these are.
//
// Cost: for each direction two sweeps over the mechanism and a refined solve; two more of each if the state follows. If rows are redundant:
// two more solves for reactions, and two closings of the model if geometry changes (Options). If the ratio of masses is 1e6 or more, or the
// pose is next to a singular one, each direction is computed twice, which allocates.
//
// It returns a *DirectionError for the first direction without derivatives, or with derivatives in doubt (ErrDoubt). out has no results
// then. It panics without At, or if in or out belong to other Derivatives.
func (d *Derivatives) ForwardTo(out *Changes, in *Directions, o Options) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if in.d != d || out.d != d || len(out.list) != len(in.list) {
		panic("derive: foreign directions")
	}
	in.mustBeNew()
	o.mustBeForward()
	for k := range in.list {
		out.list[k].ready = false
	}
	step := d.atOnce(len(in.list))
	for lo := 0; lo < len(in.list); lo += step {
		hi := min(lo+step, len(in.list))
		k, err := 0, error(nil)
		if step > 1 {
			k, err = d.forwardTogether(out.list[lo:hi], in.list[lo:hi], o)
		} else {
			err = d.forward(&out.list[lo], &in.list[lo], o)
		}
		if err != nil {
			return &DirectionError{lo + k, in.list[lo+k].name, err}
		}
	}
	for k := range in.list {
		out.list[k].ready = true
	}
	return nil
}

// atOnce returns how many of n directions are computed together: one if digits are in doubt, or if friction grows with reactions.
func (d *Derivatives) atOnce(n int) int {
	if shaky, _ := d.shaky(); !shaky && d.mech.NumBearings() == 0 && n > 1 {
		return abreast
	}
	return 1
}

// ForwardEach computes the derivatives along all directions one after the other in the memory of one, and calls see after each: out has one
// direction, number k of in. An error of see ends it.
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

// reply computes the changes of accelerations and multipliers along one direction. It leaves the direction after following in out.taken.
func (d *Derivatives) reply(out *changes, given *direction, o Options) error {
	u := &out.taken
	u.lane = 0
	if err := d.setCarried(); err != nil {
		return err
	}
	if err := d.takeTo(out, given, o); err != nil {
		return err
	}
	return d.settleLoads(out, u, given, o, u.mayOpen(o))
}

// forward is ForwardTo for one direction.
func (d *Derivatives) forward(out *changes, given *direction, o Options) error {
	given = d.listed(given)
	if err := d.reply(out, given, o); err != nil {
		return err
	}
	if err := d.inDoubt(out, given, o); err != nil {
		return err
	}
	return d.finish(out, o)
}

// inDoubt computes the derivatives along a given direction again if they may have lost digits, and returns ErrDoubt, with a joint, if the
// results differ.
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

// withoutRows is the argument look or looks of this file for directions that the joints allow, whose rows need no look.
const withoutRows = false

// settleLoads solves (D1). Where friction grows with reactions, it repeats the solve until the reactions agree with the multipliers. With
// look it first checks whether the joints allow u.
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

// settled reports whether the iteration for the reactions has converged: change is the last change, last the one before, and size the size
// of the reactions.
func settled(change, last, size float64) bool {
	return change <= settleTol*size || change <= roughTol*size && change >= last/2
}

// loadSize returns a small part of the reactions that friction grows with: much smaller changes consist of rounding.
func (d *Derivatives) loadSize() (most float64) {
	for _, x := range d.st.Bearings {
		most = max(most, math.Abs(x))
	}
	return loadPart * most
}

// respond solves (D1): it stores in out.x the changes of accelerations and multipliers along u. With look it first checks whether the
// joints allow u.
func (d *Derivatives) respond(out *changes, u, given *direction, o Options, look bool) error {
	d.rightOfBodies(d.right, u)
	d.beginSweep(u, look)
	defer d.endSweep()
	to := sweepTo{right: d.right}
	if look {
		to.positions, to.velocities = d.plainRight, d.plainRates
		clear(d.plainRight)
		clear(d.plainRates)
	}
	for part := range d.numParts() {
		if !d.touches(part, u) {
			continue
		}
		c := d.carriedOf(part)
		if c == nil {
			if err := d.build(part); err != nil {
				return err
			}
		}
		if err := d.sweep(&to, part, c, u); err != nil {
			return err
		}
	}
	if look {
		if err := d.mayGo(d.plainRight, d.plainRates, u, given, o); err != nil {
			return err
		}
	}
	for i := range d.right {
		d.right[i] = -d.right[i]
	}
	return d.answerTo(out, d.right, u, o)
}

// loads stores in u.bearings the changes of the reactions that friction grows with, for the changes x of accelerations and multipliers. It
// returns the largest difference from the values before.
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

// takeTo stores in out.taken the given direction, after following if it follows.
func (d *Derivatives) takeTo(out *changes, given *direction, o Options) error {
	u := &out.taken
	copyDirection(u, given)
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
	return nil
}

// mayOpen reports whether u has to be checked: it may open joints, and does not follow them.
func (u *direction) mayOpen(o Options) bool { return !u.follow && u.moving && !o.AsGiven }

// listed returns u with all lists. They are in memory of d if u has none, until the next call.
func (d *Derivatives) listed(u *direction) *direction {
	if u.bodies == nil {
		return d.filled(u)
	}
	return u
}

// mayGo returns an error if the joints do not allow u, which opens the rows by positions and velocities.
func (d *Derivatives) mayGo(positions, velocities []float64, u, given *direction, o Options) error {
	if err := d.allowed(positions, u, ofPositions); err != nil {
		return err
	}
	if err := d.allowed(velocities, u, ofVelocities); err != nil {
		return err
	}
	return d.try(given, o)
}

// answerTo stores in out.x the solution for the right side r of u. If the rows contradict each other by rounding of u only, their right
// sides are set to zero.
func (d *Derivatives) answerTo(out *changes, r []float64, u *direction, o Options) error {
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

// sweepTo is the destination of a sweep: the right side, and the openings of the rows in positions and velocities, nil where they are not
// needed.
type sweepTo struct{ right, positions, velocities []float64 }

// beginSweep sets what the builder records, until endSweep: what a sweep along u needs, or along any direction if u is nil; with look also
// the openings of rows.
func (d *Derivatives) beginSweep(u *direction, look bool) {
	if d.b.given, d.b.want = u, wantSecond|wantForce; look {
		d.b.want |= wantDelta | wantRate
	}
}

// endSweep ends beginSweep: everything is recorded again.
func (d *Derivatives) endSweep() { d.b.given, d.b.want = nil, wantAll }

// sweep adds to to the change of the residual by a part, with accelerations and multipliers held. The part has been built, unless it is the
// carried joint c.
func (d *Derivatives) sweep(to *sweepTo, part int, c *carriedJoint, u *direction) error {
	if c != nil {
		m := carriedMove{opens: to.positions != nil}
		d.move(&m, c, u, nil, orderAcceleration)
		d.gatherCarried(to.right, c, &m, u)
		if to.positions != nil && c.plain >= 0 {
			d.opens(to.positions[c.plain:], c, &m, u, orderPosition)
			d.opens(to.velocities[c.plain:], c, &m, u, orderVelocity)
		}
		return nil
	}
	d.b.pull(u, nil)
	if err := d.timed(part, u); err != nil {
		return err
	}
	if d.b.gather(to.right); to.positions != nil {
		d.b.misses(to.positions, ofPositions)
		d.b.misses(to.velocities, ofVelocities)
	}
	return nil
}

// timed returns ErrNoDerivatives for a change of time if the part is a force of the caller's own, which may depend on time.
func (d *Derivatives) timed(part int, u *direction) error {
	if i := part - d.elementNumber(len(d.mech.Forces)); i >= 0 && u.time != 0 {
		return d.mech.AtForce(len(d.mech.Forces)+i, fault.Errorf("%w: by time", ErrNoDerivatives))
	}
	return nil
}

// finish stores in out the changes of the joints' wrenches and coordinates, as far as o asks for them.
func (d *Derivatives) finish(out *changes, o Options) error {
	u := &out.taken
	if !o.BodiesOnly {
		if err := d.outputs(out, u, o, nil); err != nil {
			return err
		}
	}
	hidden := o.BodiesOnly || o.NoReactions
	if !hidden || !o.Untried && u.moving { // blank joints have all bits that it may set
		if err := d.unique(out, u); err != nil {
			return err
		}
	}
	switch {
	case o.BodiesOnly && !out.blank:
		clear(out.joints)
		out.hideWrenches()
		out.blank = true
	case hidden && !o.BodiesOnly:
		out.hideWrenches()
	}
	return nil
}

// forwardTogether is ForwardTo for up to abreast directions. It records each part once for all of them, and solves all right sides
// together. failure is the error of direction k, the first that has one; the directions before it have results.
func (d *Derivatives) forwardTogether(out []changes, in []direction, o Options) (k int, failure error) {
	if err := d.setCarried(); err != nil {
		return 0, err
	}
	looks := false
	for i := range in {
		out[i].taken.lane = uint8(i)
		if err := d.takeTo(&out[i], d.listed(&in[i]), o); err != nil {
			out, k, failure = out[:i], i, err
			break
		}
		looks = looks || out[i].taken.mayOpen(o)
	}
	d.needPanel(len(out), looks)
	if i, err := d.sweepTogether(out, o, looks); err != nil {
		out, k, failure = out[:i], i, err
	}
	for i := range out {
		u := &out[i].taken
		if !u.mayOpen(o) {
			continue
		}
		given := d.listed(&in[i])
		err := error(nil)
		if d.panel.shut[i] {
			err = d.try(given, o)
		} else {
			err = d.mayGo(d.panel.positions[i], d.panel.velocities[i], u, given, o)
		}
		if err != nil {
			out, k, failure = out[:i], i, err
			break
		}
	}
	if i, err := d.answerTogether(out, o); err != nil {
		out, k, failure = out[:i], i, err
	}
	for i := range out {
		if err := d.finish(&out[i], o); err != nil {
			return i, err
		}
	}
	return k, failure
}

// sideOf returns the destination of a sweep for direction k of the panel.
func (p *panel) sideOf(k int, looks bool) *sweepTo {
	to := &sweepTo{right: p.sides[k]}
	if looks {
		to.positions, to.velocities = p.positions[k], p.velocities[k]
	}
	return to
}

// sweepTogether computes the right sides of all directions of out. failure is the error of direction k, the first that has one.
func (d *Derivatives) sweepTogether(out []changes, o Options, looks bool) (k int, failure error) {
	p := &d.panel
	all, forced, open := (*direction)(nil), false, uint8(0)
	for k := range out {
		if out[k].taken.mayOpen(o) {
			open |= 1 << k
		}
	}
	if d.inLanes(out) {
		d.sweepLanes(out, open)
		return 0, nil
	}
	for k := range out {
		u := &out[k].taken
		d.rightOfBodies(p.sides[k], u)
		forced = forced || u.forced
		if p.shut[k] = false; looks {
			clear(p.positions[k])
			clear(p.velocities[k])
		}
	}
	if !forced && len(out) > 0 {
		all = &out[0].taken // any direction without forces: the builder looks at its forces only
	}
	d.beginSweep(all, looks)
	defer d.endSweep()
	for part := range d.numParts() {
		c, built := d.carriedOf(part), false
		for i := range out {
			u := &out[i].taken
			if !d.touches(part, u) {
				continue
			}
			err := error(nil)
			if c == nil && !built {
				err, built = d.build(part), true
			}
			if err == nil {
				err = d.sweep(p.sideOf(i, open>>i&1 != 0), part, c, u)
			}
			if err != nil {
				out, k, failure = out[:i], i, err
				break
			}
		}
	}
	for k := range out {
		for i, y := range p.sides[k] {
			p.sides[k][i] = -y
		}
	}
	return k, failure
}

// answerTogether stores the solutions for the right sides of all directions of out. The error is of direction k, the first that has one.
func (d *Derivatives) answerTogether(out []changes, o Options) (k int, failure error) {
	p := &d.panel
	for k := range out {
		p.answers[k] = out[k].x
	}
	k, failure = together(d.dynamics, p.answers[:len(out)], p.sides[:len(out)], p.accuracy[:len(out)], func(k int) (err error) {
		if err = d.answerTo(&out[k], p.sides[k], &out[k].taken, o); err == nil {
			p.accuracy[k] = out[k].accuracy
		}
		return err
	})
	for k := range out {
		out[k].accuracy = p.accuracy[k]
	}
	return k, failure
}
