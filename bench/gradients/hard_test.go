//rung:norace it runs on one thread

package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// vectors are those of a state in a direction.
func vectors(u *derive.BodyDirection) [4]*spatial.Vec3 {
	return [4]*spatial.Vec3{&u.Rotation, &u.Position, &u.Angular, &u.Linear}
}

// TestHardIsExactOrDoubted: derivatives of light bodies between heavy ones, of ratios from 1e11 to 1e16, are those in 32 digits or in
// doubt, with a joint. Those by loads, masses and centres of mass are exact.
func TestHardIsExactOrDoubted(t *testing.T) {
	const exact = 2e-12 // relative to the largest number of its kind
	files, err := filepath.Glob(root + "/reference/hard/alt-*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		doubts := 0
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		truth, err := newTruth(m, nil)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
		d, nb := derive.New(plan, m), mech.NumBodies()
		require.NoError(t, d.At(plan.Initial()))
		rng := rand.New(rand.NewPCG(1, 7))
		w, weights, u := make([]float64, 6*nb), d.NewWeights(), make([]derive.BodyDirection, nb)
		for i := range u {
			for k := range 6 {
				w[6*i+k] = rng.NormFloat64()
			}
			*weights.Body(i) = derive.BodyWeight{AngularAcceleration: spatial.Vec3(w[6*i:]), ComAcceleration: spatial.Vec3(w[6*i+3:])}
			for _, v := range vectors(&u[i]) {
				*v = spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			}
		}
		truth.follow(u)
		want, _ := truth.forward(u)
		size := algebra.MaxAbs(want)
		right := func(err error) bool {
			if err == nil {
				return true
			}
			doubts++
			require.ErrorIs(t, err, derive.ErrDoubt, file)
			place := new(mechanism.Error)
			require.ErrorAs(t, err, &place)
			require.NotEmpty(t, place.Joint)
			return false
		}

		bodies := make([]derive.BodyDirection, nb)
		require.NoError(t, d.BodiesTo(bodies, weights))
		gradient := truth.gradient(w)
		require.Less(t, errorOfGradient(bodies, gradient), exact, file)
		requireComs(t, d, w, gradient, exact)

		in, out := d.NewDirections(1), d.NewChanges(1)
		for i := range u {
			*in.Body(0, i) = u[i]
		}
		if right(d.ForwardTo(out, in, derive.Options{NoReactions: true, Untried: true, AsGiven: true})) {
			got := make([]float64, 6*nb)
			out.AccelerationsTo(got, 0)
			require.Less(t, away(got, want, size), kkt.AccurateTol, file)
		}
		g := d.NewGradient()
		if right(d.AdjointTo(g, weights, derive.Options{})) {
			sum := 0.0
			for i := range u {
				b := g.Body(i)
				for k, v := range vectors(&b) {
					sum += v.Dot(*vectors(&u[i])[k])
				}
			}
			require.InDelta(t, algebra.Dot(w, want), sum, 10*kkt.AccurateTol*size, file)
		}
		switch {
		case strings.Contains(file, "revolute"):
			assert.Zero(t, doubts, "forces make no moment about a pin")
		case strings.Contains(file, "1e+16"):
			assert.Equal(t, 2, doubts, file)
		}
	}
}

// requireComs requires that ForwardTo finds the part by centres of mass of the gradient of the accelerations with the weights w.
func requireComs(t *testing.T, d *derive.Derivatives, w []float64, gradient []derive.BodyDirection, tol float64) {
	in, out, got := d.NewDirections(1), d.NewChanges(1), make([]float64, len(w))
	size := 0.0
	for i := range gradient {
		size = max(size, gradient[i].Com.Norm())
	}
	for i := range gradient {
		for k := range 3 {
			com := &in.Body(0, i).Com
			com[k] = 1
			require.NoError(t, d.ForwardTo(out, in, derive.Options{}))
			com[k] = 0
			out.AccelerationsTo(got, 0)
			require.InDelta(t, gradient[i].Com[k], algebra.Dot(w, got), tol*size, "body %d number %d", i, k)
		}
	}
}
