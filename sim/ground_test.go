package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// wheels are the runs of reference/ground: wheels and rovers.
var wheels = []struct {
	name string
	long bool
}{{"sphere-roll", false}, {"sphere-slide", false}, {"sphere-hills", false}, {"disc-roll", false}, {"rover-drive", true}, {"rover-drop", true}}

const (
	// groundTol is the tolerance of runs on the ground, and groundError the error they may have: m, rad, and of velocities relative to 1 + their size.
	groundTol, groundError = 1e-9, 1e-6
	// bodyColumns is the number of columns of a body in reference/ground: position, orientation, velocity, angular velocity.
	bodyColumns = 13
)

// groundErrors are the largest errors over a run, those of velocities relative to 1 m/s or 1 rad/s + their size.
type groundErrors struct{ position, turn, velocity, omega float64 }

// add compares st with a row of a reference.
func (e *groundErrors) add(row []float64, st *mechanism.State) {
	for i := range st.Bodies {
		b, x := &st.Bodies[i], row[1+bodyColumns*i:]
		e.position = max(e.position, b.Position.Sub(spatial.Vec3(x[:3])).Norm())
		q := spatial.Quat(x[3:7])
		e.turn = max(e.turn, b.Rotation.Mul(q.Conj()).Log().Norm())
		v, w := spatial.Vec3(x[7:10]), spatial.Vec3(x[10:13])
		e.velocity = max(e.velocity, b.Velocity.Sub(v).Norm()/(1+v.Norm()))
		e.omega = max(e.omega, b.Omega.Sub(w).Norm()/(1+w.Norm()))
	}
}

// TestGroundExplicit runs every case of reference/ground with contacts by the pair of Dormand and Prince, with steps that end at the times of
// the reference: their interpolants are worse by orders of magnitude where friction is stiff.
func TestGroundExplicit(t *testing.T) {
	for _, c := range wheels {
		for _, method := range []motion.Method{motion.Sparse, motion.TreeLambda} {
			t.Run(c.name+"/"+method.String(), func(t *testing.T) {
				if testing.Short() && (c.long || method != motion.Sparse) {
					t.Skip("long")
				}
				p, err := rung.NewPlan(open(t, "ground", c.name+".model.json"), kkt.Options{})
				require.NoError(t, err)
				d, err := motion.New(p, method)
				require.NoError(t, err)
				ref := readTable(t, check.Reference(t, "ground", c.name+".csv")).rows
				s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: groundTol}), p.Initial(), sim.Options{Projector: d, Events: sim.ContactEvents(p.Mechanism(), nil)})
				var e groundErrors
				for _, row := range ref {
					require.NoError(t, s.Run(row[0]))
					e.add(row, s.State())
				}
				t.Logf("%d steps, %d rejected, errors %.2g m, %.2g rad, %.2g of velocities, %.2g of angular velocities", s.Stats().Steps, s.Stats().Rejected, e.position, e.turn, e.velocity, e.omega)
				assert.Less(t, math.Max(math.Max(e.position, e.turn), math.Max(e.velocity, e.omega)), groundError)
			})
		}
	}
}
