package ik

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
)

// A body on a cylindrical joint in a mechanism of kilometres, and two
// targets that it cannot have both: the search is slow.
const slowModel = `{"format": "rung-model/1", "name": "rand", "bodies": [{"name": "b0", "mass": 0.5186040751200927, "com": [127.19668787671354, -102.15289333701007, 101.5490504247841], "inertia": {"xx": 50000, "yy": 55000.00000000001, "zz": 60000}, "pose": {"position": [-143.83331165340647, 239.00654629116264, 270.33235402424845], "orientation": [-0.41741077264101883, 0.5023397683687374, 0.6324809476043609, -0.41640227534916424]}}], "joints": [{"name": "j0", "type": "cylindrical", "predecessor": "world", "successor": "b0", "predecessor_frame": {"position": [-7.70334981019683, 168.3890465132566, 202.52987871884682], "orientation": [0.3898267925853426, 0.214524322747758, 0.819051042835371, -0.3621736820401661]}, "successor_frame": {"position": [154.69332463530782, -33.91111469192729, -29.889486121656557], "orientation": [-0.47141692013956155, 0.7242148932348661, 0.3118126196470879, -0.39503387962523195]}}]}`

// TestSlowSearch: a slow search is not taken for one that has ended:
// where the gradient is not zero, nothing is said about why.
func TestSlowSearch(t *testing.T) {
	m, err := model.Read(strings.NewReader(slowModel), "slow")
	require.NoError(t, err)
	one := [4]float64{1}
	task := &Task{Solver: Options{Length: 500, Restarts: 3}, Targets: []Target{
		{Name: "t0", Type: Coordinate, Freedom: "j0.1", Value: -296.1183580583234, Weight: []float64{1}, Frame: model.Pose{Orientation: one}, Orientation: one},
		{
			Name: "t1", Type: Plane, Body: "b0", Frame: model.Pose{Orientation: one}, Orientation: one,
			Position:  [3]float64{-353.1327937141952, 267.1098689842636, 841.7363459201038},
			Direction: [3]float64{1.543715426675636, -0.8447047433709753, 0.41353938425750136},
		},
	}}
	plan := plantest.New(t, m, order.Auto)
	s := testSolver(t, testProblem(t, plan, task), task.Solver)
	r, err := s.Reach(plan.Initial())
	require.ErrorIs(t, err, ErrUnreached)
	A, e := denseIn(s).J, denseIn(s).e
	slope := make([]float64, len(denseIn(s).q))
	for i, x := range e {
		add(slope, x, A[i*len(slope):(i+1)*len(slope)])
	}
	if r.Status != OutOfSteps {
		require.Less(t, algebra.MaxAbs(slope), 1e-6*denseIn(s).scaleOf(A, e), "%v", r.Status)
	}
}
