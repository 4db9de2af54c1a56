package document

import "math"

// QuaternionTol is the largest difference from 1 of the length of a quaternion that documents may give for a rotation.
const QuaternionTol = 1e-6

// RuleQuaternion is the rule broken by a quaternion whose length is not 1 up to QuaternionTol.
const RuleQuaternion = "is not a unit quaternion"

// NearUnit reports whether q has the length 1 up to QuaternionTol.
func NearUnit(q *[4]float64) bool {
	return math.Abs(math.Sqrt(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])-1) <= QuaternionTol
}

// rounding bounds the rounding error in the square of the length of a quaternion that has been divided by its length.
const rounding = 8 * 0x1p-52

// Unit reports whether the length of q is 1 up to rounding. Normalize does not change such a q.
func Unit(q *[4]float64) bool { return math.Abs(square(q)-1) <= rounding }

// square returns the square of the length of q.
func square(q *[4]float64) float64 { return q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] }

// Normalize divides q, which is not zero, by its length. It does not change a q whose length is 1 up to rounding,
// so normalizing twice gives the same bits as normalizing once.
func Normalize(q *[4]float64) {
	if Unit(q) {
		return
	}
	n := math.Sqrt(square(q))
	for i := range q {
		q[i] /= n
	}
}

// Orientation reads a unit quaternion, w first, and normalizes it.
func (d *Reader) Orientation(q *[4]float64) {
	if !d.Vector(q[:]) {
		return
	}
	if !NearUnit(q) {
		d.Problem(Numbers(q[:]), RuleQuaternion)
		return
	}
	Normalize(q)
}

// poseFields are the fields of a pose.
var poseFields = []string{"position", "orientation"}

// Pose reads an object with the three numbers of a position and the
// unit quaternion of an orientation. A field that is missing leaves its argument unchanged.
func (d *Reader) Pose(position []float64, orientation *[4]float64) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for {
		k, ok := d.Member(poseFields, &seen)
		switch {
		case !ok:
			return
		case k == 0:
			d.Vector(position)
		default:
			d.Orientation(orientation)
		}
	}
}
