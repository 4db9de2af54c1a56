package derive

// outputs stores in out.joints the changes of wrenches, coordinates, rates and second derivatives of joints, for the changes out.x of
// accelerations and multipliers. It does so for the joints and couplings in only, or for all if only is nil.
func (d *Derivatives) outputs(out *changes, u *direction, o Options, only []int) error {
	d.b.given, out.blank = u, false
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
	if c := d.carriedOf(part); c != nil {
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
