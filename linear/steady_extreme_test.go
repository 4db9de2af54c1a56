package linear_test

import (
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
)

// TestExtremeWheels: wheels and skates with a few extreme numbers have finite modes, or an error that names its place.
func TestExtremeWheels(t *testing.T) {
	sizes := []float64{0, 1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300}
	for seed := range check.Random(uint64(15), 3) {
		m := modeltest.Rolling(seed)
		rng := check.Rand(seed)
		for range 1 + rng.IntN(2) {
			b := &m.Bodies[rng.IntN(len(m.Bodies))]
			size := sizes[rng.IntN(len(sizes))]
			switch rng.IntN(5) {
			case 0:
				m.Gravity[2] *= size
			case 1:
				b.Velocity.Angular[1] *= size
			case 2:
				b.Velocity.Linear[0] *= size
			case 3:
				b.Mass *= size
			case 4:
				b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY = b.Inertia.XX*size, b.Inertia.YY*size, b.Inertia.ZZ*size, b.Inertia.XY*size
			}
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		if err != nil {
			continue
		}
		for _, st := range []bool{true, false} {
			at := p.Initial()
			if st {
				at = resting(p)
			}
			s := linear.NewSystem(p)
			if err := s.LinearizeAsItIs(at); err != nil {
				mustNameItsPlace(t, err)
				continue
			}
			for _, o := range []linear.ModeOptions{{}, {Method: linear.Sparse}, {Steady: true}} {
				out, err := s.Modes(o)
				if err != nil {
					mustNameItsPlace(t, err)
					continue
				}
				for i := range out.List {
					mustBeFinite(t, real(out.List[i].Lambda), imag(out.List[i].Lambda))
					mustBeFinite(t, out.List[i].Shape...)
				}
			}
		}
		_, err = linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{Steps: fuzzSteps})
		if err != nil {
			mustNameItsPlace(t, err)
		}
	}
}
