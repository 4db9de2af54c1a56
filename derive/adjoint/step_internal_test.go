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
	"github.com/rung-mbd/rung/spatial"
)

// swarm is a field with a hand-written derivative: bodies that rotate and move about the origin,
//
//	ω̇ = p₀ b×(E e) − p₁ ω×(A ω),  c̈ = −p₂ c + ω×ċ + p₁ E e.
type swarm struct {
	mech *mechanism.Mechanism
	p    []float64
	st   *mechanism.State
}

var (
	swarmB, swarmE = spatial.Vec3{0.3, -0.7, 0.5}, spatial.Vec3{0.2, 0.9, -0.4}
	swarmA         = spatial.Mat3{1, 0.2, -0.3, 0.1, 2, 0.4, -0.6, 0.5, 3}
)

func (f *swarm) parts(i int) (e, w, c, v spatial.Vec3) {
	b := &f.st.Bodies[i]
	E := b.Rotation.Mat()
	arm := E.MulVec(f.mech.Bodies[i].Com)
	return E.MulVec(swarmE), b.Omega, b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
}

func (f *swarm) At(a []float64, st *mechanism.State) error {
	f.st = st
	for i := range st.Bodies {
		e, w, c, v := f.parts(i)
		turn := swarmB.Cross(e).Scale(f.p[0]).Sub(w.Cross(swarmA.MulVec(w)).Scale(f.p[1]))
		fly := w.Cross(v).Sub(c.Scale(f.p[2])).Add(e.Scale(f.p[1]))
		copy(a[6*i:], turn[:])
		copy(a[6*i+3:], fly[:])
	}
	return nil
}

func (f *swarm) PullTo(x, p, y []float64, of *bent, scale float64) (float64, error) {
	for i := range f.st.Bodies {
		e, w, c, v := f.parts(i)
		y1, y2 := spatial.Vec3(y[6*i:][:3]), spatial.Vec3(y[6*i+3:][:3])
		eBar := y1.Cross(swarmB).Scale(f.p[0]).Add(y2.Scale(f.p[1])) // of E e
		phi := e.Cross(eBar)
		Aw := swarmA.MulVec(w)
		wBar := Aw.Cross(y1).Scale(-f.p[1]).Sub(swarmA.TMulVec(y1.Cross(w)).Scale(f.p[1])).Add(v.Cross(y2))
		vBar := y2.Cross(w)
		cBar := y2.Scale(-f.p[2])
		for k, part := range []spatial.Vec3{phi, cBar, wBar, vBar} {
			for j := range 3 {
				x[PerBody*i+3*k+j] += part[j]
			}
		}
		p[0] += y1.Dot(swarmB.Cross(e))
		p[1] += y2.Dot(e) - y1.Dot(w.Cross(Aw))
		p[2] -= y2.Dot(c)
	}
	if of == nil {
		return 0, nil
	}
	return of.pull(f, x, p, scale), nil
}

// bent is a function of one body: ċ·c + 3 (E e)·b + ω·b, times p₂.
type bent struct{ body int }

func (b *bent) at(f *swarm) float64 {
	e, w, c, v := f.parts(b.body)
	return f.p[2] * (v.Dot(c) + 3*e.Dot(swarmB) + w.Dot(swarmB))
}

func (b *bent) pull(f *swarm, x, p []float64, s float64) float64 {
	e, _, c, v := f.parts(b.body)
	p[2] += s * b.at(f) / f.p[2]
	for k, part := range []spatial.Vec3{e.Cross(swarmB.Scale(3)), v, swarmB, c} {
		for j := range 3 {
			x[PerBody*b.body+3*k+j] += s * f.p[2] * part[j]
		}
	}
	return b.at(f)
}

// TestSweep compares the gradient of a run, with its integral, with differences of order 4 of the same run, for large rotations a step.
func TestSweep(t *testing.T) {
	const eps, tol, rounding = 2e-3, 1e-9, 1e-14 // differences of order 4
	mech, err := mechanism.New(modeltest.Arm(3))
	require.NoError(t, err)
	n, r := mech.NumBodies(), check.Rand(3)
	begin := mech.Initial()
	for i := range begin.Bodies {
		b := &begin.Bodies[i]
		for c := range 3 {
			b.Omega[c], b.Velocity[c] = 2*r.NormFloat64(), r.NormFloat64()
		}
	}
	const steps, h = 4, 0.3
	for _, tab := range []*sim.Tableau{sim.RungeKutta4(), sim.DormandPrince(), sim.Euler()} {
		t.Run(tab.Name, func(t *testing.T) {
			// run takes the steps with a change of the start and of the parameters.
			run := func(tape *Tape, change []float64) (final, integral float64) {
				p := []float64{0.7, 0.3, 1.1}
				for k := range p {
					p[k] += change[PerBody*n+k]
				}
				fields := make([]Field[bent], len(tab.B))
				for i := range fields {
					fields[i] = &swarm{mech: mech, p: p}
				}
				st := begin.Clone()
				for i := range st.Bodies {
					d := change[PerBody*i:]
					b := &st.Bodies[i]
					kin := mechanism.BodyKinematics{Com: b.Rotation.Mat().MulVec(mech.Bodies[i].Com)}
					var v [6]float64
					b.ComVelocityTo(&v, &kin.Com)
					b.Displace(1, (*[6]float64)(d), &kin, &mech.Bodies[i].Com)
					for c := range 6 {
						v[c] += d[6+c]
					}
					b.SetComVelocity(&v, &kin.Com)
				}
				s := newStep(mech, tab, fields)
				f := &bent{1}
				for range steps {
					if tape != nil {
						require.NoError(t, tape.Add(st))
					}
					require.NoError(t, s.run(st, h))
					for i := range s.stages[:s.last+1] {
						integral += h * tab.B[i] * f.at(s.stages[i].field.(*swarm))
					}
					st = s.end.Clone()
				}
				if tape != nil {
					require.NoError(t, tape.Add(st))
				}
				return f.at(&swarm{mech: mech, p: p, st: st}), integral
			}
			none := make([]float64, PerBody*n+3)
			tape := NewTape(mech)
			final, integral := run(tape, none)

			p := []float64{0.7, 0.3, 1.1}
			fields := make([]Field[bent], len(tab.B))
			for i := range fields {
				fields[i] = &swarm{mech: mech, p: p}
			}
			sweep := NewSweep(mech, tab, fields)
			f := &bent{1}
			both := []Gradient{{Parameters: make([]float64, 3)}, {Parameters: make([]float64, 3)}}
			require.NoError(t, sweep.Run(context.Background(), tape, []Objective[bent]{{Final: f, Rate: f}, {Rate: f}}, both))
			g := both[0]
			assert.Equal(t, final, g.Final)
			assert.Zero(t, both[1].Final)
			assert.Equal(t, g.Integral, both[1].Integral)
			assert.InEpsilon(t, integral, g.Integral, 1e-14)
			assert.Less(t, g.Gap, rounding)

			got := append(append([]float64{}, g.Start...), g.Parameters...)
			want := make([]float64, len(got))
			for k := range want {
				at := func(by float64) float64 {
					change := append([]float64{}, none...)
					change[k] = by
					final, integral := run(nil, change)
					return final + integral
				}
				want[k] = (8*(at(eps)-at(-eps)) - (at(2*eps) - at(-2*eps))) / (12 * eps)
			}
			check.CloseVec(t, got, want, tol, check.MaxAbs(want), "%s", tab.Name)

			allocs := testing.AllocsPerRun(5, func() {
				bar := g.Start
				require.NoError(t, sweep.step.run(begin, h))
				_, err := sweep.step.pull(bar, g.Parameters, nil)
				require.NoError(t, err)
			})
			assert.Zero(t, allocs)
		})
	}
}

// jointed is a swarm whose states are projected.
type jointed struct{ swarm }

func (f *jointed) Projects() bool { return true }

func (f *jointed) Projected(_, _ []float64) error { return nil }

func (f *jointed) JoinBack(_, _ []float64) error {
	_ = f.st.Bodies // of the last At
	return nil
}

// TestGrowthOfIntegrals: an objective without a value at the end of the run needs no projection there, where no field holds the state. A
// Growth can be used for one objective and then for two.
func TestGrowthOfIntegrals(t *testing.T) {
	mech, err := mechanism.New(modeltest.Arm(3))
	require.NoError(t, err)
	tab := sim.RungeKutta4()
	fields := make([]Field[bent], len(tab.B)+1)
	for i := range fields {
		fields[i] = &jointed{swarm{mech: mech, p: []float64{0.7, 0.3, 1.1}}}
	}
	const more = "derive/adjoint: a sweep takes a field for each stage of its method, and one more where states are projected"
	require.PanicsWithValue(t, more, func() { NewSweep(mech, tab, fields[:len(tab.B)]) })
	sweep := NewSweep(mech, tab, fields)
	sweep.Growth = NewGrowth(mech, 0, 0.1)
	for n := range 2 {
		tape, s := NewTape(mech), newStep(mech, tab, fields[:len(tab.B)])
		require.NoError(t, tape.Add(mech.Initial()))
		require.NoError(t, s.run(mech.Initial(), 0.1))
		require.NoError(t, tape.Add(&s.end))
		for _, f := range fields {
			f.(*jointed).st = nil
		}
		of, g := make([]Objective[bent], n+1), make([]Gradient, n+1)
		for i := range g {
			of[i].Rate, g[i].Parameters = &bent{1}, make([]float64, 3)
		}
		require.NoError(t, sweep.Run(context.Background(), tape, of, g))
		require.NotZero(t, g[n].Integral)
	}
}
