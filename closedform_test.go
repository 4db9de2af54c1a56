package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// closedTol is the relative error against a closed form of a few bodies.
	closedTol = 1e-13
	// ladderTol is the same for a row of four-bars away from singular poses.
	ladderTol = 1e-11
	// singularTol is the same 1e-3 rad from the singular pose, where the
	// smallest pivots are a millionth of their scale.
	singularTol = 1e-8
)

// built returns the solution of what a Builder made.
func built(t testing.TB, b *rung.Builder) *rung.Solver {
	t.Helper()
	m, err := b.Model()
	require.NoError(t, err)
	return solve(t, m, order.Auto)
}

func solid(t testing.TB, d bodies.Body, err error) bodies.Body {
	t.Helper()
	require.NoError(t, err)
	return d
}

// TestPendulum: θ″ = −m g l sin θ / (I + m l²), whatever the rate, and the
// reaction of the pivot by Newton's law.
func TestPendulum(t *testing.T) {
	const mass, length, g = 1.5, 0.8, 9.81
	for _, theta := range []float64{-3, -1, 0, 0.3, 1.5, math.Pi} {
		for _, rate := range []float64{0, 2.5} {
			t.Run(fmt.Sprintf("theta=%g/rate=%g", theta, rate), func(t *testing.T) {
				s, c := math.Sincos(theta)
				axis := spatial.Vec3{0, 1, 0}
				b := rung.NewBuilder("pendulum")
				end := spatial.Vec3{-s * length, 0, -c * length}
				rod := b.Rod("rod", mass, 0.01, spatial.Vec3{}, end)
				b.Move(rod, spatial.Vec3{}, axis.Scale(rate))
				b.Revolute("pivot", rung.World, rod, spatial.Vec3{}, axis)
				x := built(t, b)
				want := -mass * g * length / 2 * s / (mass * length * length / 3)
				closeVec3(t, x.AngularAcceleration(0), axis.Scale(want), closedTol, g/length, "angular acceleration")
				com := end.Scale(0.5)
				a := axis.Scale(want).Cross(com).Sub(com.Scale(rate * rate))
				closeVec3(t, x.ComAcceleration(0), a, closedTol, g+rate*rate, "acceleration")
				force := a.Add(spatial.Vec3{0, 0, g}).Scale(mass)
				closeVec3(t, x.TotalWrench(0).Linear(), force, closedTol, mass*(g+rate*rate), "force of the pivot")
			})
		}
	}
}

// TestSteadyTop: a symmetric top whose spin satisfies the condition of steady
// precession, m g l = (C·ω₃ − A·Ω·cos θ)·Ω, has ω̇ = Ω×ω.
func TestSteadyTop(t *testing.T) {
	const mass, g, arm, theta, precession = 2.0, 9.81, 0.3, 0.7, 1.9
	d, err := bodies.SolidCylinder(mass, 0.05, 0.2)
	d = solid(t, d, err).WithCom(spatial.Vec3{0, 0, arm})
	A := d.Inertia[0] + mass*arm*arm // about the fixed point
	C := d.Inertia[2]
	s, c := math.Sincos(theta)
	omega3 := (mass*g*arm/precession + A*precession*c) / C
	e3, up := spatial.Vec3{s, 0, c}, spatial.Vec3{0, 0, 1}
	omega := up.Scale(precession).Add(e3.Scale(omega3 - precession*c))
	b := rung.NewBuilder("top")
	top := b.Body("top", d, rung.At(0, 0, 0).WithZ(e3))
	b.Move(top, spatial.Vec3{}, omega)
	b.Spherical("tip", rung.World, top, spatial.Vec3{})
	x := built(t, b)
	want := up.Scale(precession).Cross(omega)
	closeVec3(t, x.AngularAcceleration(0), want, closedTol, omega.Norm()*precession, "angular acceleration")
	com := e3.Scale(arm)
	v := omega.Cross(com)
	closeVec3(t, x.ComAcceleration(0), up.Scale(precession).Cross(v), closedTol, 10, "acceleration")
}

// TestFreeBody: Euler's equations and free fall, with and without a free joint.
func TestFreeBody(t *testing.T) {
	d, err := bodies.Box(3, spatial.Vec3{0.2, 0.5, 0.9})
	d = solid(t, d, err).WithCom(spatial.Vec3{0.1, -0.2, 0.3})
	q := spatial.Exp(spatial.Vec3{0.4, -1.1, 0.6})
	omega := spatial.Vec3{1, -2, 3}
	local := q.Conj().Rotate(omega)
	I := d.Inertia
	h := spatial.Vec3{I[0] * local[0], I[1] * local[1], I[2] * local[2]}
	n := local.Cross(h).Neg()
	want := q.Rotate(spatial.Vec3{n[0] / I[0], n[1] / I[1], n[2] / I[2]})
	for _, joint := range []bool{false, true} {
		b := rung.NewBuilder("brick").Gravity(1, -2, -9)
		k := b.Body("brick", d, rung.Place{Origin: spatial.Vec3{4, 5, 6}, Orientation: q})
		b.Move(k, spatial.Vec3{7, 8, 9}, omega)
		if joint {
			b.Joint("float", model.Free, rung.World, k, rung.At(0, 0, 0))
		}
		x := built(t, b)
		closeVec3(t, x.AngularAcceleration(0), want, closedTol, 10, "angular acceleration")
		closeVec3(t, x.ComAcceleration(0), spatial.Vec3{1, -2, -9}, closedTol, 10, "acceleration")
		r := report(t, x)
		require.Zero(t, r.Rows)
		require.Equal(t, 6, r.Mobility)
		require.Equal(t, 1.0, r.Distance)
		require.Equal(t, -1, r.WeakestJoint)
	}
}

// TestScrew: a nut on a fixed vertical screw falls with d″ = −g·m p²/(m p² + I).
func TestScrew(t *testing.T) {
	const mass, g, pitch = 0.7, 9.81, -0.05
	d, err := bodies.SolidCylinder(mass, 0.1, 0.04)
	d = solid(t, d, err)
	b := rung.NewBuilder("screw")
	nut := b.Body("nut", d, rung.At(0, 0, 0))
	b.Joint("thread", model.Helical, rung.World, nut, rung.At(0, 0, 0)).Pitch = pitch
	x := built(t, b)
	m := mass * pitch * pitch
	want := -g * m / (m + d.Inertia[2])
	closeVec3(t, x.ComAcceleration(0), spatial.Vec3{0, 0, want}, closedTol, math.Abs(want), "acceleration")
	closeVec3(t, x.AngularAcceleration(0), spatial.Vec3{0, 0, want / pitch}, closedTol, math.Abs(want/pitch), "angular acceleration")
}

// TestBalance: two loads on balls at the ends of a level beam, a machine of
// Atwood: α = −g·l·(m₂ − m₁)/(I + (m₁ + m₂)·l²) about y, beam along x.
func TestBalance(t *testing.T) {
	const m1, m2, beamMass, l, g = 2.0, 3.5, 1.2, 0.6, 9.81
	b := rung.NewBuilder("balance")
	left, right := spatial.Vec3{-l, 0, 0}, spatial.Vec3{l, 0, 0}
	beam := b.Rod("beam", beamMass, 0.02, left, right)
	b.Revolute("knife", rung.World, beam, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	for _, load := range []struct {
		name string
		mass float64
		at   spatial.Vec3
	}{{"m1", m1, left}, {"m2", m2, right}} {
		d, err := bodies.SolidSphere(load.mass, 0.1)
		hang := b.Body(load.name, solid(t, d, err).WithCom(spatial.Vec3{0, 0, -0.3}), rung.Place{Origin: load.at})
		b.Spherical("ball-"+load.name, beam, hang, load.at)
	}
	x := built(t, b)
	alpha := g * l * (m2 - m1) / (beamMass*4*l*l/12 + (m1+m2)*l*l)
	closeVec3(t, x.AngularAcceleration(0), spatial.Vec3{0, alpha, 0}, closedTol, alpha, "beam")
	for i, m := range []float64{m1, m2} {
		a := alpha * l * float64(1-2*i)
		closeVec3(t, x.ComAcceleration(1+i), spatial.Vec3{0, 0, a}, closedTol, g, "load %d", i)
		closeVec3(t, x.TotalWrench(1+i).Linear(), spatial.Vec3{0, 0, m * (g + a)}, closedTol, m*g, "string %d", i)
	}
}

// TestNFourBar compares with the closed form and checks that the three
// redundant rows of every window are counted and named.
func TestNFourBar(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100, 1000, 10000} {
		if testing.Short() && n > 100 || check.More() == 1 && n > 1000 {
			break
		}
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			requireNFourBar(t, n, bench.DefaultAngle, order.Auto, ladderTol)
		})
		for _, side := range []float64{-1, 1} {
			t.Run(fmt.Sprintf("n=%d/singular%+g", n, side), func(t *testing.T) {
				requireNFourBar(t, n, math.Pi/2+side*1e-3, order.Auto, singularTol)
			})
		}
	}
}

// TestNFourBarOrderings goes near the singular pose under every ordering.
func TestNFourBarOrderings(t *testing.T) {
	check.Long(t)
	for _, n := range []int{10, 300} {
		for _, o := range orderings {
			t.Run(fmt.Sprintf("n=%d/%v", n, o), func(t *testing.T) {
				requireNFourBar(t, n, bench.DefaultAngle, o, ladderTol)
				requireNFourBar(t, n, math.Pi/2-1e-3, o, singularTol)
			})
		}
	}
}

func requireNFourBar(t *testing.T, n int, theta float64, o order.Ordering, tol float64) {
	t.Helper()
	m, err := bench.NFourBar(n, theta, 1)
	require.NoError(t, err)
	s := solve(t, m, o)
	want := bench.NFourBarAcceleration(n, theta)
	worst := 0.0
	for k := 0; k < 2*n+1; k += 2 { // rods and bars alternate
		worst = max(worst, math.Abs(s.AngularAcceleration(k)[2]/want-1))
	}
	require.LessOrEqual(t, worst, tol, "relative error of the rods")
	r := report(t, s)
	require.Equal(t, 3*n, r.Redundant)
	require.Equal(t, 12*n+5, r.Rank)
	require.Equal(t, 1, r.Mobility)
	near := math.Abs(theta-math.Pi/2) < 2e-3
	require.Equal(t, near, r.NearSingular, "distance %g", r.Distance)
	require.Equal(t, 3*n, sum(r.RedundantRows))
	for j, u := range r.Undetermined {
		if u != 0b011100 { // forces along z and moments across it, in all joints
			t.Fatalf("joint %s: undetermined %06b", m.Joints[j].Name, u)
		}
	}
}

// TestNearlySingularNFourBar is closer to the singular pose than pivots can tell, where as many
// directions as there are windows take conjugate gradients.
func TestNearlySingularNFourBar(t *testing.T) {
	for _, n := range []int{5, 20, 50} {
		for _, d := range []float64{1e-7, 3e-8, 1e-8, 3e-9} {
			m, err := bench.NFourBar(n, math.Pi/2-d, 1)
			require.NoError(t, err)
			s := solve(t, m, order.Auto)
			want := bench.NFourBarAcceleration(n, math.Pi/2-d)
			require.Less(t, s.Refinement().Error, 1e-6, "n %d, %g", n, d)
			for k := 0; k < 2*n+1; k += 2 {
				require.InEpsilon(t, want, s.AngularAcceleration(k)[2], 10*s.Refinement().Error+1e-16/d, "n %d, %g", n, d)
			}
		}
	}
}

// TestHardlyRedundantRow has a row with a pivot below the pivots of redundant rows that the others
// violate by so little that its multiplier alone tells.
func TestHardlyRedundantRow(t *testing.T) {
	const n, d = 1, 1e-5
	m, err := bench.NFourBar(n, math.Pi/2-d, 1)
	require.NoError(t, err)
	s := solve(t, m, order.Auto)
	require.InEpsilon(t, bench.NFourBarAcceleration(n, math.Pi/2-d), s.AngularAcceleration(0)[2], 1e-12)
}

// TestTooCloseForDoubles has a thousand windows that are all nearly singular: refinement does not converge, an orthogonal
// factorization does. The error comes from the angle, 1e-16 rad of 1e-6, in every window.
func TestTooCloseForDoubles(t *testing.T) {
	check.Long(t)
	const n, d = 1000, 1e-6
	m, err := bench.NFourBar(n, math.Pi/2-d, 1)
	require.NoError(t, err)
	s := solve(t, m, order.Auto)
	for k := 0; k < 2*n+1; k += 2 {
		require.InEpsilon(t, bench.NFourBarAcceleration(n, math.Pi/2-d), s.AngularAcceleration(k)[2], n*1e-16/d, "crank %d", k)
	}
}

// TestTooCloseToSingular names the joint of a net whose constraints rounding cannot tell from dependent ones, by
// orthogonal factorization neither, and that is too large for twice the digits.
func TestTooCloseToSingular(t *testing.T) {
	check.Long(t) // smaller nets are solved
	m, err := bench.BallNet(60, 1)
	require.NoError(t, err)
	p := newPlan(t, m, order.Auto)
	err = p.NewSolver().Solve(p.Initial())
	require.ErrorIs(t, err, kkt.ErrInaccurate)
	require.Regexp(t, `^kkt: joint "[hv]\d+_\d+", row \d: refinement does not converge: too close to dependent`, err.Error())
}

// TestWindowsAreNamed builds the row from left to right, so that each window is
// closed by three further joints, which carry its three redundant rows.
func TestWindowsAreNamed(t *testing.T) {
	const n = 12
	m := generate(t, "nfourbar", n, 1)
	r := report(t, solve(t, m, order.Natural))
	rows := map[string]int{}
	for j := range m.Joints {
		rows[m.Joints[j].Name] = r.RedundantRows[j]
	}
	require.Zero(t, rows["g0"])
	for k := range n {
		window := rows[fmt.Sprint("l", k)] + rows[fmt.Sprint("r", k)] + rows[fmt.Sprint("g", k+1)]
		require.Equal(t, 3, window, "window %d of %v", k, rows)
	}
}

func sum(v []int) (n int) {
	for _, x := range v {
		n += x
	}
	return n
}

// TestNearSingularIsGraded moves towards the singular pose: Distance falls with
// the angle and the flag is set where NearSingularDistance says.
func TestNearSingularIsGraded(t *testing.T) {
	last := math.Inf(1)
	for _, angle := range []float64{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4} {
		m, err := bench.NFourBar(5, math.Pi/2-angle, 1)
		require.NoError(t, err)
		r := report(t, solve(t, m, order.Auto))
		require.Less(t, r.Distance, last, "angle %g", angle)
		require.Equal(t, r.Distance < kkt.NearSingularDistance, r.NearSingular)
		check.Close(t, math.Log10(r.Distance/angle), 0, 1, 1, "distance %g at angle %g", r.Distance, angle)
		last = r.Distance
	}
}
