package joints

import "github.com/rung-mbd/rung/spatial"

// Each function of this file calls the function of the joint type, which is in the
// file of the type. The traits of the types are in the table of kind.go.

// rows fills out with the constraint rows of the type, without prescribed freedoms. It
// returns false where the type has no rows at f, for the reason of NoRows. It panics for composite joints: see compositeRows.
func (s *Spec) rows(out *Rows, f *Frames) bool {
	switch s.Kind {
	case Fixed:
		fixedRows(out, f)
	case Revolute:
		revoluteRows(out, f)
	case Prismatic:
		prismaticRows(out, f)
	case Helical:
		helicalRows(out, f, s.Pitch)
	case Cylindrical:
		cylindricalRows(out, f)
	case Universal:
		universalRows(out, f)
	case Planar:
		planarRows(out, f)
	case Spherical:
		sphericalRows(out, f)
	case SphereInCylinder:
		sphereInCylinderRows(out, f)
	case PointOnPlane:
		pointOnPlaneRows(out, f)
	case Distance:
		return distanceRows(out, f, s.Length)
	case Free:
		freeRows(out, f)
	case Rolling, rollingAlong, rollingAcross, rollingBoth:
		return rollingRows(out, f, s)
	case NoSlip:
		noSlipRows(out, f)
	case PointOnCurve, pointOnCurvePlanar:
		return pointOnCurveRows(out, f, s)
	case CurveOnCurve:
		return curveOnCurveRows(out, f, s)
	case curveOnCurveOpen: // none
		out.Arm, out.Slip = f.R, f.V
	default:
		panic(badKind)
	}
	return true
}

// duals stores in D the unit wrench of each freedom and returns their number.
// D[i]·V̂ is the rate of freedom i, and D[i]·S[j] is 1 for i = j, else 0.
func (s *Spec) duals(D *[6]spatial.Force, f *Frames) int {
	switch s.Kind {
	case Fixed, PointOnPlane, Distance, Free, Rolling, NoSlip, rollingAlong, rollingAcross, rollingBoth, CurveOnCurve:
		return 0
	case PointOnCurve, pointOnCurvePlanar:
		return pointOnCurveDuals(D, f, s)
	case curveOnCurveOpen:
		return gapDual(D, f, s)
	case Revolute, Helical:
		return axisMomentDual(D, f)
	case Prismatic:
		return prismaticDuals(D, f)
	case Cylindrical:
		return cylindricalDuals(D, f)
	case Universal:
		return universalDuals(D, f)
	case Planar:
		return planarDuals(D, f)
	case Spherical:
		return sphericalDuals(D, f)
	case SphereInCylinder:
		return sphereInCylinderDuals(D, f)
	default:
		s.mustBeComposite()
		return s.compositeDuals(D, f)
	}
}

// dualRates stores in out, which is zero, T˚·V̂ of the duals of the type. It is zero for all duals but the arc length along a curve and
// the gap of curves that may separate.
func (s *Spec) dualRates(out *[6]float64, f *Frames) {
	switch s.Kind {
	case PointOnCurve, pointOnCurvePlanar:
		out[3] = pointOnCurveRate(f, s)
	case curveOnCurveOpen:
		out[0] = gapRate(f, s)
	}
}

// motions stores in S, which is zero, the columns of the motion subspace.
func (s *Spec) motions(S *[6]spatial.Motion, f *Frames) {
	switch s.Kind {
	case Fixed:
	case Revolute:
		revoluteMotion(S, f)
	case Prismatic:
		prismaticMotion(S, f)
	case Helical:
		helicalMotion(S, f, s.Pitch)
	case Cylindrical:
		cylindricalMotion(S, f)
	case Universal:
		universalMotion(S, f)
	case Planar:
		planarMotion(S, f)
	case Spherical:
		sphericalMotion(S, f)
	case SphereInCylinder:
		sphereInCylinderMotion(S, f)
	case PointOnPlane:
		pointOnPlaneMotion(S, f)
	case Distance:
		distanceMotion(S, f)
	case Free:
		freeMotion(S, f)
	case Rolling, rollingAlong, rollingAcross, rollingBoth:
		rollingMotions(S, f, s)
	case NoSlip:
		noSlipMotions(S, f)
	case PointOnCurve, pointOnCurvePlanar:
		pointOnCurveMotions(S, f, s)
	case CurveOnCurve:
		curveOnCurveMotions(S[:5], f, s)
	case curveOnCurveOpen:
		gapMotions(S, f, s)
	default:
		s.mustBeComposite()
		s.compositeMotions(S, f)
	}
}

// coordinates stores in q, which is zero, the coordinates of the freedoms, angles
// without the turns of s.
func (s *Spec) coordinates(q *[6]float64, f *Frames) {
	switch s.Kind {
	case Fixed, Spherical, PointOnPlane, Distance, Free, Rolling, NoSlip, rollingAlong, rollingAcross, rollingBoth, CurveOnCurve:
	case PointOnCurve, pointOnCurvePlanar:
		pointOnCurveCoordinates(q, f, s)
	case curveOnCurveOpen:
		gapCoordinate(q, f, s)
	case Revolute:
		revoluteCoordinates(q, f)
	case Prismatic:
		prismaticCoordinates(q, f)
	case Helical:
		helicalCoordinates(q, f, s.Pitch)
	case Cylindrical:
		cylindricalCoordinates(q, f)
	case Universal:
		universalCoordinates(q, f)
	case Planar:
		planarCoordinates(q, f)
	case SphereInCylinder:
		sphereInCylinderCoordinates(q, f)
	default:
		s.mustBeComposite()
		s.compositeCoordinates(q, f)
	}
}

// errors stores in delta, which is zero, the position errors of the type's rows.
func (s *Spec) errors(delta *[6]float64, f *Frames) {
	switch s.Kind {
	case Fixed:
		fixedError(delta, f)
	case Revolute:
		revoluteError(delta, f)
	case Prismatic:
		prismaticError(delta, f)
	case Helical:
		helicalError(delta, f, s.Pitch)
	case Cylindrical:
		cylindricalError(delta, f)
	case Universal:
		universalError(delta, f)
	case Planar:
		planarError(delta, f)
	case Spherical:
		sphericalError(delta, f)
	case SphereInCylinder:
		sphereInCylinderError(delta, f)
	case PointOnPlane:
		pointOnPlaneError(delta, f)
	case Distance:
		distanceError(delta, f, s.Length)
	case Rolling, rollingAlong, rollingAcross, rollingBoth:
		rollingError(delta, f, s)
	case PointOnCurve, pointOnCurvePlanar:
		pointOnCurveError(delta, f, s)
	case CurveOnCurve:
		curveOnCurveError(delta, f, s)
	case Free, NoSlip, curveOnCurveOpen:
	default:
		s.mustBeComposite()
		s.compositeError(delta, f)
	}
}

// BendTo stores in B, by rows, the matrix of the change −B·x of the wrench w on S as S moves by a small x relative to P, besides the
// turning of w with P, theory.md (C7), (W8), (U6) and (U10). w is a wrench of the joint's rows and freedoms; its multipliers stay the
// same, and so do the generalized forces Sᵀw. BendTo returns Kind.Bends. For types that do not bend it stores zeros.
//
// Frame: world axes, about the origin of S; x as seen from P.
// Cost: O(1), no allocation.
func (s *Spec) BendTo(B *[36]float64, w *spatial.Force, f *Frames) bool {
	*B = [36]float64{}
	if !s.Kind.Bends() {
		return false
	}
	force := w.Linear()
	switch s.Kind.Type() {
	case Rolling:
		s.rollingBend(B, &force, f)
	case NoSlip:
		noSlipBend(B, &force)
	case PointOnCurve:
		s.curveBend(B, &force, f)
	case CurveOnCurve:
		s.touchBend(B, &force, f)
	default:
		s.mustBeComposite()
		s.compositeBend(B, w, f)
	}
	return true
}

// mustBeComposite panics unless s is a composite joint with its axes.
func (s *Spec) mustBeComposite() {
	if s.Kind.Type() != Composite || s.Axes == nil {
		panic(badKind)
	}
}
