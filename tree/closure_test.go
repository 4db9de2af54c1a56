package tree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// functionTol is the rounding of a loop function in closed form.
	functionTol = 1e-13
	// newtonTol is that of Newton's method on metre-sized loops.
	newtonTol = 1e-11
)

// arm solves the loop of rbda-8-3 (RBDA Figure 8.3) in closed form, with y = (q1,
// q4): joint2 at A and joint4 at E on B1, joint5 at b on B4. With the vector p =
// E + R(q4 − c4)·b − A in B1, q2 is its direction and q3 its length:
//
//	q2 = atan2(p) + c2,  q3 = |p|,
//	q̇2 = (p×p′)/p²·q̇4,   q̇3 = (p·p′)/|p|·q̇4,   p′ = dp/dq4.
type arm struct {
	a, e, b [2]float64 // A and E in B1, joint5 in B4, m
	c2, c4  float64    // coordinates at parallel axes of the bodies, rad
}

// newArm reads the constants of the mechanism.
func newArm(m *mechanism.Mechanism) *arm {
	xy := func(v spatial.Vec3) [2]float64 { return [2]float64{v[0], v[1]} }
	heading := func(f mechanism.Frame) float64 { return math.Atan2(f.E[3], f.E[0]) }
	j2, j4, j5 := &m.Joints[1], &m.Joints[3], &m.Joints[4]
	return &arm{a: xy(j2.P.Origin), e: xy(j4.P.Origin), b: xy(j5.S.Origin), c2: -heading(j2.P), c4: -heading(j4.P)}
}

// vectors returns p and p′; p″ is −R·b.
func (f *arm) vectors(q4 float64) (p, dp, rb [2]float64) {
	s, c := math.Sincos(q4 - f.c4)
	rb = [2]float64{c*f.b[0] - s*f.b[1], s*f.b[0] + c*f.b[1]}
	return [2]float64{f.e[0] + rb[0] - f.a[0], f.e[1] + rb[1] - f.a[1]}, [2]float64{-rb[1], rb[0]}, rb
}

// PositionTo stores γ(y), by the joints' order: q1, q2, q3, q4.
func (f *arm) PositionTo(q, y []float64) error {
	p, _, _ := f.vectors(y[1])
	q[0], q[1], q[2], q[3] = y[0], math.Atan2(p[1], p[0])+f.c2, math.Hypot(p[0], p[1]), y[1]
	return nil
}

// JacobianTo stores G and g.
func (f *arm) JacobianTo(G, g, y, yd []float64) error {
	p, dp, rb := f.vectors(y[1])
	l2 := p[0]*p[0] + p[1]*p[1]
	l := math.Sqrt(l2)
	cross, in := p[0]*dp[1]-p[1]*dp[0], p[0]*dp[0]+p[1]*dp[1]
	clear(G)
	G[0], G[3], G[5], G[7] = 1, cross/l2, in/l, 1
	// Derivatives of the two quotients along q4, with p″ = −R·b.
	crossD := -p[0]*rb[1] + p[1]*rb[0]
	inD := dp[0]*dp[0] + dp[1]*dp[1] - p[0]*rb[0] - p[1]*rb[1]
	v2 := yd[1] * yd[1]
	g[0], g[3] = 0, 0
	g[1] = (crossD/l2 - 2*cross*in/(l2*l2)) * v2
	g[2] = (inD/l - in*in/(l2*l)) * v2
	return nil
}

// armRig returns rbda-8-3 with its y and ẏ at the model's state. The links are in
// the order of the bodies of the tree; y names entries of q̇.
func armRig(t testing.TB) (r *rig, y, yd []float64, independent []int) {
	t.Helper()
	r = newRig(t, golden(t, "rbda-8-3"), tree.Options{TreeJoints: []int{0, 1, 2, 3}}).atInitial(t)
	require.Equal(t, "joint5", r.mech.JointName(int(r.plan.Loops[0].Joint)))
	for d := range r.plan.NumDof() {
		if name := r.plan.DofName(d); name == "joint1.0" || name == "joint4.0" {
			independent = append(independent, d)
			y, yd = append(y, r.q[d]), append(yd, r.qd[d])
		}
	}
	require.Equal(t, "joint1.0", r.plan.DofName(independent[0]))
	return r, y, yd, independent
}

// ordered gives the variables of a LoopFunction, which are in the order of the
// joints, their places in the tree.
type ordered struct {
	tree.LoopFunction
	at   []int // entry of q̇ of each joint
	q, g []float64
	G    []float64
	m    int
}

func newOrdered(r *rig, f tree.LoopFunction, m int) *ordered {
	n := r.plan.NumDof()
	o := &ordered{LoopFunction: f, at: make([]int, n), q: make([]float64, n), g: make([]float64, n), G: make([]float64, n*m), m: m}
	for d := range n {
		o.at[r.plan.Links[linkOfDof(r.plan, int32(d))].Joint] = d
	}
	return o
}

func (o *ordered) PositionTo(q, y []float64) error {
	err := o.LoopFunction.PositionTo(o.q, y)
	for j, d := range o.at {
		q[d] = o.q[j]
	}
	return err
}

func (o *ordered) JacobianTo(G, g, y, yd []float64) error {
	err := o.LoopFunction.JacobianTo(o.G, o.g, y, yd)
	for j, d := range o.at {
		g[d] = o.g[j]
		copy(G[d*o.m:(d+1)*o.m], o.G[j*o.m:(j+1)*o.m])
	}
	return err
}

// TestFigure83 checks the closed form of RBDA Figure 8.3 against the model's
// state, the identities, and its accelerations against the reference.
func TestFigure83(t *testing.T) {
	r, y, yd, _ := armRig(t)
	c := r.plan.NewClosure(newOrdered(r, newArm(r.mech), 2), 2)
	require.NoError(t, c.Set(y, yd, 0))
	check.CloseVec(t, c.Coordinates(), r.q, functionTol, 1, "γ(y)")
	check.CloseVec(t, c.Workspace().Rates(), r.qd, functionTol, 1, "G·ẏ")
	ydd := make([]float64, 2)
	require.NoError(t, c.ForwardTo(ydd, nil))
	a := make([]spatial.ClassicalAccel, len(r.m.Bodies))
	c.Workspace().AccelerationsTo(a, c.JointAccelerations())
	e := check.ReadExpected(t, "rbda-8-3")
	allowed := e.Allowed()
	for i, w := range e.Bodies {
		check.CloseVec(t, a[i][:3], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular", w.Name)
		check.CloseVec(t, a[i][3:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: linear", w.Name)
	}
	rng := check.Rand(5)
	for range 20 {
		for i := range y {
			y[i], yd[i] = y[i]+0.3*rng.NormFloat64(), 3*rng.NormFloat64()
		}
		require.NoError(t, c.Set(y, yd, 0))
		requireIdentities(t, c, functionTol)
	}
}

func requireIdentities(t *testing.T, c *tree.Closure, tol float64) {
	t.Helper()
	e, err := c.Check()
	require.NoError(t, err)
	assert.LessOrEqual(t, e.Position, tol, "φ∘γ = 0")
	assert.LessOrEqual(t, e.Jacobian, tol, "K·G = 0")
	assert.LessOrEqual(t, e.Acceleration, tol, "K·g = k")
}

// TestNumericLoops: Newton's method agrees with the closed form, and the
// dynamics with a ClosedSolver at the same variables.
func TestNumericLoops(t *testing.T) {
	r, y, yd, independent := armRig(t)
	exact := r.plan.NewClosure(newOrdered(r, newArm(r.mech), 2), 2)
	numeric := r.plan.NewClosure(r.plan.NewNumericLoops(independent, r.q), 2)
	solver := r.plan.NewSolver(tree.Lambda, tree.SolverOptions{})
	rng := check.Rand(2)
	a, b := make([]float64, 2), make([]float64, 2)
	for range 10 {
		for i := range y {
			y[i], yd[i] = y[i]+0.2*rng.NormFloat64(), 2*rng.NormFloat64()
		}
		require.NoError(t, exact.Set(y, yd, 0))
		require.NoError(t, numeric.Set(y, yd, 0))
		check.CloseVec(t, numeric.Coordinates(), exact.Coordinates(), newtonTol, 1, "γ(y)")
		requireIdentities(t, numeric, newtonTol)
		tau := r.random(rng)
		require.NoError(t, exact.ForwardTo(a, tau))
		require.NoError(t, numeric.ForwardTo(b, tau))
		scale := math.Max(1, check.MaxAbs(a))
		check.CloseVec(t, b, a, closedTol, scale, "ÿ")
		require.NoError(t, solver.SolveAt(numeric.Coordinates(), numeric.Workspace().Rates(), 0, tau))
		check.CloseVec(t, solver.JointAccelerations(), numeric.JointAccelerations(), closedTol, scale, "q̈")
	}
}

// scalarChoice returns independent variables with coordinates, if complete
// pivoting finds only such.
func scalarChoice(t *testing.T, r *rig) ([]int, bool) {
	t.Helper()
	y := solveClosed(t, r, tree.Projection, tree.SolverOptions{}).IndependentTo(nil)
	for _, d := range y {
		l := &r.plan.Links[linkOfDof(r.plan, int32(d))]
		if !l.Kind.Scalar(d - int(l.Dof)) {
			return nil, false
		}
	}
	return y, true
}

// TestNumericLoopsOfModels closes displaced reference models.
func TestNumericLoopsOfModels(t *testing.T) {
	tested := 0
	for _, name := range check.GoldenModels(t) {
		m := golden(t, name)
		driven := false
		for j := range m.Joints {
			driven = driven || m.Joints[j].Motion != nil
		}
		if driven || name == "random-10-far" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := newRig(t, m, tree.Options{}).atInitial(t)
			indep, ok := scalarChoice(t, r)
			if !ok || r.plan.NumRows() == 0 {
				return
			}
			tested++
			c := r.plan.NewClosure(r.plan.NewNumericLoops(indep, r.q), len(indep))
			y, yd := make([]float64, len(indep)), make([]float64, len(indep))
			rng := check.Rand(4)
			for i, d := range indep {
				// Reference states with scalar variables only have q and q̇ in step.
				l := &r.plan.Links[linkOfDof(r.plan, int32(d))]
				k := d - int(l.Dof) + int(l.Q+l.NumQ-(l.Dof+l.NumDof)+l.Dof-l.Q)
				y[i], yd[i] = r.q[int(l.Q)+k]+0.02*rng.NormFloat64(), r.qd[d]
			}
			require.NoError(t, c.Set(y, yd, 0))
			requireIdentities(t, c, newtonTol)
		})
	}
	require.Greater(t, tested, 8, "models with scalar variables")
}

// TestCloser closes perturbed states of all models at position and velocity
// level, motions included, and leaves chosen variables alone.
func TestCloser(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		rng := check.Rand(8)
		v, rows := r.random(rng), r.plan.NumRows()
		q := r.along(v, 1e-3)
		qd := make([]float64, len(v))
		for d := range qd {
			qd[d] = r.qd[d] + 1e-3*v[d]
		}
		time := r.mech.Initial().Time
		c := r.plan.NewCloser(nil)
		steps, err := c.CloseTo(q, time)
		require.NoError(t, err)
		assert.LessOrEqual(t, steps, 8)
		require.NoError(t, c.CloseRatesTo(qd, q, time))
		delta, rate := make([]float64, rows), make([]float64, rows)
		require.NoError(t, r.w.Set(q, qd, time))
		require.NoError(t, r.w.ErrorsTo(delta, rate))
		tol := newtonTol
		if m.Name == "random-10-far" {
			tol = 1e-8 // positions are rounded to 1e-10 m
		}
		assert.LessOrEqual(t, check.MaxAbs(delta), tol)
		assert.LessOrEqual(t, check.MaxAbs(rate), tol*math.Max(1, check.MaxAbs(qd)))
	})
}

// TestCloserErrors: what cannot be closed is said, and q stays.
func TestCloserErrors(t *testing.T) {
	r, _, _, independent := armRig(t)
	// Both slides of the elbow and the cylinder fixed: the loop is a triangle of
	// given sides.
	two, four := independent[1], 0
	for d := range r.plan.NumDof() {
		if r.plan.DofName(d) == "joint3.0" {
			four = d
		}
	}
	q := append([]float64(nil), r.q...)
	q[four] += 5
	before := append([]float64(nil), q...)
	_, err := r.plan.NewCloser([]int{independent[0], four}).CloseTo(q, 0)
	require.ErrorIs(t, err, tree.ErrNotClosed)
	require.Contains(t, err.Error(), `"joint5"`)
	require.Equal(t, before, q)

	// The elbow and the slide belong to one motion, the base to another.
	err = r.plan.NewCloser([]int{two, four}).CloseRatesTo(r.qd, r.q, 0)
	var bad *tree.IndependentError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, []tree.Entry{{Dof: bad.Open[0].Dof, Name: "joint1.0"}}, bad.Open)
	require.Equal(t, "joint1.0", r.plan.DofName(bad.Open[0].Dof))
	require.NotEmpty(t, bad.Related)
	require.Contains(t, err.Error(), "joint3.0")
}

func ExamplePlan_NewNumericLoops() {
	m, err := model.ReadFile("../reference/golden/rbda-8-3.model.json")
	if err != nil {
		panic(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		panic(err)
	}
	p, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		panic(err)
	}
	w := p.NewWorkspace()
	if err := w.SetState(mech.Initial()); err != nil {
		panic(err)
	}
	q, qd := make([]float64, p.NumQ()), make([]float64, p.NumDof())
	p.CoordinatesTo(q, qd, w.Kinematics(), mech.Initial())
	// The base and the elbow move freely, the actuator follows.
	var y []int
	for d := range p.NumDof() {
		if name := p.DofName(d); name == "joint1.0" || name == "joint4.0" {
			y = append(y, d)
		}
	}
	c := p.NewClosure(p.NewNumericLoops(y, q), len(y))
	if err := c.Set([]float64{0.5, -0.6}, []float64{0, 1}, 0); err != nil {
		panic(err)
	}
	for d, x := range c.Workspace().Rates() {
		fmt.Printf("%s %.4f\n", p.DofName(d), x)
	}
	// Output:
	// joint1.0 0.0000
	// joint4.0 1.0000
	// joint2.0 0.1647
	// joint3.0 0.2473
}
