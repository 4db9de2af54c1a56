// Command jansen turns the crank of Theo Jansen's leg once around, and prints the extent of the foot's path and the torque on the crank.
// The leg is made of rods pinned to each other, even its two triangles.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The lengths that Theo Jansen published for his leg (strandbeest.com), here in centimetres. b to k are lengths of rods. The pivot is
// at the horizontal distance a and the vertical distance l from the axis of the crank, whose radius is m.
const (
	a, b, c, d, e, f, g, h, i, j, k = 38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9
	l, m                            = 7.8, 15

	speed   = 2 * math.Pi // rad/s
	density = 1.2         // kg/m
	steps   = 360         // in a turn
)

// The points of the leg.
const (
	shaft = iota
	pivot
	pin    // of the crank, j, k
	upper  // of b, e, j
	rear   // of d, e, f
	lower  // of c, g, i, k
	ankle  // of f, g, h
	foot   // of h, i
	points // number of points
)

// rods lists the rods by their ends.
var rods = []struct {
	name     string
	from, to int
}{
	{"crank", shaft, pin}, {"j", pin, upper}, {"k", pin, lower}, {"b", pivot, upper}, {"d", pivot, rear}, {"e", upper, rear},
	{"c", pivot, lower}, {"f", rear, ankle}, {"g", lower, ankle}, {"h", ankle, foot}, {"i", lower, foot},
}

// leg returns the points, m, at an angle of the crank, rad, by intersections of circles.
func leg(angle float64) (p [points]spatial.Vec3) {
	p[pivot] = spatial.Vec3{-a / 100., -l / 100.}
	p[pin] = spatial.Vec3{m * math.Cos(angle) / 100, m * math.Sin(angle) / 100}
	p[upper] = meet(p[pin], j, p[pivot], b)
	p[rear] = meet(p[upper], e, p[pivot], d)
	p[lower] = meet(p[pivot], c, p[pin], k)
	p[ankle] = meet(p[rear], f, p[lower], g)
	p[foot] = meet(p[ankle], h, p[lower], i)
	return p
}

// meet returns the point at the distances r from p and s from q, cm, that lies to the right of the line from p to q. p and q are in m.
func meet(p spatial.Vec3, r float64, q spatial.Vec3, s float64) spatial.Vec3 {
	r, s = r/100, s/100
	line := q.Sub(p)
	n := line.Norm()
	along := (r*r - s*s + n*n) / (2 * n)
	x := line.Scale(1 / n)
	side := spatial.Vec3{x[1], -x[0]}
	return p.Add(x.Scale(along)).Add(side.Scale(math.Sqrt(r*r - along*along)))
}

// build returns the model of the leg at the angle 0 of its crank, which turns at a constant speed, the number of the crank's joint
// (crank), and the number of the rod h, which ends at the foot (last).
func build() (mod *model.Model, crank, last int, err error) {
	p := leg(0)
	bld := rung.NewBuilder("jansen").Gravity(0, -9.81, 0)
	z := spatial.Vec3{0, 0, 1}
	first := [points]rung.Body{} // the body to which the others at a point are pinned
	for at := range first {
		first[at] = rung.World
	}
	seen := [points]bool{shaft: true, pivot: true}
	for _, r := range rods {
		from, to := p[r.from], p[r.to]
		body := bld.Rod(r.name, density*to.Sub(from).Norm(), 0.005, from, to)
		if r.name == "h" {
			last = body.Index()
		}
		for _, at := range []int{r.from, r.to} {
			if !seen[at] {
				first[at], seen[at] = body, true
				continue
			}
			joint := bld.Revolute(fmt.Sprint(r.name, " at ", at), first[at], body, p[at], z)
			if at == shaft {
				crank = joint.Index()
				joint.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, speed}}}
			}
		}
	}
	mod, err = bld.Model()
	return mod, crank, last, err
}

// run turns the crank once in steps, closes and solves each pose, and prints the extent of the foot's path and the torque beside
// values by hand.
func run() error {
	mod, crank, last, err := build()
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(mod, rung.Options{})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	solver, closer, st := plan.NewSolver(), closing.NewCloser(plan, closing.Options{}), plan.Initial()

	var off, mean, most, left, right, low, high float64
	left, low, right, high = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for n := range steps {
		st.Time = float64(n) / steps
		// The motion at st.Time turns the crank; the other bodies are closed from their poses of the step before.
		if err := closer.ClosePositions(st); err != nil {
			return err
		}
		if err := closer.ProjectVelocities(st); err != nil {
			return err
		}
		if err := solver.Solve(st); err != nil {
			return err
		}
		tip := st.Bodies[last].Position.Add(st.Bodies[last].Rotation.Rotate(spatial.Vec3{h / 100}))
		want := leg(speed * st.Time)[foot]
		off = max(off, tip.Sub(want).Norm())
		left, right, low, high = min(left, tip[0]), max(right, tip[0]), min(low, tip[1]), max(high, tip[1])
		torque := solver.ConstraintWrench(crank).Moment()[2]
		mean, most = mean+torque/steps, max(most, math.Abs(torque))
	}
	report, err := solver.Report()
	if err != nil {
		return err
	}
	fmt.Printf("%d rods, %d joints, mobility beside the crank %d\n", mech.NumBodies(), mech.NumJoints(), report.Mobility)
	fmt.Printf("the foot goes %.1f mm forth and %.1f mm up\n", 1000*(right-left), 1000*(high-low))
	fmt.Printf("largest distance from its place by intersections of circles: %.6f mm, by hand 0\n", 1000*off)
	fmt.Printf("torque: at most %.2f N m, on average over a turn %.4f N m, by hand 0\n", most, math.Abs(mean))
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
