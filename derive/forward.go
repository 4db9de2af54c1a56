package derive

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// Options choose how derivatives are taken. The zero value is the default.
type Options struct {
	// Untried leaves out the trial whether joints close with a changed geometry, where rows are redundant: for those who know. Without
	// reactions it also leaves out whether the pose is singular.
	Untried bool
	// NoReactions leaves wrenches out.
	NoReactions bool
	// BodiesOnly leaves out all that joints have, coordinates too: a direction then takes one sweep less.
	BodiesOnly bool
	// AsGiven takes directions that do not follow as they are, whether the joints allow them or not: the transpose of AdjointTo without
	// follow. Stages of a run are off the joints by their errors, and so are their tangents. Rows that contradict others are left out.
	AsGiven bool
}

const (
	// loadPart is that of loadSize.
	loadPart = 1e-2
	// openTol is the residual of a row, relative to its terms, above which a direction opens a loop.
	openTol = 1e-9
	// allowedTol is how far a direction may open a row, relative to its size, and count as allowed: directions come from files, with 12
	// digits.
	allowedTol = 1e-9
	// roundTol is the same for what rounding opens, which closes nothing.
	roundTol = 1e-14
	// goneTol is what following leaves of a direction that the joints take back as a whole, relative to its size: rounding of two solves.
	goneTol = 1e-12
	// settleTol is the relative change of reactions at which those that friction depends on are found, and roughTol the one up to which
	// they are where steps get no smaller, by rounding of the solves. settleSteps bounds the steps.
	settleTol, roughTol, settleSteps = 1e-14, 1e-9, 200
)

// DirectionError names the direction that has no derivative.
type DirectionError struct {
	Direction int
	Name      string
	Err       error
}

// Error returns the name and the reason.
func (e *DirectionError) Error() string {
	return fault.Errorf("derive: direction %s: %w", fault.Name(e.Name), e.Err).Error()
}

// Unwrap returns Err.
func (e *DirectionError) Unwrap() error { return e.Err }

// ForwardTo stores in out the derivatives along the directions, theory.md (D1). Those with SetFollow are first replaced by what the joints
// make of them, (D3), (D4).
//
// Cost: of each direction two sweeps over the mechanism and a refined solve; two more of each where the state follows. Where rows are
// redundant and reactions are wanted, two solves more, and where geometry changes two closings of the model (Options). It returns
// a *DirectionError for the first direction without derivatives. out has no results then. It panics without At, or if in or out are of
// others.
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
	for k := range in.list {
		if err := d.forward(&out.list[k], &in.list[k], o); err != nil {
			return &DirectionError{k, in.list[k].name, err}
		}
	}
	for k := range in.list {
		out.list[k].ready = true
	}
	return nil
}

// forward is ForwardTo of one direction. The direction that is taken is left in out.
func (d *Derivatives) forward(out *changes, given *direction, o Options) error {
	u := &out.taken
	copyDirection(u, given)
	if err := d.take(u, given, o); err != nil {
		return err
	}
	out.corrected = corrected(u, given)
	clear(u.bearings)
	size, last := d.loadSize(), math.Inf(1)
	for step := 0; ; step++ {
		if err := d.respond(out, u, o.AsGiven); err != nil {
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
	if o.BodiesOnly {
		for j := range out.joints {
			out.joints[j] = JointChange{}
		}
	} else if err := d.outputs(out, u, o); err != nil {
		return err
	}
	hidden := o.BodiesOnly || o.NoReactions
	if !hidden || !o.Untried && u.moves() {
		if err := d.unique(out, u); err != nil {
			return err
		}
	}
	if hidden {
		out.hideWrenches()
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

// copyDirection makes to what from is.
func copyDirection(to, from *direction) {
	to.name, to.follow, to.gravity, to.time = from.name, from.follow, from.gravity, from.time
	copy(to.bodies, from.bodies)
	copy(to.frames, from.frames)
	copy(to.forces, from.forces)
	copy(to.scalars, from.scalars)
}

// corrected returns the largest change of a number of the state.
func corrected(u, given *direction) (most float64) {
	for i := range u.bodies {
		a, b := &u.bodies[i], &given.bodies[i]
		for _, v := range [4]spatial.Vec3{
			a.Rotation.Sub(b.Rotation), a.Position.Sub(b.Position), a.Angular.Sub(b.Angular), a.Linear.Sub(b.Linear),
		} {
			most = max(most, math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
		}
	}
	return most
}

// setTangents computes how the bodies change along u, with the changes x of accelerations; nil: they are held.
func (d *Derivatives) setTangents(u *direction, x []float64) {
	for i := range d.bodies {
		var dx []float64
		if x != nil {
			dx = x[6*i:][:6]
		}
		if x == nil && u.bodies[i] == (BodyDirection{}) {
			u.tangents[i] = bodyTangent{}
			continue
		}
		d.bodies[i].setTangent(&u.tangents[i], &u.bodies[i], dx)
	}
}

// respond solves (D1): out.x has the changes of accelerations and multipliers along u, which may contradict joints if it is taken as given.
func (d *Derivatives) respond(out *changes, u *direction, given bool) error {
	d.setTangents(u, nil)
	r := d.right
	clear(r)
	for i := range d.bodies {
		if u.gravity == (spatial.Vec3{}) && u.bodies[i] == (BodyDirection{}) {
			continue
		}
		d.bodies[i].addResidual(r[6*i:][:6], &u.bodies[i], &u.tangents[i], &d.mech.Gravity, &u.gravity)
	}
	d.b.want, d.b.given = wantSecond|wantForce, u
	defer func() { d.b.want, d.b.given = wantAll, nil }()
	for part := range d.numParts() {
		if !d.touches(part, u) {
			continue
		}
		if l := d.isCarried(part); l != nil {
			d.gatherCarried(r, part, l, u, nil)
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
	}
	for i := range r {
		r[i] = -r[i]
	}
	fit, accuracy, err := d.dynamics.AnswerTo(out.x, r)
	if err != nil || fit.Ratio > openTol && !given {
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

// rounded reports whether the right sides of all rows in r are rounding of a direction, by which redundant rows may contradict each
// other. They are then zero.
func (d *Derivatives) rounded(r []float64, u *direction) bool {
	first := int(d.layout.Pattern.Off[d.layout.FirstJoint()])
	size := d.sizeOf(u, ofVelocities)*(1+d.sizes.rate) + d.sizeOf(u, ofPositions)*d.sizes.second
	if algebra.MaxAbs(r[first:]) > openTol*size {
		return false
	}
	clear(r[first:])
	return true
}

// timed refuses a change of time where a force of one's own may depend on it.
func (d *Derivatives) timed(part int, u *direction) error {
	if i := part - d.elementNumber(len(d.mech.Forces)); i >= 0 && u.time != 0 {
		return d.mech.AtForce(len(d.mech.Forces)+i, fault.Errorf("%w: by time", ErrNoDerivatives))
	}
	return nil
}

// opened returns ErrBreaksLoop at the row that does not hold. err is what solving has ended with, nil for an answer that does not fit.
func (d *Derivatives) opened(fit kkt.Misfit, err error) error {
	if err != nil && !errors.Is(err, kkt.ErrInconsistent) {
		return err
	}
	if fit.Constraint < 0 {
		return ErrBreaksLoop
	}
	row := fit.Row
	if c := fit.Constraint; c >= d.mech.NumJoints() || row >= int(d.mech.Joints[c].Rows) {
		row = -1
	}
	return d.mech.AtConstraint(fit.Constraint, row, fault.Errorf("%w: a row is open by %.3g of its terms", ErrBreaksLoop, fit.Ratio))
}

// loads computes how the reactions that friction grows with change with x, and returns by how much that is more than before.
func (d *Derivatives) loads(u *direction, x []float64) (change float64, err error) {
	d.setTangents(u, x)
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

// outputs stores what the changes of accelerations and multipliers make of joints.
func (d *Derivatives) outputs(out *changes, u *direction, o Options) error {
	d.setTangents(u, out.x)
	for j := range out.joints {
		out.joints[j] = JointChange{}
	}
	d.b.given = u
	if o.NoReactions {
		d.b.want = wantRate | wantSecond | wantCoordinates
	}
	defer func() { d.b.want, d.b.given = wantAll, nil }()
	for part := range d.elementNumber(0) {
		if l := d.isCarried(part); l != nil {
			d.outputsCarried(&out.joints[part], part, l, u, out.x)
			continue
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
			continue
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
	}
	return nil
}

// hideWrenches marks all wrenches as not there.
func (out *changes) hideWrenches() {
	for j := range out.joints {
		out.joints[j].Wrench, out.joints[j].Undetermined = spatial.Force{}, allComponents
	}
}
