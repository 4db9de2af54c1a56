package rung_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/stretchr/testify/require"
)

type expected struct {
	Bodies []struct {
		Name string
		Com  []float64 `json:"com_acceleration"`
		Ang  []float64 `json:"angular_acceleration"`
	}
	Joints []struct {
		Name       string
		Unique     bool                               `json:"wrench_unique"`
		Constraint struct{ Force, Moment []*float64 } `json:"constraint_wrench"`
		Total      struct{ Force, Moment []*float64 } `json:"total_wrench"`
	}
	Constraints struct {
		Rows, Rank, Redundant, Mobility int
		Min                             *float64 `json:"min_singular_value"`
	}
	Energy    struct{ Kinetic, Potential float64 }
	Scale     map[string]float64
	Tolerance map[string]float64
}

func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("reference/golden/*.model.json")
	require.NotEmpty(t, files)
	for _, o := range []factor.Ordering{factor.Auto, factor.Natural, factor.LeafFirst, factor.Banded, factor.MinDegree, factor.NestedDissection} {
		for _, f := range files {
			t.Run(o.String()+"/"+strings.TrimSuffix(filepath.Base(f), ".model.json"), func(t *testing.T) {
				m, err := rung.Open(f)
				require.NoError(t, err)
				var e expected
				b, err := os.ReadFile(strings.Replace(f, ".model.", ".expected.", 1))
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(b, &e))
				r, err := rung.Accelerate(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				tol := func(k string, rel float64) float64 { return max(1000*e.Tolerance[k], rel*e.Scale[k]) }
				worst := 0.0
				for i, w := range e.Bodies {
					for k := range 3 {
						worst = max(worst, math.Abs(r.Bodies[i].ComAcceleration[k]-w.Com[k])/tol("linear_acceleration", 1e-9))
						worst = max(worst, math.Abs(r.Bodies[i].AngularAcceleration[k]-w.Ang[k])/tol("angular_acceleration", 1e-9))
					}
				}
				if worst > 1 {
					t.Errorf("acceleration %g x tol", worst)
				}
				c := r.Constraints
				if c.Rank != e.Constraints.Rank || c.Redundant != e.Constraints.Redundant || c.Mobility != e.Constraints.Mobility {
					t.Errorf("rank %d want %d, red %d want %d", c.Rank, e.Constraints.Rank, c.Redundant, e.Constraints.Redundant)
				}
				if c.NearSingular {
					t.Errorf("near singular %g", c.Distance)
				}
				for i, w := range e.Joints {
					j := r.Joints[i]
					var und []string
					for k, n := range []string{"x", "y", "z"} {
						if w.Total.Force[k] == nil {
							und = append(und, "force."+n)
						} else if d := math.Abs(*w.Total.Force[k] - j.TotalWrench.Force[k]); d > 1e-8*e.Scale["force"] {
							t.Errorf("joint %s force %s: %g want %g", w.Name, n, j.TotalWrench.Force[k], *w.Total.Force[k])
						}
					}
					for k, n := range []string{"x", "y", "z"} {
						if w.Total.Moment[k] == nil {
							und = append(und, "moment."+n)
						} else if d := math.Abs(*w.Total.Moment[k] - j.TotalWrench.Moment[k]); d > tol("moment", 1e-8) {
							t.Errorf("joint %s moment %s: %g want %g", w.Name, n, j.TotalWrench.Moment[k], *w.Total.Moment[k])
						}
					}
					if strings.Join(und, " ") != strings.Join(j.Undetermined, " ") || w.Unique != j.WrenchUnique {
						t.Errorf("joint %s undetermined %v want %v", w.Name, j.Undetermined, und)
					}
				}
				if testing.Verbose() && o == factor.Auto {
					t.Logf("acc %.2g dist %.3g minsv %v refinements %d resid %.2g growth %.3g", worst, c.Distance, e.Constraints.Min, r.Solve.Refinements, r.Solve.Residual, r.Solve.PivotGrowth)
				}
			})
		}
	}
}
