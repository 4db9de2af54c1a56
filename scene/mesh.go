package scene

import (
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// Mesh is the surface of a Kind of size one as triangles, whose corners go anticlockwise as seen from outside. A vertex of a
// shape is, in the axes of the shape and from its centre,
//
//	Points[i] ∘ s + Shifts[i]·Size[2]·z
//
// with ∘ the product of components and s = Size. For capsules all components of s are Size[0], and Shifts moves the two ends
// along z; for other kinds Shifts is nil. Normals need no factor: only boxes and cylinders are scaled differently along x, y
// and z, and their normals stay.
type Mesh struct {
	Points, Normals []spatial.Vec3
	Shifts          []float64
	Triangles       [][3]int32
	Center          spatial.Vec3 // of a ball around a Surface, in its axes, m
	Radius          float64      // of that ball, m
}

// Meshes are the meshes of the kinds before Surface, in their order.
type Meshes [NumSolids]*Mesh

// NewMeshes returns the meshes of all kinds before Surface (NewMesh).
func NewMeshes(corners int) *Meshes {
	var m Meshes
	for k := range m {
		m[k] = NewMesh(Kind(k), corners)
	}
	return &m
}

// Mesh returns the mesh of a shape of s. solids has the meshes of the kinds before Surface (NewMeshes).
func (s *Scene) Mesh(sh *Shape, solids *Meshes) *Mesh {
	if sh.Kind == Surface {
		return s.Meshes[sh.Mesh]
	}
	return solids[sh.Kind]
}

// maxCorners is the largest number of corners of a circle, and of nodes of a Terrain along a side.
const maxCorners = 4096

// mustCorner panics if the number of corners is out of range.
func mustCorner(corners int) {
	if corners < 0 || corners > maxCorners {
		panic("scene: number of corners out of range")
	}
}

// NewMesh returns the mesh of a solid: of a kind before Surface. Its circles become polygons with the given number of corners, or with 6 if
// that is more.
//
// Cost: O(corners²). It panics for a Surface, or if corners is negative or more than maxCorners.
func NewMesh(k Kind, corners int) *Mesh {
	mustCorner(corners)
	if int(k) >= NumSolids {
		panic("scene: no solid of this kind")
	}
	corners = max(corners, 6)
	m := &Mesh{}
	switch k {
	case Box:
		m.box()
	case Cylinder:
		m.cylinder(corners)
	default:
		m.ball(corners, k == Capsule)
	}
	return m
}

// vertex adds a vertex with its normal, and returns its number.
func (m *Mesh) vertex(p, n spatial.Vec3) int32 {
	m.Points, m.Normals = append(m.Points, p), append(m.Normals, n)
	return int32(len(m.Points) - 1)
}

// quad adds a quadrangle as two triangles.
func (m *Mesh) quad(a, b, c, d int32) {
	m.Triangles = append(m.Triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
}

// box adds the faces of the box from −1 to 1.
func (m *Mesh) box() {
	for k := range 3 {
		for _, side := range [2]float64{-1, 1} {
			var n, u, v spatial.Vec3
			n[k], u[(k+1)%3], v[(k+2)%3] = side, 1, side // so that u×v = n
			corner := func(a, b float64) int32 { return m.vertex(n.Add(u.Scale(a)).Add(v.Scale(b)), n) }
			m.quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1))
		}
	}
}

// cylinder adds wall and ends of the cylinder of radius 1 from z = −1 to 1.
func (m *Mesh) cylinder(corners int) {
	for i := range corners {
		a, b := turn(i, corners), turn(i+1, corners)
		at := func(p spatial.Vec3, z float64) int32 { return m.vertex(spatial.Vec3{p[0], p[1], z}, p) }
		m.quad(at(a, -1), at(b, -1), at(b, 1), at(a, 1))
		for _, z := range [2]float64{-1, 1} {
			n := spatial.Vec3{0, 0, z}
			c := m.vertex(n, n)
			p, q := m.vertex(spatial.Vec3{a[0], a[1], z}, n), m.vertex(spatial.Vec3{b[0], b[1], z}, n)
			if z < 0 {
				p, q = q, p
			}
			m.Triangles = append(m.Triangles, [3]int32{c, p, q})
		}
	}
}

// turn returns corner i of a regular polygon on the unit circle.
func turn(i, corners int) spatial.Vec3 {
	s, c := math.Sincos(2 * math.Pi * float64(i%corners) / float64(corners))
	return spatial.Vec3{c, s}
}

// ball adds a sphere of radius 1, or a capsule: two half spheres and the wall of the cylinder between them.
func (m *Mesh) ball(corners int, capsule bool) {
	rings := (corners + 3) / 4 // from the equator to a pole
	var rows [][]int32
	row := func(latitude, shift float64) {
		s, c := math.Sincos(latitude)
		var r []int32
		for i := range corners {
			p := turn(i, corners)
			n := spatial.Vec3{c * p[0], c * p[1], s}
			r = append(r, m.vertex(n, n))
			if capsule {
				m.Shifts = append(m.Shifts, shift)
			}
		}
		rows = append(rows, r)
	}
	step := math.Pi / 2 / float64(rings)
	for k := -rings; k <= 0; k++ {
		row(float64(k)*step, -1)
	}
	first := 1
	if capsule { // the equator twice, at both ends of the wall
		first = 0
	}
	for k := first; k <= rings; k++ {
		row(float64(k)*step, 1)
	}
	for k := range len(rows) - 1 {
		for i := range corners {
			j := (i + 1) % corners
			a, b, c, d := rows[k][i], rows[k][j], rows[k+1][j], rows[k+1][i]
			if k > 0 { // else a and b are the south pole
				m.Triangles = append(m.Triangles, [3]int32{a, b, c})
			}
			if k < len(rows)-2 { // else c and d are the north pole
				m.Triangles = append(m.Triangles, [3]int32{a, c, d})
			}
		}
	}
}

// PointTo stores in p vertex i of the shape s, whose mesh m is, in the axes of s and from its centre, m.
func (m *Mesh) PointTo(p *spatial.Vec3, s *Shape, i int) {
	size := s.Size
	if s.Kind == Capsule || s.Kind == Sphere {
		size = spatial.Vec3{size[0], size[0], size[0]}
	}
	u := &m.Points[i]
	*p = spatial.Vec3{u[0] * size[0], u[1] * size[1], u[2] * size[2]}
	if m.Shifts != nil {
		p[2] += m.Shifts[i] * s.Size[2]
	}
}

// Terrain is a ground as heights at the nodes of a rectangle, m: Z[j*Columns+i] is the height at Min + (i·Step[0], j·Step[1]),
// NaN where there is no ground.
type Terrain struct {
	Columns, Rows int
	Min, Step     [2]float64
	Z             []float64
}

// NewTerrain returns the square part of a surface within reach, m, of a centre along x and y, with nodes² nodes.
//
// Cost: O(nodes²). It panics without a surface, unless the reach is positive and finite, or if there are not 2 to
// maxCorners nodes.
func NewTerrain(g *ground.Surface, center spatial.Vec3, reach float64, nodes int) *Terrain {
	switch {
	case g == nil:
		panic("scene: no surface")
	case !(reach > 0) || math.IsInf(reach, 1):
		panic("scene: reach out of range")
	case nodes < 2 || nodes > maxCorners:
		panic("scene: number of nodes out of range")
	}
	t := &Terrain{Columns: nodes, Rows: nodes}
	for k := range 2 {
		t.Min[k], t.Step[k] = center[k]-reach, 2*reach/float64(nodes-1)
	}
	t.Z = make([]float64, nodes*nodes)
	for j := range nodes {
		for i := range nodes {
			z, err := g.Height(t.Min[0]+float64(i)*t.Step[0], t.Min[1]+float64(j)*t.Step[1])
			if err != nil {
				z = math.NaN()
			}
			t.Z[j*nodes+i] = z
		}
	}
	return t
}

// At returns node i, j. It panics if there is none.
func (t *Terrain) At(i, j int) spatial.Vec3 {
	if uint(i) >= uint(t.Columns) || uint(j) >= uint(t.Rows) {
		panic("scene: node out of range")
	}
	return spatial.Vec3{t.Min[0] + float64(i)*t.Step[0], t.Min[1] + float64(j)*t.Step[1], t.Z[j*t.Columns+i]}
}
