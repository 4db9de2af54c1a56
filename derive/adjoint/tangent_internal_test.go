package adjoint

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// PushTo implements TangentField by the transpose, entry by entry: direction k changes parameter k.
func (f *swarm) PushTo(da, dx [][]float64) error {
	n := len(f.st.Bodies)
	for j := range 6 * n {
		x, p, w := make([]float64, PerBody*n), make([]float64, 3), make([]float64, 6*n)
		w[j] = 1
		if _, err := f.PullTo(x, p, w, nil, 0); err != nil {
			return err
		}
		for k := range da {
			da[k][j] = dot(x, dx[k]) + p[k]
		}
	}
	return nil
}

// ValueTo implements TangentField.
func (f *swarm) ValueTo(d []float64, dx [][]float64, of *bent, scale float64) (float64, error) {
	x, p := make([]float64, PerBody*len(f.st.Bodies)), make([]float64, 3)
	value := of.pull(f, x, p, scale)
	for k := range d {
		d[k] += dot(x, dx[k]) + p[k]
	}
	return value, nil
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// TestTangents: tangents forward along a direction equal the product of the direction with the gradient of a sweep.
func TestTangents(t *testing.T) {
	const tol, steps, h = 1e-13, 4, 0.3 // rounding of some hundred terms
	mech, err := mechanism.New(modeltest.Arm(3))
	require.NoError(t, err)
	n, r := mech.NumBodies(), check.Rand(5)
	for _, tab := range []*sim.Tableau{sim.RungeKutta4(), sim.DormandPrince(), sim.Euler()} {
		t.Run(tab.Name, func(t *testing.T) {
			st := mech.Initial()
			for i := range st.Bodies {
				for c := range 3 {
					st.Bodies[i].Omega[c], st.Bodies[i].Velocity[c] = 2*r.NormFloat64(), r.NormFloat64()
				}
			}
			var fields []Field[bent]
			var ahead []TangentField[bent]
			for range tab.B {
				f := &swarm{mech: mech, p: []float64{0.7, 0.3, 1.1}}
				fields, ahead = append(fields, f), append(ahead, f)
			}
			tape, s := NewTape(mech), newStep(mech, tab, fields)
			require.NoError(t, tape.Add(st))
			for range steps {
				require.NoError(t, s.run(st, h))
				st = s.end.Clone()
				require.NoError(t, tape.Add(st))
			}
			f := &bent{1}
			back := []Gradient{{Parameters: make([]float64, 3)}}
			require.NoError(t, NewSweep(mech, tab, fields).Run(context.Background(), tape, []Objective[bent]{{Final: f, Rate: f}}, back))

			var dx [][]float64
			want := make([]float64, 3)
			for k := range want {
				dx = append(dx, make([]float64, PerBody*n))
				for i := range dx[k] {
					dx[k][i] = r.NormFloat64()
				}
				want[k] = dot(back[0].Start, dx[k]) + back[0].Parameters[k]
			}
			along := NewTangents(mech, tab, ahead, 3)
			value, d := make([]float64, 1), [][]float64{make([]float64, 3)}
			require.NoError(t, along.Run(context.Background(), tape, dx, []*bent{f}, value, d))
			assert.InEpsilon(t, back[0].Integral, value[0], tol)
			assert.Equal(t, back[0].Gap, along.Gap())
			last := &swarm{mech: mech, p: []float64{0.7, 0.3, 1.1}, st: st}
			final, err := last.ValueTo(d[0], dx, f, 1)
			require.NoError(t, err)
			assert.Equal(t, back[0].Final, final)
			check.CloseVec(t, d[0], want, tol, check.MaxAbs(want), "%s", tab.Name)
		})
	}
	assert.Panics(t, func() { NewTangents[bent](mech, sim.Euler(), nil, 1) })
	assert.Panics(t, func() { NewTangents[bent](mech, nil, nil, 1) })
}

// TestTangentsEnd: a step that does not end where the run went on, and a context that has ended, are errors.
func TestTangentsEnd(t *testing.T) {
	mech, err := mechanism.New(modeltest.Arm(2))
	require.NoError(t, err)
	tape, st := NewTape(mech), mech.Initial()
	require.NoError(t, tape.Add(st))
	st.Time++
	st.Bodies[1].Position[0] += 0.5
	require.NoError(t, tape.Add(st))
	along := NewTangents(mech, sim.Euler(), []TangentField[bent]{&swarm{mech: mech, p: make([]float64, 3)}}, 0)
	err = along.Run(context.Background(), tape, nil, nil, nil, nil)
	require.ErrorAs(t, err, new(*StepError))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, along.Run(ctx, tape, nil, nil, nil, nil), context.Canceled)
	assert.Panics(t, func() { _ = along.Run(ctx, NewTape(mech), nil, nil, nil, nil) })
}

// told is a swarm with projections, which it counts; they leave derivatives as they are.
type told struct {
	swarm
	n int
}

func (f *told) Projects() bool { return true }

func (f *told) Projected(moved, _ []float64) error {
	if moved != nil {
		f.n++
	}
	return nil
}

func (f *told) JoinBack(_, _ []float64) error { return nil }

func (f *told) Join(_ [][]float64) error { return nil }

// TestTangentsAgain: a run that fails after a projection does not affect the next one: the start of the next run must not count as
// projected.
func TestTangentsAgain(t *testing.T) {
	mech, err := mechanism.New(modeltest.Arm(2))
	require.NoError(t, err)
	f := &told{swarm: swarm{mech: mech, p: []float64{0.7, 0.3, 1.1}}}
	s := newStep(mech, sim.Euler(), []Field[bent]{f})
	tape := func(off ...float64) *Tape {
		list, st := NewTape(mech), mech.Initial()
		require.NoError(t, list.Add(st))
		for _, x := range off {
			require.NoError(t, s.run(st, 0.1))
			st = s.end.Clone()
			st.Bodies[1].Position[0] += x
			require.NoError(t, list.Add(st))
		}
		return list
	}
	along, dx := NewTangents(mech, sim.Euler(), []TangentField[bent]{f}, 1), table(1, PerBody*mech.NumBodies())
	require.NoError(t, along.Run(context.Background(), tape(1e-6, 0), dx, nil, nil, nil))
	require.Equal(t, 1, f.n)
	require.ErrorAs(t, along.Run(context.Background(), tape(1e-6, 1), dx, nil, nil, nil), new(*StepError))
	require.NoError(t, along.Run(context.Background(), tape(0, 0), dx, nil, nil, nil))
	require.Equal(t, 1, f.n)
}
