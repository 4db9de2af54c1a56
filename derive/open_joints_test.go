package derive_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

// openBy is by how much joints are open in TestOpenJoints, rad and m, and rad/s and m/s: thousands of times more than at stages of coarse
// steps.
const openBy = 1e-3

// flat are linkages in a plane. Their redundant rows hold as long as bodies stay in it.
var flat = regexp.MustCompile(`^(run-|lin-|eq-)?four-bar$|^run-slider-crank$|slider-crank-planar|gear-pair`)

// framePath is a path of a number of a joint's frames.
var framePath = regexp.MustCompile(`^joints\[.*_frame\.`)

// TestOpenJoints: where joints are open, derivatives are those of the accelerations that are computed there, along directions that the
// joints allow and that they do not. Rows take the part of R and V that the joint allows, theory.md (9); derivatives were those of all of R
// and V, and off by as much as joints were open.
func TestOpenJoints(t *testing.T) {
	types := map[joints.Kind]int{}
	for n, m := range everyModel(t) {
		t.Run(m.Name, func(t *testing.T) {
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			plan := kkt.NewPlan(mech, kkt.Options{})
			d, st := derive.New(plan, m), plan.Initial()
			require.NoError(t, d.At(st))
			if len(m.Joints) == 0 || d.Redundancy().Rows > 0 && !flat.MatchString(m.Name) {
				return // rows contradict each other where joints are open
			}
			opened(m, st, openBy, check.Rand(uint64(n)))
			require.NoError(t, d.At(st))
			openSlopes(t, d, st, check.Rand(uint64(n)))
			openFrames(t, m, d, st, check.Rand(uint64(n)))
			for _, j := range m.Joints {
				types[j.Type.Type()]++
			}
		})
	}
	for _, of := range []joints.Kind{
		joints.Fixed, joints.Revolute, joints.Prismatic, joints.Helical, joints.Cylindrical, joints.Universal, joints.Planar, joints.Spherical,
		joints.SphereInCylinder, joints.PointOnPlane, joints.Distance, joints.Rolling, joints.NoSlip, joints.PointOnCurve, joints.CurveOnCurve,
		joints.Composite,
	} {
		require.Positive(t, types[of], of)
	}
}

// TestWideOpenJoints is TestOpenJoints for composite joints, whose coordinates are those of the nearest pose: rotations from there are of a
// tenth of a radian.
func TestWideOpenJoints(t *testing.T) {
	for seed := range uint64(3) {
		m := modeltest.Composites(seed, 4, 0)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d, st := derive.New(plan, m), plan.Initial()
		opened(m, st, 0.1, check.Rand(seed))
		require.NoError(t, d.At(st))
		openSlopes(t, d, st, check.Rand(seed))
	}
}

// TestFocus: a joint turns about z and then slides along x. Where its successor is 1 m beside the axis, along y, poses of all small angles
// are equally near but for the fourth powers of the angles, and the coordinates have no derivative: an error with the name of the joint
// says so. At half the distance derivatives are those of the accelerations.
func TestFocus(t *testing.T) {
	m := model.New("focus")
	m.Bodies = []model.Body{{Name: "slider", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	z, x := spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 0, 0}
	m.Joints = []model.Joint{{Name: "polar", Type: model.Composite, Predecessor: model.World, Successor: "slider",
		Axes: []model.Axis{{Kind: model.Revolute, Axis: z}, {Kind: model.Prismatic, Axis: x}}}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d, st := derive.New(plan, m), plan.Initial()
	st.Bodies[0].Velocity = spatial.Vec3{0.3, 0.2, 0}
	for _, y := range []float64{1, 0.5} {
		st.Bodies[0].Position = spatial.Vec3{0, y, 0}
		require.NoError(t, d.At(st))
		if y < 1 {
			openSlopes(t, d, st, check.Rand(1))
			continue
		}
		in, w := d.NewDirections(1), d.NewWeights()
		in.Body(0, 0).Position, w.Body(0).ComAcceleration = spatial.Vec3{1, 2, 3}, spatial.Vec3{1, 2, 3}
		for _, err := range []error{
			d.ForwardTo(d.NewChanges(1), in, derive.Options{AsGiven: true, Untried: true}), d.AdjointTo(d.NewGradient(), w, derive.Options{}),
		} {
			require.ErrorIs(t, err, derive.ErrNoDerivatives)
			require.ErrorContains(t, err, "polar")
		}
	}
}

// opened opens the joints at a state.
func opened(m *model.Model, st *mechanism.State, by float64, rng *rand.Rand) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		v := func() spatial.Vec3 {
			return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(by)
		}
		turn, step, spin, rate := v(), v(), v(), v()
		if flat.MatchString(m.Name) {
			turn, spin = spatial.Vec3{2: turn[2]}, spatial.Vec3{2: spin[2]}
			step[2], rate[2] = 0, 0
		}
		b.Rotation, b.Position = spatial.Exp(turn).Mul(b.Rotation), b.Position.Add(step)
		b.Omega, b.Velocity = b.Omega.Add(spin), b.Velocity.Add(rate)
	}
}

// openSlopes compares derivatives along random directions, and a gradient, with differences of accelerations.
func openSlopes(t *testing.T, d *derive.Derivatives, st *mechanism.State, rng *rand.Rand) {
	mech := d.Mechanism()
	s := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
	in, out, w, g := d.NewDirections(1), d.NewChanges(1), d.NewWeights(), d.NewGradient()
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	inPlane := flat.MatchString(mech.Name)
	for i := range mech.NumBodies() {
		u := derive.BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random()}
		if inPlane {
			u.Rotation, u.Angular = spatial.Vec3{2: u.Rotation[2]}, spatial.Vec3{2: u.Angular[2]}
			u.Position[2], u.Linear[2] = 0, 0
		}
		*in.Body(0, i) = u
		*w.Body(i) = derive.BodyWeight{ComAcceleration: random(), AngularAcceleration: random()}
	}
	require.NoError(t, d.ForwardTo(out, in, derive.Options{AsGiven: true, Untried: true}))
	requireSlope(t, accelerationChanges(d, out), nearby(func(h float64) []float64 {
		return accelerations(t, s, moved(d, st, out, in, h, 0))
	}))

	require.NoError(t, d.AdjointTo(g, w, derive.Options{}))
	forward, back, size := 0.0, 0.0, 0.0
	add := func(sum *float64, a, b spatial.Vec3) { *sum, size = *sum+spatial.Dot(&a, &b), size+a.Norm()*b.Norm() }
	for i := range mech.NumBodies() {
		b, x, y, u := out.Body(0, i), w.Body(i), g.Body(i), in.Body(0, i)
		add(&forward, b.ComAcceleration, x.ComAcceleration)
		add(&forward, b.AngularAcceleration, x.AngularAcceleration)
		add(&back, y.Rotation, u.Rotation)
		add(&back, y.Position, u.Position)
		add(&back, y.Angular, u.Angular)
		add(&back, y.Linear, u.Linear)
	}
	require.InDelta(t, forward, back, bodyTol*max(size, still))
}

// openFrames compares derivatives by some numbers of frames with differences.
func openFrames(t *testing.T, m *model.Model, d *derive.Derivatives, st *mechanism.State, rng *rand.Rand) {
	text, err := json.Marshal(m)
	require.NoError(t, err)
	inputs, err := study.NewInputs(text, m.Name)
	require.NoError(t, err)
	all := inputs.All()
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	was, left := inputs.All(), 3
	for _, x := range all {
		if left == 0 || !framePath.MatchString(x.Path) || flat.MatchString(m.Name) {
			continue
		}
		p, err := d.Parameter(x.Path)
		if err != nil {
			continue
		}
		left--
		in, out := d.NewDirections(1), d.NewChanges(1)
		in.AddParameter(0, p, 1)
		require.NoError(t, d.ForwardTo(out, in, derive.Options{AsGiven: true, Untried: true}), x.Path)
		at := func(h float64) []float64 {
			set(t, inputs, x.Path, x.Value+h)
			other, err := inputs.Model()
			require.NoError(t, err)
			reset(t, inputs, was)
			require.NoError(t, other.Load(t.Context(), model.Folder(folders[m])))
			mech, err := mechanism.New(other)
			require.NoError(t, err)
			return accelerations(t, kkt.NewPlan(mech, kkt.Options{}).NewSolver(), st)
		}
		requireSlopeOf(t, m, x, accelerationChanges(d, out), nearby(at))
	}
}

// accelerations returns the accelerations of all bodies at a state.
func accelerations(t *testing.T, s *kkt.Solver, st *mechanism.State) (x []float64) {
	require.NoError(t, s.Solve(st))
	for i := range st.Bodies {
		a, c := s.AngularAcceleration(i), s.ComAcceleration(i)
		x = append(append(x, a[:]...), c[:]...)
	}
	return x
}

// accelerationChanges are the changes of accelerations along direction 0.
func accelerationChanges(d *derive.Derivatives, out *derive.Changes) []float64 {
	x := make([]float64, 6*d.Mechanism().NumBodies())
	out.AccelerationsTo(x, 0)
	return x
}
