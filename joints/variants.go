package joints

// A Kind determines the freedoms of a joint, so some types have several kinds, their variants: composite joints one for each number of
// axes and each set of rotating axes, rolling joints one for each Slip, points on curves one for planar joints, and curves that touch
// one for curves that may separate. All have the name of the type. Their numbers follow the kinds of the table.
const (
	composites         = 2 + 4 + 8 + 16 + 32
	firstSlipping      = NumKinds + composites
	rollingAlong       = firstSlipping + Kind(SlipAlong) - 1
	rollingAcross      = firstSlipping + Kind(SlipAcross) - 1
	rollingBoth        = firstSlipping + Kind(SlipBoth) - 1
	lastSlipping       = firstSlipping + Kind(numSlips) - 2
	pointOnCurvePlanar = lastSlipping + 1
	curveOnCurveOpen   = pointOnCurvePlanar + 1
	numAllKinds        = curveOnCurveOpen + 1
)

// CompositeKind returns the kind of a composite joint with the axes of the list; Composite if there are none or too many.
func CompositeKind(list []Axis) Kind {
	if len(list) == 0 || len(list) > MaxAxes {
		return Composite
	}
	turning := 0
	for i := range list {
		if list[i].Kind != Prismatic {
			turning |= 1 << i
		}
	}
	return compositeKind(len(list), turning)
}

// compositeKind returns the kind of n axes; bit i of the mask turning tells that axis i rotates.
func compositeKind(n, turning int) Kind { return NumKinds + Kind(1<<n-2+turning) }

// addComposites adds the traits of composite joints to the table.
func addComposites(list *[numAllKinds]traits) {
	for n := 1; n <= MaxAxes; n++ {
		for turning := range 1 << n {
			t := types[Composite]
			t.dof, t.freedoms, t.scalar, t.rotational = uint8(n), uint8(n), 1<<n-1, uint8(turning)
			list[compositeKind(n, turning)] = t
		}
	}
}

// Type returns the joint type of which k is a variant: Composite for all sets of axes, Rolling for all Slips, PointOnCurve
// for one row or two, CurveOnCurve for curves that may separate or not. It returns k itself if k is no variant.
func (k Kind) Type() Kind {
	switch {
	case k < NumKinds || k >= numAllKinds:
		return k
	case k < firstSlipping:
		return Composite
	case k <= lastSlipping:
		return Rolling
	}
	if k == curveOnCurveOpen {
		return CurveOnCurve
	}
	return PointOnCurve
}

// RollingKind returns the kind of a rolling joint that may slip along the directions s.
//
// It panics unless s is valid.
func RollingKind(s Slip) Kind {
	switch {
	case s >= numSlips:
		panic("joints: unknown slip")
	case s == SlipNone:
		return Rolling
	}
	return firstSlipping + Kind(s) - 1
}

// Slip returns the directions along which a rolling joint may slip; SlipNone for all other kinds.
func (k Kind) Slip() Slip {
	if k >= firstSlipping && k <= lastSlipping {
		return Slip(k-firstSlipping) + 1
	}
	return SlipNone
}

// addRolling adds the traits of rolling joints that may slip to the table.
func addRolling(list *[numAllKinds]traits) {
	for s := SlipAlong; s < numSlips; s++ {
		t := types[Rolling]
		for _, may := range [2]bool{s.mayAlong(), s.mayAcross()} {
			if may {
				t.dof++
				t.rates--
			}
		}
		list[RollingKind(s)] = t
	}
}

// PointOnCurveKind returns the kind of a point_on_curve joint: with two rows, or, if planar, with one row in the plane of x and y of P.
func PointOnCurveKind(planar bool) Kind {
	if planar {
		return pointOnCurvePlanar
	}
	return PointOnCurve
}

// addPlanarCurve adds the traits of a planar point_on_curve joint to the table.
func addPlanarCurve(list *[numAllKinds]traits) {
	t := types[PointOnCurve]
	t.dof++
	t.freedoms++
	t.scalar |= 1 << 4
	list[pointOnCurvePlanar] = t
}

// CurveOnCurveKind returns the kind of a curve_on_curve joint: with one row, or, if open, with none and the gap as a freedom. Open
// curves may separate.
func CurveOnCurveKind(open bool) Kind {
	if open {
		return curveOnCurveOpen
	}
	return CurveOnCurve
}

// addOpenCurve adds the traits of curves that may separate to the table.
func addOpenCurve(list *[numAllKinds]traits) {
	t := types[CurveOnCurve]
	t.dof, t.freedoms, t.scalar, t.rotational = 6, 1, 0b1, 0b001110
	list[curveOnCurveOpen] = t
}

// planarCurve reports whether k is the kind of a planar point_on_curve joint.
func (k Kind) planarCurve() bool { return k == pointOnCurvePlanar }
