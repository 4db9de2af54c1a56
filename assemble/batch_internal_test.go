package assemble

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// forestModel is copies of a random tree on the ground, of hinges, here and there a slide or a fixed joint, each with lengths, masses and states of its own. The last
// body of one is joined to the first of the next, or to the world, by balls and hinges. With drives, hinges have springs.
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

// withoutBatches returns a copy of a Ground that works on one unit and joint after the other.
func withoutBatches(g *Ground) *Ground {
	c := *g
	c.unitBatches, c.bondBatches, c.inner = nil, nil, []int32{0}
	c.single, c.singleBonds = nil, nil
	for i := range c.units {
		c.single = append(c.single, int32(i))
	}
	for i := range c.bonds {
		c.singleBonds = append(c.singleBonds, int32(i))
	}
	return &c
}

// requireClose compares numbers relative to the largest of them and of what they are sums of.
func requireClose(t *testing.T, want, got []float64, what string, terms ...float64) {
	t.Helper()
	require.InDeltaSlice(t, want, got, 1e-12*(1+check.MaxAbs(want)+check.MaxAbs(terms)), what)
}

// TestBatches holds batches against one unit and joint after the other.
func TestBatches(t *testing.T) {
	if !lanes.Have() {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	units, bonds, inner, shapes := 0, 0, 0, map[unitShape]bool{}
	alone, still := 0, 0 // mechanisms with batches of joints alone, batches of joints on bodies without columns
	for seed := range uint64(120) {
		rng := check.Rand(seed)
		copies := [...]int{3, 4, 8, 9, 20, 130, 1500}[seed%7]
		mech, err := mechanism.New(forestModel(rng, copies, seed%4 == 1))
		require.NoError(t, err)
		g := choose(NewLayout(mech))
		g.finish()
		st := mech.Initial()
		y, one := g.NewGroundedOn(nil), withoutBatches(g).NewGroundedOn(nil)
		free, err := y.FillTo(st)
		require.NoError(t, err)
		want, err := one.FillTo(st)
		require.NoError(t, err)
		require.InEpsilon(t, want, free, 1e-13)
		requireClose(t, lanes.Numbers(one.Kin.Bodies), lanes.Numbers(y.Kin.Bodies), "Kin")
		requireClose(t, one.rest, y.rest, "rest")
		requireClose(t, one.dirs, y.dirs, "dirs")
		requireClose(t, one.parts, y.parts, "parts")
		requireClose(t, one.Parts, y.Parts, "Parts")
		requireClose(t, one.B, y.B, "B", one.rest...)
		requireClose(t, one.Scale, y.Scale, "Scale")
		requireClose(t, one.W.Val, y.W.Val, "W")
		z := make([]float64, g.Pattern.Dim())
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		a, b := make([]float64, 6*mech.NumBodies()), make([]float64, 6*mech.NumBodies())
		y.AccelerationsTo(a, z)
		one.AccelerationsTo(b, z)
		requireClose(t, b, a, "accelerations", one.rest...)

		for _, threads := range []int{2, 3} {
			two := g.NewGroundedOn(team.New(threads))
			_, err := two.FillTo(st)
			require.NoError(t, err)
			require.Equal(t, y.W.Val, two.W.Val)
			require.Equal(t, y.B, two.B)
			require.Equal(t, y.Scale, two.Scale)
			require.Equal(t, y.Parts, two.Parts)
			two.AccelerationsTo(b, z)
			require.Equal(t, a, b)
		}
		// Errors of rows.
		e := make([]float64, g.L.Pattern.Dim())
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		two := g.NewGroundedOn(team.New(2))
		_, err = two.FillTo(st)
		require.NoError(t, err)
		for _, x := range []*Grounded{y, one, two} {
			x.ErrorsTo(e, st)
		}
		requireClose(t, one.rest, y.rest, "rest of errors")
		requireClose(t, one.B, y.B, "B of errors", one.rest...)
		require.Equal(t, y.B, two.B)

		units, bonds = units+len(g.unitBatches), bonds+len(g.bondBatches)
		inner += int(g.inner[len(g.inner)-1])
		for _, s := range g.shapes {
			shapes[s] = true
		}
		if len(g.unitBatches) == 0 && len(g.bondBatches) > 0 {
			alone++
		}
		for i := range g.bondBatches {
			for e := range g.bondBatches[i].side {
				if q := &g.bondBatches[i].side[e]; q.dof > 0 && q.from == q.dof {
					still++
				}
			}
		}
		left := map[unitShape]int{}
		for _, i := range g.single {
			if s, ok := g.unitShape(&g.units[i]); ok {
				left[s]++
				require.Less(t, left[s], minLanes, "so many could be a batch")
			}
		}
	}
	assert.Greater(t, alone, 3)
	assert.Greater(t, still, 3)
	assert.Greater(t, units, 400)
	assert.Greater(t, inner, 200)
	assert.Greater(t, bonds-inner, 20)
	assert.Greater(t, len(shapes), 8)
}

// TestBatchStates: a state that is not finite, or a quaternion that is no unit, is found in every lane, and named; numbers that
// overflow make the size of the loads not a number.
func TestBatchStates(t *testing.T) {
	mech, err := mechanism.New(forestModel(check.Rand(5), 20, false))
	require.NoError(t, err)
	g := choose(NewLayout(mech))
	g.finish()
	y := g.NewGroundedOn(nil)
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
	g.finish()
	y, k := g.NewGroundedOn(nil), mechanism.BodyKinematics{}
	good, bad := 0, 0
	for range 3000 {
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
