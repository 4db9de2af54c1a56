package linear

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// TestSlipRows compares N of nonholonomic rows with differences of the rates J·v, over displacements that rows of positions allow, for
// wheels of all kinds and skates, on the world, on a plate that flies and on hills.
func TestSlipRows(t *testing.T) {
	const step, tol = 1e-6, 1e-8 // third derivatives times its square, and rounding over it
	for seed := range check.Random(uint64(6), 3) {
		m, count := modeltest.Rolling(seed), 10 // 2, 1, 1, 0, 2 and 2 of the wheels, 1 of a skate
		switch seed % 3 {
		case 1:
			m, count = modeltest.Bowls(seed), 6
		case 2:
			m, count = modeltest.Hills(seed), 8
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		s, st := NewSystem(p), p.Initial()
		require.NoError(t, s.Linearize(st))
		slips := s.slipRows()
		require.Len(t, slips, count)
		B, err := s.allowedBy(func(row int) bool { return !isSlip(slips, row) })
		require.NoError(t, err)
		n, f := B.Dims()
		rng := check.Rand(seed)
		c := mat.NewVecDense(f, nil)
		for i := range f {
			c.SetVec(i, rng.NormFloat64())
		}
		var X mat.VecDense
		X.MulVec(B, c)
		x := X.RawVector().Data
		y := p.Layout().NewSystem()
		v, full, rows := make([]float64, n), make([]float64, len(s.x)), make([]float64, len(s.x))
		rates := func(h float64) []float64 {
			out := st.Clone()
			s.mech.DisplaceTo(out, st, h, x)
			for i := range out.Bodies {
				s.velocity(v[6*i:], int32(i))
				phi := spatial.Vec3(x[6*i : 6*i+3]).Scale(h)
				w := spatial.Vec3(v[6*i : 6*i+3])
				w = w.Add(phi.Cross(w))
				copy(v[6*i:], w[:])
				arm := out.Bodies[i].Rotation.Rotate(s.mech.Bodies[i].Com)
				out.Bodies[i].SetComVelocity((*[6]float64)(v[6*i:]), &arm)
			}
			require.NoError(t, y.FillTo(out))
			copy(full, v)
			y.Matrix.MulVecTo(rows, full)
			return append([]float64(nil), rows[n:]...)
		}
		plus, minus := rates(step), rates(-step)
		for _, r := range slips {
			var u [12]float64
			gather(&u, x, &r.body)
			want := (plus[r.row] - minus[r.row]) / (2 * step)
			require.InDelta(t, want, dot12(&r.n, &u), tol*max(1, check.MaxAbs(u[:])*check.MaxAbs(r.n[:])), s.mech.JointName(int(r.joint)))
		}
	}
}
