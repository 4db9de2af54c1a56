package derive

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// carriedTol is the difference of what is written out from what is recorded, relative to the largest number: rounding.
const carriedTol = 1e-13

// TestCarriedIsRecorded: what is written out for joints whose lines turn with P is what the chain rule makes of them.
func TestCarriedIsRecorded(t *testing.T) {
	seen := map[model.JointType]bool{}
	for seed := range uint64(6) {
		m, err := bench.Random(30, seed)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		rng := rand.New(rand.NewPCG(seed, 5))
		random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		u := d.newDirection()
		dx := make([]float64, len(d.x))
		for i := range dx {
			dx[i] = rng.NormFloat64()
		}
		for i := range u.bodies {
			u.bodies[i] = BodyDirection{Rotation: random(), Position: random(), Angular: random(), Linear: random(), Com: random()}
		}
		for i := range u.frames {
			u.frames[i] = FrameChange{random(), random()}
		}
		d.setTangents(&u, dx)
		for j := range mech.Joints {
			l := d.isCarried(j)
			if l == nil {
				continue
			}
			for i := range l.freedoms {
				u.forces[j][i] = rng.NormFloat64()
			}
			seen[mech.Joints[j].Kind] = true
			var out JointChange
			got, want := make([]float64, len(d.x)), make([]float64, len(d.x))
			d.gatherCarried(got, j, l, &u, dx)
			d.outputsCarried(&out, j, l, &u, dx)
			require.NoError(t, d.build(j))
			d.b.pull(&u, dx)
			d.b.gather(want)
			w := d.b.change(d.b.total[0], d.b.total[1])
			size := 1.0
			for _, x := range want {
				size = max(size, math.Abs(x))
			}
			require.InDeltaSlice(t, want, got, carriedTol*size)
			require.InDeltaSlice(t, w[:], out.Wrench[:], carriedTol*size)
			for i := range l.freedoms {
				f := &d.b.rel[0].freedoms[i]
				require.InDelta(t, d.b.c.Tangent1(f.qd), out.Qd[i], carriedTol*size)
				require.InDelta(t, d.b.c.Tangent1(f.qdd), out.Qdd[i], carriedTol*size)
				if f.q >= 0 {
					require.InDelta(t, d.b.c.Tangent1(f.q), out.Q[i], 1e3*carriedTol*size, "the state holds its joints to rounding")
				}
			}
			requireTransposed(t, d, j, l, dx)
		}
	}
	t.Log(seen)
	require.NotEmpty(t, seen)
}

// requireTransposed compares what is written out for cotangents with what is recorded.
func requireTransposed(t *testing.T, d *Derivatives, j int, l *carriedLines, y []float64) {
	got, want := d.newDirection(), d.newDirection()
	d.backCarried(&got, y, j, l)
	require.NoError(t, d.build(j))
	d.b.back(&want, y, nil)
	for i := range got.tangents {
		a, b := &got.tangents[i], &want.tangents[i]
		for _, x := range [][2]spatial.Vec3{{a.phi, b.phi}, {a.r, b.r}, {a.w, b.w}, {a.v, b.v}, {a.al, b.al}, {a.a, b.a}} {
			require.InDelta(t, 0, x[0].Sub(x[1]).Norm(), carriedTol*(1+x[1].Norm())*1e2)
		}
	}
	for i := range got.frames {
		require.InDelta(t, 0, got.frames[i].Origin.Sub(want.frames[i].Origin).Norm(), carriedTol*(1+want.frames[i].Origin.Norm())*1e2)
		require.InDelta(t, 0, got.frames[i].Turn.Sub(want.frames[i].Turn).Norm(), carriedTol*(1+want.frames[i].Turn.Norm())*1e2)
	}
	require.InDeltaSlice(t, want.forces[j][:], got.forces[j][:], 1e-10)
}
