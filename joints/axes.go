package joints

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// In this file axis j of a frame is column j of its matrix E.

// force makes the zero row t a force along axis j.
func force(t *spatial.Force, E *spatial.Mat3, j int) {
	t[3], t[4], t[5] = E[j], E[3+j], E[6+j]
}

// moment makes the zero row t a moment about axis j.
func moment(t *spatial.Force, E *spatial.Mat3, j int) {
	t[0], t[1], t[2] = E[j], E[3+j], E[6+j]
}

// slide makes the zero motion m a translation along axis j.
func slide(m *spatial.Motion, E *spatial.Mat3, j int) {
	m[3], m[4], m[5] = E[j], E[3+j], E[6+j]
}

// turn makes the zero motion m a rotation about axis j.
func turn(m *spatial.Motion, E *spatial.Mat3, j int) {
	m[0], m[1], m[2] = E[j], E[3+j], E[6+j]
}

// turns makes the first three zero motions of S the rotations about the axes.
func turns(S *[6]spatial.Motion, E *spatial.Mat3) {
	for j := range 3 {
		turn(&S[j], E, j)
	}
}

// along returns the component of v along axis j.
func along(E *spatial.Mat3, j int, v *spatial.Vec3) float64 {
	return E[j]*v[0] + E[3+j]*v[1] + E[6+j]*v[2]
}

// onAxis stores in dst the part of v along axis j.
func onAxis(dst *spatial.Vec3, E *spatial.Mat3, j int, v *spatial.Vec3) {
	s := along(E, j, v)
	dst[0], dst[1], dst[2] = s*E[j], s*E[3+j], s*E[6+j]
}

// offAxis stores in dst the part of v across axis j.
func offAxis(dst *spatial.Vec3, E *spatial.Mat3, j int, v *spatial.Vec3) {
	s := along(E, j, v)
	dst[0], dst[1], dst[2] = v[0]-s*E[j], v[1]-s*E[3+j], v[2]-s*E[6+j]
}

// axisMomentDual stores the dual of an angle about P's z: a moment about z.
func axisMomentDual(D *[6]spatial.Force, f *Frames) int {
	moment(&D[0], &f.EP, 2)
	return 1
}

// relativeEntry returns entry (i, j) of EPᵀ·ES: axis j of S along axis i of P.
func relativeEntry(f *Frames, i, j int) float64 {
	return f.EP[i]*f.ES[j] + f.EP[3+i]*f.ES[3+j] + f.EP[6+i]*f.ES[6+j]
}

// angle returns atan2(s, c) in (−π, π], and 0 for s = c = 0.
func angle(s, c float64) float64 {
	a := math.Atan2(s, c)
	if a == -math.Pi {
		return math.Pi
	}
	return a
}

// angleZ returns the angle, rad, in (−π, π], of the rotation about z that is nearest
// to the rotation from P to S.
func angleZ(f *Frames) float64 {
	s := relativeEntry(f, 1, 0) - relativeEntry(f, 0, 1)
	c := relativeEntry(f, 0, 0) + relativeEntry(f, 1, 1)
	return angle(s, c)
}

// axisError returns the x and y components in P of the rotation vector that
// takes P's z to S's z.
func axisError(f *Frames) (x, y float64) {
	z := spatial.Vec3{relativeEntry(f, 0, 2), relativeEntry(f, 1, 2), relativeEntry(f, 2, 2)}
	return AxisError(&z)
}

// AxisError returns the x and y components, rad, of the rotation vector that takes the axis
// z = (0, 0, 1) to the unit vector a; its z component is 0. For a = −z, where the axis of
// rotation is undetermined, it is (π, 0).
func AxisError(a *spatial.Vec3) (x, y float64) {
	// z×a = (−a₁, a₀, 0), of length sin(angle).
	s2 := a[0]*a[0] + a[1]*a[1]
	if s2 < smallSine*smallSine && a[2] > 0 {
		k := 1 + s2/6 // asin(s)/s; the next term is below rounding
		return -a[1] * k, a[0] * k
	}
	s := math.Hypot(a[0], a[1])
	if s < tinySine {
		if a[2] < 0 {
			return math.Pi, 0
		}
		return -a[1], a[0]
	}
	k := math.Atan2(s, a[2]) / s
	return -a[1] * k, a[0] * k
}

// smallSine is a sine whose fourth power is below rounding: below it asin(s) is s·(1 + s²/6).
const smallSine = 5e-5

// tinySine is the sine below which divisions by it may lose digits to underflow.
const tinySine = 1e-150

// rotationError stores in delta the components in P of the rotation vector from
// P to S.
func rotationError(delta []float64, f *Frames) {
	var E spatial.Mat3
	f.EP.TMulTo(&E, &f.ES)
	// v is n·sin(angle), read from ½(E − Eᵀ), for a rotation by the angle about the unit vector n.
	v := spatial.Vec3{(E[7] - E[5]) / 2, (E[2] - E[6]) / 2, (E[3] - E[1]) / 2}
	if s2 := spatial.Dot(&v, &v); s2 < smallSine*smallSine && E[0]+E[4]+E[8] > 0 {
		k := 1 + s2/6 // asin(s)/s, as in AxisError
		delta[0], delta[1], delta[2] = k*v[0], k*v[1], k*v[2]
		return
	}
	v = spatial.LogMat(E)
	delta[0], delta[1], delta[2] = v[0], v[1], v[2]
}
