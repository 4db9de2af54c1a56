package rung_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// formTol is the error of closed forms of some bodies.
const formTol = 1e-12

var axis = spatial.Vec3{0, 0, 1}

// shop makes wheels and slides without gravity.
type shop struct{ *rung.Builder }

func newShop() shop { return shop{rung.NewBuilder("shop").Gravity(0, 0, 0)} }

// wheel adds a wheel with inertia I about z, on a hinge to another body, that turns against the world at a rate.
func (s shop) wheel(name string, from rung.Body, x, I, rate float64) (rung.Body, *build.Joint) {
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{I, I, I})
	if err != nil {
		panic(err)
	}
	b := s.Body(name, d, rung.At(x, 0, 0))
	s.Move(b, spatial.Vec3{}, spatial.Vec3{0, 0, rate})
	return b, s.Revolute(name, from, b, spatial.Vec3{x, 0, 0}, axis)
}

func (s shop) result(t *testing.T, o order.Ordering) *rung.Result {
	t.Helper()
	m, err := s.Model()
	require.NoError(t, err)
	r, err := rung.Accelerate(m, rung.Options{Ordering: o})
	require.NoError(t, err)
	return r
}

// TestGearPair: r·θ + R·φ = 0 with torques T and U. The force between the teeth is the multiplier.
func TestGearPair(t *testing.T) {
	const r, R, I, J, T, U = 0.05, 0.2, 0.3, 2.0, 1.5, -0.7
	s := newShop()
	_, a := s.wheel("pinion", rung.World, 0, I, 4)
	_, b := s.wheel("wheel", rung.World, r+R, J, -1)
	a.Force, b.Force = []float64{T}, []float64{U}
	s.Couple("mesh", rung.Term{Joint: a, Factor: r}, rung.Term{Joint: b, Factor: R})
	// I·α = T + λ·r, J·β = U + λ·R, r·α + R·β = 0.
	lambda := -(r*T/I + R*U/J) / (r*r/I + R*R/J)
	for _, o := range orderings {
		x := s.result(t, o)
		check.Close(t, x.Couplings[0].Multiplier, lambda, math.Abs(lambda), formTol, "multiplier")
		check.Close(t, x.Bodies[0].AngularAcceleration[2], (T+lambda*r)/I, 1, formTol, "pinion")
		check.Close(t, x.Bodies[1].AngularAcceleration[2], (U+lambda*R)/J, 1, formTol, "wheel")
		check.Close(t, x.Joints[0].TotalWrench.Moment[2], T+lambda*r, 1, formTol, "what the hinge passes on")
		require.Equal(t, 1, x.Constraints.Mobility)
		require.Zero(t, x.Constraints.Redundant)
	}
}

// TestInverseOfGears: the torque that holds a gear pair still, by one actuator and by two, which share it by least norm.
func TestInverseOfGears(t *testing.T) {
	const r, R, T, U = 0.05, 0.2, 1.5, -0.7
	s := newShop()
	_, a := s.wheel("pinion", rung.World, 0, 0.3, 0)
	_, b := s.wheel("wheel", rung.World, r+R, 2, 0)
	a.Force, b.Force = []float64{T}, []float64{U}
	s.Couple("mesh", rung.Term{Joint: a, Factor: r}, rung.Term{Joint: b, Factor: R})
	m, err := s.Model()
	require.NoError(t, err)
	p := newPlan(t, m, order.Auto)
	// No work on θ, φ = −θ·r/R: F + T − (G + U)·r/R = 0.
	need := -(T - U*r/R)
	for _, two := range []bool{false, true} {
		list := []mechanism.Freedom{{Joint: 0}}
		want := []float64{need}
		if two {
			list = append(list, mechanism.Freedom{Joint: 1})
			c := need / (1 + r*r/(R*R))
			want = []float64{c, -c * r / R}
		}
		v, err := p.NewInverse(list)
		require.NoError(t, err)
		require.NoError(t, v.Solve(p.Initial(), nil))
		check.CloseVec(t, v.Forces(), want, 1e-10, 1, "forces of %d actuators", len(list))
		require.Equal(t, 1, v.Mobility())
		require.Equal(t, map[bool]mechanism.Actuation{false: mechanism.ActuationProper, true: mechanism.ActuationRedundant}[two], v.Actuation())
	}
}

// TestRackAndScrew: a pinion of radius r drives a rack, d − r·θ = 0; a
// nut of pitch h on a shaft that cannot slide, likewise with h.
func TestRackAndScrew(t *testing.T) {
	const r, I, mass, T, F = 0.03, 0.02, 5.0, 0.4, -2.0
	s := newShop()
	_, pinion := s.wheel("pinion", rung.World, 0, I, 0)
	d, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	rack := s.Prismatic("rack", rung.World, s.Body("rack", d, rung.At(0, r, 0)), spatial.Vec3{0, r, 0}, spatial.Vec3{1, 0, 0})
	pinion.Force, rack.Force = []float64{T}, []float64{F}
	s.Couple("teeth", rung.Term{Joint: rack, Factor: 1}, rung.Term{Joint: pinion, Factor: -r})
	x := s.result(t, order.Auto)
	a := (F + T/r) / (mass + I/(r*r))
	check.Close(t, x.Bodies[1].ComAcceleration[0], a, a, formTol, "rack")
	check.Close(t, x.Bodies[0].AngularAcceleration[2], a/r, a/r, formTol, "pinion")
	check.Close(t, x.Couplings[0].Multiplier, mass*a-F, 1, formTol, "force on the rack")

	// A cylindrical joint with a coupling is a helical one.
	const pitch = 0.02
	for _, helical := range []bool{false, true} {
		s := newShop()
		nut := s.Body("nut", d, rung.At(0, 0, 0))
		var j *build.Joint
		if helical {
			j = s.Helical("screw", rung.World, nut, spatial.Vec3{}, axis, pitch)
			j.Force = []float64{T}
		} else {
			j = s.Cylindrical("screw", rung.World, nut, spatial.Vec3{}, axis)
			j.Force = []float64{T, 0}
			s.Couple("thread", rung.Term{Joint: j, Freedom: 1, Factor: 1}, rung.Term{Joint: j, Factor: -pitch})
		}
		x := s.result(t, order.Auto)
		check.Close(t, x.Bodies[0].AngularAcceleration[2], T/(1+mass*pitch*pitch), 1, formTol, "screw")
		require.Equal(t, 1, x.Constraints.Mobility)
	}
}

// TestPlanetaryGear: sun, carrier with n planets, ring held by the ground (Willis). All planets but one are redundant.
func TestPlanetaryGear(t *testing.T) {
	const zs, zp = 20.0, 16.0
	const zr = zs + 2*zp
	const Is, Ic, Ip, arm, T, L = 0.1, 0.5, 0.01, 0.4, 2.0, -3.0
	for _, n := range []int{1, 3, 4} {
		for _, o := range orderings {
			s := newShop()
			_, sun := s.wheel("sun", rung.World, 0, Is, 0)
			carrier, c := s.wheel("carrier", rung.World, 0, Ic, 0)
			sun.Force, c.Force = []float64{T}, []float64{L}
			for k := range n {
				angle := 2 * math.Pi * float64(k) / float64(n)
				d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{Ip, Ip, Ip})
				require.NoError(t, err)
				at := spatial.Vec3{arm * math.Cos(angle), arm * math.Sin(angle)}
				planet := s.Revolute(fmt.Sprint("planet ", k), carrier, s.Body(fmt.Sprint("planet ", k), d, rung.At(at[0], at[1], 0)), at, axis)
				// Teeth of the planet, which turns by p against the carrier: zs(θs − θc) = −zp·p, zr(0 − θc) = zp·p.
				s.Couple(fmt.Sprint("sun ", k), rung.Term{Joint: sun, Factor: zs}, rung.Term{Joint: c, Factor: -zs}, rung.Term{Joint: planet, Factor: zp})
				s.Couple(fmt.Sprint("ring ", k), rung.Term{Joint: c, Factor: zr}, rung.Term{Joint: planet, Factor: zp})
			}
			// Everything by the carrier: ωs = (1 + zr/zs)·ωc, a planet turns by (1 − zr/zp)·ωc and travels on the arm.
			is, ip := 1+zr/zs, 1-zr/zp
			a := (is*T + L) / (is*is*Is + Ic + float64(n)*(ip*ip*Ip+arm*arm))
			x := s.result(t, o)
			check.Close(t, x.Bodies[1].AngularAcceleration[2], a, math.Abs(a), formTol, "carrier")
			check.Close(t, x.Bodies[0].AngularAcceleration[2], is*a, math.Abs(a), formTol, "sun")
			require.Equal(t, 1, x.Constraints.Mobility)
			require.Equal(t, n-1, x.Constraints.Redundant)
			named := len(x.Constraints.RedundantCouplings)
			for _, j := range x.Constraints.RedundantJoints {
				named += j.Rows
			}
			require.Equal(t, n-1, named)
			for _, k := range x.Couplings {
				require.Equal(t, n == 1, k.MultiplierUnique, k.Name)
			}
		}
	}
}

// TestDifferential: the cage turns at the mean of both wheels, whatever their loads. Its spider shares the torque evenly.
func TestDifferential(t *testing.T) {
	const Ic, I, J, T, left, right = 0.2, 0.5, 0.9, 4.0, -1.0, -2.5
	s := newShop()
	_, cage := s.wheel("cage", rung.World, 0, Ic, 2)
	_, l := s.wheel("left", rung.World, 0, I, 1)
	_, r := s.wheel("right", rung.World, 0, J, 3)
	cage.Force, l.Force, r.Force = []float64{T}, []float64{left}, []float64{right}
	s.Couple("spider", rung.Term{Joint: cage, Factor: 2}, rung.Term{Joint: l, Factor: -1}, rung.Term{Joint: r, Factor: -1})
	// Ic·c = T + 2λ, I·a = left − λ, J·b = right − λ, 2c = a + b.
	lambda := (left/I + right/J - 2*T/Ic) / (4/Ic + 1/I + 1/J)
	for _, o := range orderings {
		x := s.result(t, o)
		check.Close(t, x.Couplings[0].Multiplier, lambda, 1, formTol, "multiplier")
		for i, want := range []float64{(T + 2*lambda) / Ic, (left - lambda) / I, (right - lambda) / J} {
			check.Close(t, x.Bodies[i].AngularAcceleration[2], want, 10, formTol, "body %d", i)
		}
		require.Equal(t, 2, x.Constraints.Mobility)
	}
}

// TestRecirculatingGears: four wheels in a ring mesh pairwise. Ratios that fit leave one redundant row, which is named;
// ratios that do not fit leave no motion.
func TestRecirculatingGears(t *testing.T) {
	for _, fits := range []bool{true, false} {
		for _, o := range orderings {
			s := newShop()
			radii := []float64{0.1, 0.2, 0.15, 0.3}
			var hinges []*build.Joint
			for i := range radii {
				_, h := s.wheel(fmt.Sprint("wheel ", i), rung.World, float64(i), 1, 0)
				hinges = append(hinges, h)
			}
			hinges[0].Force = []float64{1}
			for i, r := range radii {
				next := (i + 1) % len(radii)
				R := radii[next]
				if next == 0 && !fits {
					R *= 1.1
				}
				s.Couple(fmt.Sprint("mesh ", i), rung.Term{Joint: hinges[i], Factor: r}, rung.Term{Joint: hinges[next], Factor: R})
			}
			x := s.result(t, o)
			c := x.Constraints
			if !fits {
				require.Zero(t, c.Redundant)
				require.Zero(t, c.Mobility)
				require.True(t, x.Couplings[0].MultiplierUnique)
				continue
			}
			require.Equal(t, 1, c.Redundant)
			require.Equal(t, 1, c.Mobility)
			require.Equal(t, 1, len(c.RedundantCouplings)+len(c.RedundantJoints))
			sum := 0.0
			for _, r := range radii {
				sum += radii[0] * radii[0] / (r * r)
			}
			check.Close(t, x.Bodies[0].AngularAcceleration[2], 1/sum, 1, formTol, "first wheel")
			for _, k := range x.Couplings {
				require.False(t, k.MultiplierUnique)
			}
		}
	}
}

// TestCam: a follower x = p(θ) of a cam that turns: its acceleration has p″·ω².
func TestCam(t *testing.T) {
	const omega, I, mass, T = 3.0, 2.0, 0.5, 0.8
	c := []float64{0.1, 0.02, 0.3, -0.05, 0.01}
	s := newShop()
	_, cam := s.wheel("cam", rung.World, 0, I, omega)
	cam.Turns, cam.Force = []int64{1}, []float64{T} // θ = 2π
	q := 2 * math.Pi
	x0 := c[0] + q*(c[1]+q*(c[2]+q*(c[3]+q*c[4])))
	p1 := c[1] + q*(2*c[2]+q*(3*c[3]+q*4*c[4]))
	p2 := 2*c[2] + q*(6*c[3]+q*12*c[4])
	d, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	body := s.Body("follower", d, rung.At(0, 0, 0))
	s.Move(body, spatial.Vec3{0, 0, p1 * omega}, spatial.Vec3{})
	slide := s.Prismatic("follower", rung.World, body, spatial.Vec3{0, 0, -x0}, axis)
	slide.SuccessorFrame.Position = [3]float64{}
	s.Couple("profile", rung.Term{Joint: slide, Factor: 1}).Follow(cam, 0, c...)
	x := s.result(t, order.Auto)
	require.Less(t, x.Couplings[0].PositionResidual, 1e-13)
	require.Less(t, x.Couplings[0].VelocityResidual, 1e-12)
	// (I + m·p′²)·α + m·p′·p″·ω² = T.
	alpha := (T - mass*p1*p2*omega*omega) / (I + mass*p1*p1)
	check.Close(t, x.Bodies[0].AngularAcceleration[2], alpha, math.Abs(alpha), formTol, "cam")
	check.Close(t, x.Bodies[1].ComAcceleration[2], p1*alpha+p2*omega*omega, 100, formTol, "follower")
}

// TestWheelFamilies compares gear trains and belts with their closed form, and their counts.
func TestWheelFamilies(t *testing.T) {
	check.Long(t)
	sizes := []int{1, 2, 3, 10, 1000, 30_000}
	for _, n := range sizes {
		for _, family := range []string{"gear-train", "belt"} {
			m := generate(t, family, n, 1)
			s := solve(t, m, order.Auto)
			want := bench.RimAcceleration(m)
			for i := range n {
				R := math.Sqrt(2 * m.Bodies[i].Inertia.ZZ / m.Bodies[i].Mass)
				got := s.AngularAcceleration(i)[2] * R
				if family == "gear-train" && i%2 == 1 {
					got = -got
				}
				check.Close(t, got, want, want, 1e-9, "%s %d, wheel %d", family, n, i)
			}
			if n > 1000 {
				continue
			}
			r := report(t, s)
			require.Equal(t, 1, r.Mobility, "%s %d", family, n)
			require.Equal(t, map[bool]int{true: 1, false: 0}[family == "belt" && n > 1], r.Redundant, "%s %d", family, n)
		}
	}
}

// TestManyTerms: one coupling of 10⁴ slides keeps their sum, so each accelerates by its force less the mean.
func TestManyTerms(t *testing.T) {
	n := model.MaxTerms
	if testing.Short() {
		n = 2000
	}
	m := &model.Model{}
	k := model.Coupling{Name: "sum"}
	mean := 0.0
	for i := range n {
		name := fmt.Sprint(i)
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
		f := math.Sin(float64(i))
		mean += f / float64(n)
		m.Joints = append(m.Joints, model.Joint{Name: name, Type: model.Prismatic, Predecessor: model.World, Successor: name, Force: []float64{f}})
		k.Terms = append(k.Terms, model.CouplingTerm{Coupled: model.Coupled{Joint: name}, Factor: 1})
	}
	m.Couplings = []model.Coupling{k}
	for _, o := range orderings {
		s := solve(t, m, o)
		for i := range n {
			check.Close(t, s.ComAcceleration(i)[2], math.Sin(float64(i))-mean, 1, 1e-10, "%v: slide %d", o, i)
		}
	}
}

// TestVanishingRow: terms of two hinges with one axis that cancel each other leave a row of zeros, which is redundant and harmless. So does
// a polynomial at a pose where it has the slope of the term.
func TestVanishingRow(t *testing.T) {
	for _, bent := range []bool{false, true} {
		for _, o := range orderings {
			s := newShop()
			one, a := s.wheel("one", rung.World, 0, 2, 3)
			_, b := s.wheel("two", rung.World, 1, 3, 1)
			again := s.Revolute("again", rung.World, one, spatial.Vec3{}, axis)
			a.Force, b.Force = []float64{1}, []float64{5}
			none := s.Couple("none", rung.Term{Joint: a, Factor: 0.7})
			if bent {
				none.Follow(again, 0, 0, 0.7)
			} else {
				none.Terms = append(none.Terms, rung.Term{Joint: again, Factor: -0.7})
			}
			s.Couple("mesh", rung.Term{Joint: a, Factor: 1}, rung.Term{Joint: b, Factor: -3})
			x := s.result(t, o)
			alpha := (1 + 5.0/3) / (2 + 3.0/9)
			check.Close(t, x.Bodies[0].AngularAcceleration[2], alpha, 1, formTol, "%v", o)
			require.Equal(t, 1+5, x.Constraints.Redundant)
			require.Equal(t, []string{"none"}, x.Constraints.RedundantCouplings)
			require.Equal(t, 1, x.Constraints.Mobility)
			require.True(t, x.Couplings[1].MultiplierUnique)
			nothing := slices.IndexFunc(x.Constraints.DependentRows, func(d results.DependentRow) bool { return d.Coupling == "none" })
			require.Empty(t, x.Constraints.DependentRows[nothing].From)
		}
	}
}

// TestDrivenGear: a motion turns the pinion, and the wheel with its load follows. The motion's torque is the torque of the
// pinion and what the teeth pass on.
func TestDrivenGear(t *testing.T) {
	const r, R, I, J, U, accel = 0.05, 0.2, 0.3, 2.0, -0.7, 3.0
	s := newShop()
	_, a := s.wheel("pinion", rung.World, 0, I, 0)
	_, b := s.wheel("wheel", rung.World, r+R, J, 0)
	b.Force = []float64{U}
	a.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, accel / 2}}}
	s.Couple("mesh", rung.Term{Joint: a, Factor: r}, rung.Term{Joint: b, Factor: R})
	m, err := s.Model()
	require.NoError(t, err)
	for _, o := range orderings {
		x := solve(t, m, o)
		check.Close(t, x.AngularAcceleration(1)[2], -accel*r/R, 1, formTol, "wheel")
		lambda := (-J*accel*r/R - U) / R
		check.Close(t, x.Reactions().CouplingMultiplier(0), lambda, 10, formTol, "teeth")
		var rows [6]float64
		require.Equal(t, 6, x.Reactions().MultipliersTo(&rows, 0))
		check.Close(t, rows[5], I*accel-lambda*r, 1, formTol, "torque of the motion")
		require.Zero(t, report(t, x).Mobility)
	}
}
