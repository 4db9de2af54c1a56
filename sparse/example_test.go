package sparse_test

import (
	"fmt"
	"os"

	"github.com/rung-mbd/rung/sparse"
)

// A body of two rows and a joint of one row that holds its second component.
func ExampleMatrix() {
	p := sparse.NewPattern([]int8{2, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m := sparse.NewMatrix(p)
	copy(m.Dia, []float64{2, 0, 0, 4}) // the body's diagonal block
	copy(m.Val, []float64{0, 1})       // the joint's block in the body's columns

	b := make([]float64, p.Dim())
	m.MulVecTo(b, []float64{1, 2, 3})
	fmt.Println(b)
	if err := m.WriteMatrixMarket(os.Stdout, "body and joint"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [2 11 2]
	// %%MatrixMarket matrix coordinate real symmetric
	// % body and joint
	// 3 3 3
	// 1 1 2
	// 2 2 4
	// 3 2 1
}
