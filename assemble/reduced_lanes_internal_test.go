package assemble

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/team"
)

// forestModel is copies of a random tree on the ground, of hinges, here and there a slide or a fixed joint, each with
// lengths, masses and states of its own. The last body of one is joined to the first of the next, or to the world, by
// balls and hinges. With drives, hinges have springs.
func forestModel(rng *rand.Rand, copies int, drives bool) *model.Model {
	b := newBuilder(rng, "forest")
	n := 1 + rng.IntN(3)
	up, turned, types := make([]int, n), make([]bool, n), make([]model.JointType, n)
	for k := range n {
		up[k], turned[k], types[k] = rng.IntN(k+1)-1, rng.IntN(2) == 0, model.Revolute
		if rng.IntN(3) == 0 {
			types[k] = []model.JointType{model.Prismatic, model.Fixed}[rng.IntN(2)]
		}
	}
	last := ""
	for c := range copies {
		var tree []string
		for k := range n {
			from := model.World
			if up[k] >= 0 {
				from = tree[up[k]]
			}
			tree = append(tree, b.body())
			pred, succ := from, tree[k]
			if turned[k] {
				pred, succ = succ, pred
			}
			j := b.joint(types[k], pred, succ)
			if drives && types[k] == model.Revolute {
				j.Stiffness, j.Damping, j.Force = []float64{3}, []float64{0.2}, []float64{rng.NormFloat64()}
			}
		}
		tip, kind := tree[n-1], model.Revolute
		if c%3 == 0 {
			kind = model.Spherical
		}
		if last != "" {
			b.either(kind, last, tree[0])
		}
		last = tip
		if c%5 == 0 {
			b.either(kind, tip, model.World)
			last = ""
		}
		if c%17 == 3 {
			// One that is like no other, and a body on a slide.
			b.either(model.Prismatic, model.World, b.body())
		}
	}
	return b.m
}

// withoutEights returns a copy of Groups that works on one group and joint after the other.
func withoutEights(g *Groups) *Groups {
	c := *g
	c.eights = eights{}
	c.makeEights(false)
	return &c
}

// requireClose compares numbers relative to the largest of them and of what they are sums of.
func requireClose(t *testing.T, want, got []float64, what string, terms ...float64) {
	t.Helper()
	require.InDeltaSlice(t, want, got, 1e-12*(1+check.MaxAbs(want)+check.MaxAbs(terms)), what)
}

// TestEightsOnTeams: the bits of batches depend on no number of threads.
//
//rung:race
func TestEightsOnTeams(t *testing.T) {
	if !lanes.Have() {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	for seed, copies := range map[uint64]int{1: 9, 2: 130, 3: 700} {
		mech, err := mechanism.New(forestModel(check.Rand(seed), copies, seed == 1))
		require.NoError(t, err)
		g := choose(NewLayout(mech))
		g.layOut()
		require.NotEmpty(t, g.eights.groups)
		st, one := mech.Initial(), g.NewReducedOn(nil)
		_, err = one.FillTo(st)
		require.NoError(t, err)
		a, b, z := make([]float64, 6*mech.NumBodies()), make([]float64, 6*mech.NumBodies()), make([]float64, g.Pattern.Dim())
		for i := range z {
			z[i] = float64(i%7) - 3
		}
		one.AccelerationsTo(a, z)
		for _, threads := range []int{2, 3} {
			y := g.NewReducedOn(team.New(threads))
			_, err := y.FillTo(st)
			require.NoError(t, err)
			require.Equal(t, one.Matrix.Val, y.Matrix.Val)
			require.Equal(t, one.Right, y.Right)
			y.AccelerationsTo(b, z)
			require.Equal(t, a, b)
		}
	}
}

// TestEights holds batches against one unit and joint after the other.
//
//rung:norace TestEightsOnTeams has the same in less time
func TestEights(t *testing.T) {
	check.Long(t)
	if !lanes.Have() {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	groups, loops, inner, shapes := 0, 0, 0, map[groupShape]bool{}
	alone, still := 0, 0 // mechanisms with eights of joints alone, eights of joints on bodies without columns
	for seed := range uint64(120) {
		rng := check.Rand(seed)
		copies := [...]int{3, 4, 8, 9, 20, 130, 1500}[seed%7]
		mech, err := mechanism.New(forestModel(rng, copies, seed%4 == 1))
		require.NoError(t, err)
		g := choose(NewLayout(mech))
		g.layOut()
		st := mech.Initial()
		y, one := g.NewReducedOn(nil), withoutEights(g).NewReducedOn(nil)
		free, err := y.FillTo(st)
		require.NoError(t, err)
		want, err := one.FillTo(st)
		require.NoError(t, err)
		require.InEpsilon(t, want, free, 1e-13)
		requireClose(t, lanes.Numbers(one.Kin.Bodies), lanes.Numbers(y.Kin.Bodies), "Kin")
		requireClose(t, one.particular, y.particular, "particular")
		requireClose(t, one.directions, y.directions, "directions")
		requireClose(t, one.squares, y.squares, "squares")
		requireClose(t, one.Parts, y.Parts, "Parts")
		requireClose(t, one.Right, y.Right, "B", one.particular...)
		requireClose(t, one.Scale, y.Scale, "Scale")
		requireClose(t, one.Matrix.Val, y.Matrix.Val, "W")
		z := make([]float64, g.Pattern.Dim())
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		a, b := make([]float64, 6*mech.NumBodies()), make([]float64, 6*mech.NumBodies())
		y.AccelerationsTo(a, z)
		one.AccelerationsTo(b, z)
		requireClose(t, b, a, "accelerations", one.particular...)

		for _, threads := range []int{2, 3} {
			two := g.NewReducedOn(team.New(threads))
			_, err := two.FillTo(st)
			require.NoError(t, err)
			require.Equal(t, y.Matrix.Val, two.Matrix.Val)
			require.Equal(t, y.Right, two.Right)
			require.Equal(t, y.Scale, two.Scale)
			require.Equal(t, y.Parts, two.Parts)
			two.AccelerationsTo(b, z)
			require.Equal(t, a, b)
		}
		// Errors of rows.
		e := make([]float64, g.Layout.Pattern.Dim())
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		two := g.NewReducedOn(team.New(2))
		_, err = two.FillTo(st)
		require.NoError(t, err)
		for _, x := range []*Reduced{y, one, two} {
			x.ErrorsTo(e, st)
		}
		requireClose(t, one.particular, y.particular, "particular of errors")
		requireClose(t, one.Right, y.Right, "B of errors", one.particular...)
		require.Equal(t, y.Right, two.Right)

		groups, loops = groups+len(g.eights.groups), loops+len(g.eights.loops)
		inner += int(g.eights.firstLoop[len(g.eights.firstLoop)-1])
		for _, s := range g.eights.shapes {
			shapes[s] = true
		}
		if len(g.eights.groups) == 0 && len(g.eights.loops) > 0 {
			alone++
		}
		for i := range g.eights.loops {
			for e := range g.eights.loops[i].end {
				if q := &g.eights.loops[i].end[e]; q.dof > 0 && q.from == q.dof {
					still++
				}
			}
		}
		left := map[groupShape]int{}
		for _, i := range g.eights.loneGroups {
			if s, ok := g.groupShape(&g.groups[i]); ok {
				left[s]++
				require.Less(t, left[s], fewEqual, "so many could be an eight")
			}
		}
	}
	assert.Greater(t, alone, 3)
	assert.Greater(t, still, 3)
	assert.Greater(t, groups, 400)
	assert.Greater(t, inner, 200)
	assert.Greater(t, loops-inner, 20)
	assert.Greater(t, len(shapes), 8)
}

// TestEightStates: a state that is not finite, or a quaternion that is no unit, is found in every lane, and named;
// numbers that overflow make the size of the loads not a number.
func TestEightStates(t *testing.T) {
	mech, err := mechanism.New(forestModel(check.Rand(5), 20, false))
	require.NoError(t, err)
	g := choose(NewLayout(mech))
	g.layOut()
	y := g.NewReducedOn(nil)
	for i := range mech.Bodies {
		for _, spoil := range []func(b *mechanism.BodyState){
			func(b *mechanism.BodyState) { b.Position[1] = math.NaN() },
			func(b *mechanism.BodyState) { b.Velocity[2] = math.Inf(1) },
			func(b *mechanism.BodyState) { b.Rotation[0] += 0.1 },
			func(b *mechanism.BodyState) { b.Omega[0] = math.Inf(-1) },
		} {
			st := mech.Initial()
			spoil(&st.Bodies[i])
			_, err := y.FillTo(st)
			require.ErrorIs(t, err, mechanism.ErrNotFinite)
			require.ErrorContains(t, err, mech.BodyName(i))
		}
		st := mech.Initial()
		st.Bodies[i].Omega = [3]float64{1e160, 1e160, -1e160}
		free, err := y.FillTo(st)
		require.NoError(t, err)
		require.False(t, free <= math.MaxFloat64, "body %d", i)
	}
}

// TestUnitLimit: lanes and BodyTo agree on quaternions whose norm is at the limit to the last bit.
func TestUnitLimit(t *testing.T) {
	rng := check.Rand(7)
	mech, err := mechanism.New(forestModel(rng, 20, false))
	require.NoError(t, err)
	g := choose(NewLayout(mech))
	g.layOut()
	y, k := g.NewReducedOn(nil), mechanism.BodyKinematics{}
	good, bad := 0, 0
	for range check.Few(3000, 1500) {
		st := mech.Initial()
		i := rng.IntN(len(st.Bodies))
		q := &st.Bodies[i].Rotation
		size := 0.0
		for e := range q {
			q[e] = rng.NormFloat64()
			size += q[e] * q[e]
		}
		limit := math.Sqrt((1 + 2e-6*float64(1-2*rng.IntN(2)) + 2e-16*float64(rng.IntN(9)-4)) / size)
		for e := range q {
			q[e] *= limit
		}
		_, err := y.FillTo(st)
		if mech.BodyTo(&k, st, i) {
			good++
			require.NoError(t, err)
		} else {
			bad++
			require.ErrorContains(t, err, mech.BodyName(i))
		}
	}
	assert.Greater(t, good, 500)
	assert.Greater(t, bad, 500)
}
