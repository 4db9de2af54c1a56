package batch_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func golden(t testing.TB, name string) *kkt.Plan {
	return planOf(t, filepath.Join(check.Reference(t, "golden"), name+".model.json"))
}

// solved solves states in a batch.
func solved(t testing.TB, p *kkt.Plan, list []*mechanism.State, o batch.Options) (*batch.Batch, *batch.States, *batch.Results) {
	b, err := batch.New(p, o)
	require.NoError(t, err)
	s, r := b.NewStates(len(list)), b.NewResults(len(list))
	for i, st := range list {
		s.Set(i, st)
	}
	b.Solve(s, r)
	return b, s, r
}

// accelerations returns the accelerations of state i.
func accelerations(p *kkt.Plan, r *batch.Results, i int) []float64 {
	a := make([]float64, 6*p.Mechanism().NumBodies())
	r.To(a, i)
	return a
}

// TestSameBits: a state has the same bits for any number of threads, beside any others, and in any batch size.
//
//rung:race
func TestSameBits(t *testing.T) {
	for _, name := range []string{"four-bar", "random-10", "driven-mixed"} {
		p := golden(t, name)
		list := someStates(t, p, 83, 7, 0.6)
		list[13].Bodies[0].Velocity[0] = math.NaN() // which fails alone
		_, _, want := solved(t, p, list, batch.Options{})
		require.Equal(t, []int{13}, want.Failed())
		require.ErrorIs(t, want.Error(13), mechanism.ErrNotFinite)
		for threads := 2; threads < 6; threads++ {
			_, _, got := solved(t, p, list, batch.Options{Threads: threads})
			for i := range list {
				require.Equal(t, accelerations(p, want, i), accelerations(p, got, i), "%s, %d threads", name, threads)
			}
			require.Equal(t, want.OneByOne(), got.OneByOne())
		}
		for _, n := range []int{1, 2, 7, 9, 40} {
			_, _, got := solved(t, p, list[20:20+n], batch.Options{})
			for i := range n {
				require.Equal(t, accelerations(p, want, 20+i), accelerations(p, got, i), "%s, %d states", name, n)
				require.Equal(t, want.Redundant(20+i), got.Redundant(i))
			}
		}
	}
}

// TestSameBitsBearings: a body in a group that a second hinge ties to the ground has the bits in the second group of eight
// states that it has in the first, after states that are no numbers too, and the solver's accelerations where velocities
// violate the hinge.
//
//rung:race
func TestSameBitsBearings(t *testing.T) {
	const tol = 1e-12                                                // of the largest acceleration
	askew := model.Pose{Orientation: [4]float64{0.8, 0.2, 0.4, 0.4}} // so that no row is redundant
	m := model.New("bearings")
	m.Bodies = []model.Body{{Name: "shaft", Mass: 2, Com: [3]float64{0.1, 0.2, 0.3}, Inertia: model.Inertia{XX: 0.1, YY: 0.2, ZZ: 0.25}}}
	m.Joints = []model.Joint{
		{Name: "cross", Type: model.Universal, Predecessor: model.World, Successor: "shaft"},
		{Name: "bearing", Type: model.Revolute, Predecessor: model.World, Successor: "shaft", PredecessorFrame: askew, SuccessorFrame: askew},
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	st, bad := p.Initial(), p.Initial()
	st.Bodies[0].Omega = spatial.Vec3{3, 2, -1}
	bad.Bodies[0].Omega[0] = math.NaN()
	solver := p.NewSolver()
	require.NoError(t, solver.Solve(st))
	want := make([]float64, 6)
	solver.AccelerationsTo(want)
	list := make([]*mechanism.State, 32)
	for i := range list {
		list[i] = st
		if i >= 16 && i < 24 {
			list[i] = bad
		}
	}
	_, _, r := solved(t, p, list, batch.Options{})
	for _, i := range []int{0, 8, 24} {
		check.CloseVec(t, accelerations(p, r, i), want, tol, check.MaxAbs(want), "state %d", i)
		require.Equal(t, accelerations(p, r, 0), accelerations(p, r, i))
	}
	require.Equal(t, []int{16, 17, 18, 19, 20, 21, 22, 23}, r.OneByOne())
}

// TestDoesNotAllocate: Solve and Set allocate nothing.
func TestDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"four-bar", "random-10", "driven-mixed", "pendulum"} {
		p := golden(t, name)
		list := someStates(t, p, 20, 8, 0.3)
		b, s, r := solved(t, p, list, batch.Options{Threads: 2})
		require.Zero(t, testing.AllocsPerRun(20, func() {
			for i, st := range list {
				s.Set(i, st)
			}
			b.Solve(s, r)
		}), name)
	}
}

// TestInputs: gravity, forces of drives and wrenches of each state are those of a solver with these inputs.
func TestInputs(t *testing.T) {
	const tol = 1e-11 // of the largest acceleration
	for _, c := range []struct {
		name     string
		freedoms []mechanism.Freedom
	}{
		{"four-bar", []mechanism.Freedom{{Joint: 0}, {Joint: 2}}},
		{"stewart-6ups", []mechanism.Freedom{{Joint: 1}, {Joint: 0, Freedom: 1}}},
		{"slider-crank-spatial", []mechanism.Freedom{{Joint: 0}}}, // with forces one by one
	} {
		p := golden(t, c.name)
		m := p.Mechanism()
		list := someStates(t, p, 11, 9, 0.4)
		b, err := batch.New(p, batch.Options{Wrenches: true, Forces: c.freedoms})
		require.NoError(t, err)
		s, r := b.NewStates(len(list)), b.NewResults(len(list))
		rng := check.Rand(5)
		vec := func(a float64) spatial.Vec3 {
			return spatial.Vec3{a * rng.NormFloat64(), a * rng.NormFloat64(), a * rng.NormFloat64()}
		}
		in := m.NewInputs()
		w := &wrenches{make([]spatial.Force, m.NumBodies())}
		var all []int
		for i := range m.NumBodies() {
			all = append(all, i)
		}
		_, err = in.AddForce("own", w, all...)
		require.NoError(t, err)
		solver := p.With(in).NewSolver()
		var want [][]float64
		for i, st := range list {
			s.Set(i, st)
			g := vec(5)
			s.SetGravity(i, g)
			require.NoError(t, in.SetGravity(g))
			for k, f := range c.freedoms {
				x := 30 * rng.NormFloat64()
				s.SetForce(i, k, x)
				require.NoError(t, in.SetForce(f.Joint, f.Freedom, x))
			}
			for k := range m.NumBodies() {
				f, n := vec(20), vec(3)
				s.SetWrench(i, k, f, n)
				w.w[k] = spatial.NewForce(n, f)
			}
			require.NoError(t, solver.Solve(st))
			a := make([]float64, 6*m.NumBodies())
			solver.AccelerationsTo(a)
			want = append(want, a)
		}
		b.Solve(s, r)
		require.Empty(t, r.OneByOne())
		for i := range list {
			check.CloseVec(t, accelerations(p, r, i), want[i], tol, check.MaxAbs(want[i]), "%s, state %d", c.name, i)
			check.CloseVec(t, vecOf(r.AngularAcceleration(i, 0)), want[i][:3], tol, check.MaxAbs(want[i]), "%s", c.name)
			check.CloseVec(t, vecOf(r.ComAcceleration(i, 0)), want[i][3:6], tol, check.MaxAbs(want[i]), "%s", c.name)
		}
	}
}

func vecOf(v spatial.Vec3) []float64 { return v[:] }

// wrenches is a force of one's own with wrenches that are set.
type wrenches struct{ w []spatial.Force }

func (w *wrenches) WrenchesTo(dst []spatial.Force, _ []mechanism.BodyMotion, _ float64) error {
	copy(dst, w.w)
	return nil
}

// TestFailures: states that the solver refuses are refused with its words, and those beside them are solved.
func TestFailures(t *testing.T) {
	p := golden(t, "driven-crank")
	list := someStates(t, p, 6, 3, 0)
	list[1].Bodies[1].Rotation[0] = 2
	list[2].Bodies[0].Omega[1] = math.Inf(1)
	list[4].Time = math.NaN()
	_, _, r := solved(t, p, list, batch.Options{})
	require.Equal(t, []int{1, 2, 4}, r.Failed())
	require.Equal(t, []int{1, 2, 4}, r.OneByOne())
	solver := p.NewSolver()
	for i, st := range list {
		if err := solver.Solve(st); err != nil {
			require.EqualError(t, r.Error(i), err.Error())
			require.Zero(t, check.MaxAbs(accelerations(p, r, i)))
		}
	}
	b, err := batch.New(p, batch.Options{Wrenches: true})
	require.NoError(t, err)
	s, out := b.NewStates(3), b.NewResults(3)
	s.SetGravity(1, spatial.Vec3{0, math.NaN(), 0})
	s.SetWrench(2, 0, spatial.Vec3{math.Inf(1)}, spatial.Vec3{})
	b.Solve(s, out)
	require.Equal(t, []int{1, 2}, out.Failed())
	require.ErrorIs(t, out.Error(1), mechanism.ErrInput)
	require.ErrorIs(t, out.Error(2), mechanism.ErrNotFinite)
}

// TestStates: a state that is set comes back, with angles and internal states.
func TestStates(t *testing.T) {
	for _, name := range []string{"four-bar", "springs"} {
		p := golden(t, name)
		list := someStates(t, p, 12, 4, 0.2)
		b, s, _ := solved(t, p, list, batch.Options{})
		require.Equal(t, 12, s.Len())
		st := p.Initial()
		for i := range list {
			list[i].Time = float64(i)
			for k := range list[i].Angles {
				list[i].Angles[k] = float64(i + k)
			}
			s.Set(i, list[i])
			s.To(st, i)
			require.Equal(t, list[i], st)
		}
		require.Equal(t, p, b.Plan())
		require.Contains(t, []string{"AVX-512", "AVX2", "Go"}, b.Instructions())
	}
}

// TestRandomMachines: mechanisms with couplings, composite joints and armature agree with the solver.
func TestRandomMachines(t *testing.T) {
	check.Long(t)
	gripper := modeltest.Couple(t, load(t, "rbda-8-3"), check.Rand(2), 2)
	composites, _ := modeltest.AsComposites(generate(t, "hoberman", 4))
	for name, m := range map[string]*model.Model{
		"composites":         modeltest.Composites(1, 5, 1),
		"armature":           modeltest.Gear(load(t, "stewart-6ups"), check.Rand(1)),
		"armature, 30":       modeltest.Gear(load(t, "random-30"), check.Rand(3)),
		"couplings":          gripper,
		"couplings, geared":  modeltest.Gear(modeltest.Couple(t, load(t, "floating-tree"), check.Rand(4), 3), check.Rand(5)),
		"laws":               modeltest.Follow(t, load(t, "floating-tree"), check.Rand(4), 5),
		"prescribed, geared": modeltest.Gear(load(t, "driven-mixed"), check.Rand(6)),
		"spare composites":   composites,
		"spare couplings":    modeltest.Couple(t, generate(t, "miura", 2), check.Rand(7), 2),
	} {
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		x := agree(t, p, someStates(t, p, 24, 11, 0.2), batch.Options{})
		b, err := batch.New(p, batch.Options{})
		require.NoError(t, err)
		t.Logf("%s: largest difference %.1e, one by one %d, scalar %v %q", name, x.worst, x.single, b.Scalar(), b.OneByOne())
		if strings.HasPrefix(name, "spare") {
			require.NotEmpty(t, p.Lean().Rows.Spare, name)
			require.NotEmpty(t, b.Scalar(), name)
			require.Less(t, x.single, 8, name)
		}
	}
}

func generate(t testing.TB, family string, n int) *model.Model {
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	return m
}

func load(t testing.TB, name string) *model.Model {
	m, err := model.ReadFile(filepath.Join(check.Reference(t, "golden"), name+".model.json"))
	require.NoError(t, err)
	return m
}

// TestMisuse: what the caller could have known is a panic; what depends on the data is an error.
func TestMisuse(t *testing.T) {
	p := golden(t, "four-bar")
	b, err := batch.New(p, batch.Options{Forces: []mechanism.Freedom{{}}})
	require.NoError(t, err)
	other, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	s, r := b.NewStates(3), b.NewResults(3)
	for text, do := range map[string]func(){
		"batch: no plan":                   func() { _, _ = batch.New(nil, batch.Options{}) },
		"batch: negative number of states": func() { b.NewStates(-1) },
		"batch: state out of range":        func() { s.SetGravity(3, spatial.Vec3{}) },
		"batch: foreign state: Mechanism.Adopt takes one of another mechanism over": func() { s.Set(0, golden(t, "stewart-6ups").Initial()) },
		"batch: foreign states or results":                                          func() { b.Solve(s, other.NewResults(3)) },
		"batch: force out of range":                                                 func() { s.SetForce(0, 1, 0) },
		"batch: no wrenches; use Options.Wrenches":                                  func() { s.SetWrench(0, 0, spatial.Vec3{}, spatial.Vec3{}) },
		"batch: length mismatch":                                                    func() { r.To(nil, 0) },
	} {
		require.PanicsWithValue(t, text, do)
	}
	for text, o := range map[string]batch.Options{
		`batch: option refused: joint 9 is out of range`:                                                         {Forces: []mechanism.Freedom{{Joint: 9}}},
		`batch: joint "p1": option refused: freedom 1 is out of range, the joint has 1 with a generalized force`: {Forces: []mechanism.Freedom{{Freedom: 1}}},
		`batch: joint "p1": option refused: freedom 0 is given twice`:                                            {Forces: []mechanism.Freedom{{}, {}}},
		`batch: option refused: -1 threads`:                                                                      {Threads: -1},
	} {
		_, err := batch.New(p, o)
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, batch.ErrOptions)
	}
	_, err = batch.New(golden(t, "driven-crank"), batch.Options{Forces: []mechanism.Freedom{{}}})
	require.ErrorIs(t, err, batch.ErrOptions)
}
