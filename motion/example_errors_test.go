package motion_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// A crank that is longer than its rod can reach turns until the rod is in line with it: there the motion ends.
func ExampleStuckError() {
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("slider-crank")
	crank := b.Rod("crank", 1, 0.01, spatial.Vec3{}, spatial.Vec3{0.5, 0, 0})
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{0.5, 0, 0}, spatial.Vec3{0.8, 0, 0})
	slider := b.Rod("slider", 1, 0.05, spatial.Vec3{0.8, 0, 0}, spatial.Vec3{0.9, 0, 0})
	shaft := b.Revolute("shaft", rung.World, crank, spatial.Vec3{}, z)
	shaft.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 1}}} // 1 rad/s
	b.Revolute("pin", crank, rod, spatial.Vec3{0.5, 0, 0}, z)
	b.Revolute("wrist", rod, slider, spatial.Vec3{0.8, 0, 0}, z)
	b.Prismatic("guide", rung.World, slider, spatial.Vec3{0.8, 0, 0}, spatial.Vec3{1, 0, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	f := motion.NewFollower(plan)
	if err := f.Start(ctx); errors.Is(err, motion.ErrFree) {
		log.Fatal("the motions leave freedoms: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
	err = f.To(ctx, 2*math.Pi)
	var stuck *motion.StuckError
	if !errors.As(err, &stuck) {
		log.Fatal(err)
	}
	switch stuck.Why {
	case motion.DeadPosition:
		fmt.Printf("dead position at %.4f s; 0.5·sin t = 0.3 at %.4f s\n", stuck.Time, math.Asin(0.3/0.5))
	case motion.SingularPosition, motion.BranchJump:
		fmt.Println("another end:", stuck)
	}
	// Output:
	// dead position at 0.6435 s; 0.5·sin t = 0.3 at 0.6435 s
}

// What 100 N along the normal under each wheel do to the freedoms of a rover, and how fast the wheels slip over the ground.
func ExampleWheels() {
	m, err := bench.Generate("rover", 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := tree.NewPlan(plan.Mechanism(), tree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	st := t.NewWorkspace()
	if err := st.SetState(plan.Initial()); err != nil {
		log.Fatal(err)
	}
	wheels := motion.NewWheels(t)
	if err := wheels.Set(st); err != nil {
		log.Fatal(err)
	}
	tau, slip := make([]float64, t.NumDof()), 0.0
	for i := range wheels.NumRows() {
		row, is := wheels.Row(i)
		switch is.By {
		case contact.ByN:
			for d, x := range wheels.Push(i) {
				tau[d] += 100 * x
			}
		case contact.ByX:
			v := 0.0
			for d, x := range row {
				v += x * st.Rates()[d]
			}
			slip = max(slip, math.Abs(v))
		}
	}
	fmt.Printf("%.0f N upwards on the hull by %d wheels, which slip by %.2f m/s\n", tau[5], plan.Mechanism().NumContacts(), slip)
	// Output:
	// 400 N upwards on the hull by 4 wheels, which slip by 0.00 m/s
}
