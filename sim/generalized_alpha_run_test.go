package sim_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// TestAlphaModels runs all golden models, redundant and far ones among them, by fixed steps and
// with error control, against Dormand and Prince.
func TestAlphaModels(t *testing.T) {
	check.Long(t)
	files, err := filepath.Glob(filepath.Join(check.Reference(t, "golden"), "*.model.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".model.json")
		t.Run(name, func(t *testing.T) {
			r := newImplicit(t, open(t, "golden", name+".model.json"))
			st := r.mech.Initial()
			require.NoError(t, r.proj.ClosePositions(st))
			require.NoError(t, r.proj.ProjectVelocities(st))
			until := st.Time + 0.1
			ref := sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), 1e-10), st, sim.Options{Projector: r.proj})
			require.NoError(t, ref.Run(until))
			far := 0.0
			for i := range st.Bodies {
				far = max(far, st.Bodies[i].Position.Norm())
			}
			var e [2]float64
			for i, h := range []float64{0.005, 0.0025} {
				s := sim.New(r.mech, r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8, Fixed: true}), st, sim.Options{Step: h, Projector: r.proj})
				require.NoError(t, s.Run(until))
				e[i] = poseDistance(s.State(), ref.State())
				assert.Less(t, s.Stats().Worst.Position, implicitPosition+4e-15*far)
			}
			assert.Less(t, e[1], 0.3*e[0]+1e-11+1e-14*far, "errors %v", e)
			last := 0.0
			for _, tol := range []float64{1e-4, 1e-6} {
				s := sim.New(r.mech, r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: tol}}), st, sim.Options{Projector: r.proj})
				require.NoError(t, s.Run(until))
				d := poseDistance(s.State(), ref.State())
				if last > 1e-11 {
					assert.Less(t, d, 0.2*last, "tolerance %g", tol)
				}
				last = d
			}
		})
	}
}

// TestAlphaSingular goes through the flat pose of the N-four-bar, where N more freedoms appear.
func TestAlphaSingular(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	r := newImplicit(t, open(t, "standard", "a02-n-four-bar-2.model.json"))
	ref := readTable(t, check.Reference(t, "standard", "a02-n-four-bar-2.csv")).rows
	p := r.pointAt(t, r.mech.Initial(), "V0", spatial.Vec3(ref[0][1:4]))
	_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: 1e-8}}, sim.Options{Projector: r.proj})
	worst := 0.0
	for _, row := range ref[:len(ref)/3] {
		require.NoError(t, s.Run(row[0]))
		x, _ := p.of(s.State())
		worst = max(worst, x.Sub(spatial.Vec3(row[1:4])).Norm())
	}
	t.Logf("%+v, error %.2g", s.Stats(), worst)
	assert.Less(t, worst, 1e-3)
}

// TestAlphaAndrews meets the published end of Andrews' mechanism.
func TestAlphaAndrews(t *testing.T) {
	check.Long(t)
	r := newImplicit(t, open(t, "standard", "a03-andrews-ivp.model.json"))
	ref := readTable(t, check.Reference(t, "standard", "a03-andrews-ivp.csv")).rows
	end := ref[len(ref)-1]
	p := r.pointAt(t, r.mech.Initial(), "K1", spatial.Vec3(ref[0][1:4]))
	last := math.Inf(1)
	tols := []float64{1e-5, 1e-7, 1e-9}
	for _, tol := range tols {
		k, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: tol}}, sim.Options{Projector: r.proj})
		require.NoError(t, s.Run(end[0]))
		x, v := p.of(s.State())
		e := referenceError(end, x, v)
		t.Logf("tolerance %g: %d steps, %d rejected, %d evaluations, error %.3g", tol, s.Stats().Steps, s.Stats().Rejected, k.Evaluations(), e)
		assert.Less(t, e, last/8)
		last = e
	}
}

// TestAlphaRawVelocities: the projection of velocities does not touch the motion.
func TestAlphaRawVelocities(t *testing.T) {
	r := newImplicit(t, open(t, "golden", "four-bar.model.json"))
	_, projected := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, alone(0.005))
	require.NoError(t, projected.Run(0.5))
	var drift [2]float64
	for i, h := range []float64{0.005, 0.0025} {
		_, raw := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, RawVelocities: true}, alone(h))
		require.NoError(t, raw.Run(0.5))
		if i == 0 {
			assert.Less(t, poseDistance(raw.State(), projected.State()), 1e-9)
		}
		assert.Less(t, raw.Stats().Worst.Position, implicitPosition)
		drift[i] = raw.Stats().Worst.Velocity
	}
	assert.InDelta(t, 2, math.Log2(drift[0]/drift[1]), 0.2, "order of the drift of velocities")
	// A projection from outside does the same.
	_, outside := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, RawVelocities: true}, sim.Options{Step: 0.005, Projector: r.proj})
	require.NoError(t, outside.Run(0.5))
	assert.Positive(t, outside.Stats().Projections)
	assert.Less(t, poseDistance(outside.State(), projected.State()), 1e-6)
}

// TestAlphaDense measures the error inside of one step, which is of order 3 as at its
// end.
func TestAlphaDense(t *testing.T) {
	r := newImplicit(t, freeTop())
	s0 := r.mech.Initial()
	st := s0.Clone()
	var e [3]float64
	for i := range e {
		h := 0.02 / float64(int(1)<<i)
		k := r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8})
		_, err := k.Try(s0, s0.Time+h)
		require.NoError(t, err)
		for n := range 21 {
			theta := float64(n) / 20
			k.AtTo(st, theta)
			check.Close(t, st.Time, s0.Time+theta*h, 1e-15, 1, "time")
			e[i] = max(e[i], distance(st, freeTopAt(r.mech, s0, st.Time-s0.Time)))
		}
		k.AtTo(st, 0)
		require.Less(t, distance(st, s0), 1e-15)
	}
	measured(t, 3, e)
}

// TestAlphaBounce restarts at impacts; times agree with parabolas, for which the method
// is exact.
func TestAlphaBounce(t *testing.T) {
	r := newImplicit(t, ball())
	for _, step := range []float64{0, 0.05} {
		var times []float64
		_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, sim.Options{Projector: sim.NoProjector, Step: step, MaxStep: 0.1, Events: []sim.Event{{
			Name: "ground", Function: height, Direction: sim.Falling,
			Action: func(st *mechanism.State) (sim.Response, error) {
				times = append(times, st.Time)
				st.Bodies[0].Velocity[2] *= -0.5
				return sim.Restart, nil
			},
		}}})
		require.NoError(t, s.Run(1.3))
		v := math.Sqrt(21.) // at the first impact
		require.Len(t, times, 3)
		check.CloseVec(t, times, []float64{fall, fall + v/10, fall + v/10 + v/20}, 1e-12, 1, "times")
	}
}

// TestAlphaResume continues from a checkpoint to the bit, with the matrix of an earlier step.
func TestAlphaResume(t *testing.T) {
	check.Long(t)
	old := false // a run has had matrices that served longer than a step
	for _, step := range []float64{0, 0.004} {
		for _, name := range []string{"springs", "bricard-6r", "stewart-6ups", "driven-mixed"} {
			r := newImplicit(t, open(t, "golden", name+".model.json"))
			o := sim.GeneralizedAlphaOptions{Rho: 0.7, Tolerance: sim.Tolerance{Relative: 1e-5}}
			k, whole := r.run(o, sim.Options{Step: step, Projector: r.proj})
			require.NoError(t, whole.Run(0.4), name)
			for _, kill := range []int64{1, 2, 9, 20} {
				_, part := r.run(o, sim.Options{Step: step, Projector: r.proj, OnStep: func(s *sim.Simulation) error {
					if s.Stats().Steps == kill {
						return errKilled
					}
					return nil
				}})
				require.ErrorIs(t, part.Run(0.4), errKilled)
				c, err := part.Checkpoint()
				require.NoError(t, err)
				path := filepath.Join(t.TempDir(), "run.json")
				require.NoError(t, sim.WriteCheckpoint(path, c))
				c, err = sim.ReadCheckpoint(path)
				require.NoError(t, err)
				fresh := newImplicitOn(t, open(t, "golden", name+".model.json"), 3)
				_, rest := fresh.run(o, sim.Options{Step: step, Projector: fresh.proj})
				require.NoError(t, rest.Restore(c))
				require.NoError(t, rest.Run(0.4))
				require.Equal(t, whole.State(), rest.State(), "%s, step %v, after %d", name, step, kill)
				require.Equal(t, whole.Stats(), rest.Stats())
			}
			old = old || k.Factorizations() < whole.Stats().Steps/2
			_, other := r.run(sim.GeneralizedAlphaOptions{Rho: 0.6}, sim.Options{Projector: sim.NoProjector, Step: 0.004})
			c, err := whole.Checkpoint()
			require.NoError(t, err)
			require.ErrorIs(t, other.Restore(c), sim.ErrCheckpoint)
		}
	}
	assert.True(t, old)
}

// TestAlphaDoesNotAllocate covers first steps, steps with old and with new matrices, estimates
// and the extension.
func TestAlphaDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"springs", "bricard-6r", "driven-mixed"} {
		r := newImplicit(t, open(t, "golden", name+".model.json"))
		k := r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8})
		st, mid := r.mech.Initial(), r.mech.Initial()
		var err error
		step := func(h float64) {
			if _, e := k.Try(st, st.Time+h); e != nil {
				err = e
				return
			}
			k.AtTo(mid, 0.3)
			k.AtTo(st, 1)
			_ = k.Lead(st, true)
			k.Accept()
		}
		before := k.Factorizations()
		require.Zero(t, testing.AllocsPerRun(20, func() {
			step(0.005)
			step(0.004)
			if st.Time > 0.05 {
				k.Restart()
			}
		}), name)
		require.NoError(t, err)
		require.Greater(t, k.Factorizations(), before)
	}
}

// TestAlphaHalves: fixed steps that are too long for Newton's method are halved, others end
// where they ought to.
func TestAlphaHalves(t *testing.T) {
	r := newImplicit(t, open(t, "standard", "a03-andrews-ivp.model.json"))
	_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, sim.Options{Step: 0.0025, Projector: r.proj})
	require.NoError(t, s.Run(0.03))
	n := s.Stats()
	t.Logf("%+v", n)
	assert.Positive(t, n.Rejected)
	assert.Greater(t, n.Steps, int64(12))
	assert.Equal(t, 0.03, s.State().Time)
	assert.Less(t, n.Worst.Position, implicitPosition)
}

// TestAlphaMisuse: panics, and errors of steps that cannot be.
func TestAlphaMisuse(t *testing.T) {
	r := newImplicit(t, open(t, "golden", "four-bar.model.json"))
	for _, rho := range []float64{-0.1, 1, math.NaN()} {
		require.PanicsWithValue(t, "sim: rho out of range", func() { r.alpha(sim.GeneralizedAlphaOptions{Rho: rho}) })
	}
	require.PanicsWithValue(t, "sim: rho out of range", func() { r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8, Annihilate: true}) })
	require.Equal(t, r.alpha(sim.GeneralizedAlphaOptions{Rho: sim.DefaultRho}).Settings(), r.alpha(sim.GeneralizedAlphaOptions{}).Settings())
	require.PanicsWithValue(t, "sim: tolerance out of range", func() {
		r.alpha(sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Rate: -1}})
	})
	k := r.alpha(sim.GeneralizedAlphaOptions{})
	st := r.mech.Initial()
	require.PanicsWithValue(t, "sim: no step", func() { k.AtTo(st, 0.5) })
	require.PanicsWithValue(t, "sim: no step", k.Accept)
	require.PanicsWithValue(t, "sim: no step", func() { _ = k.Lead(st, false) })
	require.PanicsWithValue(t, "sim: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _, _ = k.Try(&mechanism.State{}, 1) })
	require.PanicsWithValue(t, "sim: method without error estimate needs a step", func() {
		sim.New(r.mech, r.alpha(sim.GeneralizedAlphaOptions{Fixed: true}), st, sim.Options{Projector: sim.NoProjector})
	})
	_, err := k.Try(st, st.Time+1e-3)
	require.NoError(t, err)
	require.PanicsWithValue(t, "sim: theta out of range", func() { k.AtTo(st, 1.5) })
	require.Nil(t, k.Kept())

	// A crank that is to reach where its loop cannot follow.
	m := open(t, "golden", "four-bar.model.json")
	m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 1e3}}}
	st.Bodies[0].Velocity[0] = math.NaN()
	_, err = r.alpha(sim.GeneralizedAlphaOptions{}).Try(st, st.Time+1e-3)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)
}

// BenchmarkAlpha does steps on ladders of growing size: linear cost is a flat column.
func BenchmarkAlpha(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("model=ladder/n=%d", n), func(b *testing.B) {
			m, err := bench.Generate("ladder", n, 1)
			require.NoError(b, err)
			r := newImplicit(b, m)
			k := r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8, Fixed: true})
			st := r.mech.Initial()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := k.Try(st, st.Time+1e-3); err != nil {
					b.Fatal(err)
				}
				k.AtTo(st, 1)
				if err := k.Lead(st, false); err != nil {
					b.Fatal(err)
				}
				k.Accept()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(m.Bodies)), "ns/body")
			b.ReportMetric(float64(k.Evaluations())/float64(b.N), "evaluations/step")
			b.ReportMetric(float64(k.Factorizations())/float64(b.N), "factorizations/step")
		})
	}
}

// TestAlphaLeastTolerance asks for less than rounding allows, near the origin and far from it: the run gets what it
// allows, in as many steps as that takes.
func TestAlphaLeastTolerance(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		name  string
		until float64
		least float64 // at most
	}{{"four-bar", 0.3, 3e-13}, {"ball-ladder-50", 0.03, 4e-12}, {"random-10-far", 0.1, 1e-7}} {
		r := newImplicit(t, open(t, "golden", c.name+".model.json"))
		var steps [2]int64
		for i, tol := range []float64{1e-13, 1e-16} {
			k, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: tol}}, sim.Options{Projector: r.proj})
			require.NoError(t, s.Run(c.until), "%s, tolerance %v", c.name, tol)
			assert.Greater(t, k.Relative(), tol)
			assert.Less(t, k.Relative(), c.least)
			steps[i] = s.Stats().Steps
		}
		t.Logf("%s: %d steps", c.name, steps[0])
		assert.Equal(t, steps[0], steps[1])
	}
	r := newImplicit(t, open(t, "golden", "four-bar.model.json"))
	k, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: 1e-6}}, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(0.01))
	assert.Equal(t, 1e-6, k.Relative())
}
