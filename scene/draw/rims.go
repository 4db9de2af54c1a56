package draw

import (
	"bufio"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// A rim is a visible part of the silhouette of a solid. Solids of one group share a silhouette: where they touch or overlap
// there is no rim.
type rim struct {
	from, to point
	color    scene.Color
}

const (
	rimShade  = 45   // per cent, of the colour of the solid
	rimWidth  = 1.1  // pixels
	shortest  = 0.05 // length of a rim that is drawn, pixels
	touching  = 0.6  // distance up to which two solids touch, pixels
	noGroup   = -1
	mostSides = 64 // of a facet, as the sides that are rims are bits
)

// groups returns the number of the group of each shape: the shapes of one body, joint, link and colour are a group. links has
// the first shape of each link.
func groups(shapes []scene.Shape, links []int) []int32 {
	type key struct {
		body, joint, link int32
		color             scene.Color
	}
	known, out, link := map[key]int32{}, make([]int32, len(shapes)), int32(-1)
	for i := range shapes {
		for int(link)+1 < len(links) && i >= links[link+1] {
			link++
		}
		s := &shapes[i]
		k := key{s.Body, s.Joint, link, s.Color}
		n, ok := known[k]
		if !ok {
			n = int32(len(known))
			known[k] = n
		}
		out[i] = n
	}
	return out
}

// markRims marks as rims the sides of facets that no other facet of the same solid has. bodies are all bodies of that solid.
func markRims(bodies []body) {
	type edge struct{ from, to point }
	sides := map[edge]bool{}
	each := func(visit func(f *facet, k int, e edge)) {
		for i := range bodies {
			for j := range bodies[i].facets {
				f := &bodies[i].facets[j]
				for k := range min(len(f.corners), mostSides) {
					visit(f, k, edge{f.corners[k], f.corners[(k+1)%len(f.corners)]})
				}
			}
		}
	}
	each(func(_ *facet, _ int, e edge) { sides[e] = true })
	each(func(f *facet, k int, e edge) {
		if !sides[edge{e.to, e.from}] {
			f.rims |= 1 << k
		}
	})
}

// beginRims stores in lines the rims of a facet.
func (h *hidden) beginRims(f *facet) {
	h.lines = h.lines[:0]
	for k := range min(len(f.corners), mostSides) {
		if f.rims>>k&1 == 1 {
			h.lines = append(h.lines, [2]point{f.corners[k], f.corners[(k+1)%len(f.corners)]})
		}
	}
}

// cutRims removes from lines the parts inside a convex polygon that is enlarged by grow, pixels, on all sides.
func (h *hidden) cutRims(polygon []point, grow float64) {
	if len(h.lines) == 0 {
		return
	}
	h.spare = h.spare[:0]
	for _, l := range h.lines {
		// Cyrus & Beck 1978: the line is inside all sides from first to last, as parts of its length.
		first, last := 0.0, 1.0
		for k := range polygon {
			a, b := polygon[k], polygon[(k+1)%len(polygon)]
			room := grow * math.Hypot(b[0]-a[0], b[1]-a[1])
			s, t := side(a, b, l[0])+room, side(a, b, l[1])+room
			switch {
			case s <= 0 && t <= 0:
				first, last = 1, 0
			case s < 0:
				first = max(first, s/(s-t))
			case t < 0:
				last = min(last, s/(s-t))
			}
		}
		if first >= last {
			h.spare = append(h.spare, l)
			continue
		}
		at := func(part float64) point {
			return point{l[0][0] + part*(l[1][0]-l[0][0]), l[0][1] + part*(l[1][1]-l[0][1])}
		}
		length := math.Hypot(l[1][0]-l[0][0], l[1][1]-l[0][1])
		if first*length > shortest {
			h.spare = append(h.spare, [2]point{l[0], at(first)})
		}
		if (1-last)*length > shortest {
			h.spare = append(h.spare, [2]point{at(last), l[1]})
		}
	}
	h.lines, h.spare = h.spare, h.lines
}

// endRims adds h.lines, the rims of facet f of body i, to the rims, without their parts in other solids of the group. h.near has the
// bodies around f.
func (h *hidden) endRims(i int32, f *facet) {
	me := &h.bodies[i]
	for _, j := range h.near {
		if len(h.lines) == 0 {
			return
		}
		if b := &h.bodies[j]; b.group == me.group && b.number != me.number && len(b.outline) > 2 {
			h.cutRims(b.outline, touching)
		}
	}
	c := f.color
	for k := range c {
		c[k] = uint8(int(c[k]) * rimShade / 100)
	}
	for _, l := range h.lines {
		h.rims = append(h.rims, rim{l[0], l[1], c})
	}
}

// writeRims writes the rims as one path for each colour.
func writeRims(b *bufio.Writer, rims []rim) {
	if len(rims) == 0 {
		return
	}
	var colors []scene.Color
	of := map[scene.Color][]int{}
	for i := range rims {
		c := rims[i].color
		if of[c] == nil {
			colors = append(colors, c)
		}
		of[c] = append(of[c], i)
	}
	fmt.Fprintf(b, "<g fill=\"none\" stroke-width=\"%g\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n", rimWidth)
	for _, c := range colors {
		if data := joined(rims, of[c]); len(data) > 0 {
			fmt.Fprintf(b, "<path stroke=\"%s\" d=\"%s\"/>\n", hex(c), data)
		}
	}
	b.WriteString("</g>\n")
}

// joined returns the data of an SVG path with the rims of a list. Where a rim begins at the end of another, the path goes on.
func joined(rims []rim, list []int) (data []byte) {
	begins := map[[2]int][]int{}
	ends := map[[2]int]int{}
	for _, i := range list {
		begins[tenth(rims[i].from)] = append(begins[tenth(rims[i].from)], i)
		ends[tenth(rims[i].to)]++
	}
	done := make(map[int]bool, len(list))
	run := func(i int) { // rim i and the rims that follow from its end
		at := tenth(rims[i].from)
		data = append(data, 'M')
		data = append(number(number(data, at[0]), at[1]), 'l')
		for i >= 0 {
			done[i] = true
			to := tenth(rims[i].to)
			data = number(number(data, to[0]-at[0]), to[1]-at[1])
			at, i = to, -1
			for _, k := range begins[to] {
				if !done[k] {
					i = k
					break
				}
			}
		}
	}
	for _, first := range [2]bool{true, false} { // first lines from rims that follow no other, then closed loops
		for _, i := range list {
			if from := tenth(rims[i].from); !done[i] && from != tenth(rims[i].to) && (!first || ends[from] == 0) {
				run(i)
			}
		}
	}
	return data
}

// linkShapes appends the shapes of the links of s at st to shapes, and returns the index of the first shape of each link too.
func linkShapes(shapes []scene.Shape, s *scene.Scene, st *mechanism.State) ([]scene.Shape, []int) {
	first := make([]int, len(s.Links))
	for i := range s.Links {
		first[i] = len(shapes)
		shapes = s.Links[i].AppendShapes(shapes, st)
	}
	return shapes, first
}
