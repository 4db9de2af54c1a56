package joints

import "strconv"

// Names of rows along and about the axes of P.
const (
	alongX, alongY, alongZ = "along x", "along y", "along z"
	aboutX, aboutY, aboutZ = "about x", "about y", "about z"
)

// rowNames are the names of the rows of a type, in the order of EvalTo.
var rowNames = [NumKinds][]string{
	Fixed:            {aboutX, aboutY, aboutZ, alongX, alongY, alongZ},
	Revolute:         {alongX, alongY, alongZ, aboutX, aboutY},
	Prismatic:        {aboutX, aboutY, aboutZ, alongX, alongY},
	Helical:          {alongX, alongY, aboutX, aboutY, "screw"},
	Cylindrical:      {alongX, alongY, aboutX, aboutY},
	Universal:        {alongX, alongY, alongZ, "axes at right angles"},
	Planar:           {alongZ, aboutX, aboutY},
	Spherical:        {alongX, alongY, alongZ},
	SphereInCylinder: {alongX, alongY},
	PointOnPlane:     {alongZ},
	Distance:         {"length"},
	NoSlip:           {"no slip"},
	PointOnCurve:     {"across the curve", "across the curve, second normal"},
	CurveOnCurve:     {touch},
}

const touch = "touch"

// RowName returns the condition of row k of EvalTo in words for messages, such as "along x" of the axes of P, "touch", "no slip across
// its heading" or "motion of freedom 0".
//
// It panics if k is out of range.
func (s *Spec) RowName(k int) string {
	if k < 0 || k >= s.NumRows() {
		panic("joints: row out of range")
	}
	n := s.Kind.Constraints()
	if k >= n {
		for i := range s.Kind.Freedoms() {
			if s.Prescribed(i) {
				if k == n {
					return "motion of freedom " + strconv.Itoa(i)
				}
				n++
			}
		}
	}
	switch t := s.Kind.Type(); t {
	case Composite:
		return "row " + strconv.Itoa(k)
	case Rolling:
		return s.rollingRowName(k)
	default:
		return rowNames[t][k]
	}
}

// rollingRowName is RowName for row k of a rolling joint.
func (s *Spec) rollingRowName(k int) string {
	noSlip := [2]string{"no slip along its heading", "no slip across its heading"}
	if s.Tyre == s.Radius { // a sphere has no heading
		noSlip = [2]string{"no slip along x", "no slip along y"}
	}
	switch {
	case k == 0:
		return touch
	case s.Kind.Slip().mayAlong():
		return noSlip[1]
	}
	return noSlip[k-1]
}
