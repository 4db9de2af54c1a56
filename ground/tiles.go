package ground

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// ErrTiles is returned where Tiles would have more than MostTiles tiles, or a node beyond the range of their numbers.
var ErrTiles = errors.New("ground: no room for more tiles")

const (
	tileBits = 4
	tileSide = 1 << tileBits
	tileMask = tileSide - 1

	// tileNodes is the number of nodes of a tile.
	tileNodes = tileSide * tileSide
	fewTiles  = 64 // number of tiles for which there is memory at first
	// MostTiles is the largest number of tiles.
	MostTiles = 1 << 15
	// farthestNode is the largest number of a node along an axis; the numbers of its neighbours still fit in an int32.
	farthestNode = 1<<30 - 1
)

// Tiles are values at the nodes of an unbounded square grid. They are 0, except in tiles of 16 × 16 nodes that Make has
// added. Their surface is C²: with the weights B of docs/ground.md (G3), z = Σ B_j(y) B_i(x) c_ij, so that z is between
// the least and the largest of the values around. Tiles and their surface belong to one goroutine, as the values change.
type Tiles struct {
	origin  [2]float64
	spacing float64
	values  []float64  // tile by tile, line by line
	places  [][2]int32 // position of each tile along x and y, in tiles
	table   []int32    // hash table with open addressing: 1 + number of a tile, or 0 if free; its length is a power of two
}

// NewTiles returns Tiles without a tile, on a grid with a node at origin, m, and the given spacing, m. It returns an error if the
// spacing is not positive or a number is not finite.
func NewTiles(origin [2]float64, spacing float64) (*Tiles, error) {
	if !(spacing > 0) || math.IsInf(spacing, 0) || !algebra.Finite(origin[0]) || !algebra.Finite(origin[1]) {
		return nil, fmt.Errorf("ground: tiles at %v with the spacing %v", origin, spacing)
	}
	return &Tiles{
		origin: origin, spacing: spacing, values: make([]float64, 0, fewTiles*tileNodes), places: make([][2]int32, 0, fewTiles), table: make([]int32, 2*fewTiles),
	}, nil
}

// Len returns the number of values: 256 for each tile.
func (t *Tiles) Len() int { return len(t.values) }

// Spacing returns the distance of nodes, m.
func (t *Tiles) Spacing() float64 { return t.spacing }

// Value returns a pointer to value n, m, which may be changed. The pointer is valid until a tile is added. It panics if n is out of
// range.
func (t *Tiles) Value(n int) *float64 {
	t.mustHave(n)
	return &t.values[n]
}

// mustHave panics unless there is a value n.
func (t *Tiles) mustHave(n int) {
	if uint(n) >= uint(len(t.values)) {
		panic("ground: value out of range")
	}
}

// Node returns the node of value n, by its numbers from the origin along x and y. It panics if n is
// out of range.
func (t *Tiles) Node(n int) (i, j int32) {
	t.mustHave(n)
	p := &t.places[n/tileNodes]
	return p[0]<<tileBits + int32(n&tileMask), p[1]<<tileBits + int32(n>>tileBits&tileMask)
}

// Place returns the position of node (i, j), m.
func (t *Tiles) Place(i, j int32) (x, y float64) {
	return t.origin[0] + float64(i)*t.spacing, t.origin[1] + float64(j)*t.spacing
}

// Between returns the numbers of the first and the last node from a to b, m, along an axis. If there is none, first is
// larger than last. It returns ErrTiles beyond the range of the numbers. It panics unless axis is 0 or 1.
func (t *Tiles) Between(a, b float64, axis int) (first, last int32, err error) {
	if uint(axis) >= uint(len(t.origin)) {
		panic("ground: axis out of range")
	}
	lo, hi := math.Ceil((a-t.origin[axis])/t.spacing), math.Floor((b-t.origin[axis])/t.spacing)
	if !(math.Abs(lo) <= farthestNode && math.Abs(hi) <= farthestNode) {
		return 0, 0, ErrTiles
	}
	return int32(lo), int32(hi), nil
}

// Find returns the number of the value at node (i, j), or −1 if there is no tile. Cost: O(1), no allocation.
func (t *Tiles) Find(i, j int32) int {
	k := t.tile(i>>tileBits, j>>tileBits)
	if k < 0 {
		return -1
	}
	return k*tileNodes + inTile(i, j)
}

// Make is Find, and adds the tile if there is none.
//
// Cost: O(1), except where memory grows, by doubling. It returns ErrTiles.
func (t *Tiles) Make(i, j int32) (int, error) {
	if n := t.Find(i, j); n >= 0 {
		return n, nil
	}
	if len(t.places) == MostTiles || max(i, j) > farthestNode || min(i, j) < -farthestNode {
		return 0, ErrTiles
	}
	k := len(t.places)
	if k == cap(t.places) {
		t.grow()
	}
	t.places = append(t.places, [2]int32{i >> tileBits, j >> tileBits})
	t.values = t.values[:(k+1)*tileNodes]
	clear(t.values[k*tileNodes:])
	t.enter(k)
	return k*tileNodes + inTile(i, j), nil
}

// grow doubles the memory.
func (t *Tiles) grow() {
	n := len(t.places)
	t.places = append(make([][2]int32, 0, 2*n), t.places...)
	t.values = append(make([]float64, 0, 2*n*tileNodes), t.values...)
	t.table = make([]int32, 4*n)
	for k := range t.places {
		t.enter(k)
	}
}

// Cap returns the number of values for which there is memory.
func (t *Tiles) Cap() int { return cap(t.values) }

// Clear removes all tiles and keeps the memory.
func (t *Tiles) Clear() {
	clear(t.table)
	t.places, t.values = t.places[:0], t.values[:0]
}

func inTile(i, j int32) int { return int(j&tileMask)<<tileBits | int(i&tileMask) }

// slot returns the index of the table at which the search for the tile at (i, j) begins.
func (t *Tiles) slot(i, j int32) uint64 {
	h := (uint64(uint32(i))<<32 | uint64(uint32(j))) * 0x9e3779b97f4a7c15
	return (h ^ h>>32) & uint64(len(t.table)-1)
}

// tile returns the number of the tile at (i, j), or −1 if there is none.
func (t *Tiles) tile(i, j int32) int {
	for s := t.slot(i, j); ; s = (s + 1) & uint64(len(t.table)-1) {
		k := int(t.table[s]) - 1
		if k < 0 || t.places[k] == [2]int32{i, j} {
			return k
		}
	}
}

// enter puts tile k into the table.
func (t *Tiles) enter(k int) {
	p := &t.places[k]
	s := t.slot(p[0], p[1])
	for t.table[s] != 0 {
		s = (s + 1) & uint64(len(t.table)-1)
	}
	t.table[s] = int32(k) + 1
}

// Surface returns the surface of the values, which changes with them.
func (t *Tiles) Surface() *Surface { return &Surface{kind: kindTiles, tiles: t} }

// weigh stores in w the weights at x along an axis, of the nodes from w.at on. It returns false where there can be no tile.
func (t *Tiles) weigh(w *weights, x float64, axis int) bool {
	u := (x - t.origin[axis]) / t.spacing
	cell := math.Floor(u)
	if !(math.Abs(cell) < farthestNode-2) {
		return false // no tile is there
	}
	w.spline(int(cell)-1, u-cell)
	w.scale(1 / t.spacing)
	return true
}

// at is Surface.At for tiles.
func (t *Tiles) at(x, y float64) (p Patch, err error) {
	if !algebra.Finite(x) || !algebra.Finite(y) {
		return p, ErrOff
	}
	var wx, wy weights
	if !t.weigh(&wx, x, 0) || !t.weigh(&wy, y, 1) {
		return p, nil
	}
	i, j := int32(wx.at), int32(wy.at)
	// The four nodes along an axis are in one tile, or in two.
	for b := j >> tileBits; b <= (j+3)>>tileBits; b++ {
		for a := i >> tileBits; a <= (i+3)>>tileBits; a++ {
			k := t.tile(a, b)
			if k < 0 {
				continue
			}
			values := t.values[k*tileNodes:][:tileNodes]
			for m := max(j, b<<tileBits); m <= min(j+3, b<<tileBits+tileMask); m++ {
				for l := max(i, a<<tileBits); l <= min(i+3, a<<tileBits+tileMask); l++ {
					c, u, v := values[inTile(l, m)], l-i, m-j
					p.Z += wy.v[v] * wx.v[u] * c
					p.X += wy.v[v] * wx.d[u] * c
					p.Y += wy.d[v] * wx.v[u] * c
					p.XX += wy.v[v] * wx.dd[u] * c
					p.XY += wy.d[v] * wx.d[u] * c
					p.YY += wy.dd[v] * wx.v[u] * c
				}
			}
		}
	}
	return p, nil
}
