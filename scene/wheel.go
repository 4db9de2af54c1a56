package scene

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// wheels adds the shapes of contacts and of rolling joints, and lists their grounds in Surfaces. Discs and tyres have a spoke that
// shows their rotation. Bodies with visuals get no such shapes.
func (b *builder) wheels() {
	m := b.Mechanism
	b.wheel, b.tyres = make([]bool, len(m.Bodies)), map[[2]float64]int32{}
	for i := range m.NumContacts() {
		c, body, _ := m.Contact(i)
		if !slices.Contains(b.Surfaces, c.Ground) {
			b.Surfaces = append(b.Surfaces, c.Ground)
		}
		if b.seen[b.place(int32(body))] {
			continue
		}
		sh := &c.Shape
		at := mechanism.Frame{E: spatial.Identity3(), Origin: sh.Center}
		if sh.Type != contact.Sphere {
			at.E = Along(sh.Axis)
		}
		switch sh.Type {
		case contact.Sphere:
			b.ball(int32(body), at, sh.Radius)
		case contact.Torus:
			b.tyred(int32(body), at, sh.Radius, sh.TyreRadius)
		default:
			b.disc(int32(body), at, sh.Radius, sh.Width/2)
		}
	}
	for j := range m.Joints {
		if g, ok := m.Joints[j].Ground.(*ground.Surface); ok && !slices.Contains(b.Surfaces, g) {
			b.Surfaces = append(b.Surfaces, g)
		}
		jt := &m.Joints[j]
		if jt.Kind.Type() != joints.Rolling || jt.Succ == mechanism.World || b.seen[b.place(jt.Succ)] {
			continue
		}
		b.wheel[jt.Succ] = true
		switch jt.Tyre {
		case jt.Radius:
			b.ball(jt.Succ, jt.S, jt.Radius)
		case 0:
			b.disc(jt.Succ, jt.S, jt.Radius, 0)
		default:
			b.tyred(jt.Succ, jt.S, jt.Radius, jt.Tyre)
		}
	}
}

// ball adds a ball about the origin of a frame of a body.
func (b *builder) ball(body int32, at mechanism.Frame, radius float64) {
	size := spatial.Vec3{radius, radius, radius}
	b.Shapes = append(b.Shapes, Shape{Kind: Sphere, Color: wheelColor, Body: body, Joint: -1, Size: size, At: at})
}

// disc adds a wheel with a flat rim, whose axle is the z axis of a frame of a body. half is half its width, m; it is drawn with at
// least a twentieth of the radius.
func (b *builder) disc(body int32, at mechanism.Frame, radius, half float64) {
	half = max(half, 0.05*radius)
	b.spoke(body, at, spatial.Vec3{0.85 * radius, 0.1 * radius, 1.06 * half})
	size := spatial.Vec3{radius, radius, half}
	b.Shapes = append(b.Shapes, Shape{Kind: Cylinder, Color: wheelColor, Body: body, Joint: -1, Size: size, At: at})
}

// spoke adds a box on the wheel of a body that shows its rotation. size has its half edges, m.
func (b *builder) spoke(body int32, at mechanism.Frame, size spatial.Vec3) {
	b.wheel[body] = true
	b.Shapes = append(b.Shapes, Shape{Kind: Box, Color: BodyColor(int(body)), Body: body, Joint: -1, Size: size, At: at})
}

// mostTyres is the largest number of sizes of tyres. Each has a mesh of its own.
const mostTyres = maxMeshTriangles / (2 * tyreCorners * (tyreRings + 2))

// tyred adds a wheel with a round tyre, a torus about the z axis of a frame of a body. radius is the radius of the whole wheel and
// tyre the radius of the tube, m.
func (b *builder) tyred(body int32, at mechanism.Frame, radius, tyre float64) {
	k, ok := b.tyres[[2]float64{radius, tyre}]
	if !ok {
		if len(b.tyres) == mostTyres {
			b.Faults = append(b.Faults, fmt.Errorf("the wheel of body %s is drawn as a disc: tyres of more than %d sizes",
				fault.Name(b.Mechanism.BodyName(int(body))), mostTyres))
			b.disc(body, at, radius, tyre)
			return
		}
		k = int32(len(b.Meshes))
		b.Meshes = append(b.Meshes, newTyre(radius, tyre))
		b.tyres[[2]float64{radius, tyre}] = k
	}
	length, half := radius-tyre, webPart*tyre
	if inner, _ := web(radius, tyre); inner == 0 { // there is no web: the spoke is on the sides of the tube
		length, half = radius/2, tyre
	}
	b.spoke(body, at, spatial.Vec3{length, 0.1 * radius, 1.2 * half})
	b.Shapes = append(b.Shapes, Shape{Kind: Surface, Mesh: k, Color: wheelColor, Body: body, Joint: -1, Size: spatial.Vec3{1, 1, 1}, At: at})
}

const (
	webPart                = 0.4 // half the thickness of the web of a wheel, relative to the radius of its tyre
	tyreCorners, tyreRings = 36, 12
)

// web returns the inner edge of the surface of a tyre: its distance from the axle, inner, m, and its angle about the middle of the tube,
// from, rad, which is 0 outwards. radius and tyre are the radii of wheel and tube, m. inner is 0 if the sides of the tube meet on
// the axle: such a wheel has no web.
func web(radius, tyre float64) (inner, from float64) {
	ring := radius - tyre
	from = math.Pi - math.Asin(webPart)
	if inner = ring + tyre*math.Cos(from); inner > 0 {
		return inner, from
	}
	return 0, math.Acos(-ring / tyre) // the sides of the tube meet on the axle
}

// around returns the angle of row k of a tyre about the middle of its tube, rad, which is 0 outwards for k = 0. k is from −tyreRings/2 to
// tyreRings/2. Two thirds of the rows are on the outer half of the tube, up to π/2, where it is widest; the last is at the angle from.
func around(k int, from float64) float64 {
	const outside, all = tyreRings / 3, tyreRings / 2
	part := math.Abs(float64(k))
	angle := part / outside * math.Pi / 2
	if part > outside {
		angle = math.Pi/2 + (part-outside)/(all-outside)*(from-math.Pi/2)
	}
	return math.Copysign(angle, float64(k))
}

// newTyre returns the surface of a wheel with a tyre: the tube of a torus, and the two sides of a web.
func newTyre(radius, tyre float64) *Mesh {
	m := &Mesh{}
	inner, from := web(radius, tyre)
	ring := func(r, z float64, normal func(p spatial.Vec3) spatial.Vec3) []int32 {
		row := make([]int32, tyreCorners)
		for i := range row {
			p := turn(i, tyreCorners)
			row[i] = m.vertex(spatial.Vec3{r * p[0], r * p[1], z}, normal(p))
		}
		return row
	}
	band := func(low, high []int32) {
		for i := range low {
			j := (i + 1) % len(low)
			m.quad(low[i], low[j], high[j], high[i])
		}
	}
	var below []int32
	for k := range tyreRings + 1 {
		s, c := math.Sincos(around(k-tyreRings/2, from))
		row := ring(max(radius-tyre+tyre*c, 0), tyre*s, func(p spatial.Vec3) spatial.Vec3 { return spatial.Vec3{c * p[0], c * p[1], s} })
		if k > 0 {
			band(below, row)
		}
		below = row
	}
	if inner > 0 {
		for _, side := range [2]float64{-1, 1} {
			n := spatial.Vec3{0, 0, side}
			up := func(spatial.Vec3) spatial.Vec3 { return n }
			edge, middle := ring(inner, side*webPart*tyre, up), m.vertex(n.Scale(webPart*tyre), n)
			for i := range edge {
				p, q := edge[i], edge[(i+1)%len(edge)]
				if side < 0 {
					p, q = q, p
				}
				m.Triangles = append(m.Triangles, [3]int32{middle, p, q})
			}
		}
	}
	m.bound()
	return m
}
