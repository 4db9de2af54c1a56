package derive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// step is the step of central differences, in rad and m. slopeTol is their error after one Richardson extrapolation, relative to the
	// largest change: step⁴ times fifth derivatives, plus rounding of accelerations divided by the step.
	step     = 2e-4
	slopeTol = 3e-7
	// still is the size of accelerations and reactions that are rounding.
	still = 1e-6
)

// closed returns m with the poses and velocities of its state closed.
func closed(t *testing.T, m *model.Model) (*derive.Derivatives, *mechanism.State) {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	st := plan.Initial()
	c := closing.NewCloser(plan, closing.Options{})
	require.NoError(t, c.ClosePositions(st))
	require.NoError(t, c.ProjectVelocities(st))
	d := derive.New(plan, m)
	require.NoError(t, d.At(st))
	return d, st
}

// moved returns st displaced by h along direction 0.
func moved(d *derive.Derivatives, st *mechanism.State, out *derive.Changes, in *derive.Directions, h, time float64) *mechanism.State {
	to := st.Clone()
	to.Time += h * time
	m := d.Mechanism()
	for i := range to.Bodies {
		b, u := &to.Bodies[i], out.Body(0, i)
		k := b.Rotation.Rotate(m.Bodies[i].Com)
		c, v := b.Position.Add(k), b.Velocity.Add(b.Omega.Cross(k))
		b.Rotation = spatial.Exp(u.Rotation.Scale(h)).Mul(b.Rotation)
		b.Omega = b.Omega.Add(u.Angular.Scale(h))
		k = b.Rotation.Rotate(m.Bodies[i].Com)
		b.Position = c.Add(u.Position.Scale(h)).Sub(k)
		b.Velocity = v.Add(u.Linear.Scale(h)).Sub(b.Omega.Cross(k))
	}
	return to
}

// results returns the accelerations, total wrenches and second rates of a state.
func results(t *testing.T, d *derive.Derivatives, s *kkt.Solver, st *mechanism.State) (x []float64) {
	require.NoError(t, s.Solve(st))
	m := d.Mechanism()
	for i := range m.NumBodies() {
		a, c := s.AngularAcceleration(i), s.ComAcceleration(i)
		x = append(append(x, a[:]...), c[:]...)
	}
	for j := range m.NumJoints() {
		w := s.TotalWrench(j)
		x = append(x, w[:]...)
	}
	return x
}

// changesOf returns the changes of results along direction 0, with NaN for numbers without derivative.
func changesOf(d *derive.Derivatives, out *derive.Changes) (x []float64) {
	m := d.Mechanism()
	for i := range m.NumBodies() {
		b := out.Body(0, i)
		x = append(append(x, b.AngularAcceleration[:]...), b.ComAcceleration[:]...)
	}
	for j := range m.NumJoints() {
		jt := out.Joint(0, j)
		for k := range 6 {
			if jt.Undetermined>>((k+3)%6)&1 != 0 {
				jt.Wrench[k] = math.NaN()
			}
			x = append(x, jt.Wrench[k])
		}
	}
	return x
}

// slopes compares derivatives along random directions that the state follows with differences; timed includes time.
func slopes(t *testing.T, m *model.Model, seed uint64, timed bool) {
	d, st := closed(t, m)
	rng := rand.New(rand.NewPCG(seed, 9))
	s := kkt.NewPlan(d.Mechanism(), kkt.Options{}).NewSolver()
	for range 3 {
		in, out := d.NewDirections(1), d.NewChanges(1)
		in.SetFollow(0, true)
		random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		for i := range d.Mechanism().NumBodies() {
			*in.Body(0, i) = derive.BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random()}
		}
		time := 0.0
		if timed {
			time = rng.NormFloat64()
		}
		in.SetTime(0, time)
		require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
		at := func(h float64) []float64 { return results(t, d, s, moved(d, st, out, in, h, time)) }
		requireSlope(t, changesOf(d, out), at)
	}
}

// requireSlope compares derivatives with differences of at; numbers that are not unique are left out.
func requireSlope(t *testing.T, got []float64, at func(h float64) []float64) {
	t.Helper()
	if i, want, tol := slopeMiss(got, at); i >= 0 {
		require.InDelta(t, want, got[i], tol, "number %d of %d", i, len(got))
	}
}

// slopeMiss returns the index of the first derivative that differs from a difference of at, with the difference and its tolerance; −1 if
// there is none.
func slopeMiss(got []float64, at func(h float64) []float64) (number int, want, tol float64) {
	a, b, c, e := at(step), at(-step), at(step/2), at(-step/2)
	size := still
	for i, x := range got {
		if x == x {
			size = max(size, math.Abs(x), math.Abs(a[i]))
		}
	}
	for i, x := range got {
		if x != x {
			continue
		}
		want := (4*(c[i]-e[i])/step - (a[i]-b[i])/(2*step)) / 3
		if !(math.Abs(want-x) <= slopeTol*size) {
			return i, want, slopeTol * size
		}
	}
	return -1, 0, 0
}

func TestSlopes(t *testing.T) {
	for _, x := range []struct {
		name string
		make func(seed uint64) *model.Model
	}{
		{"beads", modeltest.Beads}, {"cams", modeltest.Cams}, {"bowls", modeltest.Bowls}, {"rolling", modeltest.Rolling},
		{"composites", func(seed uint64) *model.Model { return modeltest.Composites(seed, 4, 1) }},
		{"laws", func(seed uint64) *model.Model {
			return modeltest.Follow(t, modeltest.Composites(seed, 4, 0), rand.New(rand.NewPCG(seed, 3)), 1)
		}},
		{"rods", func(seed uint64) *model.Model { return modeltest.Rods(3+int(seed), 1e-3, false) }},
	} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s %d", x.name, seed), func(t *testing.T) { slopes(t, x.make(seed), seed, true) })
		}
	}
}

// TestSlopesOfFamilies is TestSlopes for linkages with many redundant rows, wheels and gears.
func TestSlopesOfFamilies(t *testing.T) {
	for _, x := range []struct {
		family string
		n      int
	}{
		{"nfourbar", 3}, {"scissor", 4}, {"stewart", 1}, {"random", 12}, {"gear-train", 4}, {"hoberman", 6}, {"hoberman-sphere", 3}, {"jansen", 1},
		{"delta", 1}, {"excavator", 1}, {"grid", 3}, {"ball-net", 3}, {"revolute-net", 2}, {"ladder", 5}, {"miura", 2}, {"trailers", 2}, {"bicycle", 1},
		{"rolling-disc", 1}, {"snakeboard", 1}, {"valve-train", 1}, {"biped", 1},
	} {
		t.Run(x.family, func(t *testing.T) {
			m, err := bench.Generate(x.family, x.n, 1)
			require.NoError(t, err)
			if x.family != "miura" && x.family != "excavator" && x.family != "biped" {
				// States next to a folded sheet are too close to a singular pose, and the pins of an excavator and of a biped are too close to
				// each other for these steps.
				slopes(t, m, 1, true)
			}
			d, _ := closed(t, m)
			identity(t, d, nil, 1)
		})
	}
}
