package linear_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestTogether compares C and K with differences, and the modes by both methods with each other, in random mechanisms
// of composite joints with couplings, armature, stops that touch, friction, springs by laws, bushings and cables.
func TestTogether(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rng := check.Rand(seed)
		m := modeltest.Gear(modeltest.Composites(seed, 4+int(seed%3), int(seed%2)), rng)
		modeltest.AddSprings(m, rng)
		for i := range m.Joints {
			j := &m.Joints[i]
			n := j.Kind().Freedoms()
			j.Limits, j.Friction = make([]*model.Limit, n), make([]model.Friction, n)
			for f := range n {
				j.Limits[f] = &model.Limit{Lower: -9, Upper: -3 + 3*rng.Float64(), Stop: model.Stop{Normal: contact.Normal{Stiffness: 5, Exponent: 1.5, Dissipation: 0.1}}}
				j.Friction[f] = model.Friction{Force: 0.5, Speed: 0.3, Static: 1.2, Stribeck: 1}
			}
		}
		if seed%4 > 0 {
			m = modeltest.Couple(t, m, rng, int(seed%4))
		}
		p := planned(t, m)
		st := p.Initial()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
		t.Run(fmt.Sprint("rest-", seed), func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
		t.Run(fmt.Sprint("modes-", seed), func(t *testing.T) {
			s := linear.NewSystem(p)
			require.NoError(t, s.Linearize(resting(p)))
			var want *linear.Modes
			for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
				out, err := s.Modes(linear.ModeOptions{Count: 3, Method: method})
				if errors.Is(err, mechanism.ErrUndetermined) {
					return
				}
				require.NoError(t, err)
				if want == nil {
					want = out
					continue
				}
				require.Len(t, out.List, len(want.List))
				for i := range out.List {
					a, b := out.List[i].Lambda, want.List[i].Lambda
					check.CloseVec(t, []float64{real(a), max(imag(a), -imag(a))}, []float64{real(b), max(imag(b), -imag(b))}, 1e-7, 1+max(-real(b), imag(b)), "mode %d", i)
				}
			}
		})
	}
}
