package tree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// agreeTol is the largest difference of two methods, relative to the largest
// acceleration: what issue 3 asks of tree models.
const agreeTol = 1e-11

// refinements of H⁻¹(τ − C), as its comment says.
const refinements = 2

// treeModels are the reference models without loops and motions.
var treeModels = []string{"pendulum", "spinning-top", "single-body", "islands", "floating-tree", "type-helical-chain"}

// accelerations returns the body accelerations of forward dynamics without
// further forces, angular and linear parts one after the other, with the
// largest of each.
func accelerations(t *testing.T, r *rig) (a []float64, angular, linear float64) {
	t.Helper()
	qdd := r.zeros()
	require.NoError(t, r.w.ForwardTo(qdd, nil))
	list := make([]spatial.ClassicalAccel, r.plan.NumLinks())
	r.w.AccelerationsTo(list, qdd)
	for i := range list {
		a = append(a, list[i][:]...)
		angular = math.Max(angular, check.MaxAbs(list[i][:3]))
		linear = math.Max(linear, check.MaxAbs(list[i][3:]))
	}
	return a, angular, linear
}

func TestGolden(t *testing.T) {
	for _, name := range treeModels {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, golden(t, name), tree.Options{}).atInitial(t)
			require.Empty(t, r.plan.Loops)
			e := check.ReadExpected(t, name)
			allowed := e.Allowed()
			a, _, _ := accelerations(t, r)
			for i, w := range e.Bodies {
				check.CloseVec(t, a[6*i:6*i+3], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular", w.Name)
				check.CloseVec(t, a[6*i+3:6*i+6], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: linear", w.Name)
			}
			require.Equal(t, e.Constraints.Mobility, r.plan.NumDof())
		})
	}
}

// requireAgreement compares the articulated-body algorithm with H⁻¹(τ − C) and
// with the sparse method at the model's state.
func requireAgreement(t *testing.T, m *model.Model) {
	t.Helper()
	r := newRig(t, m, tree.Options{}).atInitial(t)
	require.Empty(t, r.plan.Loops)
	if r.plan.NumDof() == 0 {
		a, _, _ := accelerations(t, r)
		require.Zero(t, check.MaxAbs(a), "nothing can move")
		return // and nothing gives a scale
	}

	requireSparse(t, r)
	qdd, x := r.zeros(), r.zeros()
	require.NoError(t, r.w.ForwardTo(qdd, nil))
	require.NoError(t, r.w.ForwardByInertiaTo(x, nil, r.plan.NewBranchMatrix(), refinements))
	check.CloseVec(t, x, qdd, agreeTol, math.Max(1e-3, check.MaxAbs(qdd)), "H⁻¹(τ − C)")
}

// requireSparse compares the articulated-body algorithm with the sparse method at
// the state in use.
func requireSparse(t *testing.T, r *rig) {
	t.Helper()
	a, angular, linear := accelerations(t, r)
	s := kkt.NewPlan(r.mech, kkt.Options{}).NewSolver()
	require.NoError(t, s.Solve(r.w.State()))
	want := make([]float64, len(a))
	s.AccelerationsTo(want)
	for i := range r.mech.NumBodies() {
		check.CloseVec(t, a[6*i:6*i+3], want[6*i:6*i+3], agreeTol, angular, "body %d angular, sparse", i)
		check.CloseVec(t, a[6*i+3:6*i+6], want[6*i+3:6*i+6], agreeTol, linear, "body %d linear, sparse", i)
	}
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{
		{"chain", 1}, {"chain", 10}, {"chain", 100}, {"chain", 1000}, {"tree", 1}, {"tree", 30}, {"tree", 300},
		{"random", 20}, {"random", 100}, {"random", 400}, {"ladder", 20}, {"stewart", 1}, {"grid", 5},
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/n=%d/seed=%d", c.family, c.n, seed), func(t *testing.T) {
				requireAgreement(t, withoutLoops(t, generate(t, c.family, c.n, seed)))
			})
		}
	}
	for _, name := range treeModels {
		t.Run(name, func(t *testing.T) { requireAgreement(t, golden(t, name)) })
	}
}

// allModels runs f on all reference models, on all families at small sizes and on
// fifty random mechanisms.
func allModels(t *testing.T, f func(t *testing.T, m *model.Model)) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		t.Run(name, func(t *testing.T) { f(t, golden(t, name)) })
	}
	for _, family := range bench.Families() {
		for _, n := range check.Some([]int{1, 2, 3, 5}, 2) {
			t.Run(fmt.Sprintf("%s/n=%d", family, n), func(t *testing.T) { f(t, generate(t, family, n, uint64(n))) })
		}
	}
	for seed := range check.Few(uint64(50), 20) {
		n := 3 + int(seed)
		t.Run(fmt.Sprintf("random/n=%d/seed=%d", n, seed), func(t *testing.T) { f(t, generate(t, "random", n, seed)) })
	}
}

// TestCountsAgreeWithSparse compares rank, redundant rows and mobility of all
// methods with the sparse side, of the whole and of each cluster: the rows of its
// joints less its redundant ones, and the mobility of its bodies against each
// other. What is in no cluster has no redundant rows.
func TestCountsAgreeWithSparse(t *testing.T) {
	check.Long(t)
	allModels(t, func(t *testing.T, m *model.Model) {
		plan, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		sparse := plan.NewSolver()
		require.NoError(t, sparse.Solve(plan.Initial()))
		report, err := sparse.Report()
		require.NoError(t, err)
		r := newRig(t, m, tree.Options{})
		clusters := tree.ClustersOf(r.mech)
		byCluster := func(rows []int) (count []int) {
			left := 0
			for _, n := range rows {
				left += n
			}
			for _, c := range clusters {
				n := 0
				for _, j := range c.Joints {
					n += rows[j]
				}
				for _, k := range c.Couplings {
					n += rows[len(m.Joints)+int(k)]
				}
				count = append(count, n)
				left -= n
			}
			require.Zero(t, left, "redundant rows of joints in no loop")
			return count
		}
		want := byCluster(report.RedundantRows)
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			rep := s.Report()
			require.Equal(t, report.Rank, rep.Rank+rep.TreeRows, "%v: rank", method)
			require.Equal(t, report.Redundant, rep.Redundant, "%v: redundant", method)
			require.Equal(t, report.Mobility, rep.Mobility, "%v: mobility", method)
			rows := make([]int, r.mech.NumConstraints())
			for i := range rep.Rows {
				if !s.Kept(i) {
					rows[s.Constraints().RowConstraint(i)]++
				}
			}
			require.Equal(t, want, byCluster(rows), "%v: redundant rows by cluster", method)
		}
		for i, c := range clusters {
			if len(c.Couplings) > 0 {
				continue
			}
			require.Equal(t, mobilityOf(t, m, &c), mobilityByRows(r, &c, want[i]), "mobility of cluster %d", i)
		}
	})
}

// mobilityByRows returns the mobility of the bodies of a cluster against each
// other by its rows.
func mobilityByRows(r *rig, c *tree.Cluster, redundant int) int {
	free := 6 * (len(c.Bodies) - 1)
	if c.Ground {
		free += 6
	}
	for _, j := range c.Joints {
		free -= int(r.mech.Joints[j].Rows)
	}
	return free + redundant
}

// mobilityOf returns the same by the sparse side: that of a mechanism of these
// bodies and joints, less the six freedoms of a cluster without the world.
func mobilityOf(t *testing.T, m *model.Model, c *tree.Cluster) int {
	t.Helper()
	part := *m
	part.Bodies, part.Joints, part.Forces, part.Visuals, part.Frames = nil, nil, nil, nil, nil
	for _, b := range c.Bodies {
		part.Bodies = append(part.Bodies, m.Bodies[b])
	}
	for _, j := range c.Joints {
		part.Joints = append(part.Joints, m.Joints[j])
	}
	plan, err := rung.NewPlan(&part, kkt.Options{})
	require.NoError(t, err)
	s := plan.NewSolver()
	require.NoError(t, s.Solve(plan.Initial()))
	report, err := s.Report()
	require.NoError(t, err)
	if c.Ground {
		return report.Mobility
	}
	return report.Mobility - 6
}
