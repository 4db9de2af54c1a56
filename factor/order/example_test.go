package order_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/mechanism"
)

// How large the factor of a grid is in each order.
func Example() {
	m, err := bench.Grid(20, 1)
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	p := assemble.NewLayout(mech).Pattern
	for _, o := range order.All() {
		fmt.Printf("%-18v %8d numbers in the factor\n", o, factor.Analyze(p, order.Of(p, o)).Counts.NonZeros)
	}
	// Output:
	// natural              145110 numbers in the factor
	// leaf-first           175890 numbers in the factor
	// banded               153859 numbers in the factor
	// min-degree            82051 numbers in the factor
	// nested-dissection     81139 numbers in the factor
}

// An order of one's own has to keep the tile rule: a joint after its bodies does.
func ExampleCheckTileRule() {
	m, err := bench.Ladder(2, 1)
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	p := assemble.NewLayout(mech).Pattern
	perm := make([]int32, p.Len()) // bodies, then joints
	for i := range perm {
		perm[i] = int32(i)
	}
	fmt.Println(order.CheckTileRule(p, perm))
	perm[0], perm[p.Len()-1] = perm[p.Len()-1], perm[0] // the last joint before all bodies
	fmt.Println(order.CheckTileRule(p, perm))
	// Output:
	// <nil>
	// order: joint node 4 at position 0 is neither matched, pendant nor closed
}

// A chain of three bodies between two walls: joints 3 to 6 are before, between and behind the bodies 0, 1, 2.
func ExampleOfBodies() {
	p := sparsetest.Chain(3, true)
	fmt.Println(order.OfBodies(p, []int32{2, 0, 1}))
	fmt.Println(order.CheckTileRule(p, []int32{2, 6, 5, 0, 3, 1, 4}))
	// Output:
	// [2 6 0 3 1 4 5]
	// order: joint node 5 at position 2 is neither matched, pendant nor closed
}
