package derive_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestForwardEach: directions one at a time have the results that they have together, by names and by parameters, with and without lists.
func TestForwardEach(t *testing.T) {
	m, err := bench.Random(12, 3)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	d := derive.New(plan, m)
	require.NoError(t, d.At(plan.Initial()))
	body, joint := m.Bodies[0].Name, m.Joints[0].Name
	list := []derive.NamedDirection{
		{Name: "push", Loads: []derive.NamedLoad{{Body: body, Force: spatial.Vec3{1, 2, 3}}, {Body: body, Torque: spatial.Vec3{0, 1, 0}}}},
		{Name: "turn", Follow: true, Bodies: []derive.NamedBody{{Body: body, Rotation: spatial.Vec3{0.1, 0, 0.2}}}},
		{Name: "heavier", Parameters: []derive.NamedParameter{{Path: "bodies[" + body + "].mass", Change: 2}}},
		{Name: "moved", Follow: true, Parameters: []derive.NamedParameter{
			{Path: "joints[" + joint + "].predecessor_frame.position[0]", Change: 1}, {Path: "bodies[" + body + "].com[1]", Change: 1},
		}},
	}
	in, err := d.Named(list)
	require.NoError(t, err)
	all := d.NewChanges(len(list))
	o := derive.Options{Untried: true}
	require.NoError(t, d.ForwardTo(all, in, o))
	seen := 0
	require.NoError(t, d.ForwardEach(in, o, func(out *derive.Changes, k int) error {
		require.Equal(t, seen, k)
		requireAlike(t, all, k, out, mech)
		seen++
		return nil
	}))
	require.Equal(t, len(list), seen)
	// With lists for all bodies a direction is the same.
	for k := range list {
		_ = in.Body(k, 0)
	}
	require.NoError(t, d.ForwardEach(in, o, func(out *derive.Changes, k int) error {
		requireAlike(t, all, k, out, mech)
		return nil
	}))
	// Errors of the direction and of see are returned.
	stop := errors.New("enough")
	require.ErrorIs(t, d.ForwardEach(in, o, func(*derive.Changes, int) error { return stop }), stop)
	in.Reset(3)
	in.SetName(3, "open")
	in.Body(3, 0).Position[0] = 1
	e := new(derive.DirectionError)
	require.ErrorAs(t, d.ForwardEach(in, o, func(*derive.Changes, int) error { return nil }), &e)
	require.Equal(t, 3, e.Direction)
	require.Equal(t, "open", e.Name)
	require.PanicsWithValue(t, "derive: foreign directions", func() { _ = derive.New(plan, m).ForwardEach(in, o, nil) })
}

// togetherTol is the difference between derivatives along directions together and one at a time: kernels for eight right sides round in
// another order, and the solve amplifies that.
const togetherTol = 1e-11

// requireAlike requires that one has the results of all along direction k.
func requireAlike(t *testing.T, all *derive.Changes, k int, one *derive.Changes, mech *mechanism.Mechanism) {
	t.Helper()
	numbers := func(c *derive.Changes, k int) (second, wrenches, rest []float64) {
		for i := range mech.NumBodies() {
			b := c.Body(k, i)
			second = append(append(second, b.ComAcceleration[:]...), b.AngularAcceleration[:]...)
			for _, v := range [4]spatial.Vec3{b.Rotation, b.Position, b.Angular, b.Linear} {
				rest = append(rest, v[:]...)
			}
		}
		for j := range mech.NumJoints() {
			x := c.Joint(k, j)
			second, wrenches = append(second, x.Qdd[:]...), append(wrenches, x.Wrench[:]...)
			rest = append(append(append(rest, float64(x.Undetermined)), x.Q[:]...), x.Qd[:]...)
		}
		return second, wrenches, rest
	}
	a, w, r := numbers(all, k)
	b, v, s := numbers(one, 0)
	check.CloseVec(t, b, a, togetherTol, check.MaxAbs(a), "direction %d", k)
	check.CloseVec(t, v, w, togetherTol, check.MaxAbs(w), "wrenches, direction %d", k)
	require.Equal(t, r, s, "direction %d", k)
	require.Equal(t, all.Corrected(k), one.Corrected(0))
}

// TestTinyDirections: derivatives are linear in directions of any small size. Joints used to be left out where the squares of the numbers
// underflow.
func TestTinyDirections(t *testing.T) {
	const tol, tiny = 1e-12, 1e-170
	for _, name := range []string{"springs", "four-bar"} {
		d, _ := open(t, referenceDir+"/"+name+".model.json")
		for _, follow := range []bool{false, true} {
			in, out := d.NewDirections(1), d.NewChanges(1)
			along := func(size float64) (x []float64) {
				*in.Body(0, 0) = derive.BodyDirection{Rotation: spatial.Vec3{0, 0, size}, Angular: spatial.Vec3{0, 0, -size}}
				in.SetFollow(0, follow)
				require.NoError(t, d.ForwardTo(out, in, derive.Options{AsGiven: true, Untried: true}))
				for i := range d.Mechanism().NumBodies() {
					for _, v := range [2]spatial.Vec3{out.Body(0, i).AngularAcceleration, out.Body(0, i).ComAcceleration} {
						v = v.Scale(1 / size)
						x = append(x, v[:]...)
					}
				}
				return x
			}
			want := along(1)
			require.NotZero(t, check.MaxAbs(want))
			check.CloseVec(t, along(tiny), want, tol, check.MaxAbs(want), "%s, follow %v", name, follow)
		}
	}
}

// TestDirectionsAreSmall: directions along parameters take no memory for each body.
func TestDirectionsAreSmall(t *testing.T) {
	const n = 1000
	m, err := bench.Generate("chain", 500, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	d := derive.New(kkt.NewPlan(mech, kkt.Options{}), m)
	p, err := d.Parameter("bodies[" + m.Bodies[0].Name + "].mass")
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := d.NewDirections(n)
	for k := range n {
		in.AddParameter(k, p, 1)
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(in)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/n, uint64(mech.NumBodies())*uint64(unsafe.Sizeof(derive.BodyDirection{}))/100)
}

// TestKindsOfParameters: a parameter tells what kind of number it is.
func TestKindsOfParameters(t *testing.T) {
	m, err := bench.Random(5, 3)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	d := derive.New(kkt.NewPlan(mech, kkt.Options{}), m)
	body, joint := "bodies["+m.Bodies[0].Name+"].", "joints["+m.Joints[0].Name+"]."
	for path, want := range map[string][3]bool{ // OfVelocity, Turns, Moves
		body + "mass": {}, body + "com[0]": {2: true}, body + "pose.position[1]": {2: true}, body + "velocity.linear[0]": {0: true},
		body + "velocity.angular[0]": {0: true}, joint + "successor_frame.position[0]": {2: true},
		joint + "predecessor_frame.orientation[1]": {1: true}, body + "pose.orientation[2]": {1: true}, "gravity[0]": {},
	} {
		p, err := d.Parameter(path)
		require.NoError(t, err, path)
		require.Equal(t, want, [3]bool{p.OfVelocity(), p.Turns(), p.Moves()}, path)
	}
}
