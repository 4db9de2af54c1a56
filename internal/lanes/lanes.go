package lanes

import "unsafe"

// Width is the number of equal things that are worked on at once.
const Width = 8

// Vector holds one number of each of them.
type Vector = [Width]float64

// BodyConst is what no state changes of bodies that joints tie to their parents. Vectors are in the axes
// of the body where nothing else is said.
type BodyConst struct {
	Com     [3]Vector // centre of mass
	L, Inv  [6]Vector // L·Lᵀ the rotational inertia, and L⁻¹; lower triangles as 00, 11, 22, 10, 20, 21
	Root    Vector    // √m
	InvRoot Vector    // 1/√m
	ArmP    [3]Vector // from the parent's centre of mass to the joint, axes of the parent
	ArmC    [3]Vector // from the body's centre of mass to the joint
	Frame   [9]Vector // axes of the hinge, the third its own, in those of the body or of the parent
}

// Body is such bodies at one state. Matrices go by rows.
type Body struct {
	State [13]Vector // position, unit quaternion, velocity, angular velocity, in world axes
	Kin   [12]Vector // axes of the body in the world, E, and E·com
	Spin  [3]Vector  // angular velocity
	Load  [6]Vector  // C⁻¹·f, then less c
	R     [9]Vector  // from the axes of the parent
	Rel   [6]Vector  // what the joint adds to the angular and linear acceleration if it is not moved
	Axis  [3]Vector  // of the hinge
	At    [6]Vector  // how the body moves, see Particular, OwnDirection and CarriedDirection
	Size  Vector     // Σ c²
	Free  Vector     // largest magnitude in Load before it became less, NaN if one is
}

// E returns the axes of the bodies in the world.
func (t *Body) E() *[9]Vector { return (*[9]Vector)(t.Kin[:]) }

// Have reports whether working on eight things at once is faster here than on one after the other.
func Have() bool { return fast }

// Gather copies as many consecutive numbers as dst has lanes, at least one, of each of several places,
//
//	dst[i][l] = src[at[l]+i].
//
// Cost: Width copies a lane, no allocation.
func Gather(dst []Vector, src []float64, at *[Width]int32) {
	if checking {
		assertLanes(dst, src, at)
	}
	if !fast {
		gatherPlain(dst, src, at)
		return
	}
	gatherAVX2(&dst[0][0], &src[0], &at[0], len(dst))
}

// Scatter copies lanes, at least one, to consecutive numbers of each of several places,
//
//	dst[at[l]+i] = src[i][l].
//
// Places may be equal if their numbers are.
//
// Cost: Width copies a lane, no allocation.
func Scatter(dst []float64, at *[Width]int32, src []Vector) {
	if checking {
		assertLanes(src, dst, at)
	}
	if !fast {
		scatterPlain(dst, at, src)
		return
	}
	scatterAVX2(&dst[0], &src[0][0], &at[0], len(src))
}

// Numbers returns the numbers of structures that hold nothing else, one after the other.
func Numbers[T any](x []T) []float64 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])/8))
}

// Load fills Kin, Spin, Load and Free of t for its state and the gravity g (m/s², world axes):
//
//	Load = (L⁻¹·(I·ω × ω), √m·Eᵀg)
//
// with ω = Spin. It reports whether all states are finite and the quaternions units to a little less than 1e-6, for
// certain: the square of one at the limit may be rounded differently elsewhere.
//
// Cost: about 110 operations a lane, no allocation.
func Load(t *Body, c *BodyConst, g *[3]float64) bool {
	if !fast {
		return loadPlain(t, c, g)
	}
	return loadAVX2(&t.State[0][0], &c.Com[0][0], &g[0]) != 0
}

// Rotate fills R of t, Eᵀ·E_P, E_P the axes of the parents up.
//
// Cost: 45 operations a lane, no allocation.
func Rotate(t, up *Body) {
	if !fast {
		rotatePlain(t, up)
		return
	}
	rotateAVX2(&t.State[0][0], &up.State[0][0])
}

// HingeBias fills Rel of t for hinges between the bodies and their parents up, with P = ArmP and C = ArmC, from R:
//
//	Rel = (R·ω_P × ω,  R·(ω_P×(ω_P×P)) − ω×(ω×C)).
//
// Cost: about 85 operations a lane, no allocation.
func HingeBias(t *Body, c *BodyConst, up *Body) {
	if !fast {
		hingeBiasPlain(t, c, up)
		return
	}
	hingeBiasAVX2(&t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

// HingeBiasWorld is HingeBias for hinges between the bodies and the world: Rel = (0, −ω×(ω×C)).
func HingeBiasWorld(t *Body, c *BodyConst) {
	if !fast {
		hingeBiasWorldPlain(t, c)
		return
	}
	hingeBiasWorldAVX2(&t.State[0][0], &c.Com[0][0])
}

// Turn stores R·v.
func Turn(out *[3]Vector, R *[9]Vector, v *[3]Vector) {
	if !fast {
		turnPlain(out, R, v)
		return
	}
	turnAVX2(&out[0][0], &R[0][0], &v[0][0])
}

// TurnBack stores Eᵀ·v.
func TurnBack(out *[3]Vector, E *[9]Vector, v *[3]Vector) {
	if !fast {
		turnBackPlain(out, E, v)
		return
	}
	turnBackAVX2(&out[0][0], &E[0][0], &v[0][0])
}

// Particular stores in At how the bodies move whose parents move like up.At and whose joints add Rel,
//
//	α = R·α_P + Rel_α,   a = R·(a_P + α_P×P) − α×C + Rel_a,
//
// and in rest Cᵀ of that, (Lᵀ·α, √m·a). Load becomes less by rest, and Size is the sum of the squares of rest.
//
// Cost: about 90 operations a lane, no allocation.
func Particular(rest *[6]Vector, t *Body, c *BodyConst, up *Body) {
	if !fast {
		particularPlain(rest, t, c, up)
		return
	}
	particularAVX2(&rest[0][0], &t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

// ParticularWorld is Particular for bodies on the world: α = Rel_α, a = Rel_a − α×C.
func ParticularWorld(rest *[6]Vector, t *Body, c *BodyConst) {
	if !fast {
		particularPlain(rest, t, c, nil)
		return
	}
	particularWorldAVX2(&rest[0][0], &t.State[0][0], &c.Com[0][0])
}

// OwnDirection stores in At how the bodies move whose hinges turn, α = Axis, a = −α×C, and Cᵀ of that in col.
func OwnDirection(col *[6]Vector, t *Body, c *BodyConst) {
	if !fast {
		movePlain(col, t, c, nil, &t.Axis, nil)
		return
	}
	ownDirectionAVX2(&col[0][0], &t.State[0][0], &c.Com[0][0])
}

// CarriedDirection stores in At how the bodies move whose parents move like up.At, α = R·α_P, a = R·(a_P + α_P×P) −
// α×C, and Cᵀ of that in col.
func CarriedDirection(col *[6]Vector, t *Body, c *BodyConst, up *Body) {
	if !fast {
		movePlain(col, t, c, up, nil, nil)
		return
	}
	carriedDirectionAVX2(&col[0][0], &t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

// Recover stores in out, world axes, the accelerations of the bodies of t for those in weighted coordinates x:
// out = (E·L⁻ᵀ·x_α, E·x_a/√m).
//
// Cost: about 50 operations a lane, no allocation.
func Recover(out *[6]Vector, E *[9]Vector, c *BodyConst, x *[6]Vector) {
	if !fast {
		recoverPlain(out, E, c, x)
		return
	}
	recoverAVX2(&out[0][0], &E[0][0], &c.Com[0][0], &x[0][0])
}

// Dot adds Σ a·b to sum.
func Dot(sum *Vector, a, b *[6]Vector) {
	if !fast {
		dotPlain(sum, a, b)
		return
	}
	dotAVX2(&sum[0], &a[0][0], &b[0][0])
}

// Sub subtracts t·b from a.
func Sub(a *[6]Vector, t *Vector, b *[6]Vector) {
	if !fast {
		subPlain(a, t, b)
		return
	}
	subAVX2(&a[0][0], &t[0], &b[0][0])
}

// Add adds t·b to a.
func Add(a *[6]Vector, t *Vector, b *[6]Vector) {
	if !fast {
		addPlain(a, t, b)
		return
	}
	addAVX2(&a[0][0], &t[0], &b[0][0])
}

// Scale multiplies a by t.
func Scale(a *[6]Vector, t *Vector) {
	if !fast {
		scalePlain(a, t)
		return
	}
	scaleAVX2(&a[0][0], &t[0])
}

// JointConst is what no state changes of joints that hold two points together (Pin): of S, L⁻¹ and 1/√m, of P −L⁻¹
// and −1/√m. Both are zero for the world.
type JointConst struct {
	Axes         [9]Vector // of the joint in P
	ArmP, ArmS   [3]Vector // from the centres of mass to the joint
	InvP, InvS   [6]Vector
	RootP, RootS Vector
}

// Joint is such joints at one state.
type Joint struct {
	EP, ES         [9]Vector  // axes of the bodies in the world
	OmegaP, OmegaS [3]Vector  // angular velocities, world axes
	W, A           [9]Vector  // axes of the joint in the world and in S
	P, S           [30]Vector // rows on the bodies
	Scale, B       [5]Vector
}

// BallRows fills S, Scale and B of balls as PinRows does v, scale and b, and P with the rows of the opposite axes on P,
// whose squares are in Scale too.
func BallRows(t *Joint, c *JointConst) {
	if !fast {
		jointPlain(t, c, false)
		return
	}
	ballRowsAVX2(&t.EP[0][0], &c.Axes[0][0])
}

// HingeRows is BallRows for hinges.
func HingeRows(t *Joint, c *JointConst) {
	if !fast {
		jointPlain(t, c, true)
		return
	}
	hingeRowsAVX2(&t.EP[0][0], &c.Axes[0][0])
}

// Products stores products of n rows of six numbers and vectors,
//
//	y[i·step] = Σ_c v[6i+c]·x[c],  0 ≤ i < n.
//
// Cost: 12·n operations a lane, no allocation.
func Products(y []Vector, step int, v []Vector, n int, x *[6]Vector) {
	if checking && (len(y) <= (n-1)*step || len(v) < 6*n) {
		panic(badLength)
	}
	if !fast {
		productsPlain(y, step, v, n, x)
		return
	}
	productsAVX2(&y[0][0], step, &v[0][0], n, &x[0][0])
}

// SubProducts subtracts such products, y[i] −= Σ_c v[6i+c]·x[c].
func SubProducts(y, v []Vector, n int, x *[6]Vector) {
	if checking && (len(y) < n || len(v) < 6*n) {
		panic(badLength)
	}
	if !fast {
		subProductsPlain(y, v, n, x)
		return
	}
	subProductsAVX2(&y[0][0], &v[0][0], n, &x[0][0])
}

// InverseRoot replaces every s by 1/√s, an infinite one by NaN.
func InverseRoot(s *Vector) {
	if !fast {
		inverseRootPlain(s)
		return
	}
	inverseRootAVX2(&s[0])
}
