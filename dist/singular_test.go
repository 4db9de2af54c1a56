package dist_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// sameBranch is the angle, rad, by which links that the branch keeps parallel may differ, as in one process (sim). The other branch is off
	// by one.
	sameBranch = 1e-9
	// flatTol is how near poses behind singular ones are to those of one process, m: steps differ, as the nearness depends on the order of the
	// rows, and what they leave of the tolerance grows for a few swings.
	flatTol = 1e-8
)

func hard(t *testing.T, name string) *model.Model {
	t.Helper()
	m, err := rung.Open(filepath.Join("..", "reference", "hard", name+".json"))
	require.NoError(t, err)
	return m
}

// parallel returns by how much links that stay parallel on the branch of the start are not.
func (c *course) parallel(name string) float64 {
	axis := func(b int64) spatial.Vec3 { return c.end[b].Rotation.Rotate(spatial.Vec3{1, 0, 0}) }
	if name == "sim-parallelogram" {
		return math.Abs(axis(1)[1])
	}
	return max(axis(0).Cross(axis(3)).Norm(), axis(1).Cross(axis(2)).Norm())
}

// flatSteps is the tolerance of the steps.
var flatSteps = sim.Tolerance{Relative: 1e-10}

// Steps on ranks are led over singular poses as those of one process, and stay on the branch.
func TestStepsOverSingularPoses(t *testing.T) {
	check.Long(t)
	for name, end := range map[string]float64{"sim-parallelogram": 2, "sim-rhombus": 5} {
		m := hard(t, name)
		want := aloneTo(t, m, flatSteps, true, end, func(d *motion.Dynamics) sim.Options { return sim.Options{Projector: d} })
		require.Positive(t, want.stats.Singular)
		require.Less(t, want.parallel(name), sameBranch)
		for _, n := range []int{1, 2, 3} {
			got := togetherTo(t, m, flatSteps, true, n, end, func(d *dist.Solver) (sim.Options, error) { return sim.Options{Projector: d.NewProjector()}, nil })
			t.Logf("%s on %d: %+v, %.1e rad from parallel; one process %+v", name, n, got.stats, got.parallel(name), want.stats)
			assert.Less(t, got.parallel(name), sameBranch, "%s on %d", name, n)
			assert.Positive(t, got.stats.Singular, "%s on %d", name, n)
			assert.Zero(t, got.stats.Undecided)
			for b := range want.end {
				assert.LessOrEqual(t, got.end[b].Position.Sub(want.end[b].Position).Norm(), flatTol, "body %d of %s on %d", b, name, n)
			}
		}
	}
}

// A linkage at rest in a flat pose may go either way. Ranks count such steps as one process does.
func TestUndecidedOnRanks(t *testing.T) {
	m := hard(t, "sim-parallelogram")
	for i, p := range []model.Pose{
		{Orientation: [4]float64{1, 0, 0, 0}}, {Position: [3]float64{1, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}},
		{Position: [3]float64{3, 0, 0}, Orientation: [4]float64{0, 0, 0, 1}},
	} {
		m.Bodies[i].Pose, m.Bodies[i].Velocity = p, model.Velocity{}
	}
	want := aloneTo(t, m, tolerance, true, 0.2, func(d *motion.Dynamics) sim.Options { return sim.Options{Projector: d} })
	require.Positive(t, want.stats.Undecided)
	for _, n := range []int{2, 3} {
		got := togetherTo(t, m, tolerance, true, n, 0.2, func(d *dist.Solver) (sim.Options, error) { return sim.Options{Projector: d.NewProjector()}, nil })
		assert.Positive(t, got.stats.Undecided)
		assert.Less(t, got.stats.UndecidedAt, 0.01)
	}
}
