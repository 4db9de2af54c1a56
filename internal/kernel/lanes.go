package kernel

import (
	"math"
	"unsafe"
)

// Lanes is the number of equal things that the kernels for lanes work on at once, so that each of
// their numbers is a vector.
const Lanes = 8

// Lane holds one number of each of them.
type Lane = [Lanes]float64

// LaneConst is what no state changes of bodies that joints tie to their parents. Vectors are in the axes
// of the body where nothing else is said.
type LaneConst struct {
	Com     [3]Lane // centre of mass
	L, Inv  [6]Lane // L·Lᵀ the rotational inertia, and L⁻¹; lower triangles as 00, 11, 22, 10, 20, 21
	Root    Lane    // √m
	InvRoot Lane    // 1/√m
	ArmP    [3]Lane // from the parent's centre of mass to the joint, axes of the parent
	ArmC    [3]Lane // from the body's centre of mass to the joint
	Frame   [9]Lane // axes of the hinge, the third its own, in those of the body or of the parent
}

// LaneBody is such bodies at one state. Matrices go by rows.
type LaneBody struct {
	State [13]Lane // position, unit quaternion, velocity, angular velocity, in world axes
	Kin   [12]Lane // axes of the body in the world, E, and E·com
	Spin  [3]Lane  // angular velocity
	Load  [6]Lane  // C⁻¹·f, then less c
	R     [9]Lane  // from the axes of the parent
	Rel   [6]Lane  // what the joint adds to the angular and linear acceleration if it is not moved
	Axis  [3]Lane  // of the hinge
	At    [6]Lane  // how the body moves, see LaneRest, LaneOwn and LaneCarried
	Size  Lane     // Σ c²
	Free  Lane     // largest magnitude in Load before it became less, NaN if one is
}

// E returns the axes of the bodies in the world.
func (t *LaneBody) E() *[9]Lane { return (*[9]Lane)(t.Kin[:]) }

// HaveLanes reports whether kernels for lanes are faster here than one thing after the other.
func HaveLanes() bool { return active != plain }

// Gather copies as many consecutive numbers as dst has lanes, at least one, of each of several places,
//
//	dst[i][l] = src[at[l]+i].
//
// Cost: Lanes copies a lane, no allocation.
func Gather(dst []Lane, src []float64, at *[Lanes]int32) {
	if checking {
		assertLanes(dst, src, at)
	}
	laneGather(active, dst, src, at)
}

// Scatter copies lanes, at least one, to consecutive numbers of each of several places,
//
//	dst[at[l]+i] = src[i][l].
//
// Places may be equal if their numbers are.
//
// Cost: Lanes copies a lane, no allocation.
func Scatter(dst []float64, at *[Lanes]int32, src []Lane) {
	if checking {
		assertLanes(src, dst, at)
	}
	laneScatter(active, dst, at, src)
}

// Numbers returns the numbers of structures that hold nothing else, one after the other.
func Numbers[T any](x []T) []float64 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])/8))
}

// LaneLoad fills Kin, Spin, Load and Free of t for its state and the gravity g (m/s², world axes):
//
//	Load = (L⁻¹·(I·ω × ω), √m·Eᵀg)
//
// with ω = Spin. It reports whether all states are finite and the quaternions units to a little less than 1e-6, for certain: the
// square of one at the limit may be rounded differently elsewhere.
//
// Cost: about 110 operations a lane, no allocation.
func LaneLoad(t *LaneBody, c *LaneConst, g *[3]float64) bool {
	return laneLoad(active, t, c, g)
}

// LaneRotate fills R of t, Eᵀ·E_P, E_P the axes of the parents up.
//
// Cost: 45 operations a lane, no allocation.
func LaneRotate(t, up *LaneBody) { laneRotate(active, t, up) }

// LaneHinge fills Rel of t for hinges between the bodies and their parents up, with P = ArmP and C = ArmC, from R:
//
//	Rel = (R·ω_P × ω,  R·(ω_P×(ω_P×P)) − ω×(ω×C)).
//
// Cost: about 85 operations a lane, no allocation.
func LaneHinge(t *LaneBody, c *LaneConst, up *LaneBody) {
	laneHinge(active, t, c, up)
}

// LaneHingeWorld is LaneHinge for hinges between the bodies and the world: Rel = (0, −ω×(ω×C)).
func LaneHingeWorld(t *LaneBody, c *LaneConst) { laneHingeWorld(active, t, c) }

// LaneTurn stores R·v.
func LaneTurn(out *[3]Lane, R *[9]Lane, v *[3]Lane) { laneTurn(active, out, R, v) }

// LaneTurnBack stores Eᵀ·v.
func LaneTurnBack(out *[3]Lane, E *[9]Lane, v *[3]Lane) { laneTurnBack(active, out, E, v) }

// LaneRest stores in At how the bodies move whose parents move like up.At and whose joints add Rel,
//
//	α = R·α_P + Rel_α,   a = R·(a_P + α_P×P) − α×C + Rel_a,
//
// and in rest Cᵀ of that, (Lᵀ·α, √m·a). Load becomes less by rest, and Size is the sum of the squares of rest.
//
// Cost: about 90 operations a lane, no allocation.
func LaneRest(rest *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	laneRest(active, rest, t, c, up)
}

// LaneRestWorld is LaneRest for bodies on the world: α = Rel_α, a = Rel_a − α×C.
func LaneRestWorld(rest *[6]Lane, t *LaneBody, c *LaneConst) { laneRestWorld(active, rest, t, c) }

// LaneOwn stores in At how the bodies move whose hinges turn, α = Axis, a = −α×C, and Cᵀ of that in col.
func LaneOwn(col *[6]Lane, t *LaneBody, c *LaneConst) { laneOwn(active, col, t, c) }

// LaneCarried stores in At how the bodies move whose parents move like up.At, α = R·α_P, a = R·(a_P + α_P×P) − α×C, and
// Cᵀ of that in col.
func LaneCarried(col *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	laneCarried(active, col, t, c, up)
}

// LaneRecover stores in out, world axes, the accelerations of the bodies of t for those in weighted coordinates x:
// out = (E·L⁻ᵀ·x_α, E·x_a/√m).
//
// Cost: about 50 operations a lane, no allocation.
func LaneRecover(out *[6]Lane, E *[9]Lane, c *LaneConst, x *[6]Lane) {
	laneRecover(active, out, E, c, x)
}

// LaneDot adds Σ a·b to sum.
func LaneDot(sum *Lane, a, b *[6]Lane) { laneDot(active, sum, a, b) }

// LaneSub subtracts t·b from a.
func LaneSub(a *[6]Lane, t *Lane, b *[6]Lane) { laneSub(active, a, t, b) }

// LaneAdd adds t·b to a.
func LaneAdd(a *[6]Lane, t *Lane, b *[6]Lane) { laneAdd(active, a, t, b) }

// LaneScale multiplies a by t.
func LaneScale(a *[6]Lane, t *Lane) { laneScale(active, a, t) }

// LaneJointConst is what no state changes of joints that hold two points together (Pin): of S, L⁻¹ and 1/√m, of P −L⁻¹
// and −1/√m. Both are zero for the world.
type LaneJointConst struct {
	Axes         [9]Lane // of the joint in P
	ArmP, ArmS   [3]Lane // from the centres of mass to the joint
	InvP, InvS   [6]Lane
	RootP, RootS Lane
}

// LaneJoint is such joints at one state.
type LaneJoint struct {
	EP, ES         [9]Lane  // axes of the bodies in the world
	OmegaP, OmegaS [3]Lane  // angular velocities, world axes
	W, A           [9]Lane  // axes of the joint in the world and in S
	P, S           [30]Lane // rows on the bodies
	Scale, B       [5]Lane
}

// LaneBall fills S, Scale and B of balls as PinRows does v, scale and b, and P with the rows of the opposite axes on P, whose
// squares are in Scale too.
func LaneBall(t *LaneJoint, c *LaneJointConst) { laneBall(active, t, c) }

// LanePinned is LaneBall for hinges.
func LanePinned(t *LaneJoint, c *LaneJointConst) { lanePinned(active, t, c) }

// LaneRows stores products of n rows of six numbers and vectors,
//
//	y[i·step] = Σ_c v[6i+c]·x[c],  0 ≤ i < n.
//
// Cost: 12·n operations a lane, no allocation.
func LaneRows(y []Lane, step int, v []Lane, n int, x *[6]Lane) {
	if checking && (len(y) <= (n-1)*step || len(v) < 6*n) {
		panic(badLength)
	}
	laneRows(active, y, step, v, n, x)
}

// LaneSubRows subtracts such products, y[i] −= Σ_c v[6i+c]·x[c].
func LaneSubRows(y, v []Lane, n int, x *[6]Lane) {
	if checking && (len(y) < n || len(v) < 6*n) {
		panic(badLength)
	}
	laneSubRows(active, y, v, n, x)
}

// LaneUnit replaces every s by 1/√s, an infinite one by NaN.
func LaneUnit(s *Lane) {
	for l, v := range s {
		if v > math.MaxFloat64 {
			v = math.NaN()
		}
		s[l] = 1 / math.Sqrt(v)
	}
}
