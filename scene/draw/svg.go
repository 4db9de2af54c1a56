package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

const (
	// maxPolygons is the largest number of polygons in an SVG. It is also the largest number of
	// facets that face the eye, hidden ones included. A mechanism with more can be drawn as a PNG.
	maxPolygons = 200_000

	svgNodes = 24 // nodes of the ground along a side
)

var errPolygons = fmt.Errorf("draw: more than %d polygons in an SVG; write a .png", maxPolygons)

// SVG writes the picture of s at st as polygons: the visible parts of the facets of each solid, and dark lines along the
// silhouettes of bodies.
//
// Cost: O(facets·k), with k the facets that overlap a facet in the picture. It returns the
// errors of PNG, and an error if there are more than maxPolygons or if too many overlap.
func SVG(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, v View) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	bodies, err := facets(s, st, &v)
	if err != nil {
		return err
	}
	h, err := newHidden(ctx, bodies, v)
	if err != nil {
		return err
	}
	var all []path
	n := 0
	err = h.draw(func(f *facet, pieces [][]point) error {
		if n += len(pieces); n > maxPolygons {
			return errPolygons
		}
		all = append(all, path{pathOf(pieces), f.color})
		return nil
	})
	if err != nil {
		return err
	}
	return writeSVG(w, all, h.rims, v)
}

// facets returns the bodies of the picture of s at st, with their rims marked. It sets the defaults of v.
func facets(s *scene.Scene, st *mechanism.State, v *View) ([]body, error) {
	on, all, err := prepare(s, st, v)
	if err != nil {
		return nil, err
	}
	c := &collector{cam: on.cam, eye: on.cam.eye()}
	terrains(s, &on, svgNodes, c.ground)
	for i := range c.bodies { // the ground has no rims
		c.bodies[i].group = noGroup
	}
	for i := range all.shapes {
		var surface *scene.Mesh
		if sh := &all.shapes[i]; sh.Kind == scene.Surface {
			surface = s.Meshes[sh.Mesh]
		}
		first := len(c.bodies)
		if c.shape(&all.shapes[i], surface, st, int32(i)); c.facets > maxPolygons {
			return nil, errPolygons
		}
		for k := first; k < len(c.bodies); k++ {
			c.bodies[k].group = all.group[i]
		}
		markRims(c.bodies[first:])
	}
	return c.bodies, nil
}

// path is the drawn part of a facet, as the data of an SVG path, and its colour.
type path struct {
	data  []byte
	color scene.Color
}

// tenth returns a point in tenths of a pixel, rounded: the resolution of the SVG.
func tenth(p point) [2]int { return [2]int{int(math.Round(10 * p[0])), int(math.Round(10 * p[1]))} }

// pathOf returns the data of a path. Each piece is a point and then steps, so that the numbers are short. Corners that
// coincide after rounding become one; a piece with fewer than three corners is left out.
func pathOf(pieces [][]point) (data []byte) {
	for _, p := range pieces {
		var places [][2]int
		for _, q := range p {
			if t := tenth(q); len(places) == 0 || t != places[len(places)-1] {
				places = append(places, t)
			}
		}
		for len(places) > 1 && places[0] == places[len(places)-1] {
			places = places[:len(places)-1]
		}
		if len(places) < 3 {
			continue
		}
		data = append(data, 'M')
		data = number(number(data, places[0][0]), places[0][1])
		data = append(data, 'l')
		for k := 1; k < len(places); k++ {
			data = number(number(data, places[k][0]-places[k-1][0]), places[k][1]-places[k-1][1])
		}
		data = append(data, 'z')
	}
	return data
}

// number appends a number, given in tenths, to b, which is not empty. A space goes before it only where it is needed: b ends
// in a digit and the number has no sign.
func number(b []byte, tenths int) []byte {
	if last := b[len(b)-1]; tenths >= 0 && last >= '0' && last <= '9' {
		b = append(b, ' ')
	}
	if tenths < 0 {
		b, tenths = append(b, '-'), -tenths
	}
	b = strconv.AppendInt(b, int64(tenths/10), 10)
	if tenths%10 != 0 {
		b = append(b, '.', byte('0'+tenths%10))
	}
	return b
}

// writeSVG writes the paths, and the rims over them. Each path has a thin outline of its own colour, which closes the gaps that
// renderers leave between neighbours.
func writeSVG(w io.Writer, all []path, rims []rim, v View) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", v.Width, v.Height, v.Width, v.Height)
	back := scene.Color{255, 255, 255}
	if v.Background != nil {
		back = *v.Background
	}
	fmt.Fprintf(b, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n<g fill=\"currentColor\" stroke=\"currentColor\" stroke-width=\".6\" stroke-linejoin=\"round\">\n", hex(back))
	for i := range all {
		if len(all[i].data) > 0 {
			fmt.Fprintf(b, "<path color=\"%s\" d=\"%s\"/>\n", hex(all[i].color), all[i].data)
		}
	}
	b.WriteString("</g>\n")
	writeRims(b, rims)
	b.WriteString("</svg>\n")
	return b.Flush()
}

// hex returns a colour as #rrggbb.
func hex(c scene.Color) string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }
