package tree_test

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// parallelogram returns the tree of a swing: a bench of 2 m on two bars of 1 m, which are turned out of the vertical by 30°. The joints
// are built at this pose, where their coordinates are zero. The tree is left bar, bench, right bar; the fourth hinge closes the loop.
func parallelogram() *tree.Plan {
	x, y := math.Sin(math.Pi/6), -math.Cos(math.Pi/6)
	axis := spatial.Vec3{0, 0, 1}
	rod := func(mass, length float64) bodies.Body {
		i := mass * length * length / 12
		b, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{i, i, i})
		if err != nil {
			log.Fatal(err)
		}
		return b
	}
	b := build.New("swing").Gravity(0, -9.81, 0)
	left := b.Body("left", rod(1, 1), build.At(x/2, y/2, 0))
	right := b.Body("right", rod(1, 1), build.At(2+x/2, y/2, 0))
	bench := b.Body("bench", rod(5, 2), build.At(1+x, y, 0))
	b.Revolute("A", build.World, left, spatial.Vec3{}, axis)
	b.Revolute("D", build.World, right, spatial.Vec3{2, 0, 0}, axis)
	b.Revolute("B", left, bench, spatial.Vec3{x, y, 0}, axis)
	b.Revolute("C", bench, right, spatial.Vec3{2 + x, y, 0}, axis)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	p, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A controller that keeps its own joint variables solves at q, q̇ and τ. The explicit form q̈ = G·ÿ + g tells what the independent
// variable does to the others.
func ExampleClosedSolver_SolveAt() {
	p := parallelogram()
	s := p.NewSolver(tree.Projection, tree.SolverOptions{Independent: []int{0}})
	q, qd, tau := make([]float64, p.NumQ()), make([]float64, p.NumDof()), make([]float64, p.NumDof())
	tau[0] = 10 // N m at the left bar
	if err := s.SolveAt(q, qd, 0, tau); err != nil {
		log.Fatal(err)
	}
	r := s.Report()
	fmt.Printf("mobility %d, %d of %d rows redundant\n", r.Mobility, r.Redundant, r.Rows)
	G, g := make([]float64, p.NumDof()*r.Mobility), make([]float64, p.NumDof())
	s.ExplicitTo(G, g)
	for d, a := range s.JointAccelerations() {
		fmt.Printf("%s: %.3f rad/s², %+.0f of %s\n", p.DofName(d), a, G[d], p.DofName(s.IndependentTo(nil)[0]))
	}
	// Output:
	// mobility 1, 3 of 5 rows redundant
	// A.0: -3.429 rad/s², +1 of A.0
	// B.0: 3.429 rad/s², -1 of A.0
	// D.0: -3.429 rad/s², +1 of A.0
}

// The parts of the equation of motion, for a method of one's own: H·q̈ + C = τ + Kᵀλ and K·q̈ = k.
func ExampleWorkspace_ConstraintsTo() {
	p := parallelogram()
	s := p.NewSolver(tree.Lambda, tree.SolverOptions{Stabilization: tree.CriticallyDamped(0.1)})
	st := p.Mechanism().Initial()
	tau := []float64{10, 0, 0}
	if err := s.SolveForced(st, tau); err != nil {
		log.Fatal(err)
	}
	w, H, K := p.NewWorkspace(), p.NewBranchMatrix(), p.NewConstraints()
	if err := w.SetState(st); err != nil {
		log.Fatal(err)
	}
	if err := w.ConstraintsTo(K); err != nil {
		log.Fatal(err)
	}
	delta, rate := make([]float64, p.NumRows()), make([]float64, p.NumRows())
	if err := w.ErrorsTo(delta, rate); err != nil {
		log.Fatal(err)
	}
	w.InertiaTo(H)

	// What is left of both equations at the solution.
	qdd := s.JointAccelerations()
	left, C := make([]float64, p.NumDof()), make([]float64, p.NumDof())
	H.MulVecTo(left, qdd)
	w.InverseTo(C, nil)
	for d := range left {
		left[d] = tau[d] - C[d] - left[d]
	}
	K.AddMulTransTo(left, s.Multipliers())
	rows := make([]float64, p.NumRows())
	K.MulVecTo(rows, qdd)
	small := true
	for d := range left {
		small = small && math.Abs(left[d]) < 1e-12
	}
	for i, k := range K.Rhs() {
		small = small && math.Abs(rows[i]-k) < 1e-12 && math.Abs(delta[i])+math.Abs(rate[i]) < 1e-12
	}
	fmt.Println("both hold, and the loop is closed:", small)
	// Output:
	// both hold, and the loop is closed: true
}

// swing is the loop function of the parallelogram: the right bar turns as the left one does, and the bench stays level.
type swing struct{}

func (swing) PositionTo(q, y []float64) error {
	q[0], q[1], q[2] = y[0], -y[0], y[0]
	return nil
}

func (swing) JacobianTo(G, g, y, yd []float64) error {
	G[0], G[1], G[2] = 1, -1, 1
	clear(g)
	return nil
}

// Loops that have been solved by hand need no constraints: one equation for one angle. Loops that nobody has solved take
// NewNumericLoops in place of a function of one's own.
func ExamplePlan_NewClosure() {
	p := parallelogram()
	for _, f := range []tree.LoopFunction{swing{}, p.NewNumericLoops([]int{0}, make([]float64, p.NumQ()))} {
		c := p.NewClosure(f, 1)
		if err := c.Set([]float64{0.1}, []float64{2}, 0); err != nil {
			log.Fatal(err)
		}
		e, err := c.Check() // is the function right?
		if err != nil {
			log.Fatal(err)
		}
		ydd := make([]float64, 1)
		if err := c.ForwardTo(ydd, nil); err != nil {
			log.Fatal(err)
		}
		q, qdd := c.Coordinates(), c.JointAccelerations()
		fmt.Printf("bench at %.3f rad: %.3f and %.3f rad/s², right: %v\n", q[1], ydd[0], qdd[1],
			max(e.Position, e.Jacobian, e.Acceleration) < 1e-12)
	}
	// Output:
	// bench at -0.100 rad: -6.066 and 6.066 rad/s², right: true
	// bench at -0.100 rad: -6.066 and 6.066 rad/s², right: true
}

// Torques that hold the swing still, and a check of them: the tree's generalized forces by AddTo.
func ExampleInverse_AddTo() {
	p := parallelogram()
	v := p.NewInverse(tree.Lambda, []mechanism.Freedom{{Joint: 0, Freedom: 0}}, nil)
	st := p.Mechanism().Initial()
	if err := v.Solve(st, make([]float64, p.NumDof())); err != nil {
		log.Fatal(err)
	}
	if err := v.Holds(); err != nil { // does the state satisfy the joints?
		log.Fatal(err)
	}
	fmt.Printf("%.2f N m, %d of %d motions controlled\n", v.Forces()[0], v.Controlled(), v.Mobility())
	tau := make([]float64, p.NumDof())
	v.AddTo(tau)
	s := p.NewSolver(tree.Direct, tree.SolverOptions{})
	if err := s.SolveForced(st, tau); err != nil {
		log.Fatal(err)
	}
	if err := s.Holds(); err != nil {
		log.Fatal(err)
	}
	still := true
	for _, a := range s.JointAccelerations() {
		still = still && math.Abs(a) < 1e-12
	}
	fmt.Println("still:", still)
	// Output:
	// 29.43 N m, 1 of 1 motions controlled
	// still: true
}
