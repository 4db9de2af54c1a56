package lines

import "fmt"

// shape is the shape of the rows of a joint: n rows. The first full rows have six numbers. The other rows have only a moment, three numbers
// followed by three zeros, which are not read.
type shape struct{ n, full int }

// shapes lists the shapes of the joint types, and the shapes of only full rows.
var shapes = []shape{{1, 1}, {2, 2}, {3, 3}, {4, 3}, {4, 4}, {5, 3}, {5, 5}, {6, 3}, {6, 6}}

// Shapes returns the shapes of rows that have instructions: the number of rows, and the number of rows with six numbers.
func Shapes() (list [][2]int) {
	for _, s := range shapes {
		list = append(list, [2]int{s.n, s.full})
	}
	return list
}

// String returns the shape in the form for names of instructions.
func (s shape) String() string { return fmt.Sprintf("%dof%d", s.full, s.n) }

// width returns the number of numbers in row i that are read.
func (s shape) width(i int) int {
	if i < s.full {
		return 6
	}
	return 3
}

// shaped returns the instructions on rows of a shape.
func shaped() (list []*Kernel) {
	for _, s := range shapes {
		define(&list, "Gram"+s.String(), "stores D − B·Bᵀ, rows of a shape, in the block A, lower triangle, and E − B·C in the right side behind it.", func(k *Kernel) { gram(k, s, 31) })
		narrow(list, func(k *Kernel) { gram(k, s, 15) })
		define(&list, "Rows"+s.String(), "stores D − B·C: B rows of a shape.", func(k *Kernel) {
			acc := k.vec(at('D', 0), s.n)
			for c := range 6 {
				var x Val
				for i := range s.n {
					if c < s.width(i) {
						if i == 0 {
							x = k.ld(at('C', c))
						}
						acc[i] = k.fnma(x, at('B', 6*i+c), acc[i])
					}
				}
			}
			k.put(at('A', 0), acc...)
		})
		define(&list, "Columns"+s.String(), "stores D − Bᵀ·C: B rows of a shape.", func(k *Kernel) {
			acc := k.vec(at('D', 0), 6)
			for i := range s.n {
				x := k.ld(at('C', i))
				for c := range s.width(i) {
					acc[c] = k.fnma(x, at('B', 6*i+c), acc[c])
				}
			}
			k.put(at('A', 0), acc...)
		})
	}
	five := shape{5, 3}
	define(&list, "Pair"+five.String(), "stores −B·Cᵀ, both rows of a shape, in A.", func(k *Kernel) { pair(k, five, 31) })
	narrow(list, func(k *Kernel) { pair(k, five, 15) })
	return list
}

// gram writes Gram. It takes as many rows at a time as their sums fit in this number of registers.
func gram(k *Kernel, s shape, registers int) {
	for lo := 0; lo < s.n; {
		hi, sums := lo, 0
		for hi < s.n && (hi == lo || sums+hi+2+hi+1-lo <= registers-2) { // row hi has hi+1 sums, and one for the right side
			sums += hi + 2
			hi++
		}
		acc, right := map[[2]int]Val{}, make([]Val, s.n)
		for i := lo; i < hi; i++ {
			for j := range i + 1 {
				acc[[2]int{i, j}] = k.ld(at('D', i*s.n+j))
			}
			right[i] = k.ld(at('E', i))
		}
		for c := range 6 {
			x := make([]Val, s.n)
			for i := lo; i < hi && c < s.width(i); i++ {
				x[i] = k.ld(at('B', 6*i+c))
			}
			for j := range hi {
				if c >= s.width(j) {
					break
				}
				var y any = at('B', 6*j+c)
				if j >= lo {
					y = x[j]
				} else if hi-lo > 1 {
					y = k.ld(y.(Mem))
				}
				for i := max(lo, j); i < hi && c < s.width(i); i++ {
					acc[[2]int{i, j}] = k.fnma(x[i], y, acc[[2]int{i, j}])
				}
			}
			for i := lo; i < hi && c < s.width(i); i++ {
				right[i] = k.fnma(x[i], at('C', c), right[i])
			}
		}
		for i := lo; i < hi; i++ {
			for j := range i + 1 {
				k.st(at('A', i*s.n+j), acc[[2]int{i, j}])
			}
			k.st(at('A', s.n*s.n+i), right[i])
		}
		lo = hi
	}
}

// pair writes Pair. It takes as many rows of B at a time as their products with all rows of C fit in this number of registers.
func pair(k *Kernel, s shape, registers int) {
	rows := min(s.n, (registers-1)/(s.n+1))
	for lo := 0; lo < s.n; lo += rows {
		hi := min(lo+rows, s.n)
		acc := map[[2]int]Val{}
		for i := lo; i < hi; i++ {
			for j := range s.n {
				acc[[2]int{i, j}] = k.null()
			}
		}
		for c := range 6 {
			x := make([]Val, s.n)
			for i := lo; i < hi && c < s.width(i); i++ {
				x[i] = k.ld(at('B', 6*i+c))
			}
			for j := 0; j < s.n && c < s.width(j) && c < s.width(lo); j++ {
				y := k.ld(at('C', 6*j+c))
				for i := lo; i < hi && c < s.width(i); i++ {
					acc[[2]int{i, j}] = k.fnma(x[i], y, acc[[2]int{i, j}])
				}
			}
		}
		for i := lo; i < hi; i++ {
			for j := range s.n {
				k.st(at('A', i*s.n+j), acc[[2]int{i, j}])
			}
		}
	}
}
