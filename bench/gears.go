package bench

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Sizes of wheels.
const (
	wheelLeast, wheelMost = 0.04, 0.1 // m, least and largest radius
	wheelDensity          = 150.0     // kg/m², of the disc
	wheelTorque           = 2.0       // N m, on the first wheel
	wheelSpeed            = 0.5       // m/s, largest speed of the rims
)

// GearTrain is a row of n gear wheels "g0", … on the ground, each on a hinge "b0", … about z. Neighbouring wheels k − 1 and
// k mesh: the coupling "mk" is the sum of r·θ of both, less an offset. A torque drives the first wheel. Radii, angles and
// the speed are drawn from the seed.
//
// n bodies, n joints, n−1 couplings; no redundancy, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func GearTrain(n int, seed uint64) (*model.Model, error) {
	return wheels("gear-train", n, seed, -1, false)
}

// Belt is a closed belt over n pulleys in a row, which all turn the same way. The strand between pulleys k − 1 and k is the
// coupling "sk", and "s0" is the strand between the last pulley and the first. A coupling is the difference of r·θ of
// its two pulleys, less an offset. As the belt is closed, one of the n couplings is redundant. With one pulley there is no
// belt; with two pulleys both strands are between the same pulleys.
//
// n bodies, n joints, n couplings for n > 1; 1 redundant row, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Belt(n int, seed uint64) (*model.Model, error) { return wheels("belt", n, seed, 1, true) }

// wheels returns a row of n coupled wheels. All turn the same way (sense 1), or neighbours turn opposite ways (sense −1). If closed,
// the last wheel is also coupled to the first one.
func wheels(name string, n int, seed uint64, sense float64, closed bool) (*model.Model, error) {
	nb, err := Bodies(name, n)
	if err != nil {
		return nil, err
	}
	r := newRig(name, n, seed, nb, nb)
	r.m.Couplings = make([]model.Coupling, 0, n)
	mark := "m"
	if closed {
		mark = "s"
	}
	radius, angle := make([]float64, n), make([]float64, n)
	speed, x := r.uniform(wheelSpeed), 0.0
	for k := range n {
		R := r.between(wheelLeast, wheelMost)
		radius[k], angle[k] = R, r.uniform(math.Pi)
		if x += R; k > 0 {
			x += radius[k-1]
		}
		rate := speed / R
		if k%2 == 1 {
			rate *= sense
		}
		mass := wheelDensity * math.Pi * R * R
		I := mass * R * R / 4
		i := r.body(r.name("g", k), solid{mass, vec{}, model.Inertia{XX: I, YY: I, ZZ: 2 * I}}, place{vec{x}, turn(vec{2: 1}, angle[k])}, twist{w: vec{2: rate}})
		j := r.joint(r.name("b", k), model.Revolute, ground, i, at(vec{x}), origin)
		if k == 0 {
			j.Force = r.values(wheelTorque)
		} else {
			r.couple(r.name(mark, k), radius, angle, k-1, k, -sense)
		}
	}
	if closed && n > 1 {
		r.couple(r.name(mark, 0), radius, angle, n-1, 0, -sense)
	}
	return r.m, nil
}

// couple appends the coupling of the wheels a and b: the sum of r·θ of a and sign times r·θ of b is constant.
func (r *rig) couple(name string, radius, angle []float64, a, b int, sign float64) {
	r.m.Couplings = append(r.m.Couplings, model.Coupling{
		Name: name, Offset: radius[a]*angle[a] + sign*radius[b]*angle[b],
		Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: r.m.Joints[a].Name}, Factor: radius[a]},
			{Coupled: model.Coupled{Joint: r.m.Joints[b].Name}, Factor: sign * radius[b]},
		},
	})
}

// RimAcceleration is the acceleration of the rims of a GearTrain or Belt, m/s²: the torque on the first wheel over its radius,
// divided by Σ I/r² over all wheels, which is Σ m/2 as they are discs.
func RimAcceleration(m *model.Model) float64 {
	sum := 0.0
	for i := range m.Bodies {
		sum += m.Bodies[i].Mass / 2
	}
	first := math.Sqrt(2 * m.Bodies[0].Inertia.ZZ / m.Bodies[0].Mass)
	return m.Joints[0].Force[0] / first / sum
}

// The valves of valveTrain.
const (
	valveLift    = 0.009    // m
	valveHalf    = 1.2      // rad, angle of the shaft from the opening of a valve to its top
	valveMass    = 0.12     // kg
	valveSpring  = 30_000.0 // N/m
	valvePreload = 250.0    // N, force of the spring while the valve is closed
	valvePitch   = 0.1      // m, from one cylinder to the next
	camTorque    = 5.0      // N m, on the shaft
	camSpeed     = 100.0    // rad/s, largest speed of the shaft
	camPhases    = 8        // number of different phases of the valves, equally spaced
	camMass      = 0.5      // kg, of a piece of the shaft
	camInertia   = 4e-4     // kg m², of a piece of the shaft about each axis
)

// valveTrain is the valve train of n cylinders in a row along z. Cylinder k has a piece "sk" of the camshaft, on a bearing "bk" about
// z, and two valves, "ik" and "ek", on guides "gik" and "gek" along y, which springs press onto the cams. By the coupling "cik" the
// inlet follows the formula
//
//	s(x) = 0.009·max(1 − ((x − xₖ)/1.2)², 0)³ m
//
// of the angle x of the piece, once in each turn; by "cek" the exhaust does the same a quarter of a turn before. There are eight
// phases xₖ. The coupling "tk" connects piece k with piece k − 1. A torque drives the first piece. Angle and speed of the shaft are
// drawn from the seed.
//
// 3n bodies, 3n joints, 3n−1 couplings; no redundancy, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func valveTrain(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("valve-train", n)
	if err != nil {
		return nil, err
	}
	r := newRig("valve-train", n, seed, nb, nb)
	r.m.Gravity = [3]float64{0, -Gravity, 0}
	r.m.Couplings = make([]model.Coupling, 0, nb-1)
	x, rate := r.uniform(math.Pi), r.uniform(camSpeed)
	for k := range n {
		_, middle := r.camPiece(k, x, rate)
		r.valve("i", k, middle.add(vec{1: 0.05, 2: 0.02}), valvePhase(k, 0), x, rate)
		r.valve("e", k, middle.add(vec{1: 0.05, 2: -0.02}), valvePhase(k, 1), x, rate)
	}
	return r.m, nil
}

// camPiece appends piece "sk" of a camshaft, at the angle x, rad, turning at the rate, rad/s, with its bearing "bk". A torque drives
// the first piece; the coupling "tk" connects each other piece with the piece before. camPiece returns the number of the piece and
// its middle, world frame.
func (r *rig) camPiece(k int, x, rate float64) (int, vec) {
	middle := vec{0, 0, valvePitch * float64(k)}
	i := r.body(r.name("s", k), solid{camMass, vec{}, model.Inertia{XX: camInertia, YY: camInertia, ZZ: camInertia}},
		place{middle, turn(vec{2: 1}, x)}, twist{w: vec{2: rate}})
	b := r.joint(r.name("b", k), model.Revolute, ground, i, at(middle), origin)
	if k == 0 {
		b.Force = r.values(camTorque)
		return i, middle
	}
	r.m.Couplings = append(r.m.Couplings, model.Coupling{Name: r.name("t", k), Terms: []model.CouplingTerm{
		{Coupled: model.Coupled{Joint: b.Name}, Factor: 1}, {Coupled: model.Coupled{Joint: r.name("b", k-1)}, Factor: -1},
	}})
	return i, middle
}

// valve appends the inlet valve (mark "i") or exhaust valve ("e") of cylinder k with its guide, its spring and the coupling of its
// cam. Without lift the valve is at foot. The shaft is at the angle x and turns at rate; the valve is at its top when the shaft is
// at the angle top.
func (r *rig) valve(mark string, k int, foot vec, top, x, rate float64) {
	up := alongZ(vec{1: 1})
	s, slope, _ := valveMotion(x - top)
	v := r.body(r.name(mark, k), valve(), place{foot.add(vec{1: s}), up}, twist{v: vec{1: slope * rate}})
	g := r.joint(r.name("g"+mark, k), model.Prismatic, ground, v, place{foot, up}, origin)
	g.Stiffness, g.Rest = r.values(valveSpring), r.values(-valvePreload/valveSpring)
	r.m.Couplings = append(r.m.Couplings, model.Coupling{
		Name: r.name("c"+mark, k), Terms: []model.CouplingTerm{{Coupled: model.Coupled{Joint: g.Name}, Factor: 1}},
		Law: &model.CouplingLaw{Of: []model.Coupled{{Joint: r.name("b", k)}}, Law: couplings.Law{
			Kind:       couplings.Function,
			Expression: fmt.Sprintf("%v*max(1 - ((x - %v)/%v)^2, 0)^3", valveLift, top, valveHalf),
			Spans:      []couplings.Span{{From: top - math.Pi, To: top + math.Pi, Periodic: true}},
		}},
	})
}

// valve returns a slender rod along z.
func valve() solid {
	const I, thin = valveMass * 0.09 * 0.09 / 12, 1e-6
	return solid{valveMass, vec{}, model.Inertia{XX: I, YY: I, ZZ: thin}}
}

// valvePhase returns the angle of the shaft, rad, at which a valve of cylinder k is at its top: the inlet with exhaust 0, or the
// exhaust, a quarter of a turn before, with exhaust 1.
func valvePhase(k, exhaust int) float64 {
	return float64((3*k+6*exhaust)%camPhases) * 2 * math.Pi / camPhases
}

// valveMotion returns the lift of a valve, m, and its first and second derivative by the angle of the shaft, at an angle from its top.
func valveMotion(x float64) (s, slope, bend float64) {
	u := math.Remainder(x, 2*math.Pi) / valveHalf
	v := 1 - u*u
	if v <= 0 {
		return 0, 0, 0
	}
	return valveLift * v * v * v, -6 * valveLift / valveHalf * u * v * v, valveLift / (valveHalf * valveHalf) * (24*u*u*v - 6*v*v)
}

// The cams of camTrain: eccentric discs.
const (
	discRadius = 0.02  // m
	discThrow  = 0.006 // m, eccentricity: distance of the middle of a disc from the axis
	discRoller = 0.008 // m, radius of a roller
	discFace   = 0.02  // m, half the length of a flat face
	discRest   = 0.005 // m, height of a follower at which its spring has no force
	camAside   = 0.02  // m, distance of the plane of a cam from the middle of its piece of the shaft
	// For pictures only.
	camShaft = 0.006 // m, radius of the shaft
	camWide  = 0.012 // m, width of discs and followers
	camStem  = 0.06  // m, length of the stem of a follower
)

// camTrain is the valve train of n cylinders whose cams and followers are curves that touch: each piece "sk" of the camshaft has two
// eccentric discs. One lifts the follower "fk", with a flat face, the other "rk", with a roller, on guides "gfk" and "grk" along y;
// springs press the followers onto the discs. The joints "cfk" and "crk" of the type curve_on_curve keep disc and follower in contact.
// With r the radius of a disc, e its eccentricity, a the radius of a roller, and the middle of the disc at the angle x + xₖ, the height is
//
//	s = r + e·sin(x + xₖ)   of a face,   s = e·sin(x + xₖ) + √((r + a)² − e²·cos²(x + xₖ))   of a roller.
//
// There are eight phases xₖ. The coupling "tk" connects piece k with piece k − 1. A torque drives the first piece. Angle and speed of the
// shaft are drawn from the seed.
//
// 3n bodies, 5n joints, n−1 couplings; no redundancy, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func camTrain(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("cam-train", n)
	if err != nil {
		return nil, err
	}
	r := newRig("cam-train", n, seed, nb, 5*n)
	r.m.Gravity = [3]float64{0, -Gravity, 0}
	r.m.Couplings = make([]model.Coupling, 0, n-1)
	x, rate := r.uniform(math.Pi), r.uniform(camSpeed)
	for k := range n {
		i, middle := r.camPiece(k, x, rate)
		r.show(i, cylinder, [3]float64{camShaft, valvePitch}, origin, grey)
		r.follower("f", k, i, middle.add(vec{2: camAside}), x, rate)
		r.follower("r", k, i, middle.add(vec{2: -camAside}), x, rate)
	}
	return r.m, nil
}

// follower appends a follower of cylinder k, with a flat face (mark "f") or a roller ("r"), its guide, its spring and its contact
// with a disc on the body i, a piece of the shaft, which is at the angle x and turns at rate. foot is on the axis of the shaft, in
// the plane of the disc.
func (r *rig) follower(mark string, k, i int, foot vec, x, rate float64) {
	roller := mark == "r"
	phase := valvePhase(k, 0)
	if roller {
		phase = valvePhase(k, 1)
	}
	s, slope, _ := discMotion(x+phase, roller)
	f := r.body(r.name(mark, k), valve(), place{foot.add(vec{1: s}), one}, twist{v: vec{1: slope * rate}})
	up := alongZ(vec{1: 1})
	g := r.joint(r.name("g"+mark, k), model.Prismatic, ground, f, place{foot, up}, place{q: up})
	g.Stiffness, g.Rest = r.values(valveSpring), r.values(discRest)
	aside := at(vec{2: foot[2] - valvePitch*float64(k)}) // the plane of both curves
	c := r.joint(r.name("c"+mark, k), model.CurveOnCurve, i, f, aside, origin)
	sin, cos := math.Sincos(phase)
	disc := curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{discThrow * cos, discThrow * sin}, Radius: discRadius}
	sin, cos = math.Sincos(x + phase)
	u, w := math.Pi/2-x, discFace+discThrow*cos
	other := curves.Curve{Ends: [2]spatial.Vec3{{-discFace}, {discFace}}}
	if roller { // psi is the angle, in the world, of the line from the middle of the disc to the middle of the roller
		psi := math.Atan2(s-discThrow*sin, -discThrow*cos)
		u, w = psi-x, psi-math.Pi
		other = curves.Curve{Kind: curves.Circle, Radius: discRoller}
	}
	r.showFollower(f, i, roller, aside.point(vec(disc.Center)))
	c.Curve = &model.PointCurve{Curve: disc, Parameter: &u}
	c.SuccessorCurve = &model.PointCurve{Curve: other, Parameter: &w}
}

// showFollower draws the follower f, and its disc on the body i, a piece of the shaft.
func (r *rig) showFollower(f, i int, roller bool, middle vec) {
	r.show(i, cylinder, [3]float64{discRadius, camWide}, at(middle), orange)
	from := vec{}
	if roller {
		r.show(f, cylinder, [3]float64{discRoller, camWide}, origin, dark)
	} else {
		const thick = camWide / 4
		from[1] = thick
		r.show(f, cuboid, [3]float64{2 * discFace, thick, camWide}, at(vec{1: thick / 2}), blue)
	}
	r.showRod(f, from, vec{1: camStem}, camShaft/3, grey)
}

// discMotion returns the height of a follower, m, and its first and second derivative by the angle of the shaft, when the middle of
// its disc is at the angle x.
func discMotion(x float64, roller bool) (s, slope, bend float64) {
	sin, cos := math.Sincos(x)
	s, slope, bend = discRadius+discThrow*sin, discThrow*cos, -discThrow*sin
	if roller {
		const l, e = discRadius + discRoller, discThrow // l: distance of the middles of disc and roller
		root := math.Sqrt(l*l - e*e*cos*cos)
		d := e * e * sin * cos / root
		s += root - discRadius
		slope += d
		bend += (e*e*(cos*cos-sin*sin) - d*d) / root
	}
	return s, slope, bend
}
