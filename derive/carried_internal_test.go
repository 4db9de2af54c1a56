package derive

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// carriedTol is the difference between closed forms and records, relative to the largest number: rounding.
const carriedTol = 1e-13

// TestCarriedIsRecorded: the closed forms for joints whose lines turn with P equal the results of their record.
func TestCarriedIsRecorded(t *testing.T) {
	seen, springs, motions := map[model.JointType]bool{}, 0, 0
	models := []*model.Model{}
	for seed := range uint64(6) {
		m, err := bench.Random(30, seed)
		require.NoError(t, err)
		models = append(models, m)
	}
	for _, name := range []string{"springs", "driven-mixed", "stewart-6ups", "floating-tree", "type-universal"} {
		m, err := model.ReadFile("../reference/derivatives/" + name + ".model.json")
		require.NoError(t, err)
		models = append(models, m)
	}
	for seed, m := range models {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
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
		u.framed, u.forced, u.time = true, true, 0.7
		require.NoError(t, d.setCarried())
		d.measure(&u)
		for j := range mech.Joints {
			c := d.carriedOf(j)
			if c == nil {
				continue
			}
			for i := range mech.Joints[j].Kind.Freedoms() {
				u.forces[j][i] = rng.NormFloat64()
			}
			seen[mech.Joints[j].Kind] = true
			if c.spring >= 0 {
				springs++
			}
			if c.motion >= 0 {
				motions++
			}
			var out JointChange
			got, want := make([]float64, len(d.x)), make([]float64, len(d.x))
			m := carriedMove{opens: true}
			d.move(&m, c, &u, dx, orderAcceleration)
			dN, dF, dP := d.acts(c, &m, &c.load, &u, dx)
			d.holdComs(&m, c, &u)
			c.pushed(got, &m, c.F, dN, dF, dP)
			d.aboutOrigins(got, c, c.F, &u)
			d.opens(got[c.at:], c, &m, &u, orderAcceleration)
			d.outputsCarried(&out, c, &u, dx)
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
			for i := range mech.Joints[j].Kind.Freedoms() {
				f := &d.b.rel[0].freedoms[i]
				require.InDelta(t, d.b.c.Tangent1(f.qd), out.Qd[i], carriedTol*size)
				require.InDelta(t, d.b.c.Tangent1(f.qdd), out.Qdd[i], carriedTol*size)
				if f.q >= 0 {
					require.InDelta(t, d.b.c.Tangent1(f.q), out.Q[i], 1e3*carriedTol*size, "the state holds its joints to rounding")
				}
			}
			for _, l := range []level{ofPositions, ofVelocities} {
				got, want := make([]float64, len(d.plainRight)), make([]float64, len(d.plainRight))
				d.b.misses(want, l)
				if c.plain >= 0 {
					d.opens(got[c.plain:], c, &m, &u, l.order())
				}
				require.InDeltaSlice(t, want, got, 1e3*carriedTol*size, "level %v of joint %d", l, j)
			}
			requireTransposed(t, d, c, dx)
		}
	}
	t.Log(seen)
	require.Positive(t, springs)
	require.Positive(t, motions)
	require.Len(t, seen, len(carriedTypes), "all types")
}

// requireTransposed compares the closed forms of cotangents with the results of the record.
func requireTransposed(t *testing.T, d *Derivatives, c *carriedJoint, y []float64) {
	j := int(c.number)
	for _, weighted := range [2]bool{false, true} {
		got, want := d.newDirection(), d.newDirection()
		gotX, wantX := make([]float64, len(y)), make([]float64, len(y))
		var back carriedCotangent
		require.NoError(t, d.build(j))
		if weighted {
			w := JointWeight{Moment: spatial.Vec3(y[:3]), Force: spatial.Vec3(y[3:6])}
			r := &d.b.rel[0]
			d.b.weigh(d.b.total[0], w.Moment)
			d.b.weigh(d.b.total[1], w.Force)
			for i := range d.mech.Joints[j].Kind.Freedoms() {
				f := &r.freedoms[i]
				w.Qd[i], w.Qdd[i] = y[6+i], y[12+i]
				d.b.c.AddAdjoint1(f.qd, w.Qd[i])
				d.b.c.AddAdjoint1(f.qdd, w.Qdd[i])
				if f.q >= 0 {
					w.Q[i] = y[18+i]
					d.b.c.AddAdjoint1(f.q, w.Q[i])
				}
			}
			back.addWeights(c, d.mech.Joints[j].Kind, &w)
			d.b.back(&want, nil, wantX)
			d.backCarried(&got, gotX, c, &back, orderAcceleration)
		} else {
			back.addResidualOf(d, c, y)
			d.backCarried(&got, nil, c, &back, orderAcceleration)
			d.b.back(&want, y, nil)
			// Records have their arms from the origins of the bodies' frames.
			for side, body := range [2]int32{c.pred, c.succ} {
				if body < 0 {
					continue
				}
				b := &d.bodies[body]
				dk := c.F.cross(vec{y[6*body], y[6*body+1], y[6*body+2]}).scale(-1)
				if side == 0 {
					dk = dk.scale(-1)
				}
				vecOf(&b.k).cross(dk).addTo(&got.bodies[body].Rotation)
			}
		}
		size := 1e2 * carriedTol * (1 + c.N.dot(c.N) + c.F.dot(c.F))
		for i := range got.bodies {
			a, b := &got.bodies[i], &want.bodies[i]
			for _, x := range [][2]spatial.Vec3{
				{a.Rotation, b.Rotation}, {a.Position, b.Position}, {a.Angular, b.Angular}, {a.Linear, b.Linear}, {a.Com, b.Com},
			} {
				require.InDelta(t, 0, x[0].Sub(x[1]).Norm(), size*(1+x[1].Norm()))
			}
		}
		for i := range got.frames {
			require.InDelta(t, 0, got.frames[i].Origin.Sub(want.frames[i].Origin).Norm(), size*(1+want.frames[i].Origin.Norm()))
			require.InDelta(t, 0, got.frames[i].Turn.Sub(want.frames[i].Turn).Norm(), size*(1+want.frames[i].Turn.Norm()))
		}
		require.InDeltaSlice(t, want.forces[j][:], got.forces[j][:], 1e-10)
		require.InDeltaSlice(t, wantX, gotX, 1e2*size)
	}
}

// TestComsBackBetweenHeavyBodies: going back, derivatives by centres of mass are those of BodiesTo, which adds up no forces of joints, with
// masses that differ by 1e11 to 1e16. Derivatives by poses may be in doubt there.
func TestComsBackBetweenHeavyBodies(t *testing.T) {
	const tol = 1e-13 // relative to the largest of them: rounding
	files, err := filepath.Glob("../reference/hard/alt-*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		w, rng := d.NewWeights(), rand.New(rand.NewPCG(1, 44))
		random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		for i := range m.Bodies {
			*w.Body(i) = BodyWeight{AngularAcceleration: random(), ComAcceleration: random()}
		}
		want, g, size := make([]BodyDirection, len(m.Bodies)), d.NewGradient(), 0.0
		require.NoError(t, d.BodiesTo(want, w))
		require.NoError(t, d.adjoint(g, w))
		for i := range want {
			size = max(size, want[i].Com.Norm())
		}
		for i := range want {
			require.InDelta(t, 0, g.bodies[i].Com.Sub(want[i].Com).Norm(), tol*size, "%s body %d", file, i)
		}
	}
}
