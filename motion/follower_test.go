package motion_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// followTol is of positions, velocities and accelerations against
	// closed forms, relative to some metres and radians a second.
	followTol = 1e-10
	// followSlow is the same for accelerations, which have the rate squared.
	followSlow = 1e-8
)

// driven gives a joint a motion q = c₀ + c₁t + …
func driven(m *model.Model, joint string, coefficients ...float64) {
	for i := range m.Joints {
		if m.Joints[i].Name == joint {
			m.Joints[i].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: coefficients}}
		}
	}
}

// planar makes rods between points, pinned in a row, the first and last to the world.
func planar(t *testing.T, points ...spatial.Vec3) *model.Model {
	t.Helper()
	b := rung.NewBuilder("planar").Gravity(0, -9.81, 0)
	z := spatial.Vec3{0, 0, 1}
	last := rung.World
	for i := range points[1:] {
		rod := b.Rod(string(rune('a'+i)), 1, 0.01, points[i], points[i+1])
		b.Revolute("p"+string(rune('0'+i)), last, rod, points[i], z)
		last = rod
	}
	b.Revolute("end", last, rung.World, points[len(points)-1], z)
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

func follow(t *testing.T, m *model.Model) (*motion.Follower, *mechanism.Mechanism) {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	f := motion.NewFollower(plan)
	require.NoError(t, f.Start(context.Background()))
	return f, plan.Mechanism()
}

// TestFollowSliderCrank compares a slider-crank with its closed form over three turns: x = r cos θ + √(l² − r² sin²θ).
func TestFollowSliderCrank(t *testing.T) {
	const r, l, w = 0.5, 1.3, 7.0
	b := rung.NewBuilder("slider-crank").Gravity(0, -9.81, 0)
	z, x := spatial.Vec3{0, 0, 1}, spatial.Vec3{1}
	O, A, B := spatial.Vec3{}, spatial.Vec3{r}, spatial.Vec3{r + l}
	crank, rod := b.Rod("crank", 1, 0.01, O, A), b.Rod("rod", 1, 0.01, A, B)
	piston := b.Rod("piston", 2, 0.1, B, B.Add(spatial.Vec3{0.2}))
	b.Revolute("crank", rung.World, crank, O, z)
	b.Revolute("pin", crank, rod, A, z)
	b.Revolute("wrist", rod, piston, B, z)
	b.Prismatic("bore", rung.World, piston, B, x)
	m, err := b.Model()
	require.NoError(t, err)
	driven(m, "crank", 0, w)
	f, mech := follow(t, m)
	i, err := mech.BodyIndex("piston")
	require.NoError(t, err)
	a := make([]float64, 6*mech.NumBodies())
	for n := 1; n <= 100; n++ {
		at := float64(n) * 3 * 2 * math.Pi / w / 100
		require.NoError(t, f.To(context.Background(), at))
		s, c := math.Sincos(w * at)
		q := math.Sqrt(l*l - r*r*s*s)
		dq := -r * r * s * c * w / q
		ddq := -(r*r*w*w*(c*c-s*s) + dq*dq) / q
		st := f.State()
		f.AccelerationsTo(a)
		require.InDelta(t, r*c+q, st.Bodies[i].Position[0], followTol)
		require.InDelta(t, -r*w*s+dq, st.Bodies[i].Velocity[0], followTol*w)
		require.InDelta(t, -r*w*w*c+ddq, a[6*i+3], followSlow*w*w)
	}
}

// TestFollowFourBar compares a crank-rocker with Freudenstein's equation, and that of its derivative.
func TestFollowFourBar(t *testing.T) {
	const a, b, c, d, w = 0.4, 1.1, 0.9, 1.2, 3.0
	rocker := func(th float64) (phi, rate float64) { // K₁ cos φ − K₂ cos θ + K₃ = cos(θ − φ), knee above
		k1, k2, k3 := d/a, d/c, (a*a-b*b+c*c+d*d)/(2*a*c)
		// with t = tan φ/2: A t² + B t + C = 0
		A := math.Cos(th) - k1 - k2*math.Cos(th) + k3
		B := -2 * math.Sin(th)
		C := k1 - (k2+1)*math.Cos(th) + k3
		phi = 2 * math.Atan2(-B-math.Sqrt(B*B-4*A*C), 2*A)
		s := math.Sin(th - phi)
		return phi, w * (k2*math.Sin(th) + s) / (k1*math.Sin(phi) + s)
	}
	start := 0.3
	phi, _ := rocker(start)
	p := []spatial.Vec3{{}, {a * math.Cos(start), a * math.Sin(start)}, {d + c*math.Cos(phi), c * math.Sin(phi)}, {d}}
	require.InDelta(t, b, p[2].Sub(p[1]).Norm(), followTol)
	m := planar(t, p...)
	driven(m, "p0", 0, w)
	f, mech := follow(t, m)
	last, err := mech.BodyIndex("c")
	require.NoError(t, err)
	for n := 1; n <= 200; n++ {
		at := float64(n) * 2 * 2 * math.Pi / w / 200
		require.NoError(t, f.To(context.Background(), at))
		phi, rate := rocker(start + w*at)
		st := &f.State().Bodies[last] // from the knee to the pivot
		knee := st.Position
		require.InDelta(t, d+c*math.Cos(phi), knee[0], followTol)
		require.InDelta(t, c*math.Sin(phi), knee[1], followTol)
		require.InDelta(t, rate, st.Omega[2], followTol*w)
	}
}

// TestFollowJansen compares two turns of a pair of legs with the family's own points, which are intersections of circles.
func TestFollowJansen(t *testing.T) {
	m, err := bench.Jansen(1, 3)
	require.NoError(t, err)
	rate := -m.Bodies[0].Velocity.Angular[1] // about −y
	driven(m, "shaft", 0, rate)
	f, mech := follow(t, m)
	for n := 1; n <= 80; n++ {
		at := float64(n) * 2 * 2 * math.Pi / rate / 80
		require.NoError(t, f.To(context.Background(), at))
		want, err := bench.JansenFeet(1, 3, at)
		require.NoError(t, err)
		for k, name := range []string{"tl0", "tr0"} {
			i, err := mech.BodyIndex(name)
			require.NoError(t, err)
			b := &f.State().Bodies[i]
			for c := range 3 {
				require.InDelta(t, want[k][c], b.Position[c], followTol)
			}
		}
	}
}

// TestFollowDead stops a rocker-driven four-bar where its links are in one line, and says where.
func TestFollowDead(t *testing.T) {
	// Crank 1, coupler 1, ground 2.2, rocker 1: driven from the left,
	// the left link goes down until the other two are stretched.
	p := []spatial.Vec3{{}, {0.6, 0.8}, {1.55, 0}, {2.2}}
	p[2] = spatial.Vec3{2.2 - 0.4, 0.9}
	m := planar(t, p...)
	driven(m, "p0", 0, 1) // away from the others
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	f := motion.NewFollower(plan)
	require.NoError(t, f.Start(context.Background()))
	err = f.To(context.Background(), 3)
	var stuck *motion.StuckError
	require.ErrorAs(t, err, &stuck)
	// The coupler and the rocker are in line where the tip is as far from the right pivot as both are long.
	reach := p[2].Sub(p[1]).Norm() + p[3].Sub(p[2]).Norm()
	cosine := (1 + 2.2*2.2 - reach*reach) / (2 * 2.2)
	end := math.Acos(cosine) - math.Atan2(0.8, 0.6)
	require.InDelta(t, end, stuck.Time, 1e-5)
	require.Contains(t, err.Error(), "dead position")
	require.Equal(t, motion.DeadPosition, stuck.Why)
	require.Contains(t, []string{"p1", "p2", "end"}, stuck.Joint)
}

// TestFollowThroughFlat takes a parallelogram through its flat pose along the branch on which it came, and names the
// pose if it is to stop there.
func TestFollowThroughFlat(t *testing.T) {
	m := planar(t, spatial.Vec3{}, spatial.Vec3{0.6, 0.8}, spatial.Vec3{2.6, 0.8}, spatial.Vec3{2})
	flat := math.Atan2(0.8, 0.6)
	driven(m, "p0", 0, -1) // clockwise, flat at the angle 0
	for _, stops := range [][]float64{{2}, {0.1, 0.9, 1.1, 2}, {flat - 1e-2, flat + 1e-2, 2}} {
		f, mech := follow(t, m)
		i, err := mech.BodyIndex("b")
		require.NoError(t, err)
		for _, at := range stops {
			require.NoError(t, f.To(context.Background(), at))
			b := &f.State().Bodies[i]
			s, c := math.Sincos(flat - at)
			assert.InDelta(t, 1, math.Abs(b.Rotation[0]), 1e-12, "the coupler stays level")
			assert.InDelta(t, s, b.Position[1], followTol)
			assert.InDelta(t, 0, b.Omega[2], 1e-6)
			assert.InDelta(t, -c, b.Velocity[1], 1e-6)
		}
	}
	for _, at := range []float64{flat, flat + 1e-7} {
		f, _ := follow(t, m)
		err := f.To(context.Background(), at)
		var stuck *motion.StuckError
		require.ErrorAs(t, err, &stuck)
		assert.Equal(t, motion.SingularPosition, stuck.Why)
		assert.InDelta(t, flat, stuck.Time, 1e-4)
		assert.ErrorContains(t, err, "is a singular position")
	}
}

// TestFollowJump refuses a motion that jumps: the joints can be closed after the jump, but displacements do not agree with velocities.
func TestFollowJump(t *testing.T) {
	m := planar(t, spatial.Vec3{}, spatial.Vec3{0.4, 0.1}, spatial.Vec3{1.1, 0.9}, spatial.Vec3{1.2})
	for i := range m.Joints {
		if m.Joints[i].Name == "p0" {
			m.Joints[i].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 1}}}
		}
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	in := plan.Mechanism().NewInputs()
	with := plan.With(in)
	f := motion.NewFollower(with)
	require.NoError(t, f.Start(context.Background()))
	require.NoError(t, f.To(context.Background(), 0.1))
	// From here on, the motion is elsewhere at the same rate.
	require.NoError(t, in.SetMotion(0, 0, &model.Motion{Kind: model.Polynomial, Coefficients: []float64{0.5, 1}}))
	err = f.To(context.Background(), 0.2)
	var stuck *motion.StuckError
	require.ErrorAs(t, err, &stuck)
	assert.Equal(t, motion.BranchJump, stuck.Why)
	assert.InDelta(t, 0.1, stuck.Time, 1e-6)
	assert.ErrorContains(t, err, "the motion jumps")
}

func TestFollowFree(t *testing.T) {
	m := planar(t, spatial.Vec3{}, spatial.Vec3{0.4, 0.1}, spatial.Vec3{1.1, 0.9}, spatial.Vec3{1.2})
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	err = motion.NewFollower(plan).Start(context.Background())
	require.ErrorIs(t, err, motion.ErrFree)
	require.ErrorContains(t, err, "1 more")
	driven(m, "p0", 0, 1)
	f, _ := follow(t, m)
	ctx, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, f.To(ctx, 1), context.Canceled)
	// At 1 rad/s.
	require.ErrorIs(t, f.To(ctx, 0.99e6), context.Canceled)
	require.ErrorIs(t, f.To(ctx, 1.01e6), motion.ErrFar)
	err = f.To(context.Background(), 1e300)
	require.ErrorIs(t, err, motion.ErrFar)
	require.ErrorContains(t, err, "would travel")
	require.Zero(t, f.State().Time)
}

// TestFollowTimes: NaN is refused as a time, as is a time before the present one.
func TestFollowTimes(t *testing.T) {
	m := planar(t, spatial.Vec3{}, spatial.Vec3{0, 1, 0}, spatial.Vec3{2, 1, 0}, spatial.Vec3{2, 0, 0})
	driven(m, "p0", 0, 1)
	f, _ := follow(t, m)
	for _, at := range []float64{-1, math.NaN()} {
		require.PanicsWithValue(t, "motion: time runs backwards", func() { _ = f.To(context.Background(), at) })
	}
}
