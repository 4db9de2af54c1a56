package closing_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// A crank, a coupler and a rocker that do not quite meet.
func ExampleNewCloser() {
	b := rung.NewBuilder("four-bar")
	z := spatial.Vec3{0, 0, 1}
	crank := b.Rod("crank", 1, 0.02, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	coupler := b.Rod("coupler", 2, 0.02, spatial.Vec3{0, 1, 0}, spatial.Vec3{1.9, 1.1, 0})
	rocker := b.Rod("rocker", 1, 0.02, spatial.Vec3{2, 0, 0}, spatial.Vec3{2, 1.2, 0})
	b.Revolute("p1", rung.World, crank, spatial.Vec3{}, z)
	b.Revolute("p2", crank, coupler, spatial.Vec3{0, 1, 0}, z)
	b.Revolute("p3", rung.World, rocker, spatial.Vec3{2, 0, 0}, z)
	tip := b.Revolute("p4", coupler, rocker, spatial.Vec3{2, 1.2, 0}, z)
	tip.PredecessorFrame = model.Pose{Position: [3]float64{1.9, 0, 0}} // the end of the coupler
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	c, st := closing.NewCloser(plan, closing.Options{Nearest: true}), plan.Initial()
	if err := c.ClosePositions(st); err != nil {
		log.Fatal(err)
	}
	k := c.Closing()
	fmt.Printf("off by %.4f m before, closed after: %v\n", k.Before, k.After < 1e-12)
	fmt.Printf("the %s moves farthest, %.4f m\n", m.Bodies[k.TravelBody].Name, k.Travel)
	// Output:
	// off by 0.1077 m before, closed after: true
	// the coupler moves farthest, 0.0494 m
}
