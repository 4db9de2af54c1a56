package mobility_test

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/spatial"
)

// A five-bar has two motions, and the hinges of its cranks can be its coordinates. Next to the pose in which the couplers lie in line they
// cannot.
func ExampleIndependent() {
	for _, height := range []float64{0.6, 0.301} { // of the tip; the elbows are at 0.3
		b := rung.NewBuilder("five-bar")
		z, tip := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, height}
		var cranks []mechanism.Freedom
		var couplers [2]rung.Body
		for i, side := range [2]float64{-1, 1} {
			foot, elbow := spatial.Vec3{0.2 * side}, spatial.Vec3{0.4 * side, 0.3}
			crank := b.Rod(fmt.Sprint("crank ", i), 1, 0.01, foot, elbow)
			couplers[i] = b.Rod(fmt.Sprint("coupler ", i), 1, 0.01, elbow, tip)
			cranks = append(cranks, mechanism.Freedom{Joint: b.Revolute(fmt.Sprint("motor ", i), rung.World, crank, foot, z).Index()})
			b.Revolute(fmt.Sprint("elbow ", i), crank, couplers[i], elbow, z)
		}
		b.Revolute("tip", couplers[0], couplers[1], tip, z)
		m, _ := b.Model()
		p, _ := rung.NewPlan(m, rung.Options{})
		asked, err := mobility.Independent(p, p.Initial(), cranks)
		if err != nil {
			panic(err)
		}
		free, err := mobility.Independent(p, p.Initial(), nil)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d motions: cranks %.3g, chosen", free.Mobility, asked.Condition)
		for _, f := range free.Freedoms {
			fmt.Printf(" %q", m.Joints[f.Joint].Name)
		}
		fmt.Printf(" %.3g\n", free.Condition)
	}
	// Output:
	// 2 motions: cranks 1.16, chosen "elbow 0" "elbow 1" 3.45
	// 2 motions: cranks 203, chosen "motor 0" "tip" 3.28
}

// The motions of a four-bar parallelogram of arms of 1 m, by the rate of its motor: the coupler only translates, and its hinge turns back as
// fast as the motor turns.
func ExampleIndependents() {
	b, z := rung.NewBuilder("parallelogram"), spatial.Vec3{0, 0, 1}
	left := b.Rod("left", 1, 0.01, spatial.Vec3{}, spatial.Vec3{0, 1})
	right := b.Rod("right", 1, 0.01, spatial.Vec3{2}, spatial.Vec3{2, 1})
	coupler := b.Rod("coupler", 1, 0.01, spatial.Vec3{0, 1}, spatial.Vec3{2, 1})
	motor := b.Revolute("motor", rung.World, left, spatial.Vec3{}, z)
	b.Revolute("foot", rung.World, right, spatial.Vec3{2}, z)
	hinge := b.Revolute("hinge", left, coupler, spatial.Vec3{0, 1}, z)
	b.Revolute("far", right, coupler, spatial.Vec3{2, 1}, z)
	m, err := b.Model()
	if err != nil {
		panic(err)
	}
	p, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		panic(err)
	}
	free, err := mobility.Independent(p, p.Initial(), []mechanism.Freedom{{Joint: motor.Index()}})
	if err != nil {
		panic(err)
	}
	v, rates := make([]float64, 6*len(m.Bodies)), []float64{2} // rad/s
	free.VelocitiesTo(v, rates)
	fmt.Printf("coupler: %.2f m/s along x\n", v[6*coupler.Index()+3])
	fmt.Printf("hinge: %.2f of the motor\n", free.Dependence(mechanism.Freedom{Joint: hinge.Index()}))
	free.RatesTo(rates, v)
	fmt.Printf("motor: %.2f rad/s\n", rates)
	// Output:
	// coupler: -2.00 m/s along x
	// hinge: [-1.00] of the motor
	// motor: [2.00] rad/s
}
