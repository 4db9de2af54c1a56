package ik

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// dense is the system of a sparse solver as dense matrices: weighted rows of joints and of targets by levels.
type dense struct {
	joints  *mat.Dense
	targets []*mat.Dense // by level
	errors  []*mat.VecDense
}

// denseOf reads the rows of joints and targets at s.st from the unit
// displacements of all bodies, in the metric's coordinates.
func denseOf(t testing.TB, s *sparseMethod) *dense {
	require.NoError(t, s.sys.linearize(s.st))
	n := len(s.sys.d)
	d := &dense{}
	var rows []float64
	P := s.sys.layout.Pattern
	for i := n; i < P.Dim(); i++ {
		for c := range n {
			rows = append(rows, s.sys.y.Matrix.At(i, c))
		}
	}
	d.joints = mat.NewDense(len(rows)/n, n, rows)
	for l := range s.p.levels {
		var a, e []float64
		for i := range s.p.targets {
			g, at := &s.p.targets[i], s.sys.shown[i]
			if g.level != l {
				continue
			}
			block := make([]float64, g.n*n)
			for _, side := range at.sides {
				for k := range g.n {
					var w [6]float64
					s.sys.weighTo(&w, side.body, &side.F[k])
					for c, v := range w {
						block[k*n+6*int(side.body)+c] += v
					}
				}
			}
			a, e = append(a, block...), append(e, s.e[g.first:g.first+g.n]...)
		}
		d.targets = append(d.targets, mat.NewDense(len(e), n, a))
		d.errors = append(d.errors, mat.NewVecDense(len(e), e))
	}
	return d
}

// null returns an orthonormal basis of the null space of A.
func null(A *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(A, mat.SVDFull) {
		panic("no SVD")
	}
	values := svd.Values(nil)
	rank := 0
	for _, v := range values {
		if v > 1e-10*values[0] {
			rank++
		}
	}
	var V mat.Dense
	svd.VTo(&V)
	n, _ := V.Dims()
	if rank == n {
		return nil
	}
	return mat.DenseCopyOf(V.Slice(0, n, rank, n))
}

// step returns the step of a level by Siciliano and Slotine, damped by
// root², after steps of the levels before it that are damped alike.
func (d *dense) step(level int, root float64) *mat.VecDense {
	N := null(d.joints)
	n, _ := N.Dims()
	x := mat.NewVecDense(n, nil)
	for l := range level + 1 {
		var J, S mat.Dense
		J.Mul(d.targets[l], N)
		S.Mul(&J, J.T())
		m, _ := S.Dims()
		for i := range m {
			S.Set(i, i, S.At(i, i)+root*root)
		}
		// x + N·u with the least ‖e − T(x + Nu)‖² + root²‖u‖²
		var left, lambda, u, move mat.VecDense
		left.MulVec(d.targets[l], x)
		left.SubVec(d.errors[l], &left)
		if err := lambda.SolveVec(&S, &left); err != nil {
			panic(err)
		}
		u.MulVec(J.T(), &lambda)
		move.MulVec(N, &u)
		x.AddVec(x, &move)
		if Z := null(&J); Z != nil {
			var next mat.Dense
			next.Mul(N, Z)
			N = &next
		}
	}
	return x
}

// TestSparseAgainstDense compares steps of levels with those of dense algebra, with loops, redundant joints and a
// centre of mass. The sparse method is given the errors that the levels before leave.
func TestSparseAgainstDense(t *testing.T) {
	const tol = 1e-9
	rng := rand.New(rand.NewPCG(3, 4))
	for name, m := range map[string]*model.Model{"arm": chainModel(7, 0.4), "tree": spatialTree(t, rng), "walker": readModel(t, "walker")} {
		last := m.Bodies[len(m.Bodies)-1].Name
		mid := m.Bodies[len(m.Bodies)/2].Name
		task := Task{Targets: []Target{
			{Name: "a", Type: Point, Body: last, Position: randomVec(rng), Weight: []float64{1, 2, 0}},
			{Name: "b", Type: Point, Body: mid, Position: randomVec(rng), Weight: []float64{1, 0, 0}, Priority: 1},
			{Name: "c", Type: Com, Position: randomVec(rng), Weight: []float64{0, 1, 0}, Priority: 2},
		}}
		for _, metric := range []Metric{Turns, Inertia} {
			task.Solver.Metric = metric
			solver, st := sparseOf(t, m, task)
			s := sparseIn(solver)
			require.NoError(t, s.begin(st))
			d := denseOf(t, s)
			root := 0.03
			for l := range s.p.levels {
				want := d.step(l, root)
				s.setRows(l, root)
				require.NoError(t, s.sys.factorize())
				s.sys.solve(0)
				check.CloseVec(t, s.sys.x[:len(s.sys.d)], want.RawVector().Data, tol, max(1, mat.Norm(want, 2)), "%s, level %d, %v", name, l, metric)
				// What the level reaches in this step is held in the next.
				var reached mat.VecDense
				reached.MulVec(d.targets[l], want)
				r := 0
				for i := range s.p.targets {
					if g := &s.p.targets[i]; g.level == l {
						for k := range g.n {
							s.want[g.first+k] = s.e[g.first+k] - reached.AtVec(r)
							r++
						}
					}
				}
			}
		}
	}
}

// spatialTree is a tree of balls, hinges and slides.
func spatialTree(t testing.TB, rng *rand.Rand) *model.Model {
	m := randomTree(t, rng, 8)
	m.Joints[3].Type = joints.Spherical
	m.Joints[3].Motion, m.Joints[3].Limits = nil, nil
	m.Joints[3].Force, m.Joints[3].Stiffness, m.Joints[3].Damping, m.Joints[3].Rest, m.Joints[3].Turns = nil, nil, nil, nil, nil
	_, err := mechanism.New(m)
	require.NoError(t, err)
	return m
}
