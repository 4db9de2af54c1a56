package derive

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// nullVectors is the number of random vectors of the null space of the constraint forces: one vector may vanish where others do not.
	nullVectors = 2
	// uniqueTol is the size of such a vector in a component of a wrench, relative to its largest one, up to which the component is unique.
	uniqueTol = 1e-9
	// singularTol is the largest force that may remain when a null vector is continued along a direction, relative to the largest force of
	// the vector and the size of the direction. With a larger one the pose counts as singular.
	singularTol = 1e-6
)

// setNulls finds vectors n with Jᵀn = 0: random multipliers z, minus the multipliers with the same forces that the factor finds. It leaves
// zero at redundant rows, so the difference is not zero.
func (d *Derivatives) setNulls() error {
	if d.nulls != nil {
		return nil
	}
	b := &d.b
	defer func() { b.x, b.bare = d.x, false }()
	b.bare = true
	rng := rand.New(rand.NewPCG(44, uint64(len(d.x))))
	first := int(d.layout.Pattern.Off[d.layout.FirstJoint()])
	var list [][]float64
	for range nullVectors {
		z := make([]float64, len(d.x))
		for constraint := range d.mech.NumConstraints() {
			node := d.layout.ConstraintNode(constraint)
			if node < 0 {
				continue
			}
			at := int(d.layout.Pattern.Off[node])
			for i := range d.mech.ConstraintRows(constraint) {
				z[at+i] = 2*rng.Float64() - 1
			}
		}
		clear(d.right)
		// The builder has λ = −x.
		b.x = negated(z)
		if err := d.loadsOf(d.right); err != nil {
			return err
		}
		if _, _, err := d.dynamics.AnswerTo(d.answer, d.right); err != nil {
			return err
		}
		for i := range z {
			if z[i] -= d.answer[i]; i < first { // entries before first are accelerations
				z[i] = 0
			}
		}
		list = append(list, z)
	}
	d.nulls, d.undetermined = list, nil
	return nil
}

// setUndetermined finds the null vectors, and sets the bits of the components of wrenches in which they are not zero.
func (d *Derivatives) setUndetermined() error {
	if d.nulls != nil && d.undetermined != nil {
		return nil
	}
	if err := d.setNulls(); err != nil {
		return err
	}
	defer func() { d.b.x, d.b.bare = d.x, false }()
	d.b.bare = true
	d.undetermined = make([]uint8, d.mech.NumJoints())
	for _, n := range d.nulls {
		d.b.x = negated(n)
		list, err := d.nullWrenches(nil)
		if err != nil {
			return err
		}
		most := d.largest(list, func(p *nullWrench) *spatial.Force { return &p.n })
		for j := range list {
			for k, x := range list[j].n {
				if math.Abs(x) > uniqueTol*most[k/3] {
					d.undetermined[j] |= undeterminedBit(k)
				}
			}
		}
	}
	return nil
}

// undeterminedBit returns the bit of entry k of a wrench: bits have the force first, and entries of a spatial.Force the moment.
func undeterminedBit(k int) uint8 { return 1 << ((k + 3) % 6) }

// negated returns −x.
func negated(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = -x[i]
	}
	return y
}

// loadsOf adds to r the forces on the bodies by the multipliers b.x of the builder.
func (d *Derivatives) loadsOf(r []float64) error {
	for part := range d.elementNumber(0) {
		if c := d.carriedOf(part); c != nil {
			l := d.reaction(c, d.b.x)
			c.pushed(r, &carriedMove{}, vec{}, l.N.scale(-1), l.F.scale(-1), vec{})
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.loadsTo(r)
	}
	return nil
}

// loadsTo adds to r the loads of the part on its bodies, six a body: the moment about the centre of mass, and the force.
func (b *builder) loadsTo(r []float64) {
	for i := range b.ports {
		p := &b.ports[i]
		if p.body < 0 {
			continue
		}
		var m, f spatial.Vec3
		if p.moment >= 0 {
			m = b.c.Value(p.moment)
		}
		if p.force >= 0 {
			f = b.c.Value(p.force)
			m = m.Add(p.arm.Cross(f)) // about the origin of the body's frame
		}
		m, f = m.Neg(), f.Neg() // gather subtracts
		b.d.bodies[p.body].gather(r[6*p.body:][:6], &m, &f)
	}
}

// unique marks the components of wrenches that have no derivative along u. Either the constraints do not determine such a component, or
// they determine it at this pose only: then δ(T·n) is not zero for a null vector n.
//
// It returns ErrSingularPose if the null space has no derivative along u, as the rank changes.
func (d *Derivatives) unique(out *changes, u *direction) error {
	if d.dynamics.Redundant() == 0 {
		return nil
	}
	if !u.moving {
		if err := d.setUndetermined(); err != nil {
			return err
		}
		for j := range out.joints {
			out.joints[j].Undetermined |= d.undetermined[j]
		}
		return nil
	}
	if err := d.setNulls(); err != nil {
		return err
	}
	return d.nullChanges(u, func(dn []float64) error { return d.mark(out, u, dn) })
}

// nullChanges calls see with −δn, the negative change along u, for each null vector n. Meanwhile the builder has n as its multipliers. u
// has to move.
func (d *Derivatives) nullChanges(u *direction, see func(dn []float64) error) error {
	b := &d.b
	defer func() { b.x, b.bare, b.want = d.x, false, wantAll }()
	b.bare, b.want = true, wantForce
	size := d.sizeOf(u, ofPositions)
	for _, n := range d.nulls {
		b.x = negated(n)
		dn, err := d.nullChange(u, size)
		if err != nil {
			return err
		}
		if err := see(dn); err != nil {
			return err
		}
	}
	return nil
}

// nullChange solves Jᵀδn = −δJᵀn for the multipliers of the builder, theory.md (D10), and returns −δn in its entries for rows. size is the
// size of u. It returns ErrSingularPose if there is no solution.
func (d *Derivatives) nullChange(u *direction, size float64) ([]float64, error) {
	b := &d.b
	r, most := d.right, 0.0 // the largest force of n
	clear(r)
	for part := range d.elementNumber(0) {
		if c := d.carriedOf(part); c != nil {
			l := d.reaction(c, b.x)
			if most = max(most, math.Sqrt(l.F.dot(l.F)), math.Sqrt(l.N.dot(l.N))); d.touches(part, u) {
				var m carriedMove
				d.move(&m, c, u, nil, orderPosition)
				dN, dF, dP := d.acts(c, &m, &l, nil, nil)
				if u.shifts {
					d.holdComs(&m, c, u)
				}
				c.pushed(r, &m, l.F, dN, dF, dP)
				d.aboutOrigins(r, c, l.F, u)
			}
			continue
		}
		if err := d.build(part); err != nil {
			return nil, err
		}
		b.pull(u, nil)
		b.gather(r)
		for i := range b.ports {
			if f := b.ports[i].force; f >= 0 {
				most = max(most, b.c.Value(f).Norm())
			}
			if m := b.ports[i].moment; m >= 0 {
				most = max(most, b.c.Value(m).Norm())
			}
		}
	}
	nb := d.mech.NumBodies()
	for i := range r { // gather takes forces from r: −δJᵀn
		if r[i] = -r[i]; i >= 6*nb {
			r[i] = 0
		}
	}
	dn := make([]float64, len(r))
	if _, _, err := d.dynamics.AnswerTo(dn, r); err != nil {
		return nil, err
	}
	worst := algebra.NewPeak(0)
	for i := range nb {
		a := (*[6]float64)(dn[6*i:])
		in := d.bodies[i].I.MulVec(spatial.Vec3(a[:3])).Norm() + d.bodies[i].mass*spatial.Vec3(a[3:]).Norm()
		worst.Take(in, i)
	}
	if !(worst.Most <= singularTol*size*most) {
		return nil, d.singularAt(worst.At)
	}
	first := int(d.layout.Pattern.Off[d.layout.FirstJoint()])
	clear(dn[:first])
	return dn, nil
}

// aboutOrigins moves the moments of the force F of a joint from the centres of mass of its bodies, which move as these turn along u, to the
// origins of their frames, about which other parts record theirs: it subtracts the difference from r. The forces of a null vector add up to
// zero on each body, so both points have the same total.
func (d *Derivatives) aboutOrigins(r []float64, c *carriedJoint, F vec, u *direction) {
	for side, body := range [2]int32{c.pred, c.succ} {
		if body < 0 {
			continue
		}
		b, v := &d.bodies[body], &u.bodies[body]
		m := vecOf(&v.Rotation).cross(vecOf(&b.k)).cross(F)
		if side == 0 {
			m = m.scale(-1)
		}
		y := r[6*body:][:3]
		y[0], y[1], y[2] = y[0]-m.x, y[1]-m.y, y[2]-m.z
	}
}

// singularAt returns ErrSingularPose at a joint of the body.
func (d *Derivatives) singularAt(body int) error {
	err := fault.Errorf("%w: its rank changes along the direction", ErrSingularPose)
	for j := range d.mech.Joints {
		if jt := &d.mech.Joints[j]; int(jt.Pred) == body || int(jt.Succ) == body {
			return d.mech.AtJoint(j, -1, err)
		}
	}
	return d.mech.AtBody(body, err)
}

// nullWrench is the wrench of a null vector at a joint, and its change along a direction.
type nullWrench struct{ n, dn spatial.Force }

// nullWrenches returns the wrenches of the builder's multipliers at the joints and, unless u is nil, their changes along u with the change
// dn of the multipliers.
func (d *Derivatives) nullWrenches(u *direction, dn ...float64) ([]nullWrench, error) {
	b := &d.b
	list := make([]nullWrench, d.mech.NumJoints())
	add := func(j int, m, f chain.Vec) {
		if m >= 0 {
			v := b.c.Value(m)
			list[j].n = list[j].n.Add(spatial.NewForce(v, spatial.Vec3{}))
		}
		if f >= 0 {
			v := b.c.Value(f)
			list[j].n = list[j].n.Add(spatial.NewForce(spatial.Vec3{}, v))
		}
		if u != nil {
			list[j].dn = list[j].dn.Add(b.change(m, f))
		}
	}
	for part := range d.elementNumber(0) {
		if c := d.carriedOf(part); c != nil {
			l := d.reaction(c, b.x)
			list[part].n = list[part].n.Add(l.force())
			if u != nil {
				var m carriedMove
				d.move(&m, c, u, nil, orderPosition)
				dN, dF, _ := d.acts(c, &m, &l, nil, dn)
				list[part].dn = list[part].dn.Add((&load{N: dN, F: dF}).force())
			}
			continue
		}
		if err := d.build(part); err != nil {
			return nil, err
		}
		if u != nil {
			b.pull(u, dn)
		}
		for _, l := range b.legs {
			add(l.joint, l.moment, l.force)
		}
		if part < len(list) {
			add(part, b.total[0], b.total[1])
		}
	}
	return list, nil
}

// largest returns the largest moment and the largest force of list; each is at least the other one converted by the typical length.
func (d *Derivatives) largest(list []nullWrench, of func(p *nullWrench) *spatial.Force) (most [2]float64) {
	for j := range list {
		for k, x := range of(&list[j]) {
			most[k/3] = max(most[k/3], math.Abs(x))
		}
	}
	l := d.sizes.length
	return [2]float64{max(most[0], l*most[1]), max(most[1], most[0]/l)}
}

// mark sets the bits of the components of wrenches in which a null vector, or its change along u, is not zero.
func (d *Derivatives) mark(out *changes, u *direction, dn []float64) error {
	list, err := d.nullWrenches(u, dn...)
	if err != nil {
		return err
	}
	most := d.largest(list, func(p *nullWrench) *spatial.Force { return &p.n })
	turned := d.largest(list, func(p *nullWrench) *spatial.Force { return &p.dn })
	size := d.sizeOf(u, ofPositions)
	for j := range list {
		for k := range 6 {
			if math.Abs(list[j].n[k]) > uniqueTol*most[k/3] || math.Abs(list[j].dn[k]) > uniqueTol*(turned[k/3]+size*most[k/3]) {
				out.joints[j].Undetermined |= undeterminedBit(k)
			}
		}
	}
	return nil
}
