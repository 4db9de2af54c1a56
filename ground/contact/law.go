package contact

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// Law is the force at a point, from its depth and its velocity over the ground.
type Law struct {
	Normal   Normal
	Friction Friction
	Rolling  Resistance // moment against the spin
	Drilling Resistance // moment against turning about the normal
}

// NormalType is a law of the normal force.
type NormalType uint8

const (
	HuntCrossley NormalType = iota // N = k Δ^e max(0, 1 − χ v_n): zero at first contact
	Linear                         // N = max(0, k Δ^e − d v_n)
)

// normalNames are the names in documents.
var normalNames = [...]string{"hunt-crossley", "linear"}

// String returns the name of documents.
func (t NormalType) String() string { return fault.Enum(normalNames[:], t, "NormalType") }

// Normal is the law of the normal force, docs/ground.md (G20), (G21).
type Normal struct {
	Type        NormalType
	Stiffness   float64 // k, N/m^e; 0 for soil
	Exponent    float64 // e ≥ 1; 0 is 1
	Dissipation float64 // χ of HuntCrossley, s/m
	Damping     float64 // d of Linear, and for soil, N s/m
}

// FrictionType is a law of the forces along the ground.
type FrictionType uint8

const (
	None    FrictionType = iota // no friction
	Coulomb                     // regularised Coulomb friction
	Tyre                        // a tyre's magic formula
	Soil                        // soft soil, which also determines the normal force
)

// frictionNames are the names in documents.
var frictionNames = [...]string{"none", "coulomb", "tyre", "soil"}

// String returns the name of documents.
func (t FrictionType) String() string { return fault.Enum(frictionNames[:], t, "FrictionType") }

// Friction is the law of the forces along the ground.
type Friction struct {
	Type        FrictionType
	Coefficient [2]float64 // Coulomb, Tyre: μ along x and y
	SlipSpeed   float64    // Coulomb: v_s, m/s
	Hold        Hold       // Coulomb
	Tyre        TyreLaw
	Soil        SoilLaw
}

// Hold are bristles that hold a body at rest without creep, docs/ground.md. Motion over the ground bends them. A contact
// with bristles has two internal states, their deflections along x and y in m.
type Hold struct {
	Travel  float64 // ξ_max, largest deflection, m; 0: no bristles
	Damping float64 // damping of the deflection, s/m
}

// TyreLaw is a magic formula, docs/ground.md: forces from slips. The
// Coefficient of the friction is the peak force of each curve over N.
type TyreLaw struct {
	Long, Lat  Curve
	LowSpeed   float64 // v_0, m/s: slips at lower speeds are relative to this speed
	Relaxation float64 // relaxation length of the slips, m; 0: none. With it a contact has two internal states, the slips
}

// Curve is sin(C atan(x − E (x − atan x))) with x = B · slip.
type Curve struct {
	B, C, E float64
}

// SoilLaw is soft soil under a rigid wheel, docs/ground.md: pressure by Bekker, distributed as by Wong and Reece
// (1967), shear by Janosi and Hanamoto. It determines the normal force too.
type SoilLaw struct {
	Cohesive float64 // k_c, N/m^(n+1)
	Friction float64 // k_φ, N/m^(n+2)
	Exponent float64 // n
	Cohesion float64 // c, Pa
	Angle    float64 // φ, angle of internal friction, rad
	Shear    float64 // K, shear modulus, m
	C0, C1   float64 // angle of the largest pressure: θ_m = (C0 + C1·s)·θ_f, with the slip s
	Recovery float64 // λ, 0 to 1: the part of the sinkage that recovers behind the wheel
	Width    float64 // b, width of the wheel, m
	LowSpeed float64 // v_0, m/s: slips at lower speeds are relative to this speed
	Nodes    int     // number of quadrature nodes on each side of θ_m: 8, 16 or 32; 0 stands for 16
	Ruts     bool    // whether the wheel leaves a rut in runs (Ruts); the forces are the same
}

// Resistance is the moment −C·N·r·tanh(ω/ω_0), with the radius r of the shape.
type Resistance struct {
	Coefficient float64 // C; 0: none
	Speed       float64 // ω_0, rad/s
}

// NumStates returns the number of internal states for each point: 0 or 2.
func (l *Law) NumStates() int {
	if l.Friction.Hold.Travel > 0 || l.Friction.Tyre.Relaxation > 0 {
		return 2
	}
	return 0
}

// PointMotion is the motion of a point that touches, with all other values on which its force depends but internal states.
type PointMotion struct {
	Depth   float64 // Δ, m
	N, X, Y float64 // velocity of the wheel's material point along the contact axes, m/s; N > 0: off the ground
	Roll    float64 // V: velocity of the centre of the disc along x, m/s
	Spin    float64 // angular velocity about the axis, rad/s
	Turn    float64 // angular velocity about the normal, rad/s
	Scale   float64 // factor of the friction at the place; 1 without a map
}

// Force is the force of the ground on the shape, in contact axes.
type Force struct {
	N, X, Y   float64 // N
	Axle      float64 // moment about the axis of the spin, N m
	Turn      float64 // moment about the normal, N m
	Slip      float64 // (rim speed − rolling speed)/|rim speed|, positive when driving; |rim speed| is smoothly bounded from below
	SlipAngle float64 // atan of the sideways speed over the rolling speed, rad
	Energy    float64 // energy stored in the deformation, J
	Elastic   float64 // derivative of Energy by the depth: the elastic part of N, N
	AtCenter  bool    // the force acts at the centre of the disc, as for soil, else at the point
}

// Columns of Derivatives: the field of PointMotion, or the internal state, by which the derivative is taken.
const (
	ByDepth = iota
	ByN
	ByX
	ByY
	ByRoll
	BySpin
	ByTurn
	ByScale
	ByState0 // the internal states
	ByState1
	numBy
)

// Rows of Derivatives: the field of Force of which the derivative is taken.
const (
	OfN = iota
	OfX
	OfY
	OfAxle
	OfTurn
	numOf
)

// Derivatives has the derivatives of N, X, Y, Axle and Turn of a Force by the fields of a PointMotion and the internal states.
type Derivatives [numOf][numBy]float64

// RateDerivatives has the derivatives of the rates of the two internal states of
// a point by the fields of its PointMotion and by the states.
type RateDerivatives [2][numBy]float64

// Stiffness returns ∂N/∂Δ, N/m, or 0 if that is negative, for the row of the normal in a Newton matrix.
func (d *Derivatives) Stiffness() float64 { return max(d[OfN][ByDepth], 0) }

// Damping returns −∂N/∂v_n, N s/m, or 0 if this is negative, as Stiffness does.
func (d *Derivatives) Damping() float64 { return max(-d[OfN][ByN], 0) }

// SlidingTo stores in value the eigenvalues of the symmetric part of −∂(F_x, F_y)/∂(v_x, v_y), N s/m, the larger first, and in
// axis the unit eigenvector of the first value in the contact axes x, y. Negative eigenvalues are stored as 0.
func (d *Derivatives) SlidingTo(value, axis *[2]float64) {
	xx, yy := -d[OfX][ByX], -d[OfY][ByY]
	xy := -(d[OfX][ByY] + d[OfY][ByX]) / 2
	mean, half := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
	value[0], value[1] = max(mean+half, 0), max(mean-half, 0)
	t := math.Atan2(2*xy, xx-yy) / 2
	axis[1], axis[0] = math.Sincos(t)
}

// ForceTo stores in f the force at a point, and in d its derivatives, unless d is nil. internal has the NumStates internal states of the
// point. r is the radius of the shape, m, and share the part of the stiffness that the point has.
//
// Equations: docs/ground.md (G20) to (G24). Where the depth is not positive, f and d are zero.
//
// Cost: O(1), no allocation. Numbers that are not finite make results that are not finite.
func (l *Law) ForceTo(f *Force, d *Derivatives, m *PointMotion, r, share float64, internal []float64) {
	*f = Force{}
	if d != nil {
		*d = Derivatives{}
	}
	if m.Depth <= 0 {
		return
	}
	l.slips(f, m)
	if l.Friction.Type == Soil {
		l.soil(f, d, m, r, share)
	} else {
		l.normal(f, d, m, share)
	}
	switch {
	case l.Friction.Type == Coulomb && l.Friction.Hold.Travel > 0:
		l.bristles(f, d, m, internal)
	case l.Friction.Type == Coulomb:
		l.coulomb(f, d, m)
	case l.Friction.Type == Tyre:
		l.tyre(f, d, m, internal)
	}
	l.resist(f, d, m, r)
}

// RateTo stores in rate the rates of the NumStates internal states of a point,
// and in d their derivatives, unless d is nil.
//
// Equations: docs/ground.md (G26), (G29). Off the ground, where the
// depth is not positive, bristles straighten and a tyre's slips go to 0.
//
// Cost: O(1), no allocation.
func (l *Law) RateTo(rate []float64, d *RateDerivatives, m *PointMotion, internal []float64) {
	if d != nil {
		*d = RateDerivatives{}
	}
	f := &l.Friction
	switch {
	case len(rate) == 0:
	case m.Depth <= 0:
		p := -f.airRate()
		for i := range rate {
			rate[i] = p * internal[i]
			if d != nil {
				d[i][ByState0+i] = p
			}
		}
	case f.Type == Tyre:
		f.Tyre.relaxation(rate, d, m, internal)
	default:
		f.Hold.bend(rate, d, m, internal)
	}
}

// airRate returns the rate with which internal states decay off the ground, 1/s.
func (f *Friction) airRate() float64 {
	if f.Type == Tyre {
		return f.Tyre.LowSpeed / f.Tyre.Relaxation
	}
	return f.SlipSpeed / f.Hold.Travel
}

// slips stores in f the slip and the slip angle, docs/ground.md (G24).
func (l *Law) slips(f *Force, m *PointMotion) {
	low := l.lowSpeed()
	f.Slip = -m.X / math.Hypot(m.Roll-m.X, low)
	f.SlipAngle = math.Atan(m.Y / math.Hypot(m.Roll, low))
}

// DefaultLowSpeed is the low speed of slips for laws without one of their own, m/s. It also suits
// LowSpeed of tyres and soil.
const DefaultLowSpeed = 0.1

// lowSpeed returns the speed, m/s, to which slips at lower speeds are relative.
func (l *Law) lowSpeed() float64 {
	switch f := &l.Friction; f.Type {
	case Tyre:
		return f.Tyre.LowSpeed
	case Soil:
		return f.Soil.LowSpeed
	}
	return DefaultLowSpeed
}

// normal stores in f the normal force with its energy, docs/ground.md (G20), (G21), and in d its derivatives, unless d is nil.
func (l *Law) normal(f *Force, d *Derivatives, m *PointMotion, share float64) {
	n := &l.Normal
	k, e := n.Stiffness*share, max(n.Exponent, 1)
	power := 1.0 // Δ^(e−1)
	if e != 1 {
		power = math.Pow(m.Depth, e-1)
	}
	f.Elastic = k * power * m.Depth
	f.Energy = f.Elastic * m.Depth / (e + 1)
	byDepth, byN := k*e*power, 0.0
	switch n.Type {
	case HuntCrossley:
		g := max(0, 1-n.Dissipation*m.N)
		f.N = f.Elastic * g
		byDepth *= g
		if g > 0 {
			byN = -f.Elastic * n.Dissipation
		}
	case Linear:
		f.N = max(0, f.Elastic-n.Damping*share*m.N)
		if f.N > 0 {
			byN = -n.Damping * share
		} else {
			byDepth = 0
		}
	}
	if d != nil {
		d[OfN][ByDepth], d[OfN][ByN] = byDepth, byN
	}
}

// NormalBy has the derivatives of a normal force by the fields of Normal with these names.
type NormalBy struct {
	Stiffness, Exponent, Dissipation, Damping float64
}

// NormalBy returns the derivatives of the normal force at a point with a positive depth and the whole stiffness by the fields of
// l.Normal. They are zero where the force is zero.
//
// Cost: O(1), no allocation.
func (l *Law) NormalBy(m *PointMotion) (by NormalBy) {
	var f Force
	if l.normal(&f, nil, m, 1); !(f.N > 0) {
		return by
	}
	part := 1.0 // derivative of the force by Elastic
	switch n := &l.Normal; n.Type {
	case HuntCrossley:
		part = 1 - n.Dissipation*m.N
		by.Dissipation = -f.Elastic * m.N
	case Linear:
		by.Damping = -m.N
	}
	by.Stiffness, by.Exponent = part*f.Elastic/l.Normal.Stiffness, part*f.Elastic*math.Log(m.Depth)
	return by
}

// coulomb stores in f regularised Coulomb friction, docs/ground.md (G22), and in d its derivatives, unless d is nil.
func (l *Law) coulomb(f *Force, d *Derivatives, m *PointMotion) {
	c := &l.Friction
	mx, my := m.Scale*c.Coefficient[0], m.Scale*c.Coefficient[1]
	most := max(mx, my)
	if most == 0 {
		return
	}
	x, y := mx*m.X, my*m.Y
	rho := math.Sqrt(x*x + y*y + most*most*c.SlipSpeed*c.SlipSpeed)
	ax, ay := mx*x/rho, my*y/rho // F = −N a
	f.X, f.Y = -f.N*ax, -f.N*ay
	if d == nil {
		return
	}
	for _, by := range [...]int{ByDepth, ByN} {
		d[OfX][by], d[OfY][by] = -d[OfN][by]*ax, -d[OfN][by]*ay
	}
	d[OfX][ByX] = -f.N * (mx*mx/rho - ax*ax/rho)
	d[OfX][ByY] = f.N * ax * ay / rho
	d[OfY][ByX] = d[OfX][ByY]
	d[OfY][ByY] = -f.N * (my*my/rho - ay*ay/rho)
	if m.Scale > 0 { // the forces are proportional to Scale
		d[OfX][ByScale], d[OfY][ByScale] = f.X/m.Scale, f.Y/m.Scale
	}
}

// resist stores in f the rolling and drilling resistance of a shape of radius r, m, docs/ground.md (G23), and in d their derivatives,
// unless d is nil.
func (l *Law) resist(f *Force, d *Derivatives, m *PointMotion, r float64) {
	for _, w := range [...]struct {
		law    *Resistance
		moment *float64
		speed  float64
		of, by int
	}{{&l.Rolling, &f.Axle, m.Spin, OfAxle, BySpin}, {&l.Drilling, &f.Turn, m.Turn, OfTurn, ByTurn}} {
		if w.law.Coefficient == 0 {
			continue
		}
		t := math.Tanh(w.speed / w.law.Speed)
		lever := -w.law.Coefficient * r * t
		*w.moment = f.N * lever
		if d != nil {
			for by, x := range d[OfN] {
				d[w.of][by] = lever * x
			}
			d[w.of][w.by] -= w.law.Coefficient * r * f.N * (1 - t*t) / w.law.Speed
		}
	}
}
