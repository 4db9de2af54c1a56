package closing_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse/interop"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// shutTol is the error of a closed row, m or rad and m/s or rad/s, in models
	// whose coordinates and velocities are of order 1.
	shutTol = 1e-12
	// orthogonalTol is the part of a change along allowed motions relative to the
	// change: the rounding of the dense null space and of the projection.
	orthogonalTol = 1e-10
	// nearestTol is the largest derivative of the distance along an allowed motion of
	// unit size: approaching ends with the distance flat to rounding, and the
	// square root of that is left.
	nearestTol = 1e-6
	// nearbyTol is the largest rate error left next to a singular pose, relative to
	// the velocities: what the documentation promises.
	nearbyTol = 1e-6
)

// displace moves every body at random by up to part of its size, the distance of
// its farthest joint, and turns it by up to part rad; its velocity changes by up
// to part m/s and rad/s.
func displace(mech *mechanism.Mechanism, st *mechanism.State, part float64, seed uint64) {
	size := make([]float64, mech.NumBodies())
	for j := range mech.Joints {
		jt := &mech.Joints[j]
		if jt.Pred >= 0 {
			size[jt.Pred] = max(size[jt.Pred], jt.P.Origin.Sub(mech.Bodies[jt.Pred].Com).Norm())
		}
		if jt.Succ >= 0 {
			size[jt.Succ] = max(size[jt.Succ], jt.S.Origin.Sub(mech.Bodies[jt.Succ].Com).Norm())
		}
	}
	rng := check.Rand(seed)
	ball := func() spatial.Vec3 {
		v := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		return v.Scale(part * rng.Float64() / v.Norm())
	}
	for i := range st.Bodies {
		b := &st.Bodies[i]
		com := mech.Bodies[i].Com
		old := b.Rotation.Rotate(com)
		b.Rotation = b.Rotation.Integrate(ball(), 1)
		b.Position = b.Position.Add(ball().Scale(size[i])).Add(old).Sub(b.Rotation.Rotate(com))
		b.Velocity, b.Omega = b.Velocity.Add(ball()), b.Omega.Add(ball())
	}
}

// requireClosed closes st and projects its velocities, and checks both.
func requireClosed(t testing.TB, c *closing.Closer, mech *mechanism.Mechanism, st *mechanism.State, name string) {
	t.Helper()
	before, _ := jointErrors(t, mech, st)
	require.NoError(t, c.ClosePositions(st), name)
	k := c.Closing()
	position, off := jointErrors(t, mech, st)
	require.LessOrEqual(t, position, shutTol, name)
	check.Close(t, k.After, position, 1e-3, shutTol, "%s: error reported after", name)
	check.Close(t, k.Before, before, 1e-12, 1, "%s: error reported before", name)
	require.NoError(t, c.ProjectVelocities(st), name)
	k = c.Closing()
	_, velocity := jointErrors(t, mech, st)
	require.LessOrEqual(t, velocity, shutTol, name)
	check.Close(t, k.Before, off, 1e-12, 1, "%s: rate reported before", name)
}

// TestCloseRandom closes a hundred random models with all joint types, loops,
// doubled joints and prescribed motions, displaced by a tenth of their bodies'
// sizes, near where they were.
func TestCloseRandom(t *testing.T) {
	for seed := range uint64(100) {
		n := 5 + int(seed)
		p := newPlan(t, generate(t, "random", n, seed), order.Auto)
		mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
		displace(mech, st, 0.1, seed)
		requireClosed(t, c, mech, st, fmt.Sprintf("seed %d", seed))
	}
}

// TestCloseFamilies closes all families and golden models. Nets of ball joints are
// left out from 20 × 20 on, where their constraints are dependent to double precision.
func TestCloseFamilies(t *testing.T) {
	for _, f := range bench.Families() {
		for _, n := range check.Some([]int{1, 3, 10, 15}, 2) {
			p := newPlan(t, generate(t, f, n, 1), order.Auto)
			mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
			displace(mech, st, 0.1, uint64(n))
			requireClosed(t, c, mech, st, fmt.Sprintf("%s %d", f, n))
		}
	}
	for _, name := range check.GoldenModels(t) {
		if name == "random-10-far" {
			continue // coordinates of 1e6 m
		}
		p := newPlan(t, golden(t, name), order.Auto)
		mech, c := p.Mechanism(), closing.NewCloser(p, closing.Options{})
		for _, part := range []float64{1e-9, 1e-4, 0.1} {
			st := p.Initial()
			displace(mech, st, part, 3)
			requireClosed(t, c, mech, st, fmt.Sprintf("%s, %g", name, part))
		}
	}
}

// TestCloseNearlySingular closes N-four-bars displaced in all directions next to
// and in their flat pose, where N + 1 branches of motion meet.
func TestCloseNearlySingular(t *testing.T) {
	for _, n := range []int{1, 5, 40} {
		for _, angle := range []float64{0, 1e-9, 1e-5, 1e-3, 1e-1} {
			for _, part := range []float64{1e-6, 1e-3, 0.1, 0.3} {
				m, err := bench.NFourBar(n, math.Pi/2-angle, 1)
				require.NoError(t, err)
				p := newPlan(t, m, order.Auto)
				mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
				displace(mech, st, part, 7)
				name := fmt.Sprintf("%d, %g, %g", n, angle, part)
				require.NoError(t, c.ClosePositions(st), name)
				position, _ := jointErrors(t, mech, st)
				require.LessOrEqual(t, position, shutTol, name)
				require.NoError(t, c.ProjectVelocities(st), name)
				_, velocity := jointErrors(t, mech, st)
				require.LessOrEqual(t, velocity, nearbyTol, name)
			}
		}
	}
}

// TestCloseFar: at 1e6 m from the origin the error is the rounding of coordinates.
func TestCloseFar(t *testing.T) {
	p := newPlan(t, golden(t, "random-10-far"), order.Auto)
	c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
	displace(p.Mechanism(), st, 0.1, 1)
	require.NoError(t, c.ClosePositions(st))
	position, _ := jointErrors(t, p.Mechanism(), st)
	require.LessOrEqual(t, position, 1e6*1e-15)
}

// TestCloseSmall: a model of 1e-6 m closes to 1e-12 of that.
func TestCloseSmall(t *testing.T) {
	const scale = 1e-6
	m := golden(t, "four-bar")
	for i := range m.Bodies {
		b := &m.Bodies[i]
		for k := range 3 {
			b.Com[k] *= scale
			b.Pose.Position[k] *= scale
			b.Velocity.Linear[k] *= scale
		}
		I := &b.Inertia
		for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
			*x *= scale * scale
		}
	}
	for j := range m.Joints {
		for k := range 3 {
			m.Joints[j].PredecessorFrame.Position[k] *= scale
			m.Joints[j].SuccessorFrame.Position[k] *= scale
		}
	}
	p := newPlan(t, m, order.Auto)
	mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
	displace(mech, st, 0.1, 1)
	require.NoError(t, c.ClosePositions(st))
	kin := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(kin, st))
	for j := range mech.Joints {
		var jk mechanism.JointKinematics
		var d [6]float64
		mech.JointTo(&jk, j, kin, st)
		mech.Joints[j].PositionErrorTo(&d, &jk.Frames, 0)
		require.LessOrEqual(t, check.MaxAbs(d[:3]), scale*shutTol, "forces come first in a revolute")
	}
}

// TestCloseHolds keeps held bodies bit by bit, in pose and velocity, and closes the
// others around them; a joint between two of them is left as it is.
func TestCloseHolds(t *testing.T) {
	check.Long(t)
	held := 0
	for seed := range uint64(40) {
		p := newPlan(t, generate(t, "random", 25, seed), order.Auto)
		mech, st := p.Mechanism(), p.Initial()
		// The held bodies stay where the model has them, so that they can be.
		hold := []int{int(seed) % 25, int(seed*7+3) % 25}
		start := p.Initial()
		displace(mech, start, 0.1, seed)
		for _, i := range hold {
			start.Bodies[i] = st.Bodies[i]
		}
		c, at := closing.NewCloser(p, closing.Options{Hold: hold, Nearest: seed%2 == 0}), start.Clone()
		require.NoError(t, c.ClosePositions(at), "seed %d", seed)
		require.NoError(t, c.ProjectVelocities(at), "seed %d", seed)
		for _, i := range hold {
			require.Equal(t, st.Bodies[i], at.Bodies[i], "seed %d", seed)
		}
		position, velocity := jointErrors(t, mech, at)
		require.LessOrEqual(t, position, shutTol, "seed %d", seed)
		speed := 1.0
		for i := range at.Bodies {
			speed = max(speed, at.Bodies[i].Velocity.Norm(), at.Bodies[i].Omega.Norm())
		}
		require.LessOrEqual(t, velocity, shutTol*speed, "seed %d", seed)
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(start))
		for _, i := range hold {
			if start.Bodies[i] != st.Bodies[i] {
				held++
			}
		}
	}
	require.Greater(t, held, 60, "bodies that move if not held")

	m := golden(t, "four-bar")
	p := newPlan(t, m, order.Auto)
	c, st := closing.NewCloser(p, closing.Options{Hold: []int{0, 1, 2}}), p.Initial()
	require.NoError(t, c.ClosePositions(st), "all held and closed")
	displace(p.Mechanism(), st, 0.1, 1)
	require.ErrorIs(t, c.ClosePositions(st), closing.ErrCannotClose, "all held and open")
}

// TestCloseImpossible: the error names the joint that cannot be closed, and the state stays.
func TestCloseImpossible(t *testing.T) {
	// A four-bar whose coupler is too short to reach the rocker.
	b := rung.NewBuilder("short")
	base := spatial.Vec3{}
	crank := b.Rod("crank", 1, 0.02, base, spatial.Vec3{0, 1, 0})
	coupler := b.Rod("coupler", 1, 0.02, spatial.Vec3{0, 1, 0}, spatial.Vec3{0.5, 1, 0})
	rocker := b.Rod("rocker", 1, 0.02, spatial.Vec3{4, 0, 0}, spatial.Vec3{4, 1, 0})
	z := spatial.Vec3{0, 0, 1}
	b.Revolute("p1", rung.World, crank, base, z)
	b.Revolute("p2", crank, coupler, spatial.Vec3{0, 1, 0}, z)
	b.Revolute("p4", rung.World, rocker, spatial.Vec3{4, 0, 0}, z)
	m, err := b.Model()
	require.NoError(t, err)
	m.Joints = append(m.Joints, model.Joint{
		Name: "p3", Type: model.Revolute, Predecessor: "coupler", Successor: "rocker",
		PredecessorFrame: model.Pose{Position: [3]float64{0.5, 0, 0}},
		SuccessorFrame:   model.Pose{Position: [3]float64{1, 0, 0}},
	})
	// A loop elsewhere that closes well.
	good := golden(t, "stewart-6ups")
	m.Bodies, m.Joints = append(m.Bodies, good.Bodies...), append(m.Joints, good.Joints...)
	p := newPlan(t, m, order.Auto)
	c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
	want := st.Clone()
	err = c.ClosePositions(st)
	require.ErrorIs(t, err, closing.ErrCannotClose)
	var e *closing.CloseError
	require.ErrorAs(t, err, &e)
	require.Contains(t, []string{"p1", "p2", "p3", "p4"}, e.At.Joint, "a joint of the loop")
	mech := p.Mechanism()
	j, err := mech.JointIndex(e.At.Joint)
	require.NoError(t, err)
	require.Equal(t, mech.BodyName(int(mech.Joints[j].Pred)), e.Predecessor)
	require.Equal(t, mech.BodyName(int(mech.Joints[j].Succ)), e.Successor)
	require.True(t, e.Linear)
	// 4 m less 1 + 0.5 + 1 m stretched out are shared by four joints.
	check.Close(t, e.Off, 1.5/4, 1, 1.5/4, "what is left")
	require.Greater(t, e.Off, 0.2)
	require.Contains(t, e.Error(), e.At.Joint)
	require.Equal(t, want, st, "the state is as it was")
}

// TestProjectContradiction: two motions for one freedom have no velocities.
func TestProjectContradiction(t *testing.T) {
	m := golden(t, "driven-crank")
	for i := range m.Joints {
		if m.Joints[i].Motion != nil {
			j := m.Joints[i]
			j.Name = "again"
			j.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 9}}}
			m.Joints = append(m.Joints, j)
			break
		}
	}
	require.Equal(t, "again", m.Joints[len(m.Joints)-1].Name)
	p := newPlan(t, m, order.Auto)
	c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
	want := st.Clone()
	err := c.ProjectVelocities(st)
	var e *closing.CloseError
	require.ErrorAs(t, err, &e)
	require.True(t, e.Rate)
	require.Equal(t, "rad/s", e.Unit())
	require.Equal(t, want, st)
}

// allowed returns an orthonormal basis of the motions that the joints allow at st,
// columns of six numbers a body in coordinates in which the inertia is the unit
// matrix, from a dense singular value decomposition of J·M^(−1/2).
func allowed(t testing.TB, p *kkt.Plan, st *mechanism.State) (basis *mat.Dense, root *mat.Cholesky) {
	t.Helper()
	y := p.Layout().NewSystem()
	require.NoError(t, y.FillTo(st))
	K := interop.Dense(y.Matrix, nil)
	n := 6 * p.Mechanism().NumBodies()
	rows := len(y.Right) - n
	M := mat.NewSymDense(n, nil)
	J := mat.NewDense(max(rows, n), n, nil)
	for i := range n {
		for k := i; k < n; k++ {
			M.SetSym(i, k, K.At(i, k))
		}
		for r := range rows {
			J.Set(r, i, K.At(n+r, i))
		}
	}
	root = new(mat.Cholesky)
	require.True(t, root.Factorize(M))
	var L mat.TriDense
	root.LTo(&L)
	var W mat.Dense
	require.NoError(t, W.Solve(&L, J.T())) // L⁻¹·Jᵀ
	var svd mat.SVD
	require.True(t, svd.Factorize(W.T(), mat.SVDThin))
	var V mat.Dense
	svd.VTo(&V)
	rank := 0
	for rank < n && svd.Values(nil)[rank] > 1e-8*svd.Values(nil)[0] {
		rank++
	}
	if rank == n {
		return nil, root
	}
	return mat.DenseCopyOf(V.Slice(0, n, rank, n)), root
}

// along returns the part of the change d, six numbers a body, along the allowed
// motions relative to d, both in the metric of the inertias.
func along(basis *mat.Dense, root *mat.Cholesky, d []float64) float64 {
	var L mat.TriDense
	root.LTo(&L)
	var w, part mat.VecDense
	w.MulVec(L.T(), mat.NewVecDense(len(d), d))
	part.MulVec(basis.T(), &w)
	return mat.Norm(&part, 2) / mat.Norm(&w, 2)
}

// TestProjectionIsNearest: what the projection takes away is orthogonal, in the
// metric of the inertias, to all motions that the joints allow.
func TestProjectionIsNearest(t *testing.T) {
	compared := 0
	for _, name := range check.GoldenModels(t) {
		p := newPlan(t, golden(t, name), order.Auto)
		mech, st := p.Mechanism(), p.Initial()
		if mech.NumBodies() > 30 {
			continue
		}
		basis, root := allowed(t, p, st)
		if basis == nil {
			continue
		}
		rng := check.Rand(5)
		for i := range st.Bodies {
			for k := range 3 {
				st.Bodies[i].Velocity[k] += rng.NormFloat64()
				st.Bodies[i].Omega[k] += rng.NormFloat64()
			}
		}
		before := st.Clone()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st), name)
		d := make([]float64, 6*mech.NumBodies())
		for i := range st.Bodies {
			a, b := &before.Bodies[i], &st.Bodies[i]
			w := b.Omega.Sub(a.Omega)
			v := b.Velocity.Sub(a.Velocity).Add(w.Cross(b.Rotation.Rotate(mech.Bodies[i].Com)))
			copy(d[6*i:], w[:])
			copy(d[6*i+3:], v[:])
		}
		if check.MaxAbs(d) < 1e-6 {
			continue // bodies without joints
		}
		require.LessOrEqual(t, along(basis, root, d), orthogonalTol, name)
		compared++
	}
	require.Greater(t, compared, 20)
}

// TestNearestAssembly: with Nearest, the distance from the start is stationary
// under all motions that the joints allow, and no longer than without.
func TestNearestAssembly(t *testing.T) {
	compared := 0
	for _, name := range check.GoldenModels(t) {
		p := newPlan(t, golden(t, name), order.Auto)
		mech := p.Mechanism()
		if mech.NumBodies() > 30 || name == "random-10-far" {
			continue
		}
		start := p.Initial()
		displace(mech, start, 0.1, 2)
		st, plain := start.Clone(), start.Clone()
		c := closing.NewCloser(p, closing.Options{})
		require.NoError(t, c.ClosePositions(plain), name)
		first := c.Closing()
		c = closing.NewCloser(p, closing.Options{Nearest: true})
		require.NoError(t, c.ClosePositions(st), name)
		require.LessOrEqual(t, c.Closing().Distance, first.Distance*(1+1e-12), name)
		position, _ := jointErrors(t, mech, st)
		require.LessOrEqual(t, position, shutTol, name)
		basis, root := allowed(t, p, st)
		if basis == nil || first.Steps == 0 {
			continue
		}
		// Derivatives of the distance along the allowed motions, all of unit size.
		var L mat.TriDense
		var v mat.Dense
		root.LTo(&L)
		require.NoError(t, v.Solve(L.T(), basis))
		_, dim := v.Dims()
		check.Close(t, farFrom(mech, start, st, nil, 0), c.Closing().Distance, 1e-9, c.Closing().Distance, "%s: distance", name)
		const h = 1e-5
		for k := range dim {
			x := mat.Col(nil, k, &v)
			slope := (farFrom(mech, start, st, x, h) - farFrom(mech, start, st, x, -h)) / (2 * h)
			require.LessOrEqual(t, math.Abs(slope), nearestTol, "%s, motion %d", name, k)
		}
		compared++
	}
	require.Greater(t, compared, 20)
}

// farFrom returns the distance in the metric of the inertias from a to b moved
// along the velocities x for the time h.
func farFrom(mech *mechanism.Mechanism, a, b *mechanism.State, x []float64, h float64) float64 {
	sum := 0.0
	for i := range a.Bodies {
		p, q, body := &a.Bodies[i], &b.Bodies[i], &mech.Bodies[i]
		s := q.Position.Add(q.Rotation.Rotate(body.Com)).Sub(p.Position.Add(p.Rotation.Rotate(body.Com)))
		turn := q.Rotation
		if h != 0 {
			s = s.Add(spatial.Vec3(x[6*i+3 : 6*i+6]).Scale(h))
			turn = turn.Integrate(spatial.Vec3(x[6*i:6*i+3]), h)
		}
		phi := p.Rotation.Conj().Mul(turn).Log()
		sum += body.Mass*s.Dot(s) + phi.Dot(body.Inertia.MulVec(phi))
	}
	return math.Sqrt(sum)
}

// TestCloserSteps: no allocation, the same bits again and for any number of
// threads, and a closed state stays as it is.
func TestCloserSteps(t *testing.T) {
	for _, k := range stepCases {
		m := generate(t, k.Family, k.N, 1)
		p := newPlan(t, m, order.Auto)
		c, start := closing.NewCloser(p, closing.Options{Hold: []int{1}, Nearest: true}), p.Initial()
		displace(p.Mechanism(), start, 0.01, 1)
		start.Bodies[1] = p.Initial().Bodies[1]
		st := start.Clone()
		var err error
		runtime.GC() // what it does to the teams of closers before allocates
		require.Zero(t, testing.AllocsPerRun(10, func() {
			copy(st.Bodies, start.Bodies)
			err = errors.Join(c.ClosePositions(st), c.ProjectVelocities(st))
		}), k.Family)
		require.NoError(t, err, k.Family)
		want := st.Clone()
		require.NoError(t, c.ClosePositions(st))
		require.Equal(t, want, st, "%s: closed", k.Family)
		require.Zero(t, c.Closing().Steps)
		threads, err := rung.NewPlan(m, kkt.Options{Threads: 3})
		require.NoError(t, err)
		got := start.Clone()
		other := closing.NewCloser(threads, closing.Options{Hold: []int{1}, Nearest: true})
		require.NoError(t, other.ClosePositions(got))
		require.NoError(t, other.ProjectVelocities(got))
		require.Equal(t, want, got, "%s: three threads", k.Family)
	}
}

// TestCloserMisuse checks panics and errors of bad states.
func TestCloserMisuse(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	for _, hold := range []int{-1, 3} {
		require.PanicsWithValue(t, "closing: body out of range", func() { closing.NewCloser(p, closing.Options{Hold: []int{hold}}) })
	}
	for _, tol := range []float64{-1, 0.9e-14, math.NaN(), math.Inf(1)} {
		require.PanicsWithValue(t, "closing: tolerance out of range", func() { closing.NewCloser(p, closing.Options{Tolerance: tol}) })
	}
	c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
	require.PanicsWithValue(t, "closing: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = c.ClosePositions(&mechanism.State{}) })
	require.PanicsWithValue(t, "closing: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = c.ProjectVelocities(&mechanism.State{}) })
	st.Bodies[1].Position[0] = math.NaN()
	for _, err := range []error{c.ClosePositions(st), c.ProjectVelocities(st)} {
		require.ErrorIs(t, err, mechanism.ErrNotFinite)
		require.True(t, strings.Contains(err.Error(), p.Mechanism().BodyName(1)), err)
	}
}

// BenchmarkClose closes positions and velocities of displaced ladders: linear cost
// is a flat column. Each evaluation takes the same number of steps.
func BenchmarkClose(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		for _, part := range []float64{0.1, 1e-9} {
			b.Run(fmt.Sprintf("model=ladder/n=%d/displaced=%g", n, part), func(b *testing.B) {
				p := newPlan(b, generate(b, "ladder", n, 1), order.Auto)
				c, start := closing.NewCloser(p, closing.Options{}), p.Initial()
				displace(p.Mechanism(), start, part, 1)
				st := start.Clone()
				require.NoError(b, c.ClosePositions(st))
				steps := c.Closing().Steps
				b.ReportAllocs()
				for b.Loop() {
					copy(st.Bodies, start.Bodies)
					if err := c.ClosePositions(st); err != nil {
						b.Fatal(err)
					}
					if err := c.ProjectVelocities(st); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/body")
				b.ReportMetric(float64(steps), "steps")
			})
		}
	}
}
