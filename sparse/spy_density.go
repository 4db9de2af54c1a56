package sparse

import "fmt"

const (
	// maxRuns bounds the size of a density picture: a run takes at most 16
	// bytes. The smallest grid has no more runs than cells, below the bound.
	maxRuns = 100000

	shades = 4 // of each colour
)

// spyGrids are the cells along a side that are tried, the finest first.
var spyGrids = [...]int{800, 400, 200}

// spyOpacity of each shade: the faintest still shows a cell with one block.
var spyOpacity = [shades]string{"0.6", "0.75", "0.9", "1"}

// density draws the matrix as a grid of cells, each in the colour of what
// stands in it: a diagonal of sign + before one of sign −, that before a
// coupling, a coupling before fill.
func (s *spy) density() {
	for k, cells := range spyGrids {
		g := s.grid(cells)
		if runs := g.runs(nil); runs <= maxRuns || k == len(spyGrids)-1 {
			s.cells(g)
			return
		}
	}
}

// grid is a square of cells with kind and shade of each; −1 is an empty cell.
type grid struct {
	cells int
	look  []int8 // cells²: kind·shades + shade, by rows
}

// grid measures how much of each of the cells every kind of block covers.
// Lengths are integers, in units in which the matrix is dim·cells wide and a
// cell dim, so that the picture is the same everywhere.
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

// cover adds to area what the block (r, c) covers of each cell.
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

// paint gives the cells that a kind covers its colour, over what was there.
// Steps of four between the shades keep thin bands visible.
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

// cells draws the grid, one path a kind and shade; a run is a stroke along the
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
