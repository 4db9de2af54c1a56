package tree_test

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
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

// chain returns the tree of n links on hinges, and a workspace at its state.
func chain(n int) (*tree.Plan, *tree.Workspace) {
	m, err := bench.Chain(n, 1)
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
	w := p.NewWorkspace()
	if err := w.SetState(mech.Initial()); err != nil {
		log.Fatal(err)
	}
	return p, w
}

// Forward dynamics by the factors of H, with a force at the tip of the chain. Articulated bodies (ForwardTo) do not form H. On long
// chains H has a large condition number, and refinements bring the digits back (ForwardByInertiaTo).
func ExampleBranchMatrix_SolveTo() {
	p, w := chain(20)
	n := p.NumDof()
	tau, C := make([]float64, n), make([]float64, n)
	pull := spatial.Force{0, 0, 0, 5, 0, 0} // N, at the centre of mass of the last link
	w.AddGeneralizedForceTo(tau, len(p.Links)-1, tree.World, &pull, 1)
	w.InverseTo(C, nil)
	H, F := p.NewBranchMatrix(), p.NewBranchMatrix()
	w.InertiaTo(H)
	H.CopyTo(F)
	if err := F.FactorLTL(); err != nil { // or FactorLTDL, which takes no roots
		log.Fatal(err)
	}
	byH, byBodies, refined := make([]float64, n), make([]float64, n), make([]float64, n)
	for d := range byH {
		byH[d] = tau[d] - C[d]
	}
	F.SolveTo(byH, byH)
	if err := w.ForwardTo(byBodies, tau); err != nil {
		log.Fatal(err)
	}
	if err := w.ForwardByInertiaTo(refined, tau, p.NewBranchMatrix(), 2); err != nil {
		log.Fatal(err)
	}
	apart := [2]float64{}
	for d, a := range byBodies {
		apart[0] = max(apart[0], math.Abs(byH[d]-a))
		apart[1] = max(apart[1], math.Abs(refined[d]-a))
	}
	fmt.Println("apart by less than 1e-9 rad/s²:", apart[0] < 1e-9, apart[1] < 1e-9)
	c := p.BranchCounts()
	fmt.Printf("%d entries, %d flops\n", c.NonZeros, c.Flops)
	// Output:
	// apart by less than 1e-9 rad/s²: true true
	// 210 entries, 2850 flops
}

// A step of Runge's midpoint rule with the state x = (q, q̇), for integrators of one's own.
func ExampleWorkspace_DerivativeTo() {
	p, w := chain(2)
	x := []float64{0.1, 0, 0, 0}
	dx, mid := make([]float64, len(x)), make([]float64, len(x))
	const h = 1e-3
	for step := range 1000 {
		t := float64(step) * h
		if err := w.DerivativeTo(dx, x, t, nil); err != nil {
			log.Fatal(err)
		}
		for i := range x {
			mid[i] = x[i] + h/2*dx[i]
		}
		if err := w.DerivativeTo(dx, mid, t+h/2, nil); err != nil {
			log.Fatal(err)
		}
		for i := range x {
			x[i] += h * dx[i]
		}
	}
	fmt.Printf("%d coordinates, q = %.3f rad\n", p.NumQ(), x[:2])
	// Output:
	// 2 coordinates, q = [-0.045 -0.068] rad
}
