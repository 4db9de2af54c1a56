package sparse

import "fmt"

const (
	// maxRuns is the largest number of runs in a density picture; a run takes at most 16
	// bytes. The smallest grid has fewer cells, so it always fits.
	maxRuns = 100000

	shades = 4 // of each colour
)

// spyGrids has the numbers of cells along a side that are tried, the finest grid first.
var spyGrids = [...]int{800, 400, 200}

// spyOpacity of each shade: the faintest still shows a cell with one block.
var spyOpacity = [shades]string{"0.6", "0.75", "0.9", "1"}

// density draws the matrix as a grid of cells. Each cell has the colour of the first kind in this list that it contains:
// diagonal block of sign +, diagonal block of sign −, coupling, fill.
func (s *spy) density() {
	for k, cells := range spyGrids {
		g := s.grid(cells)
		if runs := g.runs(nil); runs <= maxRuns || k == len(spyGrids)-1 {
			s.cells(g)
			return
		}
	}
}

// grid is a square of cells, each with a kind and a shade.
type grid struct {
	cells int    // along a side
	look  []int8 // cells², by rows: kind·shades + shade, −1 for an empty cell
}

// grid finds kind and shade of each cell from the areas that blocks of each kind cover.
// Lengths are integers, in units in which the matrix has the side dim·cells and a
// cell the side dim, so that the picture is the same on all machines.
func (s *spy) grid(cells int) *grid {
	dim := int64(s.l.off[len(s.l.perm)])
	g := &grid{cells: cells, look: make([]int8, cells*cells)}
	for i := range g.look {
		g.look[i] = -1
	}
	area := make([]int64, cells*cells)
	full := dim * dim
	shown := [...]spyKind{spyFill, spyCoupling, spyNegative, spyPositive}
	for _, kind := range shown {
		clear(area)
		s.each(kind, func(r, c int) { s.cover(area, cells, r, c) })
		g.paint(area, full, kind)
	}
	return g
}

// cover adds to area, which has a number a cell, the area of each cell that the block (r, c) covers.
func (s *spy) cover(area []int64, cells, r, c int) {
	off, m := s.l.off, int64(cells)
	dim := int64(off[len(off)-1])
	top, bottom := int64(off[r])*m, int64(off[r+1])*m
	left, right := int64(off[c])*m, int64(off[c+1])*m
	for i := top / dim; i*dim < bottom; i++ {
		high := min(bottom, (i+1)*dim) - max(top, i*dim)
		for j := left / dim; j*dim < right; j++ {
			wide := min(right, (j+1)*dim) - max(left, j*dim)
			area[i*m+j] += high * wide
		}
	}
}

// paint gives the cells with a positive area of a kind its colour, in place of the one they had. The shade depends on the part of full, the
// area of a cell. Steps by a factor of four between the shades keep thin bands visible.
func (g *grid) paint(area []int64, full int64, kind spyKind) {
	for i, a := range area {
		if a == 0 {
			continue
		}
		shade := int8(shades - 1)
		for limit := full / 4; a < limit && shade > 0; limit /= 4 {
			shade--
		}
		g.look[i] = int8(kind)*shades + shade
	}
}

// runs calls draw, if it is not nil, for each horizontal run of equal cells
// that are not empty, and returns their number.
func (g *grid) runs(draw func(look int8, row, from, to int)) (n int) {
	for r := range g.cells {
		line := g.look[r*g.cells : (r+1)*g.cells]
		for c := 0; c < len(line); {
			from := c
			for c < len(line) && line[c] == line[from] {
				c++
			}
			if line[from] < 0 {
				continue
			}
			n++
			if draw != nil {
				draw(line[from], r, from, c)
			}
		}
	}
	return n
}

// cells draws the grid, one path for each kind and shade; a run is a stroke along the
// middle of its row of cells.
func (s *spy) cells(g *grid) {
	var paths [int(spyKinds) * shades][]byte
	g.runs(func(look int8, row, from, to int) {
		paths[look] = fmt.Appendf(paths[look], "M%d %dh%d", from, row, to-from)
	})
	fmt.Fprintf(s.out, `<g transform="scale(%d) translate(0 0.5)" fill="none" shape-rendering="crispEdges">`+"\n", spySide/g.cells)
	for look, path := range paths {
		if len(path) > 0 {
			fmt.Fprintf(s.out, `<path stroke="%s" stroke-opacity="%s" d="%s"/>`+"\n",
				spyColour[look/shades], spyOpacity[look%shades], path)
		}
	}
	fmt.Fprint(s.out, "</g>\n")
}
