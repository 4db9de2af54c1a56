package interop_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/sparse/interop"
)

// A body of two rows and a joint of one row, the joint first.
func ExampleSymmetric() {
	p := sparse.NewPattern([]int8{2, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m := sparse.NewMatrix(p)
	copy(m.Dia, []float64{2, 0, 0, 4})
	copy(m.Val, []float64{0, 1})

	fmt.Println(mat.Formatted(interop.Symmetric(m, []int32{1, 0})))
	// Output:
	// ⎡0  0  1⎤
	// ⎢0  2  0⎥
	// ⎣1  0  4⎦
}
