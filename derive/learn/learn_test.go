//rung:race
package learn_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// linear is the law u = A·y + sin(y) with the cost Σ (y² + ½|u|²) over the acts; A is the list of its parameters.
type linear struct {
	A, slope []float64
	acts     int
}

func (l *linear) Act(u, y []float64, k int) (cost float64) {
	for _, x := range y {
		cost += x * x
	}
	if k == l.acts {
		return 3 * cost
	}
	for i := range u {
		for j, x := range y {
			u[i] += l.A[i*len(y)+j]*x + math.Sin(x)
		}
		cost += u[i] * u[i] / 2
	}
	return cost
}

func (l *linear) Back(x, y, u, w []float64, k int) {
	scale := 2.0
	if k == l.acts {
		scale = 6
	}
	for j, v := range y {
		x[j] += scale * v
		for i := range u {
			of := w[i] + u[i]
			l.slope[i*len(y)+j] += of * v
			x[j] += of * (l.A[i*len(y)+j] + math.Cos(v))
		}
	}
}

// machine is a mechanism with the columns that a law observes and the forces that it sets.
type machine struct {
	name    string
	model   *model.Model
	forces  []mechanism.Freedom
	observe []string
}

func machines(t *testing.T) []machine {
	bars, err := bench.NFourBar(2, 0.4, 1)
	require.NoError(t, err)
	geared := modeltest.Gear(modeltest.Arm(4), check.Rand(3))
	chain := modeltest.Composites(3, 4, 1)
	return []machine{
		{"redundant", bars, []mechanism.Freedom{{Joint: 0}}, []string{"joint.g0.q", "joint.g0.qd", "rod1.px", "rod1.wz"}},
		{"armature", geared, []mechanism.Freedom{{Joint: 1}, {Joint: 0}}, []string{
			geared.Bodies[3].Name + ".px", geared.Bodies[3].Name + ".qw", geared.Bodies[2].Name + ".vz",
		}},
		{"composite", chain, []mechanism.Freedom{{Joint: 0}}, []string{chain.Bodies[1].Name + ".vx", chain.Bodies[0].Name + ".py"}},
	}
}

const (
	acts, hold = 12, 2
	dt         = 4e-3
)

func (x *machine) rollouts(t *testing.T, threads int) (*learn.Rollouts, *kkt.Plan) {
	plan, err := rung.NewPlan(x.model, rung.Options{})
	require.NoError(t, err)
	r, err := learn.New(plan, x.model, learn.Options{Forces: x.forces, Observe: x.observe, Step: dt, Hold: hold, Acts: acts, Threads: threads})
	require.NoError(t, err)
	return r, plan
}

func (x *machine) law() *linear {
	n := len(x.forces) * len(x.observe)
	l := &linear{A: make([]float64, n), slope: make([]float64, n), acts: acts}
	for i := range l.A {
		l.A[i] = 0.3 * math.Cos(float64(3*i+1))
	}
	return l
}

// TestGradients: gradients by the parameters of a law and by the start equal differences of costs.
func TestGradients(t *testing.T) {
	const (
		h   = 1e-4
		tol = 1e-7 // of the largest: h⁴ times fifth derivatives, rounding and projections over h
	)
	for _, x := range machines(t) {
		t.Run(x.name, func(t *testing.T) {
			r, plan := x.rollouts(t, 1)
			start := plan.Initial()
			cost := func(l *linear, st *mechanism.State) float64 {
				out := make([]learn.Result, 1)
				require.NoError(t, r.Costs(context.Background(), []*mechanism.State{st}, []learn.Law{l}, out))
				require.NoError(t, out[0].Err)
				require.Empty(t, out[0].Start)
				return out[0].Cost
			}
			l, out := x.law(), make([]learn.Result, 1)
			require.NoError(t, r.Gradients(context.Background(), []*mechanism.State{start}, []learn.Law{l}, out))
			require.NoError(t, out[0].Err)
			require.Equal(t, cost(x.law(), start), out[0].Cost)
			require.GreaterOrEqual(t, out[0].Growth, 1.0)
			require.Less(t, out[0].Growth, 100.0)
			largest := 0.0
			for _, s := range l.slope {
				largest = max(largest, math.Abs(s))
			}
			require.NotZero(t, largest)
			for i := range l.slope {
				at := func(by float64) float64 {
					o := x.law()
					o.A[i] += by
					return cost(o, start)
				}
				want := (4*(at(h/2)-at(-h/2))/h - (at(h)-at(-h))/(2*h)) / 3
				require.InDelta(t, want, l.slope[i], tol*largest, "parameter %d", i)
			}
		})
	}
}

// TestStart: the cotangents of the start equal differences of costs of starts that are rotated about the first pin of an arm.
func TestStart(t *testing.T) {
	const h, tol = 1e-4, 1e-7
	x := machine{model: modeltest.Arm(1), forces: []mechanism.Freedom{{Joint: 0}}}
	x.model.Gravity = [3]float64{0, -9.81}
	body := x.model.Bodies[0].Name
	x.observe = []string{body + ".qw", body + ".wz", body + ".qz"}
	r, plan := x.rollouts(t, 1)
	mech, start := plan.Mechanism(), plan.Initial()
	out := make([]learn.Result, 1)
	require.NoError(t, r.Gradients(context.Background(), []*mechanism.State{start}, []learn.Law{x.law()}, out))
	require.NoError(t, out[0].Err)
	g := out[0].Start
	require.Len(t, g, adjoint.PerBody)
	// The axis of the pin, and a point of it.
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, start))
	var jk mechanism.JointKinematics
	mech.JointTo(&jk, 0, k, start)
	axis := jk.EP.Col(2)
	at := func(by float64) float64 {
		st := start.Clone()
		b := &st.Bodies[0]
		q := spatial.Exp(axis.Scale(by))
		pin := b.Position.Add(jk.ArmS)
		b.Rotation = q.Mul(b.Rotation)
		b.Position = pin.Sub(q.Rotate(jk.ArmS))
		b.Velocity, b.Omega = q.Rotate(b.Velocity), q.Rotate(b.Omega)
		require.NoError(t, r.Costs(context.Background(), []*mechanism.State{st}, []learn.Law{x.law()}, out))
		require.NoError(t, out[0].Err)
		return out[0].Cost
	}
	want := (4*(at(h/2)-at(-h/2))/h - (at(h)-at(-h))/(2*h)) / 3
	b := &start.Bodies[0]
	com := b.Rotation.Rotate(mech.Bodies[0].Com)
	v := b.Velocity.Add(b.Omega.Cross(com))
	travel := axis.Cross(com.Sub(jk.ArmS))
	got := 0.0
	for n, d := range [4]spatial.Vec3{axis, travel, axis.Cross(b.Omega), axis.Cross(v)} {
		got += d.Dot(spatial.Vec3(g[3*n:]))
	}
	require.NotZero(t, got)
	require.InDelta(t, want, got, tol*math.Abs(want))
}

// sameBits holds the results of the first call.
type sameBits struct {
	results []learn.Result
	slopes  [][]float64
}

// again requires that n runs from start, and then one of them alone, have the bits of the first call.
func (s *sameBits) again(t *testing.T, x *machine, r *learn.Rollouts, start *mechanism.State, n, alone int) {
	t.Helper()
	starts, laws, out := make([]*mechanism.State, n), make([]learn.Law, n), make([]learn.Result, n)
	for i := range n {
		l := x.law()
		l.A[0] += float64(i)
		starts[i], laws[i] = start.Clone(), l
	}
	require.NoError(t, r.Gradients(context.Background(), starts, laws, out))
	if s.results == nil {
		s.results = out
		for _, l := range laws {
			s.slopes = append(s.slopes, l.(*linear).slope)
		}
	}
	require.Equal(t, s.results, out)
	for i, l := range laws {
		require.Equal(t, s.slopes[i], l.(*linear).slope)
	}
	l, one := x.law(), make([]learn.Result, 1)
	l.A[0] += float64(alone)
	require.NoError(t, r.Gradients(context.Background(), starts[alone:alone+1], []learn.Law{l}, one))
	require.Equal(t, s.results[alone], one[0])
	require.Equal(t, s.slopes[alone], l.slope)
}

// TestThreads: runs have the same bits on any number of threads, and among any others.
func TestThreads(t *testing.T) {
	x := machines(t)[0]
	var bits sameBits
	for _, threads := range []int{1, 2, 5} {
		r, plan := x.rollouts(t, threads)
		bits.again(t, &x, r, plan.Initial(), 9, 4)
	}
}

// TestErrors: options that cannot be run are errors with names, and a run that fails does not affect the others.
func TestErrors(t *testing.T) {
	x := machines(t)[0]
	plan, err := rung.NewPlan(x.model, rung.Options{})
	require.NoError(t, err)
	good := learn.Options{Forces: x.forces, Observe: x.observe, Step: dt, Acts: 3}
	for says, o := range map[string]func(o *learn.Options){
		"step 0 is not positive":             func(o *learn.Options) { o.Step = 0 },
		"step +Inf is not positive":          func(o *learn.Options) { o.Step = math.Inf(1) },
		"one of 0 acts":                      func(o *learn.Options) { o.Acts = 0 },
		"-1 steps":                           func(o *learn.Options) { o.Hold = -1 },
		"on -1 threads":                      func(o *learn.Options) { o.Threads = -1 },
		"no freedom 1 of joint 0":            func(o *learn.Options) { o.Forces = []mechanism.Freedom{{Freedom: 1}} },
		"no freedom 0 of joint 99":           func(o *learn.Options) { o.Forces = []mechanism.Freedom{{Joint: 99}} },
		`no such output: "joint.none.q"`:     func(o *learn.Options) { o.Observe = []string{"joint.none.q"} },
		`column "rod0.accx" is an accelerat`: func(o *learn.Options) { o.Observe = []string{"rod0.accx"} },
	} {
		bad := good
		o(&bad)
		_, err := learn.New(plan, x.model, bad)
		require.ErrorIs(t, err, learn.ErrOptions)
		require.ErrorContains(t, err, says)
	}
	r, err := learn.New(plan, x.model, good)
	require.NoError(t, err)
	open := plan.Initial()
	open.Bodies[1].Position[1] += 0.1
	law := func() learn.Law { l := x.law(); l.acts = 3; return l }
	out := make([]learn.Result, 2)
	require.NoError(t, r.Gradients(context.Background(), []*mechanism.State{open, plan.Initial()}, []learn.Law{law(), law()}, out))
	require.ErrorContains(t, out[0].Err, "derive/learn: run 0: ")
	require.Zero(t, out[0].Cost)
	require.NoError(t, out[1].Err)
	require.NotZero(t, out[1].Cost)
	out[1] = learn.Result{}
	infinite := &linear{A: make([]float64, 4), slope: make([]float64, 4), acts: 3}
	infinite.A[0] = math.Inf(1)
	require.NoError(t, r.Costs(context.Background(), []*mechanism.State{plan.Initial()}, []learn.Law{infinite}, out[:1]))
	require.ErrorIs(t, out[0].Err, mechanism.ErrInput)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.Costs(ctx, []*mechanism.State{plan.Initial()}, []learn.Law{law()}, out[:1]), context.Canceled)
	require.PanicsWithValue(t, "derive/learn: length mismatch", func() { _ = r.Costs(context.Background(), nil, nil, out) })
	require.PanicsWithValue(t, "derive/learn: no start or no law, or a start of another mechanism", func() {
		_ = r.Costs(context.Background(), []*mechanism.State{nil}, []learn.Law{law()}, out[:1])
	})
	require.PanicsWithValue(t, "derive/learn: no plan or no model", func() { _, _ = learn.New(nil, nil, good) })
}
