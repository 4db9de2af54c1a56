package tree_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// A rod of 1 m and 1 kg on a hinge at its end, held out at right angles to
// gravity, falls with 3g/2L.
func ExampleWorkspace_ForwardTo() {
	m := model.New("rod")
	m.Bodies = []model.Body{{
		Name: "rod", Mass: 1, Com: [3]float64{0, 0, -0.5}, Inertia: model.Inertia{XX: 1.0 / 12, YY: 1.0 / 12, ZZ: 1e-4},
	}}
	across := [4]float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0} // the joint's z along x
	m.Joints = []model.Joint{{
		Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "rod",
		PredecessorFrame: model.Pose{Orientation: across}, SuccessorFrame: model.Pose{Orientation: across},
	}}
	mech, err := mechanism.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := p.NewWorkspace()
	if err := w.Set([]float64{math.Pi / 2}, []float64{0}, 0); err != nil {
		fmt.Println(err)
		return
	}
	qdd := make([]float64, 1)
	if err := w.ForwardTo(qdd, nil); err != nil {
		fmt.Println(err)
		return
	}
	H := p.NewBranchMatrix()
	w.InertiaTo(H)
	fmt.Printf("acceleration %.4g rad/s², inertia %.4g kg m²\n", qdd[0], H.At(0, 0))
	// Output:
	// acceleration -14.71 rad/s², inertia 0.3333 kg m²
}

// plan returns the tree of a family's member, and the state of its model.
func plan(family string, n int) (*tree.Plan, *mechanism.State, error) {
	m, err := bench.Generate(family, n, 1)
	if err != nil {
		return nil, nil, err
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, nil, err
	}
	p, err := tree.NewPlan(mech, tree.Options{})
	return p, mech.Initial(), err
}

// The inertia matrix of a chain of links has a factor of its own pattern, without fill-in: LᵀL solves H·q̈ = τ at the cost of the
// entries (RBDA §6.5).
func ExampleBranchMatrix() {
	p, st, err := plan("chain", 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := p.NewWorkspace()
	if err := w.SetState(st); err != nil {
		fmt.Println(err)
		return
	}
	H, L := p.NewBranchMatrix(), p.NewBranchMatrix()
	w.InertiaTo(H)
	H.CopyTo(L)
	if err := L.FactorLTL(); err != nil {
		fmt.Println(err) // a *PivotError names the joint whose inertia is zero
		return
	}
	tau, qdd, back := make([]float64, p.NumDof()), make([]float64, p.NumDof()), make([]float64, p.NumDof())
	tau[0] = 1
	L.SolveTo(qdd, tau)
	H.MulVecTo(back, qdd)
	fmt.Printf("%d freedoms, %d entries, torques %.3f %.3f N m\n", p.NumDof(), p.BranchNonzeros(), back[0], math.Abs(back[1]))
	// Output:
	// 20 freedoms, 210 entries, torques 1.000 0.000 N m
}

// The loops of two four-bars are closed for a crank angle that the user chooses, and their one equation of motion,
// GᵀHG·ÿ = Gᵀ(τ − C − H·g), is formed in that angle (RBDA §8.11). The projection (RBDA §8.8) finds the same from the rows of the loops,
// as q̈ = G·ÿ + g.
func ExamplePlan_NewClosure() {
	p, st, err := plan("nfourbar", 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := p.NewSolver(tree.Projection, tree.SolverOptions{Independent: []int{0}})
	if err := s.Solve(st); err != nil {
		fmt.Println(err)
		return
	}
	crank := s.IndependentTo(nil)
	closer := p.NewCloser(crank)
	q, qd := make([]float64, p.NumQ()), make([]float64, p.NumDof())
	p.CoordinatesTo(q, qd, s.Workspace().Kinematics(), st)
	q[0] += 0.1
	if _, err := closer.CloseTo(q, 0); err != nil {
		fmt.Println(err) // ErrNotClosed, with the joint that is farthest from closed
		return
	}
	c := p.NewClosure(p.NewNumericLoops(crank, q), len(crank))
	if err := c.Set([]float64{q[0]}, []float64{2}, 0); err != nil {
		fmt.Println(err)
		return
	}
	ydd := make([]float64, len(crank))
	if err := c.ForwardTo(ydd, nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := s.SolveAt(c.Coordinates(), c.Workspace().Rates(), 0, nil); err != nil {
		fmt.Println(err)
		return
	}
	G, g := make([]float64, p.NumDof()), make([]float64, p.NumDof())
	s.ExplicitTo(G, g)
	last := p.NumDof() - 1
	fmt.Printf("crank %.4f rad/s², last joint %.4f = %.4f rad/s²\n", ydd[0], c.JointAccelerations()[last], G[last]*ydd[0]+g[last])
	fmt.Println(s.Report().Rank, "of", s.Report().Rows, "rows count")
	// Output:
	// crank 5.4870 rad/s², last joint 5.4870 = 5.4870 rad/s²
	// 4 of 10 rows count
}
