package assemble

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// groundedTol is for products of a few 6×6 blocks, relative to the largest of their terms.
const groundedTol = 1e-11

// builder adds random bodies and joints to a model.
type builder struct {
	rng *rand.Rand
	m   *model.Model
}

func newBuilder(rng *rand.Rand, name string) *builder {
	m := model.New(name)
	m.Gravity = [3]float64{0.3, -9, 2}
	return &builder{rng, m}
}

func (b *builder) vec(s float64) (v [3]float64) {
	for i := range v {
		v[i] = s * b.rng.NormFloat64()
	}
	return v
}

func (b *builder) pose() model.Pose {
	q := spatial.Exp(b.vec(1))
	return model.Pose{Position: b.vec(1), Orientation: q}
}

// body adds a body and returns its name.
func (b *builder) body() string {
	name := fmt.Sprint("b", len(b.m.Bodies))
	x, y := 1+b.rng.Float64(), 1+b.rng.Float64()
	b.m.Bodies = append(b.m.Bodies, model.Body{
		Name: name, Mass: math.Exp(b.rng.NormFloat64()), Com: b.vec(0.3), Pose: b.pose(),
		Inertia:  model.Inertia{XX: x, YY: y, ZZ: 0.5 * (x + y), XY: 0.1, XZ: -0.2, YZ: 0.05},
		Velocity: model.Velocity{Linear: b.vec(1), Angular: b.vec(1)},
	})
	return name
}

// joint adds a joint.
func (b *builder) joint(t model.JointType, pred, succ string) *model.Joint {
	j := model.Joint{Name: fmt.Sprint("j", len(b.m.Joints)), Type: t, Predecessor: pred, Successor: succ, PredecessorFrame: b.pose(), SuccessorFrame: b.pose()}
	if t == model.Helical {
		j.Pitch = 0.2
	}
	b.m.Joints = append(b.m.Joints, j)
	return &b.m.Joints[len(b.m.Joints)-1]
}

// either adds a joint whose ends are in random order.
func (b *builder) either(t model.JointType, one, other string) {
	if b.rng.IntN(2) == 0 {
		one, other = other, one
	}
	b.joint(t, one, other)
}

// treeModel is a random mechanism on the ground: trees of up to four bodies with joints of the given types,
// either end first, branching, tips joined to each other and to a free body by balls.
func treeModel(rng *rand.Rand, types []model.JointType) *model.Model {
	b := newBuilder(rng, "trees")
	var tips []string
	for range 3 {
		var tree []string
		for k := range 1 + rng.IntN(4) {
			up := model.World
			if k > 0 {
				up = tree[rng.IntN(len(tree))]
			}
			tree = append(tree, b.body())
			b.either(types[rng.IntN(len(types))], up, tree[k])
		}
		tips = append(tips, tree[len(tree)-1])
	}
	free := b.body()
	b.either(model.Spherical, tips[0], tips[1])
	b.either(model.Revolute, tips[1], free)
	b.either(model.Universal, free, tips[2])
	return b.m
}

// TestGrounded holds the reduced system against the whole one, whose rows and right sides do not need joints that
// fit: in random mechanisms with poses at random, N is orthonormal, rows of trees vanish on N and demand c, and
// W·N, g − W·c and Nᵀ(C⁻¹f − c) are what is left.
func TestGrounded(t *testing.T) {
	types := []model.JointType{model.Fixed, model.Revolute, model.Prismatic, model.Helical, model.Cylindrical, model.Universal, model.Planar, model.Spherical}
	branches, columns, empty := 0, 0, 0
	for seed := range check.Few(uint64(120), 40) {
		rng := check.Rand(seed)
		m := treeModel(rng, types)
		if seed%3 == 0 {
			m = treeModel(rng, []model.JointType{model.Revolute})
		}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		l := NewLayout(mech)
		g := choose(l)
		g.layOut()
		st := mech.Initial()
		whole, y := l.NewWeighted(), g.NewReducedOn(nil)
		require.NoError(t, whole.FillTo(st))
		free, err := y.FillTo(st)
		require.NoError(t, err)
		require.InEpsilon(t, whole.FreeSize(), free, 1e-13)
		requireClose(t, lanes.Numbers(whole.Kin.Bodies), lanes.Numbers(y.Kin.Bodies), "Kin")
		branches, columns = branches+len(g.trees), columns+g.columns/6

		n, nr, nb := l.Pattern.Dim(), g.Pattern.Dim(), 6*mech.NumBodies()
		c, N := directionsOf(whole, y)
		requireOrthonormal(t, N)
		// rows returns W·x − g on the rows of joints.
		rows := func(x, right []float64) []float64 {
			r := make([]float64, n)
			b := append(make([]float64, nb), right[nb:]...)
			x = append(append([]float64(nil), x[:nb]...), make([]float64, n-nb)...)
			whole.Matrix.ResidualTo(r, b, x)
			for i := range r {
				r[i] = -r[i]
			}
			return r
		}
		size := 1 + check.MaxAbs(c) + check.MaxAbs(whole.Right) + check.MaxAbs(whole.Matrix.Val)
		size *= size
		offC := rows(c, whole.Right)
		offN := make([][]float64, len(N))
		for i := range N {
			offN[i] = rows(N[i], make([]float64, n))
		}
		for j := range mech.Joints {
			o, rowsOf := int(l.Pattern.Off[l.JointNode(j)]), int(mech.Joints[j].Rows)
			node := nodeOf(g, j)
			for r := range rowsOf {
				if node < 0 { // in a tree
					require.InDelta(t, 0, offC[o+r], groundedTol*size, "seed %d, joint %d, row %d", seed, j, r)
					for i := range N {
						require.InDelta(t, 0, offN[i][o+r], groundedTol*size, "seed %d, joint %d, row %d, column %d", seed, j, r, i)
					}
					continue
				}
				at := int(g.Pattern.Off[node]) + r
				require.InDelta(t, -offC[o+r], y.Right[at], groundedTol*size, "seed %d, joint %d, row %d", seed, j, r)
				require.InEpsilon(t, whole.Scale[o+r], y.Scale[at], 1e-12)
				z, back := make([]float64, nr), make([]float64, nr)
				z[at] = 1
				y.Matrix.MulVecTo(back, z)
				for i := range N {
					require.InDelta(t, offN[i][o+r], back[i], groundedTol*size, "seed %d, joint %d, row %d, column %d", seed, j, r, i)
				}
			}
		}
		load := append([]float64(nil), whole.Right[:nb]...)
		for i := range load {
			load[i] -= c[i]
		}
		for i := range N {
			// c of a free body is zero.
			require.InDelta(t, dotOf(N[i][:nb], load), y.Right[i], groundedTol*size, "seed %d, column %d", seed, i)
		}
		for i := range g.groups {
			if g.groups[i].dof == 0 {
				empty++
			}
		}

		// Errors of rows: c demands them, and is at right angles to N but for what Nᵀc takes.
		e := make([]float64, n)
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		y.ErrorsTo(e, st)
		b := append([]float64(nil), y.Right...)
		c = expanded(whole, y, make([]float64, nr))
		offC = rows(c, e)
		for j := range mech.Joints {
			o := int(l.Pattern.Off[l.JointNode(j)])
			for r := range int(mech.Joints[j].Rows) {
				if node := nodeOf(g, j); node < 0 {
					require.InDelta(t, 0, offC[o+r], groundedTol*size)
				} else {
					require.InDelta(t, -offC[o+r], b[int(g.Pattern.Off[node])+r], groundedTol*size)
				}
			}
		}
		for i := range N {
			require.InDelta(t, -dotOf(N[i][:nb], c[:nb]), b[i], groundedTol*size)
		}
	}
	assert.Greater(t, branches, check.Few(400, 100))
	assert.Greater(t, columns, check.Few(600, 150))
	assert.Greater(t, empty, check.Few(5, 1))
}

// nodeOf returns the node of a joint, −1 if it is a tree joint.
func nodeOf(g *Groups, joint int) int {
	for node := range g.Pattern.Len() {
		if g.NodeJoint(node) == joint {
			return node
		}
	}
	return -1
}

// expanded returns c + N·z.
func expanded(whole *Weighted, y *Reduced, z []float64) []float64 {
	a := make([]float64, whole.Layout.Pattern.Dim())
	y.AccelerationsTo(a, z)
	whole.WeighTo(a, a)
	return a
}

// directionsOf returns c and the columns of N.
func directionsOf(whole *Weighted, y *Reduced) (c []float64, N [][]float64) {
	p := y.Groups.Pattern
	c = expanded(whole, y, make([]float64, p.Dim()))
	for i := range p.Off[p.Positive()] {
		z := make([]float64, p.Dim())
		z[i] = 1
		x := expanded(whole, y, z)
		for k := range x {
			x[k] -= c[k]
		}
		N = append(N, x)
	}
	return c, N
}

func requireOrthonormal(t *testing.T, N [][]float64) {
	t.Helper()
	for i := range N {
		for k := range i + 1 {
			want := 0.0
			if i == k {
				want = 1
			}
			require.InDelta(t, want, dotOf(N[i], N[k]), 1e-13, "columns %d and %d", i, k)
		}
	}
}

// TestGroundedNearlyParallel hangs a bar on a link a millionth as long and heavy, so that it makes next to no difference
// which of the two hinges turns it.
func TestGroundedNearlyParallel(t *testing.T) {
	m := model.New("short link")
	rod := func(name string, mass, length float64) {
		I := mass * length * length
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: mass, Com: [3]float64{0.3 * length, 0.2 * length, 0.7 * length},
			Inertia: model.Inertia{XX: 1.1 * I, YY: 0.9 * I, ZZ: 1.3 * I, XY: 0.1 * I},
		})
	}
	rod("link", 1e-6, 1e-6)
	rod("bar", 1, 1)
	at := func(x float64) model.Pose { return model.Pose{Position: [3]float64{x}} }
	m.Joints = []model.Joint{
		{Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "link"},
		{Name: "pivot", Type: model.Revolute, Predecessor: "link", Successor: "bar", PredecessorFrame: at(1e-6)},
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	l := NewLayout(mech)
	whole, y := l.NewWeighted(), NewGroups(l).NewReducedOn(nil)
	st := mech.Initial()
	require.NoError(t, whole.FillTo(st))
	_, err = y.FillTo(st)
	require.NoError(t, err)
	_, N := directionsOf(whole, y)
	require.Len(t, N, 2)
	requireOrthonormal(t, N)
}

func dotOf(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
