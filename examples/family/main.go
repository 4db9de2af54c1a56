// Command family makes a family of mechanisms, girders of n bays, and fits a power of n to the work of one factorization: of the sparse
// system, and of a joint-space matrix of a spanning tree.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// girder returns n bays of two chords with a post at the end of each bay, all on hinges. It is a mechanism, as no bay is braced.
func girder(n int) (*model.Model, error) {
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
	return b.Model()
}

// main measures girders of four sizes by two methods, and prints the fitted exponents of their work.
func main() {
	girders := []growth.Family{{Name: "girder", Model: girder, Sizes: []int{10, 20, 40, 80}}}
	o := growth.Options{Methods: []string{"sparse", "tree-direct"}, MinTime: time.Millisecond}
	doc, err := growth.Measure(context.Background(), girders, o)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range doc.Records {
		fmt.Printf("%-11s %3d bodies: %8d flops\n", r.Method, r.Bodies, r.FactorFlops)
	}
	for _, f := range growth.Fits(doc.Records, growth.Flops) {
		fmt.Printf("%-11s n^(%.2f ± %.2f)\n", f.Method, *f.Exponent, *f.ExponentError)
	}
}
