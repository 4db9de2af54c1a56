package rung_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The benchmark bicycle (Meijaard et al. 2007, Table 1) in the axes of the paper: x forward, y to the right, z down, the origin where
// the rear wheel touches the ground.
const (
	wheelbase, trail = 1.02, 0.08
	steerTilt        = math.Pi / 10
	rearRadius       = 0.3
	frontRadius      = 0.35
)

// The bodies, in their order.
const (
	rearWheel = iota
	rearFrame
	frontFork
	frontWheel
)

var (
	steerAxis  = spatial.Vec3{math.Sin(steerTilt), 0, math.Cos(steerTilt)}
	steerPoint = spatial.Vec3{wheelbase + trail, 0, 0} // where the axis meets the ground
)

// bicycle has what finds accelerations of the bicycle near straight running.
type bicycle struct {
	plan   *rung.Plan
	solver *kkt.Solver
	closer *closing.Closer
}

func newBicycle(t testing.TB) *bicycle {
	b := rung.NewBuilder("bicycle").Gravity(0, 0, gravity)
	body := func(name string, mass, x, z float64, I spatial.Sym3) rung.Body {
		d, err := bodies.New(mass, spatial.Vec3{}, I)
		require.NoError(t, err)
		return b.Body(name, d, rung.At(x, 0, z))
	}
	rear := body("rear wheel", 2, 0, -rearRadius, spatial.Diag3(0.0603, 0.12, 0.0603))
	frame := body("rear frame", 85, 0.3, -0.9, spatial.Sym3{9.2, 11, 2.8, 0, 2.4, 0})
	fork := body("front fork", 4, 0.9, -0.7, spatial.Sym3{0.05892, 0.06, 0.00708, 0, -0.00756, 0})
	front := body("front wheel", 3, wheelbase, -frontRadius, spatial.Diag3(0.1405, 0.28, 0.1405))
	y, up := spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, -1}
	atRear, atFront := spatial.Vec3{0, 0, -rearRadius}, spatial.Vec3{wheelbase, 0, -frontRadius}
	b.Revolute("rear hub", frame, rear, atRear, y)
	b.Revolute("head", frame, fork, steerPoint, steerAxis)
	b.Revolute("front hub", fork, front, atFront, y)
	b.Rolling("rear contact", rung.World, rear, spatial.Vec3{}, up, build.Wheel{Center: atRear, Axle: y, Radius: rearRadius})
	b.Rolling("front contact", rung.World, front, spatial.Vec3{}, up, build.Wheel{Center: atFront, Axle: y, Radius: frontRadius})
	p := planOf(t, b)
	k := &bicycle{plan: p, solver: p.NewSolver(), closer: closing.NewCloser(p, closing.Options{})}
	k.closer.Exactly(true)
	return k
}

// near puts the bicycle next to x = (lean, steer, and their rates) at the speed v, on its joints. It returns where it is, and the second rates.
// All are odd in x, as the bicycle is symmetric, and are right to first order.
func (k *bicycle) near(t testing.TB, x [4]float64, v float64) (at [4]float64, second [2]float64) {
	st := k.plan.Initial()
	k.place(st, x, v)
	require.NoError(t, k.closer.ClosePositions(st))
	require.NoError(t, k.closer.ProjectVelocities(st))
	require.NoError(t, k.solver.Solve(st))
	a := make([]float64, 6*len(st.Bodies))
	k.solver.AccelerationsTo(a)
	frame, fork := &st.Bodies[rearFrame], &st.Bodies[frontFork]
	E := frame.Rotation.Mat()
	heading := spatial.Vec3{E[0], E[3]}
	heading = heading.Scale(1 / heading.Norm())
	s := frame.Rotation.Rotate(steerAxis)
	r := frame.Rotation.Conj().Mul(fork.Rotation)
	at = [4]float64{
		math.Asin(E[7]), 2 * math.Atan2(r[1]*steerAxis[0]+r[3]*steerAxis[2], r[0]),
		spatial.Vec3(frame.Omega).Dot(heading), spatial.Vec3(fork.Omega).Sub(frame.Omega).Dot(s),
	}
	alpha := func(i int) spatial.Vec3 { return spatial.Vec3(a[6*i:]) }
	return at, [2]float64{alpha(rearFrame).Dot(heading), alpha(frontFork).Sub(alpha(rearFrame)).Dot(s)}
}

// place puts the bodies of st near x, with the velocities of rigid bodies that roll to first order.
func (k *bicycle) place(st *mechanism.State, x [4]float64, v float64) {
	lean, steer, leans, steers := x[0], x[1], x[2], x[3]
	roll := spatial.FromAxisAngle(spatial.Vec3{1}, lean)
	turn := spatial.FromAxisAngle(steerAxis, steer)
	yaw := math.Cos(steerTilt) * (v*steer + trail*steers) / wheelbase
	omega := spatial.Vec3{leans, 0, yaw}
	s := roll.Rotate(steerAxis)
	for i := range st.Bodies {
		b := &st.Bodies[i]
		at, own := spatial.Vec3(b.Position), omega
		b.Rotation = roll
		if i >= frontFork {
			at, b.Rotation = steerPoint.Add(turn.Rotate(at.Sub(steerPoint))), roll.Mul(turn)
			own = omega.Add(s.Scale(steers))
		}
		b.Position = roll.Rotate(at)
		b.Velocity = spatial.Vec3{v}.Add(omega.Cross(b.Position))
		if i >= frontFork {
			b.Velocity = spatial.Vec3(b.Velocity).Add(s.Scale(steers).Cross(spatial.Vec3(b.Position).Sub(roll.Rotate(steerPoint))))
		}
		axle := b.Rotation.Rotate(spatial.Vec3{0, 1, 0})
		switch i {
		case rearWheel:
			own = own.Sub(axle.Scale(v / rearRadius))
		case frontWheel:
			own = own.Sub(axle.Scale(v / frontRadius))
		}
		b.Omega = own
	}
}

// bicycleStep is a lean, rad, or a rate. The differences over it and half of it are extrapolated, with an error of its fourth power.
const bicycleStep = 2e-3

// matrix returns the 2×4 matrix A of the linearized equations (φ̈, δ̈) = A·(φ, δ, φ̇, δ̇) at the speed v.
func (k *bicycle) matrix(t testing.TB, v float64) *mat.Dense {
	X, Y := mat.NewDense(4, 4, nil), mat.NewDense(2, 4, nil)
	for c := range 4 {
		for i, weight := range [2]float64{-1. / 3, 4. / 3} { // Richardson's
			h := bicycleStep / float64(i+1)
			var x [4]float64
			x[c] = h
			at, second := k.near(t, x, v)
			for i := range at {
				X.Set(i, c, X.At(i, c)+weight*at[i]/h)
			}
			for i := range second {
				Y.Set(i, c, Y.At(i, c)+weight*second[i]/h)
			}
		}
	}
	var inverse, A mat.Dense
	require.NoError(t, inverse.Inverse(X))
	A.Mul(Y, &inverse)
	return &A
}

// published returns A of the paper's equations, M·q̈ + v·C₁·q̇ + (g·K₀ + v²·K₂)·q = 0 with the coefficients that it gives.
func published(v float64) *mat.Dense {
	M := mat.NewDense(2, 2, []float64{80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686})
	K0 := mat.NewDense(2, 2, []float64{-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618})
	K2 := mat.NewDense(2, 2, []float64{0, 76.59734589573222, 0, 2.65431523794604})
	C1 := mat.NewDense(2, 2, []float64{0, 33.86641391492494, -0.85035641456978, 1.68540397397560})
	var K, B mat.Dense
	K0.Scale(gravity, K0)
	K2.Scale(v*v, K2)
	K.Add(K0, K2)
	C1.Scale(v, C1)
	B.Augment(&K, C1)
	B.Scale(-1, &B)
	var A mat.Dense
	if err := A.Solve(M, &B); err != nil {
		panic(err)
	}
	return &A
}

// zero returns a zero of f between a and b by the secant method.
func zero(f func(float64) float64, a, b float64) float64 {
	fa, fb := f(a), f(b)
	for range 20 {
		if fb == fa || math.Abs(b-a) < 1e-13*math.Abs(b) {
			break
		}
		a, b, fa = b, b-fb*(b-a)/(fb-fa), fb
		fb = f(b)
	}
	return b
}

// TestBenchmarkBicycle: two wheels without slip, five joints. The equations of motion about straight running, by differences of accelerations,
// agree with the paper, and so do the speeds between which the bicycle is stable.
func TestBenchmarkBicycle(t *testing.T) {
	k := newBicycle(t)
	require.NoError(t, k.solver.Solve(k.plan.Initial()))
	r, err := k.solver.Report()
	require.NoError(t, err)
	// 24 velocities; 15 rows of hinges and 6 of contacts. In the plane of the bicycle nothing is redundant.
	require.Equal(t, []int{21, 21, 3, 7}, []int{r.Rows, r.Rank, r.Mobility, r.Reaches})
	const differences = 1e-8 // rounding over the step, of the largest entry
	for _, v := range []float64{0, 1, 3.7, 5, 10} {
		A, want := k.matrix(t, v), published(v)
		check.CloseVec(t, A.RawMatrix().Data, want.RawMatrix().Data, differences, mat.Max(want)-mat.Min(want), "A at %v m/s", v)
	}
	// λ⁴ + aλ³ + bλ² + cλ + d of q̈ = P·q + Q·q̇.
	polynomial := func(v float64) (a, b, c, d float64) {
		A := k.matrix(t, v)
		p, q := A.Slice(0, 2, 0, 2), A.Slice(0, 2, 2, 4)
		a = -q.At(0, 0) - q.At(1, 1)
		b = q.At(0, 0)*q.At(1, 1) - q.At(0, 1)*q.At(1, 0) - p.At(0, 0) - p.At(1, 1)
		c = p.At(0, 0)*q.At(1, 1) + p.At(1, 1)*q.At(0, 0) - p.At(0, 1)*q.At(1, 0) - p.At(1, 0)*q.At(0, 1)
		d = p.At(0, 0)*p.At(1, 1) - p.At(0, 1)*p.At(1, 0)
		return a, b, c, d
	}
	weave := zero(func(v float64) float64 { // Hurwitz
		a, b, c, d := polynomial(v)
		return a*b*c - c*c - a*a*d
	}, 4.2, 4.4)
	capsize := zero(func(v float64) float64 { _, _, _, d := polynomial(v); return d }, 5.9, 6.1)
	const speeds = 1e-9 // m/s, what differences leave
	assert.InDelta(t, 4.29238253634111, weave, speeds)
	assert.InDelta(t, 6.02426201538837, capsize, speeds)

	// At 5 m/s: the exponents of weave, capsize and castering of Table 2.
	A, system := k.matrix(t, 5), mat.NewDense(4, 4, []float64{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	system.Slice(2, 4, 0, 4).(*mat.Dense).Copy(A)
	var eigen mat.Eigen
	require.True(t, eigen.Factorize(system, mat.EigenNone))
	got := eigen.Values(nil)
	slices.SortFunc(got, func(x, y complex128) int { return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y))) })
	for i, want := range []complex128{
		-14.07838969279822, complex(-0.77534188219585, -4.46486771378823), complex(-0.77534188219585, 4.46486771378823), -0.32286642900409,
	} {
		assert.InDelta(t, real(want), real(got[i]), differences)
		assert.InDelta(t, imag(want), imag(got[i]), differences)
	}
}

// TestBicycleRightsItself: between the two speeds the bicycle, pushed to the side, comes back to straight running by itself, not at once and
// in another direction. It loses no energy: the energy of the sway becomes speed.
func TestBicycleRightsItself(t *testing.T) {
	k := newBicycle(t)
	st := k.plan.Initial()
	k.place(st, [4]float64{0, 0, 0.4, 0}, 4.8)
	require.NoError(t, k.closer.ClosePositions(st))
	require.NoError(t, k.closer.ProjectVelocities(st))
	s, err := rung.NewSimulation(k.plan, rung.SimulationOptions{Until: 12, Tolerance: 1e-9, From: st})
	require.NoError(t, err)
	mech := k.plan.Mechanism()
	energy := func() float64 {
		kin := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(kin, s.State()))
		e := mech.EnergyAt(kin, s.State())
		return e.Kinetic + e.Potential()
	}
	lean := func() float64 { return math.Asin(s.State().Bodies[rearFrame].Rotation.Mat()[7]) }
	was, most := energy(), 0.0
	for i := range 120 {
		require.NoError(t, s.Run(0.1*float64(i+1)))
		most = max(most, math.Abs(lean()))
	}
	assert.Greater(t, most, 0.05)
	assert.Less(t, math.Abs(lean()), 0.01)
	assert.InDelta(t, was, energy(), 1e-6*math.Abs(was))
	assert.Greater(t, spatial.Vec3(s.State().Bodies[rearFrame].Velocity).Norm(), 4.8)
}
