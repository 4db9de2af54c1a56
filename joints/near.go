package joints

// The pose of some joints has several solutions: several sets of coordinates of a composite joint, or several feet of a point on a
// curve. Frames.Near, which a state carries, chooses among them.

// NumNear returns the length of Frames.Near. Near holds the coordinates of a composite joint, the parameter of a point on a curve, the
// two parameters and the side of curves that touch, or x and y of the foot of a wheel on a surface. NumNear is 0 for all other joints.
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

// NearTo stores in q the values of Frames.Near for the pose of f (NumNear): the coordinates of a composite joint (CoordinatesTo), the
// parameter of the foot of S's origin on the curve, both parameters and the side of curves that touch, or x and y of a wheel's foot, in
// the axes of P. It searches from f.Near on or, if f.Near is nil, over all solutions. Other entries are zero.
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

// NearRatesTo stores in qd the rates of the values of NearTo. For joints without such values it stores the rates of RatesTo. The rates
// are zero where a curve or surface has no foot, or the curves do not touch.
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

// FindTo searches for the foot of a point on its curve, or for the contact of curves that touch, and stores the result in out, unless
// out has the result of f already. For curves that touch and a non-nil at, it stores in at the Touch of TouchTo without Point and Normal.
// With rough, a search for a contact ends when the gap is known to some 1e-7 of the size of the curves, and the parameters to 1e-6.
// Evaluations do not use a rough result, but the next search from the same Near starts from it.
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

// find does the search of FindTo and stores its result in out. It starts from the result of an earlier rough search from the same Near.
func (s *Spec) find(out *Found, f *Frames, rough bool) {
	var start *[2]float64
	if out.full && out.rough && out.from(f) {
		was := out.at
		start = &was
	}
	out.full, out.rough = false, false
	if s.SuccessorCurve == nil {
		out.at[0], out.laps[0] = s.parameter(f)
	} else {
		var p pair
		p.set(s, f)
		p.rough = rough && f.Near != nil
		out.at, out.seen, out.side, out.holds = p.find(f.Near, start)
		out.laps, out.rough = p.laps, p.ended
	}
	out.ep, out.es, out.r, out.full = f.EP, f.ES, f.R, true
	if out.had = f.Near != nil; out.had {
		copy(out.near[:], f.Near)
	}
}
