package linear_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// lopsided hangs two bodies from balls, neither of them below its ball; apart from
// oscillating both may turn about the vertical.
func lopsided(t *testing.T) *kkt.Plan {
	b := rung.NewBuilder("lopsided").Gravity(0, 0, -g)
	body := func(name string, at vec) rung.Body {
		d, err := bodies.New(2, vec{0.4, 0.2, -1}, spatial.Diag3(0.3, 0.4, 0.5))
		require.NoError(t, err)
		return b.Body(name, d, rung.Place{Origin: at})
	}
	upper, lower := body("upper", vec{}), body("lower", vec{0.8, -0.3, -1})
	b.Spherical("top", rung.World, upper, vec{})
	b.Spherical("middle", upper, lower, vec{0.8, -0.3, -1})
	return built(t, b)
}

// TestNeutralOutOfBalance rotates an equilibrium as a whole about a level axis, by an angle within the error of a search.
// The unbalanced forces give neutral motions a stiffness of either sign, in proportion to the angle.
func TestNeutralOutOfBalance(t *testing.T) {
	p := lopsided(t)
	_, st := balanced(t, p, linear.EquilibriumOptions{})
	for _, angle := range []float64{0, 1e-9, -1e-9, 1e-7, -1e-7} {
		here := st.Clone()
		q := spatial.FromAxisAngle(axisY, angle)
		for i := range here.Bodies {
			here.Bodies[i].Position = q.Rotate(here.Bodies[i].Position)
			here.Bodies[i].Rotation = q.Mul(here.Bodies[i].Rotation)
		}
		s := linearized(t, p, here)
		_, relative := s.Unbalanced()
		assert.LessOrEqual(t, relative, 10*math.Abs(angle)+1e-12)
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			m, err := s.Modes(linear.ModeOptions{Method: method})
			require.NoError(t, err)
			require.Len(t, m.List, 6)
			for i := range m.List {
				want := linear.Vibration
				if i < 2 {
					want = linear.Rigid
				}
				assert.Equal(t, want, m.List[i].Kind, "%v, angle %v, mode %d: %v", method, angle, i, m.List[i].Lambda)
			}
		}
	}
}

// TestWeakAgainstUnbalanced has a spring so soft that its motion is nearly neutral, in a
// mechanism with large forces that balance only to a relative 1e-9: its mode is a vibration, as
// these forces do no work along it.
func TestWeakAgainstUnbalanced(t *testing.T) {
	b := rung.NewBuilder("weak").Gravity(0, 0, -g)
	heavy := b.Body("heavy", bar(t, 1e3, 1), rung.Place{Orientation: spatial.FromAxisAngle(axisY, 1e-9)})
	b.Revolute("hinge", rung.World, heavy, vec{}, axisY)
	disc := b.Body("disc", brick(t, 1, 0.5), rung.At(3, 0, 0))
	b.Revolute("axle", rung.World, disc, vec{3}, vec{0, 0, 1}).Stiffness = []float64{1e-6}
	p := built(t, b)
	_, relative := linearized(t, p, resting(p)).Unbalanced()
	assert.Greater(t, relative, 1e-10)
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		m := modes(t, p, linear.ModeOptions{Method: method})
		require.Len(t, m.List, 2)
		assert.Equal(t, linear.Vibration, m.List[0].Kind)
		assert.InEpsilon(t, 2e-6, m.List[0].Stiffness, 1e-9)
	}
}

// randomTree hangs bodies from each other by joints of several types, with springs and
// dampers between some.
func randomTree(t *testing.T, seed uint64) *kkt.Plan {
	r := check.Rand(seed)
	point := func(size float64) vec {
		return vec{size * (2*r.Float64() - 1), size * (2*r.Float64() - 1), size * (2*r.Float64() - 1)}
	}
	turned := func(at vec) rung.Place {
		return rung.Place{Origin: at, Orientation: spatial.FromAxisAngle(point(1), 3*r.Float64())}
	}
	types := []model.JointType{model.Spherical, model.Revolute, model.Universal, model.Spherical}
	b := rung.NewBuilder("tree").Gravity(0, 0, -g)
	at := []vec{{}}
	tree := []rung.Body{rung.World}
	for i := range 2 + r.IntN(5) {
		up := r.IntN(len(tree))
		here := at[up].Add(point(0.5))
		I := 0.01 + 0.04*r.Float64()
		d, err := bodies.New(0.5+r.Float64(), point(0.3), spatial.Diag3(I, 1.2*I, 1.3*I))
		require.NoError(t, err)
		body := b.Body(fmt.Sprint("b", i), d, turned(here))
		b.Joint(fmt.Sprint("j", i), types[r.IntN(len(types))], tree[up], body, turned(here))
		tree, at = append(tree, body), append(at, here)
	}
	for i := range r.IntN(3) {
		one, other := r.IntN(len(tree)), 1+r.IntN(len(tree)-1)
		if one != other {
			b.SpringDamper(fmt.Sprint("s", i), tree[one], tree[other], at[one].Add(point(0.5)), at[other].Add(point(0.5)), rung.Spring{Stiffness: 100, Damping: 0.1, RestLength: 0.5})
		}
	}
	return built(t, b)
}

// TestModesOfEquilibria finds in equilibria that a search calls neutral or stable, turned about the
// vertical or not, no mode that grows, and as many of each kind by both methods.
func TestModesOfEquilibria(t *testing.T) {
	check.Long(t)
	neutral := 0
	for seed := range uint64(60) {
		p := randomTree(t, seed)
		st := p.Initial()
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err, "seed %d", seed)
		if e.Stability == linear.Neutral {
			neutral++
		} else {
			require.Equal(t, linear.Stable, e.Stability, "seed %d", seed)
		}
		s := linearized(t, p, st)
		for _, undamped := range []bool{false, true} {
			var kinds [2]map[linear.Kind]int
			for i, method := range []linear.Method{linear.Dense, linear.Sparse} {
				m, err := s.Modes(linear.ModeOptions{Count: 50, Method: method, Undamped: undamped})
				require.NoError(t, err)
				assert.Zero(t, m.Unstable(), "seed %d, %v, undamped %v", seed, method, undamped)
				assert.True(t, m.All, "seed %d, %v, undamped %v", seed, method, undamped)
				kinds[i] = map[linear.Kind]int{}
				for k := range m.List {
					kinds[i][m.List[k].Kind]++
				}
			}
			assert.Equal(t, kinds[0], kinds[1], "seed %d, undamped %v", seed, undamped)
		}
	}
	assert.Greater(t, neutral, 10)
}

// TestFreeDamper has a free body with a damper: λ = 0 and −c/m, which is far beyond the shift for the
// first.
func TestFreeDamper(t *testing.T) {
	for _, c := range []float64{1e-3, 3, 1e6} {
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			b := rung.NewBuilder("damper").Gravity(0, 0, 0)
			body := b.Body("mass", brick(t, 2, 1), rung.At(0, 0, 0))
			b.Prismatic("guide", rung.World, body, vec{}, axisX).Damping = []float64{c}
			m := modes(t, built(t, b), linear.ModeOptions{Method: method})
			require.Len(t, m.List, 2, "%v, c = %v", method, c)
			assert.True(t, m.All)
			assert.Equal(t, linear.Rigid, m.List[0].Kind)
			assert.Equal(t, linear.Decay, m.List[1].Kind)
			assert.InEpsilon(t, -c/2, real(m.List[1].Lambda), 1e-9)
		}
	}
}

// TestFarDecay has two decays of a governor, the faster of which is far from all other modes: three
// orders with its own damper, seven with one a hundred times stronger.
func TestFarDecay(t *testing.T) {
	for _, factor := range []float64{1, 10, 100} {
		m, err := model.ReadFile(check.Reference(t, "standard", "a05-flyball-governor.model.json"))
		require.NoError(t, err)
		for i := range m.Forces {
			m.Forces[i].Damping *= factor
		}
		p := planned(t, m)
		_, st := balanced(t, p, linear.EquilibriumOptions{})
		s := linearized(t, p, st)
		dense, err := s.Modes(linear.ModeOptions{Count: 30, Method: linear.Dense})
		require.NoError(t, err)
		sparse, err := s.Modes(linear.ModeOptions{Count: 30, Method: linear.Sparse})
		require.NoError(t, err)
		require.Len(t, sparse.List, len(dense.List), "factor %v", factor)
		assert.True(t, sparse.All)
		fastest := 0.0
		for i := range dense.List {
			want, got := dense.List[i].Lambda, sparse.List[i].Lambda
			assert.Equal(t, dense.List[i].Kind, sparse.List[i].Kind)
			assert.InDelta(t, 0, cmplx.Abs(want-got), 1e-7*cmplx.Abs(want), "factor %v, mode %d: %v %v", factor, i, want, got)
			fastest = min(fastest, real(got))
		}
		assert.InEpsilon(t, -26666.67*factor, fastest, 1e-3)
	}
}

// TestRigidAndVibrating has four free bodies beside others on springs: the shift becomes nearly zero
// before the iteration, and vibrations are at rounding level relative to it.
func TestRigidAndVibrating(t *testing.T) {
	b := rung.NewBuilder("mixed").Gravity(0, 0, -g)
	const free, held = 4, 12
	for i := range free + held {
		at := vec{0, 3 * float64(i)}
		body := b.Body(fmt.Sprint("b", i), brick(t, 1, 0.3), rung.Place{Origin: at})
		j := b.Revolute(fmt.Sprint("j", i), rung.World, body, at, axisX)
		if i >= free {
			j.Stiffness = []float64{0.3 * float64((i-free+1)*(i-free+1))}
		}
	}
	m := modes(t, built(t, b), linear.ModeOptions{Count: 30, Method: linear.Sparse})
	require.Len(t, m.List, free+held)
	assert.True(t, m.All)
	for i := range m.List {
		if i < free {
			assert.InDelta(t, 0, m.List[i].Stiffness, 1e-15)
			continue
		}
		want := float64((i - free + 1) * (i - free + 1))
		assert.InEpsilon(t, want, m.List[i].Stiffness, closedTol)
	}
}
