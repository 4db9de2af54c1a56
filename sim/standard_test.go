package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// benchmark is a model of reference/standard with its reference trajectory.
type benchmark struct {
	model, body string  // the body that carries the reference point
	tol         float64 // of the integrator
	limit       float64 // of the error: the published one of high precision, where there is one
	// work is what loads have done until a row of the reference, J; nil if energy is conserved.
	work func(row []float64) float64
	long bool // left out of short runs
}

const (
	// energyTol is the largest drift of the energy relative to its scale.
	energyTol = 1e-6
	// driftTol is the largest drift of a recorded state, twice the tolerance at which it is
	// projected.
	driftTol = 2 * sim.DefaultDrift
)

// A torque of 0.033 N m drives the crank of A03. A05 loses energy to its dampers; its
// reference gives the energy.
var benchmarks = []benchmark{
	{"a01-pendulum", "bob", 1e-8, 1e-3, nil, false},
	{"a02-n-four-bar-2", "V0", 1e-8, 1e-3, nil, false},
	{"a02-n-four-bar-40", "V0", 1e-8, 1e-3, nil, true},
	{"a03-andrews-ivp", "K1", 1e-8, 1e-4, func(row []float64) float64 { return 0.033 * (row[7] - -6.17138900142764496e-02) }, false},
	{"a04-bricard-slender", "rod2", 1e-8, 1e-3, nil, false},
	{"a05-flyball-governor", "slider", 1e-6, 1e-3, func(row []float64) float64 { return row[17] - 2.38885450441525775e+02 }, true},
	{"spatial-slider-crank", "slider", 1e-8, 1e-3, nil, false},
}

// TestStandard follows the standard benchmarks with the projected pair of Dormand
// and Prince. A02 goes through its flat pose, where N more freedoms appear, twice a
// period.
func TestStandard(t *testing.T) {
	t.Logf("%-22s %8s %8s %9s %9s %9s %9s %9s", "model", "steps", "rejected", "ms", "error", "energy", "position", "velocity")
	for _, b := range benchmarks {
		t.Run(b.model, func(t *testing.T) {
			if testing.Short() && b.long {
				t.Skip("long")
			}
			r := standard(t, b.model)
			ref := readTable(t, check.Reference(t, "standard", b.model+".csv")).rows
			p := r.pointAt(t, r.mech.Initial(), b.body, spatial.Vec3(ref[0][1:4]))
			rec := &memory{}
			s := r.simulate(sim.DormandPrince(), b.tol, sim.Options{Projector: r.proj, Recorder: rec, Every: ref[1][0]})
			begin := time.Now()
			require.NoError(t, s.Run(ref[len(ref)-1][0]))
			took := time.Since(begin)
			require.Len(t, rec.states, len(ref))
			worst := 0.0
			for i, st := range rec.states {
				require.InDelta(t, ref[i][0], st.Time, 1e-13)
				x, v := p.of(st)
				worst = max(worst, referenceError(ref[i], x, v))
			}
			var work func(row int) float64
			if b.work != nil {
				work = func(row int) float64 { return b.work(ref[row]) }
			}
			energy := rec.energyDrift(work)
			d, n := rec.drift, s.Stats()
			t.Logf("%-22s %8d %8d %9.1f %9.2g %9.2g %9.2g %9.2g", b.model, n.Steps, n.Rejected, took.Seconds()*1e3, worst, energy, d.Position, d.Velocity)
			assert.Less(t, worst, b.limit, "error")
			assert.Less(t, energy, energyTol, "energy")
			assert.Less(t, max(d.Position, d.Velocity), driftTol, "drift")
		})
	}
}

// referenceError is the measure of reference/standard: the largest |y − yref| /
// max(|yref|, 1e-3) of position and velocity.
func referenceError(want []float64, x, v spatial.Vec3) (e float64) {
	for i := range 3 {
		e = max(e, math.Abs(x[i]-want[1+i])/max(math.Abs(want[1+i]), 1e-3),
			math.Abs(v[i]-want[4+i])/max(math.Abs(want[4+i]), 1e-3))
	}
	return e
}

// TestToleranceIsMet requires that a hundredth of the tolerance brings less than a
// tenth of the error.
func TestToleranceIsMet(t *testing.T) {
	check.Long(t)
	r := standard(t, "a03-andrews-ivp")
	ref := readTable(t, check.Reference(t, "standard", "a03-andrews-ivp.csv")).rows
	end := ref[len(ref)-1]
	p := r.pointAt(t, r.mech.Initial(), "K1", spatial.Vec3(ref[0][1:4]))
	last := math.Inf(1)
	for _, tol := range []float64{1e-5, 1e-7, 1e-9, 1e-11} {
		s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj})
		require.NoError(t, s.Run(end[0]))
		x, v := p.of(s.State())
		e := referenceError(end, x, v)
		t.Logf("tolerance %g: %d steps, error %.3g", tol, s.Stats().Steps, e)
		assert.Less(t, e, last/10)
		last = e
	}
}
