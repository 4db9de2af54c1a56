package derive

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// laneModels are mechanisms whose parts are all joints with lines that turn with P.
func laneModels(t *testing.T) (list []*model.Model) {
	t.Helper()
	for _, c := range []struct {
		family string
		n      int
	}{{"nfourbar", 3}, {"stewart", 1}, {"chain", 4}, {"grid", 3}, {"ladder", 3}} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		list = append(list, m)
	}
	sprung, err := bench.Generate("nfourbar", 2, 1)
	require.NoError(t, err)
	sprung.Joints[1].Stiffness, sprung.Joints[1].Damping = []float64{3}, []float64{0.4}
	return append(list, sprung)
}

// TestSweepInLanes: right sides and openings of directions side by side have the bits that they have one after the other, with any number of
// directions beside them, with and without loads.
func TestSweepInLanes(t *testing.T) {
	if !lanes.Have() {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	kinds, springs := map[joints.Kind]int{}, 0
	for _, m := range laneModels(t) {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		rng := rand.New(rand.NewPCG(3, 5))
		random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		require.NoError(t, d.setCarried())
		for i := range d.carried.list {
			c := &d.carried.list[i]
			kinds[mech.Joints[c.number].Kind]++
			if c.spring >= 0 {
				springs++
			}
		}
		for _, n := range []int{abreast, fewestLanes} {
			for _, looks := range []bool{true, false} {
				out := d.NewChanges(n).list
				for k := range out {
					u := &out[k].taken
					u.lane = uint8(k)
					for i := range u.bodies {
						if k == 2 && i > 0 { // parts that it does not touch
							continue
						}
						u.bodies[i] = BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random()}
					}
					switch k {
					case 1:
						u.bodies[0].Force, u.bodies[0].Mass, u.bodies[0].Inertia = random(), 0.3, spatial.Sym3{1, 2, 3}
					case 7:
						u.gravity = random()
					}
					d.measure(u)
				}
				requireLanes(t, d, out, Options{AsGiven: !looks}, looks)
				requireApart(t, d, out)
			}
		}
	}
	for _, kind := range []joints.Kind{joints.Revolute, joints.Prismatic, joints.Universal, joints.Spherical} {
		require.Positive(t, kinds[kind], "%v", kind)
	}
	require.Positive(t, springs)
}

// requireLanes requires that a sweep in lanes gives the results of one direction after the other.
func requireLanes(t *testing.T, d *Derivatives, out []changes, o Options, looks bool) {
	t.Helper()
	require.True(t, d.inLanes(out), "in lanes")
	d.needPanel(len(out), looks)
	_, err := d.sweepTogether(out, o, looks)
	require.NoError(t, err)
	for k := range out {
		u := &out[k].taken
		to := sweepTo{right: make([]float64, len(d.x))}
		if looks {
			to.positions, to.velocities = make([]float64, len(d.plainRight)), make([]float64, len(d.plainRight))
		}
		d.rightOfBodies(to.right, u)
		for part := range d.numParts() {
			if d.touches(part, u) {
				require.NoError(t, d.sweep(&to, part, d.carriedOf(part), u))
			}
		}
		for i, y := range to.right {
			require.True(t, -y == d.panel.sides[k][i], "row %d of direction %d: %v, alone %v", i, k, d.panel.sides[k][i], -y)
		}
		if looks {
			require.False(t, d.panel.shut[k], "it opens joints")
			require.Equal(t, to.positions, d.panel.positions[k])
			require.Equal(t, to.velocities, d.panel.velocities[k])
		}
	}
}

// requireApart requires that directions are not swept in lanes if one changes what the kernels hold: forces, frames, centres of mass or time.
func requireApart(t *testing.T, d *Derivatives, out []changes) {
	t.Helper()
	u := &out[2].taken
	for _, change := range []func(x float64){
		func(x float64) { u.forces[0][0], u.forced = x, x != 0 },
		func(x float64) { u.time = x },
		func(x float64) { u.bodies[0].Com[1] = x },
		func(x float64) { u.frames[1].Turn[2], u.framed = x, x != 0 },
	} {
		change(1)
		d.measure(u)
		require.False(t, d.inLanes(out))
		change(0)
		d.measure(u)
		require.True(t, d.inLanes(out))
	}
}

// TestShutInLanes: directions after following open no joint. One that opens a row by more than the tolerance is found, at each level.
func TestShutInLanes(t *testing.T) {
	if !lanes.Have() {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	for _, m := range laneModels(t) {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		in, out := d.NewDirections(abreast), d.NewChanges(abreast)
		for k := range in.list {
			in.SetFollow(k, true)
			in.Body(k, 0).Rotation, in.Body(k, 0).Angular = spatial.Vec3{1, float64(k), 2}, spatial.Vec3{3, 1, float64(k)}
		}
		require.NoError(t, d.ForwardTo(out, in, Options{BodiesOnly: true, Untried: true}))
		for k := range in.list {
			copy(in.list[k].bodies, out.list[k].taken.bodies)
			in.SetFollow(k, false)
		}
		require.NoError(t, d.ForwardTo(out, in, Options{BodiesOnly: true, Untried: true}))
		require.True(t, d.inLanes(out.list))
		require.Equal(t, [abreast]bool{true, true, true, true, true, true, true, true}, d.panel.shut)
		for level, x := range [2]*spatial.Vec3{&in.Body(3, 0).Position, &in.Body(5, 0).Linear} {
			was, k := *x, [2]int{3, 5}[level]
			*x = x.Add(spatial.Vec3{1e-6, 2e-6, 3e-6})
			e := new(DirectionError)
			require.ErrorAs(t, d.ForwardTo(out, in, Options{BodiesOnly: true, Untried: true}), &e)
			require.Equal(t, k, e.Direction)
			require.ErrorIs(t, e, ErrNotAllowed)
			alone := new(DirectionError)
			require.ErrorAs(t, d.ForwardEach(in, Options{BodiesOnly: true, Untried: true}, func(*Changes, int) error { return nil }), &alone)
			require.Equal(t, alone.Error(), e.Error())
			*x = was
		}
	}
}
