package order_test

import (
	"fmt"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
)

// A chain of three bodies between two walls: joints 3 to 6 are before, between and behind the bodies 0, 1, 2.
func ExampleOfBodies() {
	p := sparsetest.Chain(3, true)
	fmt.Println(order.OfBodies(p, []int32{2, 0, 1}))
	fmt.Println(order.CheckTileRule(p, []int32{2, 6, 5, 0, 3, 1, 4}))
	// Output:
	// [2 6 0 3 1 4 5]
	// order: joint node 5 at position 2 is neither matched, pendant nor closed
}
