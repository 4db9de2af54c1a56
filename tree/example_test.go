package tree_test

import (
	"fmt"
	"math"

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
