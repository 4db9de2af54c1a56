package kkt_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// responseTol is the error of accelerations by a load, relative to those of the free bodies: a hundred times that of a solve.
const responseTol = 1e-11

// randomLoads returns k loads with numbers around 1.
func randomLoads(p *kkt.Plan, k int, seed uint64) []float64 {
	rng := check.Rand(seed)
	f := make([]float64, 6*k*p.Mechanism().NumBodies())
	for i := range f {
		f[i] = rng.Float64() - 0.5
	}
	return f
}

// responseAt returns a Response at the state of the model.
func responseAt(t testing.TB, p *kkt.Plan) *kkt.Response {
	t.Helper()
	r := p.NewResponse()
	require.NoError(t, r.At(p.Initial()))
	return r
}

// unitLoads returns the loads of unit forces along all free scalar freedoms, and these.
func unitLoads(t testing.TB, p *kkt.Plan) (f []float64, list []mechanism.Freedom) {
	t.Helper()
	m, st := p.Mechanism(), p.Initial()
	k, w := m.NewKinematics(), make([]spatial.Force, m.NumBodies())
	require.NoError(t, m.KinematicsTo(k, st))
	for j, jt := range m.Joints {
		for i := range jt.Kind.Freedoms() {
			if !jt.Kind.Scalar(i) || jt.Prescribed(i) {
				continue
			}
			clear(w)
			var tau [6]float64
			tau[i] = 1
			m.AddFreedomForcesTo(w, j, &tau, k, st)
			for b := range w {
				f = append(f, w[b][:]...)
			}
			list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
		}
	}
	return f, list
}

// TestResponseToFreedoms: the accelerations by unit forces along the freedoms are what Solver.RespondTo finds for unit impulses, with
// redundant rows, motions, armature, couplings and bodies without inertia.
func TestResponseToFreedoms(t *testing.T) {
	plans := map[string]*kkt.Plan{}
	for _, name := range []string{"four-bar", "bricard-6r", "stewart-6ups", "driven-mixed", "springs"} {
		plans[name] = newPlan(t, golden(t, name), order.Auto)
	}
	for _, name := range []string{"armature-floating", "point-governor", "slender-four-bar", "gripper-mimic"} {
		plans[name] = machine(t, name)
	}
	for _, family := range []string{"nfourbar", "random", "tree"} {
		plans[family] = newPlan(t, generate(t, family, 12, 1), order.Auto)
	}
	for name, p := range plans {
		f, list := unitLoads(t, p)
		require.NotEmpty(t, list, name)
		a := make([]float64, len(f))
		require.NoError(t, responseAt(t, p).AccelerationsTo(a, f), name)
		s, n := p.NewSolver(), 6*p.Mechanism().NumBodies()
		want := make([]float64, n)
		for k, freedom := range list {
			_, err := s.RespondTo(want, p.Initial(), freedom)
			require.NoError(t, err, name)
			check.CloseVec(t, a[k*n:][:n], want, 1e-10, 1e-3+check.MaxAbs(want), "%s %v", name, freedom)
		}
	}
}

// TestResponseIsAProjection: Φ is symmetric, what it makes is allowed by the joints, and Φ·M leaves that as it is.
func TestResponseIsAProjection(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"ladder", 20}, {"nfourbar", 12}, {"ball-net", 3}, {"random", 20}, {"stewart", 2}, {"scissor", 5}} {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		m, st := p.Mechanism(), p.Initial()
		n := 6 * m.NumBodies()
		f := randomLoads(p, 2, 3)
		a := make([]float64, len(f))
		r := responseAt(t, p)
		require.NoError(t, r.AccelerationsTo(a, f), c.family)
		size := check.MaxAbs(a)
		for i := range m.Bodies { // what the joints hold up leaves rounding of what the loads alone would make
			for j := range 3 {
				size = max(size, math.Abs(f[6*i+3+j])/m.Bodies[i].Mass)
			}
		}
		check.Close(t, algebra.Dot(f[:n], a[n:]), algebra.Dot(f[n:], a[:n]), responseTol, float64(n)*size, "%s symmetry", c.family)

		k := m.NewKinematics()
		require.NoError(t, m.KinematicsTo(k, st))
		back := make([]float64, n)
		for i := range m.Bodies {
			w := k.I[i].MulVec(spatial.Vec3(a[6*i:]))
			copy(back[6*i:], w[:])
			for j := range 3 {
				back[6*i+3+j] = m.Bodies[i].Mass * a[6*i+3+j]
			}
		}
		require.NoError(t, r.AccelerationsTo(back, back), c.family)
		check.CloseVec(t, back, a[:n], responseTol, size, "%s twice", c.family)

		rest := st.Clone()
		for i := range rest.Bodies {
			rest.Bodies[i].SetComVelocity((*[6]float64)(a[6*i:]), &k.Bodies[i].Com)
		}
		require.NoError(t, m.KinematicsTo(k, rest))
		var worst mechanism.Violation
		for i := range m.NumConstraints() {
			v := m.ConstraintViolation(i, k, rest)
			worst.Widen(&v)
		}
		_, rate := worst.In(1)
		require.Less(t, rate, 1e-9*(1+size), c.family)
	}
}

// TestResponseOfATree: along the freedoms of a tree without a loop, J·Φ·Jᵀ is the inverse of the joint-space inertia matrix.
func TestResponseOfATree(t *testing.T) {
	p := newPlan(t, generate(t, "tree", 9, 1), order.Auto)
	J, list := unitLoads(t, p)
	k := len(list)
	inv, a := make([]float64, k*k), make([]float64, len(J))
	require.NoError(t, responseAt(t, p).InverseInertiaTo(inv, a, J))
	tp, err := tree.NewPlan(p.Mechanism(), tree.Options{})
	require.NoError(t, err)
	require.Equal(t, k, tp.NumDof())
	w, H := tp.NewWorkspace(), tp.NewBranchMatrix()
	require.NoError(t, w.SetState(p.Initial()))
	w.InertiaTo(H)
	at := make([]int, k) // the entry of q̇ of each freedom
	for i, f := range list {
		for _, l := range tp.Links {
			if int(l.Joint) == f.Joint {
				at[i] = int(l.Dof) + f.Freedom
			}
		}
	}
	for i := range k {
		for j := range k {
			sum, one := 0.0, 0.0
			for l := range k {
				sum += inv[i*k+l] * H.At(at[l], at[j])
			}
			if i == j {
				one = 1
			}
			require.InDelta(t, one, sum, 1e-10)
			require.Equal(t, inv[i*k+j], inv[j*k+i], "symmetric to the last bit")
		}
	}
}

// TestResponseBits: any number of loads at once, one by one, in another order, in fresh memory or in a Response that was elsewhere before
// gives the same bits, also where a load needs more than the first way to factor.
func TestResponseBits(t *testing.T) {
	heavy := generate(t, "chain", 8, 1)
	for i := range heavy.Bodies {
		if i%2 == 0 {
			in := &heavy.Bodies[i].Inertia
			heavy.Bodies[i].Mass *= 1e9
			in.XX, in.YY, in.ZZ, in.XY, in.XZ, in.YZ = 1e9*in.XX, 1e9*in.YY, 1e9*in.ZZ, 1e9*in.XY, 1e9*in.XZ, 1e9*in.YZ
		}
	}
	plans := map[string]*kkt.Plan{
		"ladder": newPlan(t, generate(t, "ladder", 30, 1), order.Auto), "four-bar": newPlan(t, golden(t, "four-bar"), order.Auto),
		"slender": machine(t, "slender-four-bar"), "heavy": newPlan(t, heavy, order.Auto),
	}
	for name, p := range plans {
		const k = 5
		n := 6 * p.Mechanism().NumBodies()
		f := randomLoads(p, k, 8)
		clear(f[2*n : 3*n]) // no load at all
		want := make([]float64, len(f))
		require.NoError(t, responseAt(t, p).AccelerationsTo(want, f), name)
		require.Equal(t, make([]float64, n), want[2*n:3*n], name)

		r := p.NewResponse()
		moved := p.Initial()
		for i := range moved.Bodies {
			moved.Bodies[i].Position = moved.Bodies[i].Position.Add(spatial.Vec3{0, 0, 1e-9})
		}
		require.NoError(t, r.At(moved), name)
		got := slices.Clone(f)
		require.NoError(t, r.AccelerationsTo(got, got), name)
		require.NoError(t, r.At(p.Initial()), name)
		for i := k - 1; i >= 0; i-- {
			require.NoError(t, r.AccelerationsTo(got[i*n:][:n], f[i*n:][:n]), name)
		}
		require.Equal(t, want, got, name)
		threads, err := kkt.NewPlanContext(t.Context(), p.Mechanism(), kkt.Options{Threads: 2})
		require.NoError(t, err)
		require.NoError(t, responseAt(t, threads).AccelerationsTo(got, f), name)
		require.Equal(t, want, got, "%s on two threads", name)
	}
}

// TestResponseDoesNotAllocate: neither a pose nor loads nor the inverse inertia of a task.
func TestResponseDoesNotAllocate(t *testing.T) {
	for _, c := range stepCases {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		r, st, f := responseAt(t, p), p.Initial(), randomLoads(p, 3, 1)
		a, inv := make([]float64, len(f)), make([]float64, 9)
		var err error
		require.Zero(t, testing.AllocsPerRun(5, func() {
			if err = r.At(st); err == nil {
				err = r.InverseInertiaTo(inv, a, f)
			}
		}), c.family)
		require.NoError(t, err, c.family)
	}
}

// TestResponseRefuses: what a caller could know is a panic; what is wrong with a state is an error.
func TestResponseRefuses(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	n := 6 * p.Mechanism().NumBodies()
	r := p.NewResponse()
	a := make([]float64, n)
	require.PanicsWithValue(t, "kkt: no factor", func() { _ = r.AccelerationsTo(a, a) })
	require.PanicsWithValue(t, "kkt: no state", func() { _ = r.At(nil) })
	bad := p.Initial()
	bad.Bodies[0].Position[0] = math.NaN()
	require.ErrorIs(t, r.At(bad), mechanism.ErrNotFinite)
	require.PanicsWithValue(t, "kkt: no factor", func() { _ = r.AccelerationsTo(a, a) })
	require.NoError(t, r.At(p.Initial()))
	for _, bad := range [][2][]float64{{a, a[1:]}, {a[1:], a[1:]}} {
		require.PanicsWithValue(t, "kkt: length mismatch", func() { _ = r.AccelerationsTo(bad[0], bad[1]) })
	}
	J := make([]float64, n)
	require.PanicsWithValue(t, "kkt: length mismatch", func() { _ = r.InverseInertiaTo(make([]float64, 2), a, J) })
	require.PanicsWithValue(t, "kkt: destination is an argument", func() { _ = r.InverseInertiaTo(make([]float64, 1), a, a) })
	require.PanicsWithValue(t, "kkt: zero Response; use Plan.NewResponse", func() { _ = new(kkt.Response).At(p.Initial()) })
	J[1] = math.Inf(1)
	require.ErrorContains(t, r.AccelerationsTo(a, J), "kkt: load 0: ")
	require.NoError(t, r.AccelerationsTo(a, make([]float64, n)), "the next load is as good as ever")
	require.NoError(t, r.AccelerationsTo(nil, nil))
}

// The hand of an arm of two rods of 1 kg and 1 m, the second at right angles to the first, feels another mass in each direction.
func ExampleResponse() {
	b := rung.NewBuilder("arm")
	z, elbow, hand := spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 0, 0}, spatial.Vec3{1, 1, 0}
	upper, lower := b.Rod("upper", 1, 0.01, spatial.Vec3{}, elbow), b.Rod("lower", 1, 0.01, elbow, hand)
	b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, z)
	b.Revolute("elbow", upper, lower, elbow, z)
	m, err := b.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := plan.NewResponse()
	if err := r.At(plan.Initial()); err != nil {
		fmt.Println(err)
		return
	}
	// The velocity of the hand is v + ω×(0, 1/2, 0), v that of the centre of mass of the lower rod.
	J := make([]float64, 2*6*2)
	x, y := J[6*lower.Index():], J[12+6*lower.Index():]
	x[3], x[2] = 1, -0.5
	y[4] = 1
	inverse, a := make([]float64, 4), make([]float64, len(J))
	if err := r.InverseInertiaTo(inverse, a, J); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mass along x %.4f kg, along y %.4f kg\n", 1/inverse[0], 1/inverse[3])
	// Output: mass along x 0.3333 kg, along y 1.3333 kg
}
