package derive_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func TestMisuse(t *testing.T) {
	require.PanicsWithValue(t, "derive: no plan or no model", func() { derive.New(nil, nil) })
	require.PanicsWithValue(t, "derive: zero Derivatives; use New", func() { _ = new(derive.Derivatives).At(nil) })
	m, err := bench.NFourBar(1, 0.4, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d, other := derive.New(plan, m), derive.New(plan, m)
	in, out, g, w := d.NewDirections(1), d.NewChanges(1), d.NewGradient(), d.NewWeights()
	require.PanicsWithValue(t, "derive: no state; call At", func() { _ = d.ForwardTo(out, in, derive.Options{}) })
	require.Panics(t, func() { _ = d.At(new(mechanism.State)) })
	require.NoError(t, d.At(plan.Initial()))
	require.NoError(t, other.At(plan.Initial()))
	require.PanicsWithValue(t, "derive: no results", func() { out.Body(0, 0) })
	require.PanicsWithValue(t, "derive: no results", func() { g.Body(0) })
	require.PanicsWithValue(t, "derive: foreign directions", func() { _ = other.ForwardTo(out, in, derive.Options{}) })
	require.PanicsWithValue(t, "derive: foreign gradient", func() { _ = other.AdjointTo(g, w, derive.Options{}) })
	require.PanicsWithValue(t, "derive: directions follow by SetFollow", func() { _ = d.ForwardTo(out, in, derive.Options{Follow: true}) })
	require.PanicsWithValue(t, "derive: AdjointTo takes the option Follow alone", func() {
		_ = d.AdjointTo(g, w, derive.Options{Follow: true, AsGiven: true})
	})
	require.PanicsWithValue(t, "derive: foreign weights", func() { _ = other.BodiesTo(nil, w) })
	require.PanicsWithValue(t, "derive: length mismatch", func() { _ = d.BodiesTo(nil, w) })
	require.PanicsWithValue(t, "derive: freedom out of range", func() {
		_, _ = d.StateSpace(derive.StateSpaceOptions{Inputs: []mechanism.Freedom{{Joint: 99}}})
	})
	p, err := d.Parameter("joints[r0].damping[0]")
	require.NoError(t, err)
	require.PanicsWithValue(t, "derive: directions from before a parameter", func() { in.AddParameter(0, p, 1) })
	require.PanicsWithValue(t, "derive: gradient from before a parameter", func() { g.Of(p) })
	for _, path := range []string{
		"", "bodies[nobody].mass", "bodies[0].weight", "bodies[0].com[3]", "joints[r0].length", "joints[r0].turns[0]", "joints[r0].armature[0]",
		"joints[r0].damping[1]", "forces[0].stiffness", "joints[r0].axes[0].pitch", "couplings[0].offset", "gravity[3]", "joints[r0].motion[0].offset",
	} {
		_, err := d.Parameter(path)
		require.ErrorIs(t, err, derive.ErrParameter, path)
	}
	for _, column := range []string{"", "rod0", "rod0.pq", "nobody.px", "joint.r0.q0", "joint.nobody.q", "r0.force.x"} {
		_, err := d.Output(column)
		require.ErrorIs(t, err, derive.ErrOutput, column)
	}
	for _, n := range []derive.NamedDirection{
		{Bodies: []derive.NamedBody{{Body: "nobody"}}}, {Bodies: []derive.NamedBody{{Body: "world"}}}, {Loads: []derive.NamedLoad{{Body: "x"}}},
		{Forces: []derive.NamedForce{{Joint: "x"}}}, {Forces: []derive.NamedForce{{Joint: "r0", Freedom: 1}}},
		{Parameters: []derive.NamedParameter{{Path: "x"}}},
	} {
		_, err := d.Named([]derive.NamedDirection{n})
		require.ErrorAs(t, err, new(*derive.DirectionError))
	}
}

// TestAllocations: a direction and a gradient by bodies allocate nothing.
func TestAllocations(t *testing.T) {
	m, err := bench.Chain(20, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d := derive.New(plan, m)
	require.NoError(t, d.At(plan.Initial()))
	in, out, w := d.NewDirections(1), d.NewChanges(1), d.NewWeights()
	in.SetFollow(0, true)
	in.Body(0, 3).Rotation = spatial.Vec3{1, 2, 3}
	w.Body(2).ComAcceleration = spatial.Vec3{1}
	list := make([]derive.BodyDirection, mech.NumBodies())
	for range 2 { // the first call allocates for later ones
		require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
		require.NoError(t, d.BodiesTo(list, w))
	}
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = d.ForwardTo(out, in, derive.Options{}) }))
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = d.BodiesTo(list, w) }))
}

// TestRefusals: each kind of direction without a derivative has its error, and the name of a joint.
func TestRefusals(t *testing.T) {
	d, _ := open(t, referenceDir+"/four-bar.model.json")
	forward := func(n derive.NamedDirection) error {
		in, err := d.Named([]derive.NamedDirection{n})
		require.NoError(t, err)
		return d.ForwardTo(d.NewChanges(1), in, derive.Options{})
	}
	turn := []derive.NamedBody{{Body: "crank", Rotation: spatial.Vec3{0, 0, 1}}}
	place := new(mechanism.Error)
	err := forward(derive.NamedDirection{Name: "alone", Bodies: turn})
	require.ErrorIs(t, err, derive.ErrNotAllowed)
	require.ErrorAs(t, err, &place)
	require.Contains(t, err.Error(), "alone")
	require.NoError(t, forward(derive.NamedDirection{Follow: true, Bodies: turn}))
	err = forward(derive.NamedDirection{Bodies: []derive.NamedBody{{Body: "crank", Angular: spatial.Vec3{0, 0, 1}}}})
	require.ErrorIs(t, err, derive.ErrNotAllowed)
	long := func(k string) derive.NamedDirection {
		return derive.NamedDirection{Follow: true, Parameters: []derive.NamedParameter{{Path: "joints[p2].predecessor_frame.position[" + k + "]", Change: 1}}}
	}
	require.ErrorIs(t, forward(long("2")), derive.ErrBreaksLoop, "out of the plane")
	require.NoError(t, forward(long("0")), "in the plane")
	// A force on an undetermined component has no gradient.
	w, g := d.NewWeights(), d.NewGradient()
	w.Joint(1).Force = spatial.Vec3{0, 0, 1}
	err = d.AdjointTo(g, w, derive.Options{Follow: true})
	require.ErrorIs(t, err, derive.ErrUndetermined)
	require.ErrorAs(t, err, &place)
	require.Equal(t, d.Mechanism().JointName(1), place.Joint)
	w.Joint(1).Force = spatial.Vec3{1, 0, 0}
	require.NoError(t, d.AdjointTo(g, w, derive.Options{Follow: true}))
	_ = g.Body(0)
	w.Joint(1).Force = spatial.Vec3{0, 0, 1}
	require.Error(t, d.AdjointTo(g, w, derive.Options{Follow: true}))
	for _, read := range []func(){
		func() { g.Body(0) }, func() { g.Force(0, 0) }, func() { g.Time() }, func() { g.Frame(0, 0) },
		func() { g.TakeMotion(make([]float64, 12*d.Mechanism().NumBodies())) },
	} {
		require.PanicsWithValue(t, "derive: no results", read, "and not the gradient of the call before")
	}
	// Coordinates.
	_, err = d.StateSpace(derive.StateSpaceOptions{Coordinates: []mechanism.Freedom{{Joint: 0}, {Joint: 1}}})
	require.ErrorIs(t, err, derive.ErrCoordinates, "two of a mechanism that moves in one way")
	free, err := bench.Random(3, 4)
	require.NoError(t, err)
	f, _ := closed(t, free)
	if _, err := f.StateSpace(derive.StateSpaceOptions{Coordinates: []mechanism.Freedom{}}); err != nil {
		require.ErrorIs(t, err, derive.ErrCoordinates, "motions are left")
	}
}

// parallelogram returns a parallelogram linkage with cranks of length 1, at an angle and with a rate.
func parallelogram(angle, rate float64) *model.Model {
	m := model.New("parallelogram")
	m.Gravity = [3]float64{0, -9.81, 0}
	s, c := math.Sincos(angle)
	q := [4]float64{math.Cos(angle / 2), 0, 0, math.Sin(angle / 2)}
	inertia := model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}
	crank := func(name string, x float64) model.Body {
		return model.Body{
			Name: name, Mass: 1, Com: [3]float64{0.5, 0, 0}, Inertia: inertia, Pose: model.Pose{Position: [3]float64{x, 0, 0}, Orientation: q},
			Velocity: model.Velocity{Angular: [3]float64{0, 0, rate}},
		}
	}
	bar := model.Body{
		Name: "bar", Mass: 1, Com: [3]float64{1, 0, 0}, Inertia: inertia, Pose: model.Pose{Position: [3]float64{c, s, 0}},
		Velocity: model.Velocity{Linear: [3]float64{-s * rate, c * rate, 0}},
	}
	m.Bodies = []model.Body{crank("left", 0), crank("right", 2), bar}
	hinge := func(name, a, b string, p, q float64) model.Joint {
		return model.Joint{
			Name: name, Type: model.Revolute, Predecessor: a, Successor: b, PredecessorFrame: model.Pose{Position: [3]float64{p, 0, 0}},
			SuccessorFrame: model.Pose{Position: [3]float64{q, 0, 0}},
		}
	}
	m.Joints = []model.Joint{
		hinge("a", model.World, "left", 0, 0), hinge("b", model.World, "right", 2, 0), hinge("c", "left", "bar", 1, 0), hinge("d", "right", "bar", 1, 2),
	}
	return m
}

// TestSingularPose: where a parallelogram is folded its rank changes along its motion, and there is no derivative. At an angle there is
// one.
func TestSingularPose(t *testing.T) {
	for _, angle := range []float64{0, 0.8} {
		m := parallelogram(angle, 0.5)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := derive.New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		s, c := math.Sincos(angle)
		in, err := d.Named([]derive.NamedDirection{{Name: "on", Bodies: []derive.NamedBody{
			{Body: "left", Rotation: spatial.Vec3{0, 0, 1}, Position: spatial.Vec3{-s / 2, c / 2, 0}, Linear: spatial.Vec3{-c / 4, -s / 4, 0}},
			{Body: "right", Rotation: spatial.Vec3{0, 0, 1}, Position: spatial.Vec3{-s / 2, c / 2, 0}, Linear: spatial.Vec3{-c / 4, -s / 4, 0}},
			{Body: "bar", Position: spatial.Vec3{-s, c, 0}, Linear: spatial.Vec3{-c / 2, -s / 2, 0}},
		}}})
		require.NoError(t, err)
		_, space := d.StateSpace(derive.StateSpaceOptions{})
		for _, err := range []error{d.ForwardTo(d.NewChanges(1), in, derive.Options{}), space} {
			if angle == 0 {
				require.ErrorIs(t, err, derive.ErrSingularPose)
				require.ErrorAs(t, err, new(*mechanism.Error))
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// TestWheelsOnTerrain: wheels on terrain have no derivatives, and the error names the joint.
func TestWheelsOnTerrain(t *testing.T) {
	d, _ := closed(t, modeltest.Hills(1))
	in := d.NewDirections(1)
	in.SetFollow(0, true)
	in.Body(0, 0).Rotation = spatial.Vec3{1, 0, 0}
	err := d.ForwardTo(d.NewChanges(1), in, derive.Options{})
	require.ErrorIs(t, err, derive.ErrNoDerivatives)
	place := new(mechanism.Error)
	require.ErrorAs(t, err, &place)
	require.GreaterOrEqual(t, place.JointIndex, 0)
	w := d.NewWeights()
	w.Body(0).ComAcceleration = spatial.Vec3{1, 0, 0}
	require.ErrorIs(t, d.AdjointTo(d.NewGradient(), w, derive.Options{}), derive.ErrNoDerivatives)
}
