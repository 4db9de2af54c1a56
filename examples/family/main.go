// Command family makes a family of mechanisms that grows, a girder of n bays, and fits how the work of one factorization grows with
// it: by the sparse system, and by a joint-space matrix of a spanning tree.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// girder returns n bays of two chords, each with a post at its end, all on hinges: a mechanism, as nothing is braced.
func girder(n int) (*rung.Plan, error) {
	b := rung.NewBuilder(fmt.Sprint("girder of ", n)).Gravity(0, -9.81, 0)
	z := spatial.Vec3{0, 0, 1}
	low, high := rung.World, rung.World
	for i := range n {
		p := [4]spatial.Vec3{{float64(i), 0}, {float64(i), 1}, {float64(i + 1), 0}, {float64(i + 1), 1}}
		lower, upper := b.Rod(fmt.Sprint("lower ", i), 1, 0.02, p[0], p[2]), b.Rod(fmt.Sprint("upper ", i), 1, 0.02, p[1], p[3])
		post := b.Rod(fmt.Sprint("post ", i), 1, 0.02, p[2], p[3])
		b.Revolute(fmt.Sprint("l", i), low, lower, p[0], z)
		b.Revolute(fmt.Sprint("u", i), high, upper, p[1], z)
		b.Revolute(fmt.Sprint("a", i), lower, post, p[2], z)
		b.Revolute(fmt.Sprint("b", i), upper, post, p[3], z)
		low, high = post, post
	}
	m, err := b.Model()
	if err != nil {
		return nil, err
	}
	return rung.NewPlan(m, rung.Options{})
}

func run() error {
	var size, sparse, direct []float64
	for _, n := range []int{10, 20, 40, 80} {
		plan, err := girder(n)
		if err != nil {
			return err
		}
		span, err := tree.NewPlan(plan.Mechanism(), tree.Options{})
		if err != nil {
			return err
		}
		s := span.NewSolver(tree.Direct, tree.SolverOptions{})
		if err := s.Solve(plan.Initial()); err != nil {
			return err
		}
		work, joint := plan.Counts().Flops, s.Counts().Flops
		fmt.Printf("%3d bodies: sparse %7d flops, tree %9d flops\n", plan.Mechanism().NumBodies(), work, joint)
		size = append(size, math.Log(float64(plan.Mechanism().NumBodies())))
		sparse, direct = append(sparse, math.Log(float64(work))), append(direct, math.Log(float64(joint)))
	}
	fmt.Printf("sparse n^%.2f, tree n^%.2f\n", slope(size, sparse), slope(size, direct))
	return nil
}

// slope returns the slope of the line through points with the least squares.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		n, sx, sy, sxx, sxy = n+1, sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
