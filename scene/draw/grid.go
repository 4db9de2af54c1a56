package draw

import (
	"math"
	"slices"
)

// cell is the width of a cell of the grid, pixels.
const cell = 24

// grid divides the picture into square cells and lists the bodies in each.
type grid struct {
	columns, rows int
	cells         [][]int32
	mark          []int32 // number of the last query that has listed each body
	query         int32   // number of the present query
}

// newGrid returns the grid of a picture; each cell lists the bodies whose boxes meet it.
func newGrid(bodies []body, v View) grid {
	g := grid{columns: (v.Width + cell - 1) / cell, rows: (v.Height + cell - 1) / cell, mark: make([]int32, len(bodies))}
	g.cells = make([][]int32, g.columns*g.rows)
	for i := range bodies {
		x0, x1, y0, y1 := g.span(bodies[i].lo, bodies[i].hi)
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				c := &g.cells[y*g.columns+x]
				*c = append(*c, int32(i))
			}
		}
	}
	return g
}

// span returns the range of cells that a box covers. Parts outside the picture belong to the cells at its border.
func (g *grid) span(lo, hi point) (x0, x1, y0, y1 int) {
	at := func(x float64, n int) int { return int(math.Min(math.Max(math.Floor(x/cell), 0), float64(n-1))) }
	return at(lo[0], g.columns), at(hi[0], g.columns), at(lo[1], g.rows), at(hi[1], g.rows)
}

// among appends the bodies in the cells of a box, each once, in the order of their numbers.
func (g *grid) among(list []int32, lo, hi point) []int32 {
	g.query++
	x0, x1, y0, y1 := g.span(lo, hi)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			for _, i := range g.cells[y*g.columns+x] {
				if g.mark[i] != g.query {
					g.mark[i] = g.query
					list = append(list, i)
				}
			}
		}
	}
	if x0 != x1 || y0 != y1 {
		slices.Sort(list)
	}
	return list
}
