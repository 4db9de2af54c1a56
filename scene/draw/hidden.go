package draw

import (
	"context"
	"errors"
	"slices"
)

// hidden finds the visible parts of the facets, for bodies that are drawn one over the other. A facet that others hide
// completely is left out. If a body that is drawn later hides a part of a facet, it paints over that part. If a body that is
// drawn earlier hides a part, that part is subtracted from the facet (Weiler & Atherton 1977). The part of one facet that
// another hides is convex: of their overlap in the picture, it is the half in which the difference of their depths, a linear
// function, is positive.
type hidden struct {
	ctx    context.Context
	bodies []body // by their greatest depth, the nearest first
	grid   grid
	seen   []seen // facets that are seen, body by body
	clip   clipper
	looks  int // calls of look
	work   int // corners that have been compared with planes

	rims         []rim
	lines, spare [][2]point // the rims of the facet of find, and memory for them

	near           []int32   // bodies around the facet of find, in their order
	difference     []float64 // memory of nearer
	corners, below []point   // memory of lens and nearer
}

// seen is a facet that is at least partly visible, with the bodies that hide a part of it.
type seen struct {
	body, facet int32
	by          []int32
}

// level is the difference in depth, pixels, up to which two facets are
// at one depth. Then the facet of the solid with the smaller number is seen.
const level = 1e-3

// mostWork is the largest number of corners that are compared with planes, which takes half a minute or so.
const mostWork = 1_500_000_000

var errWork = errors.New("draw: too much of it overlaps for an SVG; write a .png")

// newHidden finds the facets that are seen. It sorts bodies by depth, the nearest first.
//
// Cost: O(facets·k), with k the corners of bodies that overlap a facet in the picture. It
// returns the cause for which ctx has ended, and errWork if that is more than mostWork.
func newHidden(ctx context.Context, bodies []body, v View) (*hidden, error) {
	slices.SortStableFunc(bodies, func(a, b body) int { return order(b.near, a.near) })
	h := &hidden{ctx: ctx, bodies: bodies, grid: newGrid(bodies, v)}
	for i := range bodies {
		for k := range bodies[i].facets {
			if err := h.look(); err != nil {
				return nil, err
			}
			h.find(int32(i), int32(k))
		}
	}
	return h, nil
}

// look returns errWork if too much work has been done. In every 64th call it returns the cause for which the context has ended.
func (h *hidden) look() error {
	if h.work > mostWork {
		return errWork
	}
	if h.looks++; h.looks&63 == 0 && h.ctx.Err() != nil {
		return context.Cause(h.ctx)
	}
	return nil
}

// find adds facet k of body i and its rims, unless other bodies hide it completely.
func (h *hidden) find(i, k int32) {
	f := &h.bodies[i].facets[k]
	lo, hi := f.lo, f.hi
	h.clip.begin(f.corners)
	h.beginRims(f)
	var by []int32
	h.near = h.grid.among(h.near[:0], lo, hi)
	for _, j := range h.near {
		b := &h.bodies[j]
		if b.near < f.far-level {
			break // as bodies are sorted by depth, all others are farther too
		}
		if j == i || b.lo[0] >= hi[0] || b.lo[1] >= hi[1] || b.hi[0] <= lo[0] || b.hi[1] <= lo[1] {
			continue
		}
		if h.clip.apart(f.corners, b.outline) || h.clip.apart(b.outline, f.corners) {
			continue
		}
		lens := h.lens(i, k, j)
		if len(lens) < 3 || !h.clip.overlap(f.corners, lens) {
			continue
		}
		if h.clip.take(lens); h.clip.empty() {
			return
		}
		h.cutRims(lens, 0)
		by = append(by, j)
	}
	h.endRims(i, f)
	h.seen = append(h.seen, seen{i, k, by})
}

// lens returns the part of the picture in which body j is nearer to the eye than the plane of facet k of body i, a convex polygon:
// the projection of the part of j before the plane. The polygon is valid until the next call.
func (h *hidden) lens(i, k, j int32) []point {
	f, b := &h.bodies[i].facets[k], &h.bodies[j]
	h.work += 2 * len(b.corners)
	if h.before(b, f) {
		return b.outline
	}
	me := h.bodies[i].number
	bias := -level
	if b.number < me || b.number == me && j < i {
		bias = level // at one depth j is seen
	}
	h.corners = h.corners[:0]
	for l := range b.facets {
		h.nearer(f, &b.facets[l], bias)
	}
	return hull(h.corners)
}

// before reports whether all of a body is nearer than the plane of f.
func (h *hidden) before(b *body, f *facet) bool {
	for i := range b.corners {
		if p := &b.corners[i]; p[2] < f.at(point{p[0], p[1]})+level {
			return false
		}
	}
	return true
}

// nearer appends to corners the corners of the part of g whose depth exceeds the plane of f by more than −bias.
func (h *hidden) nearer(f, g *facet, bias float64) {
	if g.near < f.far-level || g.lo[0] >= f.hi[0] || g.lo[1] >= f.hi[1] || g.hi[0] <= f.lo[0] || g.hi[1] <= f.lo[1] {
		return
	}
	h.difference = h.difference[:0]
	any := false
	for _, p := range g.corners {
		d := g.at(p) - f.at(p) + bias
		h.difference, any = append(h.difference, d), any || d > 0
	}
	if any {
		h.work += 8 * len(g.corners)
		h.corners, h.below = parted(h.corners, h.below[:0], g.corners, h.difference)
	}
}

// draw calls visit with the facets that have to be drawn, in the order of drawing, each with the
// pieces of it that are drawn. The pieces are valid until visit returns.
//
// It returns the errors of visit and of the context.
func (h *hidden) draw(visit func(f *facet, pieces [][]point) error) error {
	turn := turns(h.bodies, h.seen)
	slices.SortStableFunc(h.seen, func(a, b seen) int { return int(turn[a.body] - turn[b.body]) })
	for s := range h.seen {
		if err := h.look(); err != nil {
			return err
		}
		s := &h.seen[s]
		f := &h.bodies[s.body].facets[s.facet]
		h.clip.begin(f.corners)
		for _, j := range s.by {
			if turn[j] < turn[s.body] {
				h.clip.take(h.lens(s.body, s.facet, j))
			}
		}
		if err := visit(f, merge(h.clip.pieces)); err != nil {
			return err
		}
	}
	return nil
}
