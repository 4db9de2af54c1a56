package factor_test

import (
	"fmt"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// doorSystem is a body of two rows, of masses 2 and 4, whose second coordinate
// three joints of one row each hold: two of them too many.
func doorSystem() (*sparse.Matrix, []float64) {
	size, sign := []int8{2, 1, 1, 1}, []int8{1, -1, -1, -1}
	p := sparse.NewPattern(size, sign, []int32{0, 0, 1, 2, 3}, []int32{0, 0, 0})
	m := sparse.NewMatrix(p)
	copy(m.Dia, []float64{2, 0, 0, 4})
	copy(m.Val, []float64{0, 1, 0, 1, 0, 1})
	scale := []float64{0, 0, 0.25, 0.25, 0.25} // J·M⁻¹·Jᵀ of each row
	return m, scale
}

// Analyse once, then factor and solve as often as values change.
func ExampleFactor() {
	m, scale := doorSystem()
	s, used, _ := factor.Choose(m.Pattern, order.Auto, 1)
	f := s.NewFactor()
	if err := f.Factorize(m, scale, 1e-12, factor.WhereWeak); err != nil {
		fmt.Println(err)
		return
	}
	b := []float64{6, 8, 1, 1, 1} // forces, then accelerations of the rows
	x := make([]float64, len(b))
	f.SolveTo(x, b)
	fmt.Println(used, "with", f.Weak, "redundant rows")
	fmt.Printf("body %.4g, joints together %.4g\n", x[:2], x[2]+x[3]+x[4])
	// Output:
	// leaf-first with 2 redundant rows
	// body [3 1], joints together 4
}

// With terms on all rows refinement tends to the multipliers of least norm.
func ExampleFactor_SolveRefinedTo() {
	m, scale := doorSystem()
	f := factor.Analyze(m.Pattern, order.Of(m.Pattern, order.Natural)).NewFactor()
	if err := f.Factorize(m, scale, 1e-6, factor.Everywhere); err != nil {
		fmt.Println(err)
		return
	}
	b := []float64{6, 8, 1, 1, 1}
	x, r := make([]float64, len(b)), make([]float64, len(b))
	ref := f.SolveRefinedTo(x, r, b, m, 0)
	fmt.Printf("body %.4f, joints %.4f\n", x[:2], x[2:])
	fmt.Println("converged:", ref.Error < 1e-12)
	// Output:
	// body [3.0000 1.0000], joints [1.3333 1.3333 1.3333]
	// converged: true
}

// The work of an order is known before any number.
func ExampleSymbolic() {
	m, _ := doorSystem()
	s := factor.Analyze(m.Pattern, []int32{0, 1, 2, 3})
	fmt.Printf("%+v\n", s.Counts)
	// Output:
	// {NonZeros:14 Flops:35 MaxFront:3 Bandwidth:3}
}

// A mass that is not positive is named by its node and row.
func ExamplePivotError() {
	m, scale := doorSystem()
	m.Dia[3] = -4
	f := factor.Analyze(m.Pattern, []int32{0, 1, 2, 3}).NewFactor()
	fmt.Println(f.Factorize(m, scale, 1e-12, factor.WhereWeak))
	// Output:
	// factor: pivot 1 of node 0 is -4
}
