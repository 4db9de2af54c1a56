package contact

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// Law is the force at a point, from its depth and its velocity over the ground.
type Law struct {
	Normal   Normal
	Friction Friction
	Rolling  Resistance // against the spin
	Drilling Resistance // against turning about the normal
}

// NormalType is a law of the normal force.
type NormalType uint8

const (
	HuntCrossley NormalType = iota // N = k Δ^e max(0, 1 − χ v_n): it starts from zero
	Linear                         // N = max(0, k Δ^e − d v_n)
)

// normalNames are the names in documents.
var normalNames = [...]string{"hunt-crossley", "linear"}

// String returns the name of documents.
func (t NormalType) String() string { return fault.Enum(normalNames[:], t, "NormalType") }

// Normal is the law of the normal force, docs/ground.md (G20), (G21).
type Normal struct {
	Type        NormalType
	Stiffness   float64 // k, N/m^e; of soil none
	Exponent    float64 // e ≥ 1; 0 is 1
	Dissipation float64 // χ of HuntCrossley, s/m
	Damping     float64 // d of Linear and of soil, N s/m
}

// FrictionType is a law of the forces along the ground.
type FrictionType uint8

const (
	None    FrictionType = iota // no friction
	Coulomb                     // regularised Coulomb friction
	Tyre                        // a tyre's magic formula
	Soil                        // soft soil, which also has the normal force
)

// frictionNames are the names in documents.
var frictionNames = [...]string{"none", "coulomb", "tyre", "soil"}

// String returns the name of documents.
func (t FrictionType) String() string { return fault.Enum(frictionNames[:], t, "FrictionType") }

// Friction is the law of the forces along the ground.
type Friction struct {
	Type        FrictionType
	Coefficient [2]float64 // μ along x and y, of Coulomb and Tyre
	SlipSpeed   float64    // v_s of Coulomb, m/s
	Hold        Hold       // of Coulomb
	Tyre        TyreLaw
	Soil        SoilLaw
}

// Hold are bristles that hold a body at rest without creep, docs/ground.md. They bend with the ground; a contact with
// them has two internal states, their bend along x and y in m.
type Hold struct {
	Travel  float64 // ξ_max, how far they bend, m; 0: none
	Damping float64 // of their bending, s/m
}

// TyreLaw is a magic formula, docs/ground.md: forces from slips. The
// Coefficient of the friction is the peak of each curve over N.
type TyreLaw struct {
	Long, Lat  Curve
	LowSpeed   float64 // v_0, m/s: slips at lower speeds are taken at this speed
	Relaxation float64 // length along which the slips follow, m; 0: at once. With it a contact has two internal states, the slips
}

// Curve is sin(C atan(x − E (x − atan x))) with x = B · slip.
type Curve struct {
	B, C, E float64
}

// SoilLaw is soft soil under a rigid wheel, docs/ground.md: pressure by Bekker, as distributed by Wong and Reece
// (1967), shear by Janosi and Hanamoto. The normal force is the soil's too.
type SoilLaw struct {
	Cohesive float64 // k_c, N/m^(n+1)
	Friction float64 // k_φ, N/m^(n+2)
	Exponent float64 // n
	Cohesion float64 // c, Pa
	Angle    float64 // φ, of internal friction, rad
	Shear    float64 // K, m
	C0, C1   float64 // θ_m = (C0 + C1 s) θ_f
	Recovery float64 // λ, 0 to 1: how much of the sinkage comes back behind the wheel
	Width    float64 // b of the wheel, m
	LowSpeed float64 // v_0, m/s
	Nodes    int     // of the quadrature each side of θ_m; 8, 16 or 32; 0 stands for 16
	Ruts     bool    // whether the wheel leaves a rut in runs (Ruts); the law itself is the same
}

// Resistance is the moment −C N r tanh(ω/ω_0).
type Resistance struct {
	Coefficient float64 // C; 0: none
	Speed       float64 // ω_0, rad/s
}

// NumStates returns the number of internal states a point: 0 or 2.
func (l *Law) NumStates() int {
	if l.Friction.Hold.Travel > 0 || l.Friction.Tyre.Relaxation > 0 {
		return 2
	}
	return 0
}

// PointMotion is how a point that touches moves, and what else its force depends on.
type PointMotion struct {
	Depth   float64 // Δ, m
	N, X, Y float64 // velocity of the wheel's material point along the contact axes, m/s; N > 0: apart
	Roll    float64 // V: velocity of the centre of the disc along x, m/s
	Spin    float64 // about the axis, rad/s
	Turn    float64 // about the normal, rad/s
	Scale   float64 // of the friction there; of an even ground 1
}

// Force is the force of the ground on the shape, in contact axes.
type Force struct {
	N, X, Y   float64 // N
	Axle      float64 // moment about the axis of the spin, N m
	Turn      float64 // moment about the normal, N m
	Slip      float64 // driving positive: (rim speed − rolling speed)/rim speed, the denominator at least a little above 0
	SlipAngle float64 // atan of the sideways speed over the rolling speed, rad
	Energy    float64 // stored in the deformation, J
	Elastic   float64 // its derivative by the depth: the part of N that stores, N
	AtCenter  bool    // the force acts at the centre of the disc, as soil does, else at the point
}

// Columns of Derivatives: the number of a PointMotion by which the derivative is taken.
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

// Rows of Derivatives: the number of a Force whose derivative it is.
const (
	OfN = iota
	OfX
	OfY
	OfAxle
	OfTurn
	numOf
)

// Derivatives has the derivatives of N, X, Y, Axle and Turn of a Force by the numbers of a PointMotion.
type Derivatives [numOf][numBy]float64

// RateDerivatives are those of the rates of the two internal states of
// a point by the numbers of its PointMotion and by the states.
type RateDerivatives [2][numBy]float64

// Stiffness returns ∂N/∂Δ, N/m, or 0 if that is negative, for the row of the normal in a Newton matrix.
func (d *Derivatives) Stiffness() float64 { return max(d[OfN][ByDepth], 0) }

// Damping returns −∂N/∂v_n, N s/m, or 0 where that is negative.
func (d *Derivatives) Damping() float64 { return max(-d[OfN][ByN], 0) }

// SlidingTo stores the principal values of the symmetric part of −∂(F_x, F_y)/∂(v_x, v_y), N s/m, the larger first, and the
// unit vector (cos, sin) of the axis of the first value in the contact axes x, y. Negative values are stored as 0.
func (d *Derivatives) SlidingTo(value, axis *[2]float64) {
	xx, yy := -d[OfX][ByX], -d[OfY][ByY]
	xy := -(d[OfX][ByY] + d[OfY][ByX]) / 2
	mean, half := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
	value[0], value[1] = max(mean+half, 0), max(mean-half, 0)
	t := math.Atan2(2*xy, xx-yy) / 2
	axis[1], axis[0] = math.Sincos(t)
}

// ForceTo stores the force at a point in f, and its derivatives in d unless d is nil. internal has the point's internal
// states, NumStates of them. A shape of radius r has the share of the stiffness.
//
// Equations: docs/ground.md (G20) to (G24). Where the depth is not positive all is zero.
//
// Cost: O(1), no allocation. Errors: none; numbers that are not finite go through.
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

// RateTo stores in rate the rates of the internal states of a point,
// NumStates of them, and in d, unless it is nil, their derivatives.
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

// airRate is how fast internal states go to 0 off the ground, 1/s.
func (f *Friction) airRate() float64 {
	if f.Type == Tyre {
		return f.Tyre.LowSpeed / f.Tyre.Relaxation
	}
	return f.SlipSpeed / f.Hold.Travel
}

// slips stores the slip and the slip angle, docs/ground.md (G24).
func (l *Law) slips(f *Force, m *PointMotion) {
	low := l.lowSpeed()
	f.Slip = -m.X / math.Hypot(m.Roll-m.X, low)
	f.SlipAngle = math.Atan(m.Y / math.Hypot(m.Roll, low))
}

// DefaultLowSpeed is the speed below which slips do not grow where the
// law has none, m/s; tyres and soil are best given it too.
const DefaultLowSpeed = 0.1

// lowSpeed returns the speed below which slips do not grow, m/s.
func (l *Law) lowSpeed() float64 {
	switch f := &l.Friction; f.Type {
	case Tyre:
		return f.Tyre.LowSpeed
	case Soil:
		return f.Soil.LowSpeed
	}
	return DefaultLowSpeed
}

// normal stores the normal force, docs/ground.md (G20), (G21), and its derivatives unless d is nil.
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

// NormalBy are the derivatives of a normal force by the numbers of its law.
type NormalBy struct {
	Stiffness, Exponent, Dissipation, Damping float64
}

// NormalBy returns the derivatives of the normal force by the numbers of its law, for a law of one point that is in the ground: zeros
// where it does not push.
//
// Cost: O(1), no allocation.
func (l *Law) NormalBy(m *PointMotion) (by NormalBy) {
	var f Force
	if l.normal(&f, nil, m, 1); !(f.N > 0) {
		return by
	}
	part := 1.0 // of Elastic in the force
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

// coulomb stores regularised Coulomb friction, docs/ground.md (G22), and its derivatives unless d is nil.
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
	if m.Scale > 0 { // forces are proportional to it
		d[OfX][ByScale], d[OfY][ByScale] = f.X/m.Scale, f.Y/m.Scale
	}
}

// resist stores rolling and drilling resistance of a shape of radius r, docs/ground.md (G23), and their derivatives unless d is nil.
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
