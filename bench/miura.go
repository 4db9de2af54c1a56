package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a Miura sheet.
const (
	miuraEdge    = 0.2         // m, of the panels
	miuraCorner  = math.Pi / 3 // rad, of the panels
	miuraFold    = 0.9         // rad, between the panels and the horizontal; 0: flat, π/2: folded
	miuraDensity = 2.0         // kg/m²
	miuraThick   = 0.004       // m, thickness of the panels
	miuraCrease  = 0.5         // N m/rad, stiffness of a crease
	miuraLoss    = 0.002       // N m s/rad, damping of a crease
	miuraStrips  = 12          // cuboids by which a panel is drawn
)

// Miura is Miura's sheet of n × n inner vertices, so (n+1)² rigid panels "p0_0", …, equal
// parallelograms that are hinged at their edges: "x1_0" between p0_0 and p1_0, "y0_1" between
// p0_0 and p0_1. It stands on a table by three vertices ("stand", "slide" and "foot"), of which
// the first does not slide and the second only along x. Gravity is along −z. The creases have
// springs at rest and a little damping. The sheet unfolds or folds at a rate drawn from the seed.
//
// At each vertex four creases meet; the four panels on four hinges there are a spherical linkage with one freedom, which is the
// same for all vertices. Each vertex has three redundant rows, like any spherical linkage of revolutes, and each vertex beyond the
// first row and column has one more.
//
// (n+1)² bodies, 2n(n+1)+3 joints; rows 10n(n+1)+6, rank 6(n+1)²−1,
// redundant 4n²−2n+1, mobility 1; singular where the sheet is flat.
//
// Cost: O(n²). It returns ErrSize.
func Miura(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("miura", n)
	if err != nil {
		return nil, err
	}
	r := newRig("miura", n, seed, nb, 2*n*(n+1)+3)
	v := miuraVertices(r.uniform(1) / float64(n))
	for j := range n + 1 {
		for i := range n + 1 {
			r.panel(v, i, j)
		}
	}
	index := func(i, j int) int { return i + (n+1)*j }
	for j := range n + 1 {
		for i := range n + 1 {
			if i > 0 {
				r.crease(r.name2("x", i, j), index(i-1, j), index(i, j), v(i, j).p, v(i, j+1).p)
			}
			if j > 0 {
				r.crease(r.name2("y", i, j), index(i, j-1), index(i, j), v(i, j).p, v(i+1, j).p)
			}
		}
	}
	far := (n + 1) / 2 * 2 // the last even number: vertices with odd numbers are beside or above the line from the first one
	r.fit("stand", model.Spherical, ground, 0, at(v(0, 0).p), at(v(0, 0).p))
	// Slides along x only: two rows, like a ball in a pipe.
	slide := place{v(far, 0).p, alongZ(vec{1})}
	r.fit("slide", model.SphereInCylinder, ground, index(far-1, 0), slide, slide)
	r.fit("foot", model.PointOnPlane, ground, index(0, far-1), at(v(0, far).p), at(v(0, far).p))
	return r.m, nil
}

// miuraVertices returns the vertices of the sheet as a function of their numbers: positions, and velocities at a rate, rad/s, of
// the fold θ. With the edge a and the corner γ of a panel, vertex i, j is at
//
//	i·a cos θ tan γ/w, j·L + (i odd)·a/w, (j odd)·a sin θ sin γ,  w² = 1 + cos²θ tan²γ,  L² = a²(1 − sin²θ sin²γ).
func miuraVertices(rate float64) func(i, j int) pivot {
	const a = miuraEdge
	s, c := math.Sincos(miuraFold)
	sg, tg := math.Sin(miuraCorner), math.Tan(miuraCorner)
	w := math.Sqrt(1 + c*c*tg*tg)
	l := math.Sqrt(1 - s*s*sg*sg)
	wRate := -s * c * tg * tg / w
	lRate := -s * c * sg * sg / l
	S, V, L, H := a*c*tg/w, a/w, a*l, a*s*sg
	dS, dV, dL, dH := a*tg*(-s/w-c*wRate/(w*w)), -a*wRate/(w*w), a*lRate, a*c*sg
	return func(i, j int) pivot {
		x, y := float64(i), float64(j)
		p, v := vec{x * S, y * L}, vec{x * dS, y * dL}
		if i%2 == 1 {
			p[1], v[1] = p[1]+V, v[1]+dV
		}
		if j%2 == 1 {
			p[2], v[2] = H, dH
		}
		return pivot{p, v.mul(rate)}
	}
}

// panel appends the panel whose first vertex is i, j. Its frame is in its middle, with x along the edge from vertex i to i + 1
// and z perpendicular to it.
func (r *rig) panel(vertex func(i, j int) pivot, i, j int) {
	o, far := vertex(i, j), vertex(i+1, j+1)
	e, f := vertex(i+1, j), vertex(i, j+1)
	e.p, e.v, f.p, f.v = e.p.sub(o.p), e.v.sub(o.v), f.p.sub(o.p), f.v.sub(o.v)
	x := e.p.unit()
	z := e.p.cross(f.p).unit()
	y := z.cross(x)
	// The angular velocity w has ω × e = ė and ω × f = ḟ. Its components across x follow from ė, the one along x from ḟ.
	w := x.cross(e.v).mul(1 / e.p.norm())
	w = w.add(x.mul(f.v.sub(w.cross(f.p)).dot(z) / f.p.dot(y)))

	u, v := e.p.norm(), vec{f.p.dot(x), f.p.dot(y)}
	mass := miuraDensity * u * v[1]
	thick := mass * miuraThick * miuraThick / 12
	xx, yy, xy := mass/12*(u*u+v[0]*v[0]), mass/12*v[1]*v[1], mass/12*v[0]*v[1] // ∫x², ∫y², ∫xy dm
	g := solid{mass, vec{}, model.Inertia{XX: yy + thick, YY: xx + thick, ZZ: xx + yy, XY: -xy}}
	body := r.body(r.name2("p", i, j), g, place{o.p.add(far.p).mul(0.5), axes(x, y, z)}, twist{w, o.v.add(far.v).mul(0.5)})

	// The parallelogram is drawn by strips along x, and by rods over the steps at their ends.
	tone := [2][4]float64{{0.93, 0.72, 0.32, 1}, blue}[j%2]
	for s := range miuraStrips {
		part := (float64(s)+0.5)/miuraStrips - 0.5
		r.show(body, cuboid, [3]float64{u, v[1] / miuraStrips, miuraThick}, at(v.mul(part)), tone)
	}
	for _, side := range [2]float64{-0.5, 0.5} {
		r.showRod(body, vec{side * u}.sub(v.mul(0.5)), vec{side * u}.add(v.mul(0.5)), math.Abs(v[0])/miuraStrips/2, tone)
	}
}

// crease appends a hinge with spring and damper between the bodies a and b, at the edge between two vertices.
func (r *rig) crease(name string, a, b int, from, to vec) {
	x := place{from.add(to).mul(0.5), alongZ(to.sub(from).unit())}
	j := r.fit(name, model.Revolute, a, b, x, x)
	j.Stiffness = r.values(miuraCrease)
	j.Damping = r.values(miuraLoss)
}
