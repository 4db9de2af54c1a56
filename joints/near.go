package joints

// Of some joints a pose does not tell all: several sets of coordinates of a composite joint may make it, and a curve may have several feet
// for one point. What tells them apart is in Frames.Near, which a state carries.

// NumNear returns the length of Frames.Near: how many numbers tell apart what belongs to one pose. They are the coordinates of a
// composite joint, the parameter of a point on a curve, those of two curves that touch with their side, and x and y of the foot of a wheel
// on a surface. It is 0 for all others.
func (s *Spec) NumNear() int {
	switch {
	case s.Axes != nil:
		return s.Axes.Len()
	case s.SuccessorCurve != nil:
		return 3
	case s.Curve != nil:
		return 1
	case s.Ground != nil:
		return 2
	}
	return 0
}

// NearTo stores in q what Frames.Near may be at the pose of f: the coordinates of a composite joint (CoordinatesTo), the parameter of
// the foot of S's origin on the curve, both parameters and the side of curves that touch, or the place of a wheel's foot. They are found
// from f.Near, or, without it, from the pose alone.
//
// Cost: a search, no allocation.
func (s *Spec) NearTo(q *[6]float64, f *Frames) {
	switch {
	case s.Axes != nil:
		s.CoordinatesTo(q, nil, f)
	case s.SuccessorCurve != nil:
		var c contact
		c.find(s, f)
		*q = [6]float64{c.U, c.W, c.Side}
	case s.Curve != nil:
		u, laps := s.parameter(f)
		*q = [6]float64{u + laps}
	case s.Ground != nil:
		s.footTo(q, f)
	default:
		*q = [6]float64{}
	}
}

// NearRatesTo stores in qd the rates of what NearTo stores, for all other joints those of RatesTo. That of a parameter is zero where there
// is no foot.
//
// Cost: as NearTo.
func (s *Spec) NearRatesTo(qd *[6]float64, f *Frames) {
	switch {
	case s.SuccessorCurve != nil:
		s.touchRatesTo(qd, f)
		return
	case s.Ground != nil:
		s.footRatesTo(qd, f)
		return
	case s.Curve == nil:
		s.RatesTo(qd, f)
		return
	}
	var b bead
	*qd = [6]float64{}
	if b.place(s, f) {
		qd[0] = b.rate
	}
}

// FindTo searches where the point is on its curve, or where the curves touch, and keeps it in out, unless it is there already. Of curves
// that touch it stores in at, unless it is nil, all of TouchTo but Point and Normal. A rough search ends when their gap is known to some
// 1e-7 of the curves, and the parameters to 1e-6: it is for that alone, and the next one from the same Near begins where it has ended.
//
// Cost: a search, no allocation. Searches on other goroutines may not read out meanwhile. It panics without a curve.
func (s *Spec) FindTo(out *Found, at *Touch, f *Frames, rough bool) {
	if !out.is(f) {
		s.find(out, f, rough)
	}
	if at != nil && s.SuccessorCurve != nil {
		at.take(s, &out.seen, out.at, out.laps, out.side, out.holds)
	}
}

// find is FindTo where out has something else.
func (s *Spec) find(out *Found, f *Frames, rough bool) {
	var on *[2]float64
	if out.full && out.rough && out.from(f) {
		was := out.at
		on = &was
	}
	out.full, out.rough = false, false
	if s.SuccessorCurve == nil {
		out.at[0], out.laps[0] = s.parameter(f)
	} else {
		var p pair
		p.set(s, f)
		p.rough = rough && f.Near != nil
		out.at, out.seen, out.side, out.holds = p.find(f.Near, on)
		out.laps, out.rough = p.laps, p.ended
	}
	out.ep, out.es, out.r, out.full = f.EP, f.ES, f.R, true
	if out.had = f.Near != nil; out.had {
		copy(out.near[:], f.Near)
	}
}
