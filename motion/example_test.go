package motion_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// A rod of 1 m falls from level, and is fastest where it hangs.
func Example() {
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.001, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(plan.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{})
	run := sim.New(plan.Mechanism(), method, plan.Initial(), sim.Options{Projector: d})
	for range 3 {
		if err := run.Run(run.State().Time + 0.2); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f s: %.4f rad/s\n", run.State().Time, run.State().Bodies[0].Omega[1])
	}
	// Output:
	// 0.2 s: 2.9177 rad/s
	// 0.4 s: 5.1546 rad/s
	// 0.6 s: 4.9073 rad/s
}

// A crank that turns as a motion says takes its slider along: nothing is integrated.
func ExampleFollower() {
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("slider-crank")
	crank := b.Rod("crank", 1, 0.01, spatial.Vec3{}, spatial.Vec3{0.3, 0, 0})
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{0.3, 0, 0}, spatial.Vec3{1.3, 0, 0})
	slider := b.Rod("slider", 1, 0.05, spatial.Vec3{1.3, 0, 0}, spatial.Vec3{1.5, 0, 0})
	shaft := b.Revolute("shaft", rung.World, crank, spatial.Vec3{}, z)
	shaft.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 2 * math.Pi}}} // a turn a second
	b.Revolute("pin", crank, rod, spatial.Vec3{0.3, 0, 0}, z)
	b.Revolute("wrist", rod, slider, spatial.Vec3{1.3, 0, 0}, z)
	b.Prismatic("guide", rung.World, slider, spatial.Vec3{1.3, 0, 0}, spatial.Vec3{1, 0, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	f := motion.NewFollower(plan)
	if err := f.Start(ctx); err != nil {
		log.Fatal(err)
	}
	for _, t := range []float64{0.25, 0.5} {
		if err := f.To(ctx, t); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f s: slider at %.4f m\n", t, f.State().Bodies[slider.Index()].Position[0])
	}
	// Output:
	// 0.25 s: slider at 0.9539 m
	// 0.50 s: slider at 0.7000 m
}
