package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

var tableaux = []*sim.Tableau{sim.RungeKutta4(), sim.DormandPrince()}

// roundTol is the error of sums of fractions with up to 14 digits.
const roundTol = 1e-14

// TestOrderConditions holds the coefficients against the conditions of rooted
// trees: of order 5 for the solution, of order 4 for the embedded one, and of the
// order of the extension at every θ, where 1/γ becomes θᵖ/γ.
func TestOrderConditions(t *testing.T) {
	for _, tab := range append([]*sim.Tableau{sim.Euler()}, tableaux...) {
		t.Run(tab.Name, func(t *testing.T) {
			trees := treesOf(tab)
			holds := func(b []float64, theta float64, order int) {
				for _, x := range trees {
					if x.order <= order {
						check.Close(t, dot(b, x.phi), math.Pow(theta, float64(x.order))/x.gamma, 4*roundTol, 1, "order %d, 1/γ = 1/%v", x.order, x.gamma)
					}
				}
			}
			for i := range tab.A {
				check.Close(t, sum(tab.A[i]), tab.C[i], 2*roundTol, 1, "row %d", i)
			}
			holds(tab.B, 1, tab.Order)
			require.Equal(t, tab.ErrorOrder > 0, tab.E != nil)
			if tab.E != nil {
				embedded := make([]float64, len(tab.B))
				for i := range embedded {
					embedded[i] = tab.B[i] - tab.E[i]
				}
				holds(embedded, 1, tab.ErrorOrder)
			}
			for _, theta := range []float64{0, 0.1, 0.35, 0.5, 0.8, 1} {
				b := make([]float64, len(tab.P))
				for i, p := range tab.P {
					for j := range p {
						b[i] += p[j] * math.Pow(theta, float64(j+1))
					}
				}
				holds(b, theta, tab.Dense)
				if theta == 1 {
					check.CloseVec(t, b, tab.B, roundTol, 1, "extension at the end")
				}
			}
		})
	}
}

// rooted is a rooted tree: its condition is Σ bᵢφᵢ = 1/γ.
type rooted struct {
	order int
	gamma float64
	phi   []float64
}

// treesOf returns the 17 trees of up to order 5 (Hairer, Nørsett & Wanner 1993,
// table II.2.2).
func treesOf(tab *sim.Tableau) []rooted {
	c := tab.C
	mul := func(v ...[]float64) []float64 {
		out := make([]float64, len(c))
		for i := range out {
			out[i] = 1
			for _, x := range v {
				out[i] *= x[i]
			}
		}
		return out
	}
	apply := func(v []float64) []float64 {
		out := make([]float64, len(c))
		for i, row := range tab.A {
			out[i] = dot(row, v[:len(row)])
		}
		return out
	}
	c2, c3 := mul(c, c), mul(c, c, c)
	ac, ac2 := apply(c), apply(c2)
	aac := apply(ac)
	return []rooted{
		{1, 1, mul()},
		{2, 2, c},
		{3, 3, c2}, {3, 6, ac},
		{4, 4, c3}, {4, 8, mul(c, ac)}, {4, 12, ac2}, {4, 24, aac},
		{5, 5, mul(c2, c2)}, {5, 10, mul(c2, ac)}, {5, 15, mul(c, ac2)}, {5, 30, mul(c, aac)}, {5, 20, mul(ac, ac)},
		{5, 20, apply(c3)}, {5, 40, apply(mul(c, ac))}, {5, 60, apply(ac2)}, {5, 120, apply(aac)},
	}
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func sum(a []float64) (s float64) {
	for _, x := range a {
		s += x
	}
	return s
}

// freeTop is an axisymmetric body (axis z), its centre of mass off the origin
// of its frame, without any force.
func freeTop() *model.Model {
	return &model.Model{
		Name: "free-top",
		Bodies: []model.Body{{
			Name: "top", Mass: 2, Com: spatial.Vec3{0.1, -0.2, 0.3},
			Inertia:  model.Inertia{XX: 0.5, YY: 0.5, ZZ: 0.8},
			Pose:     model.Pose{Position: spatial.Vec3{1, 2, 3}, Orientation: spatial.FromAxisAngle(spatial.Vec3{1, 1, 0}, 0.4)},
			Velocity: model.Velocity{Linear: spatial.Vec3{0.3, 0.2, 0.1}, Angular: spatial.Vec3{1, 2, 3}},
		}},
	}
}

// freeTopAt is its motion: the body precesses about its angular momentum H with
// H/I and turns about its own axis, as the precession sees it, with (1 − J/I)·ω_z;
// I is the inertia across and J that about the axis.
func freeTopAt(m *mechanism.Mechanism, s0 *mechanism.State, t float64) *mechanism.State {
	b, body := &s0.Bodies[0], &m.Bodies[0]
	I, J := body.Inertia[0], body.Inertia[2]
	w0 := b.Rotation.Conj().Rotate(b.Omega)
	H := b.Rotation.Rotate(spatial.Vec3{I * w0[0], I * w0[1], J * w0[2]})
	q := spatial.Exp(H.Scale(t / I)).Mul(b.Rotation).Mul(spatial.Exp(spatial.Vec3{2: (1 - J/I) * w0[2] * t})).Normalize()
	h := q.Conj().Rotate(H)
	w := q.Rotate(spatial.Vec3{h[0] / I, h[1] / I, h[2] / J})
	arm0, arm := b.Rotation.Rotate(body.Com), q.Rotate(body.Com)
	v := b.Velocity.Add(b.Omega.Cross(arm0))
	return &mechanism.State{Time: s0.Time + t, Bodies: []mechanism.BodyState{{
		Position: b.Position.Add(arm0).Add(v.Scale(t)).Sub(arm), Rotation: q, Velocity: v.Sub(w.Cross(arm)), Omega: w,
	}}}
}

// pendulumAt is the motion of a01-pendulum, from a row of its reference. That is of
// a point mass; the moment of inertia J of the model makes it slower by √(1 + J).
func pendulumAt(m *mechanism.Mechanism, row []float64) *mechanism.State {
	slow := math.Sqrt(1 + m.Bodies[0].Inertia[2])
	turn := spatial.FromAxisAngle(spatial.Vec3{2: 1}, math.Atan2(row[2], row[1])-math.Pi)
	x, v := spatial.Vec3(row[1:4]), spatial.Vec3(row[4:7]).Scale(1/slow)
	return &mechanism.State{Time: row[0] * slow, Bodies: []mechanism.BodyState{{
		Position: x, Rotation: turn.Mul(m.Initial().Bodies[0].Rotation), Velocity: v, Omega: x.Cross(v),
	}}}
}

const (
	// orderSlack is how far a measured order may stay behind: h is finite.
	orderSlack = 0.25
	// orderExcess is how far it may be ahead; more would be noise or luck.
	orderExcess = 0.7
	// selfTol is the tolerance of reference solutions, far below the errors that
	// are measured.
	selfTol = 1e-13
)

// problem is a motion, and the numbers of steps in which each method is measured,
// which are doubled twice.
type problem struct {
	name  string
	rig   *rig
	steps [2]int
	exact *mechanism.State // at the end; of the time alone, the rest is found by the tightest tolerance
	close bool             // the stages have to be closed
}

func problems(t testing.TB) []problem {
	top, pendulum, bricard := newRig(t, freeTop()), standard(t, "a01-pendulum"), golden(t, "bricard-6r")
	rows := readTable(t, check.Reference(t, "standard", "a01-pendulum.csv")).rows
	return []problem{
		{"free top", top, [2]int{80, 40}, freeTopAt(top.mech, top.mech.Initial(), 2), false},
		{"pendulum", pendulum, [2]int{40, 20}, pendulumAt(pendulum.mech, rows[100]), false},
		{"heavy top", golden(t, "spinning-top"), [2]int{80, 80}, &mechanism.State{Time: 0.5}, false},
		{"bricard", bricard, [2]int{80, 80}, &mechanism.State{Time: 1}, true},
	}
}

// TestOrder measures the order at the end of a motion with fixed steps, without
// projection between steps.
func TestOrder(t *testing.T) {
	for _, p := range problems(t) {
		exact, T := p.exact, p.exact.Time
		if exact.Bodies == nil {
			s := p.rig.simulate(sim.DormandPrince(), selfTol, sim.Options{Projector: p.rig.proj, CloseStages: p.close})
			require.NoError(t, s.Run(T))
			exact = s.State()
		}
		for i, tab := range tableaux {
			t.Run(p.name+"/"+tab.Name, func(t *testing.T) {
				var e [3]float64
				for k := range e {
					o := sim.Options{Projector: sim.NoProjector, Step: T / float64(p.steps[i]<<k), Drift: sim.Drift{Position: 1, Velocity: 1}}
					if o.CloseStages = p.close; p.close {
						o.Projector = p.rig.proj
					}
					s := p.rig.simulate(tab, 0, o)
					require.NoError(t, s.Run(T))
					require.Equal(t, int64(p.steps[i]<<k), s.Stats().Steps)
					e[k] = distance(s.State(), exact)
				}
				measured(t, tab.Order, e)
			})
		}
	}
}

// TestDenseOrder measures the error between the ends of steps, the largest over
// the motion.
func TestDenseOrder(t *testing.T) {
	r := newRig(t, freeTop())
	s0 := r.mech.Initial()
	for _, tab := range tableaux {
		t.Run(tab.Name, func(t *testing.T) {
			var e [3]float64
			for k := range e {
				rec := &memory{}
				s := r.simulate(tab, 0, sim.Options{Projector: sim.NoProjector, Step: 0.05 / float64(int(1)<<k), Recorder: rec, Every: 0.0017})
				require.NoError(t, s.Run(2))
				require.Len(t, rec.states, 1177)
				for i, st := range rec.states {
					check.Close(t, st.Time, float64(i)*0.0017, 1e-14, 2, "time of row %d", i)
					e[k] = max(e[k], distance(st, freeTopAt(r.mech, s0, st.Time)))
				}
			}
			measured(t, tab.Dense+1, e)
		})
	}
}

// measured compares errors at steps that halve with an order.
func measured(t *testing.T, order int, e [3]float64) {
	t.Helper()
	a, b := math.Log2(e[0]/e[1]), math.Log2(e[1]/e[2])
	t.Logf("errors %.3g, orders %.2f %.2f", e, a, b)
	assert.Greater(t, b, float64(order)-orderSlack, "errors %v", e)
	assert.Less(t, b, float64(order)+orderExcess, "errors %v", e)
}
