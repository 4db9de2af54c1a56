package mesh_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

const (
	exactTol  = 1e-14 // sums over a few triangles
	sumsTol   = 1e-12 // sums over some thousands
	singleTol = 1e-6  // coordinates of binary STL have 24 bits
)

// box returns the surface of a box between two corners, each face two triangles.
func box(lo, hi spatial.Vec3) *mesh.Mesh {
	m := new(mesh.Mesh)
	for i := range 8 {
		v := lo
		for d := range v {
			if i>>d&1 == 1 {
				v[d] = hi[d]
			}
		}
		m.Vertices = append(m.Vertices, v)
	}
	for _, q := range [6][4]int32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
	}
	return m
}

// round returns a closed surface of revolution of n by n points about z with radius f and height g.
func round(n int, f, g func(u float64) float64, torus bool) *mesh.Mesh {
	m := new(mesh.Mesh)
	for i := range n {
		u := float64(i) / float64(n)
		for j := range n {
			v := 2 * math.Pi * float64(j) / float64(n)
			m.Vertices = append(m.Vertices, spatial.Vec3{f(u) * math.Cos(v), f(u) * math.Sin(v), g(u)})
		}
	}
	at := func(i, j int) int32 { return int32(i%n*n + j%n) }
	for i := range n {
		if i == n-1 && !torus {
			break
		}
		for j := range n {
			m.Triangles = append(m.Triangles, [3]int32{at(i, j), at(i, j+1), at(i+1, j+1)}, [3]int32{at(i, j), at(i+1, j+1), at(i+1, j)})
		}
	}
	return m
}

func near(t *testing.T, want, got mesh.Moments, tol float64) {
	t.Helper()
	size := math.Cbrt(want.Mass) + want.Com.Norm()
	assert.InDelta(t, want.Mass, got.Mass, tol*want.Mass)
	check.CloseVec(t, got.Com[:], want.Com[:], tol, size, "centre of mass")
	check.CloseVec(t, got.Inertia[:], want.Inertia[:], tol, want.Inertia.Trace()+want.Mass*size*size, "inertia")
}

// boxMoments are the moments of a box.
func boxMoments(t *testing.T, lo, hi spatial.Vec3) mesh.Moments {
	d := hi.Sub(lo)
	b, err := bodies.Box(d[0]*d[1]*d[2], d)
	require.NoError(t, err)
	return mesh.Moments{Mass: b.Mass, Com: lo.Add(hi).Scale(0.5), Inertia: b.Inertia}
}

// TestBox: all mass properties of a box are exact, wherever it stands and however it is turned or mirrored.
func TestBox(t *testing.T) {
	lo, hi := spatial.Vec3{-1, 2, 3}, spatial.Vec3{1, 2.5, 7}
	m := box(lo, hi)
	s, err := m.Solid()
	require.NoError(t, err)
	near(t, boxMoments(t, lo, hi), s, exactTol)
	c, err := m.Convexoid()
	require.NoError(t, err)
	near(t, s, c, exactTol)
	assert.Less(t, m.Gap(), exactTol)

	E := spatial.FromAxisAngle(spatial.Vec3{0.6, 0, 0.8}, 0.7).Mat()
	m.Transform(spatial.Vec3{2, -3, 0.5}, E, spatial.Vec3{5, 6, 7}) // mirrored
	mirrored, err := m.Solid()
	require.NoError(t, err)
	want := boxMoments(t, spatial.Vec3{-2, -7.5, 1.5}, spatial.Vec3{2, -6, 3.5})
	want.Com, want.Inertia = spatial.Vec3{5, 6, 7}.Add(E.MulVec(want.Com)), want.Inertia.Rotate(E)
	near(t, want, mirrored, exactTol*10)

	// The shell of a cube of edge 1: area 6, and about an axis through
	// the centre 2·(1/6 + 1/2·...) = 5/3·... by integration 5/3.
	shell, err := box(spatial.Vec3{}, spatial.Vec3{1, 1, 1}).Shell()
	require.NoError(t, err)
	near(t, mesh.Moments{Mass: 6, Com: spatial.Vec3{0.5, 0.5, 0.5}, Inertia: spatial.Diag3(5./3, 5./3, 5./3)}, shell, exactTol)

	m.Transform(spatial.Vec3{1, 1, 1}, spatial.Identity3(), spatial.Vec3{})
	for i := range m.Triangles {
		m.Triangles[i][0], m.Triangles[i][1] = m.Triangles[i][1], m.Triangles[i][0]
	}
	_, err = m.Solid()
	require.ErrorIs(t, err, mesh.ErrInside)
	_, err = (&mesh.Mesh{}).Solid()
	require.ErrorIs(t, err, mesh.ErrFlat)
	_, err = (&mesh.Mesh{}).Shell()
	require.ErrorIs(t, err, mesh.ErrFlat)
	_, err = box(spatial.Vec3{}, spatial.Vec3{1, 1, 0}).Solid()
	require.ErrorIs(t, err, mesh.ErrFlat)
	_, err = box(spatial.Vec3{}, spatial.Vec3{1, 1, 0}).Convexoid()
	require.ErrorIs(t, err, mesh.ErrFlat)
	assert.Zero(t, (&mesh.Mesh{}).Gap())
	open := box(spatial.Vec3{}, spatial.Vec3{1, 1, 1})
	open.Triangles = open.Triangles[:10]
	assert.Greater(t, open.Gap(), 0.1)
}

// TestConvexoid: of a body with a notch, the rule that counts all tetrahedra as
// positive has their centre of mass by the centre of the surface, and then mass
// and inertia by that centre of mass: here each tetrahedron is a separate mesh.
func TestConvexoid(t *testing.T) {
	m := round(7, func(u float64) float64 { return 1 + 0.3*math.Cos(2*math.Pi*u) }, func(u float64) float64 { return 0.4 * math.Sin(2*math.Pi*u) }, true)
	m.Transform(spatial.Vec3{1, 0.7, 1.2}, spatial.FromAxisAngle(spatial.Vec3{0.6, 0, 0.8}, 0.4).Mat(), spatial.Vec3{0.3, 0.1, -0.2})
	for k := range m.Vertices {
		m.Vertices[k] = m.Vertices[k].Scale(1 + 0.4*math.Sin(float64(k)))
	}
	sum := func(at spatial.Vec3) (mass float64, first spatial.Vec3, about spatial.Sym3) {
		for _, f := range m.Triangles {
			four := &mesh.Mesh{Vertices: []spatial.Vec3{at, m.Vertices[f[0]], m.Vertices[f[1]], m.Vertices[f[2]]}, Triangles: [][3]int32{{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}}
			s, err := four.Solid()
			if errors.Is(err, mesh.ErrInside) {
				for k := range four.Triangles {
					c := &four.Triangles[k]
					c[0], c[1] = c[1], c[0]
				}
				s, err = four.Solid()
			}
			require.NoError(t, err)
			d := s.Com.Sub(at)
			mass += s.Mass
			first = first.Add(d.Scale(s.Mass))
			about = about.Add(s.Inertia)
			about = about.Add(spatial.Sym3{
				s.Mass * (d[1]*d[1] + d[2]*d[2]), s.Mass * (d[0]*d[0] + d[2]*d[2]), s.Mass * (d[0]*d[0] + d[1]*d[1]),
				-s.Mass * d[0] * d[1], -s.Mass * d[0] * d[2], -s.Mass * d[1] * d[2],
			})
		}
		return mass, first, about
	}
	shell, err := m.Shell()
	require.NoError(t, err)
	mass, first, _ := sum(shell.Com)
	want := mesh.Moments{Com: shell.Com.Add(first.Scale(1 / mass))}
	want.Mass, _, want.Inertia = sum(want.Com)
	require.Greater(t, math.Abs(want.Mass-mass), 1e-4*mass, "the two centres matter")
	got, err := m.Convexoid()
	require.NoError(t, err)
	near(t, want, got, 1e-12)
}

// TestTorus: a surface that is not convex converges to the closed forms of its solid, with the square of the width,
// while the sum of positive tetrahedra counts its hole.
func TestTorus(t *testing.T) {
	const R, r = 1.0, 0.3
	torus := func(n int) mesh.Moments {
		m := round(n, func(u float64) float64 { return R + r*math.Cos(2*math.Pi*u) }, func(u float64) float64 { return r * math.Sin(2*math.Pi*u) }, true)
		assert.Less(t, m.Gap(), sumsTol)
		s, err := m.Solid()
		require.NoError(t, err)
		c, err := m.Convexoid()
		require.NoError(t, err)
		assert.Greater(t, c.Mass, 1.5*s.Mass)
		return s
	}
	V := 2 * math.Pi * math.Pi * R * r * r
	Iz, Ix := V*(R*R+0.75*r*r), V*(R*R/2+0.625*r*r)
	coarse, fine := torus(40), torus(80)
	for _, c := range [][3]float64{
		{V, coarse.Mass, fine.Mass}, {Iz, coarse.Inertia[2], fine.Inertia[2]}, {Ix, coarse.Inertia[0], fine.Inertia[0]},
	} {
		assert.InDelta(t, 4, (c[1]-c[0])/(c[2]-c[0]), 0.02, "order")
		assert.InEpsilon(t, c[0], c[2]+(c[2]-c[1])/3, 1e-4, "limit")
	}
	assert.Less(t, fine.Com.Norm(), sumsTol)
}

// binarySTL writes m.
func binarySTL(m *mesh.Mesh) []byte {
	b := make([]byte, 80, 84+50*len(m.Triangles))
	copy(b, "solid but binary") // as some programs begin
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.Triangles)))
	for _, t := range m.Triangles {
		b = append(b, make([]byte, 12)...)
		for _, k := range t {
			for _, x := range m.Vertices[k] {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	return b
}

func textSTL(m *mesh.Mesh) []byte {
	var b bytes.Buffer
	b.WriteString("solid a box\r\n")
	for _, t := range m.Triangles {
		b.WriteString(" facet normal 0 0 nan\n  outer loop\n")
		for _, k := range t {
			v := m.Vertices[k]
			fmt.Fprintf(&b, "\tvertex %v %g %E\n", v[0], v[1], v[2])
		}
		b.WriteString("  endloop\n endfacet\n")
	}
	b.WriteString("endsolid")
	return b.Bytes()
}

// objBox has quadrilaterals, both kinds of numbers, lines that are skipped, and a continued line.
const objBox = `# a box
mtllib none.mtl
o box
v -1 2 3 1 0 0
v 1 2 3
v -1 2.5 3
v 1 2.5 3
v -1 2 7
v 1 2 7
v -1 2.5 7
v 1 2.5 \
7
vn 0 0 1
vt 0 0
f 1//1 3//1 4//1 2//1
f 5 6 8 7
f 1/1 2/1 6/1 5/1
f -6 -2 -1 -5 # as 3 7 8 4
f 1/1/1 5/1/1 7/1/1 3/1/1
f 2 4 8 6
`

// daeBox returns a box as COLLADA, with millimetres and y upward, whose node moves, turns, mirrors and scales it.
func daeBox(node string) string {
	return `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="24">0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"/></technique_common></source>
<source id="n"><float_array count="3">0 0 1</float_array></source>
<vertices id="v"><input semantic="NORMAL" source="#n"/><input semantic="POSITION" source="#p"/></vertices>
<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><vcount>4 4 4 4</vcount>
<p>0 0 2 0 3 0 1 0 4 0 5 0 7 0 6 0 0 0 1 0 5 0 4 0 2 0 6 0 7 0 3 0</p></polylist>
<triangles count="2"><input semantic="NORMAL" source="#n" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/><p>0 0 0 4 0 6 0 0 0 6 0 2</p></triangles>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>1 3 7 5</p></polygons>
</mesh></geometry></library_geometries>
<library_nodes><node id="shared"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">` + node + `</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`
}

// TestFormats: a box reads alike from all formats.
func TestFormats(t *testing.T) {
	lo, hi := spatial.Vec3{-1, 2, 3}, spatial.Vec3{1, 2.5, 7}
	m := box(lo, hi)
	// Of millimetres with y upward: x, y, z of the node are x, −z, y of the world.
	node := `<node><translate>-1000 3000 -2000</translate><scale>1 1 -1</scale><rotate>0 1 0 90</rotate>
		<matrix>0 0 -1 0 0 1 0 0 1 0 0 0 0 0 0 1</matrix>
		<scale>2000 4000 500</scale><instance_node url="#shared"/></node>`
	for _, c := range []struct {
		name string
		data []byte
		tol  float64
	}{
		{"a.STL", binarySTL(m), singleTol}, {"b.stl", textSTL(m), exactTol}, {"c.obj", []byte(objBox), exactTol}, {"d.dae", []byte(daeBox(node)), exactTol * 10},
	} {
		got, err := mesh.Read(c.name, c.data)
		require.NoError(t, err, c.name)
		assert.Len(t, got.Triangles, 12, c.name)
		s, err := got.Solid()
		require.NoError(t, err, c.name)
		a, b := got.Bounds()
		if c.name == "d.dae" {
			want := boxMoments(t, a, b)
			near(t, want, s, c.tol)
			assert.InDelta(t, 4, want.Mass, 1e-12) // 2·4·½ m
			continue
		}
		near(t, boxMoments(t, lo, hi), s, c.tol)
		assert.Equal(t, [2]spatial.Vec3{lo, hi}, [2]spatial.Vec3{a, b})
	}
	// Without a scene the geometries stand as they are; x upward.
	text := strings.Replace(strings.Replace(daeBox(""), `<instance_visual_scene url="#s"/>`, "", 1), "Y_UP", "X_UP", 1)
	got, err := mesh.Read("e.dae", []byte(text))
	require.NoError(t, err)
	a, b := got.Bounds()
	check.CloseVec(t, a[:], []float64{-1e-3, -1e-3, 0}, exactTol, 1e-3, "lowest")
	check.CloseVec(t, b[:], []float64{0, 0, 1e-3}, exactTol, 1e-3, "highest")
}

// TestPlacesOfDAE: the transformations of a node apply from the last
// to the first, and transformations of nodes from the inner to the outer.
func TestPlacesOfDAE(t *testing.T) {
	text := strings.Replace(daeBox(`<node><translate>10 0 0</translate><node><rotate>0 0 1 90</rotate><translate>0 0 5</translate><instance_geometry url="#g"/></node></node>`), "Y_UP", "Z_UP", 1)
	m, err := mesh.Read("a.dae", []byte(strings.Replace(text, `meter="0.001"`, `meter="1"`, 1)))
	require.NoError(t, err)
	lo, hi := m.Bounds()
	check.CloseVec(t, lo[:], []float64{9, 0, 5}, exactTol, 10, "lowest")
	check.CloseVec(t, hi[:], []float64{10, 1, 6}, exactTol, 10, "highest")
}

// TestRefused: what is wrong is said with its place.
func TestRefused(t *testing.T) {
	m := box(spatial.Vec3{}, spatial.Vec3{1, 1, 1})
	cut := binarySTL(m)
	nan := binarySTL(m)
	binary.LittleEndian.PutUint32(nan[84+12:], math.Float32bits(float32(math.NaN())))
	dae := func(from, to string) string {
		return strings.ReplaceAll(daeBox(`<node><instance_geometry url="#g"/></node>`), from, to)
	}
	cycle := `<node id="a"><instance_node url="#a"/></node>`
	many := strings.Repeat(`<node><instance_geometry url="#g"/></node>`, 3)
	for k := range 12 { // 8^12 boxes
		many = fmt.Sprintf(`<node id="m%d">`, k) + many + `</node>` + strings.Repeat(fmt.Sprintf(`<node><instance_node url="#m%d"/></node>`, k), 8)
	}
	for _, c := range []struct{ name, text, message string }{
		{"a.dae", dae(`url="#s"`, `url="#gone"`), "line 16: \"#gone\" is no visual_scene of this file"},
		{"a.dae", dae(`url="#s"`, `url="#g"`), "line 16: \"#g\" is no visual_scene of this file"},
		{"a.ply", "", "meshes are files that end in .stl, .obj or .dae"},
		{"a.stl", "x", "no STL file: it has 1 bytes"},
		{"a.stl", string(cut[:len(cut)-1]), "no STL file: 12 triangles are stated, and there are 683 bytes"},
		{"a.stl", "x" + string(cut[1:len(cut)-1]), "no STL file: 12 triangles are stated, and there are 683 bytes"},
		{"a.stl", string(nan), "triangle 0 has a corner that is not finite"},
		{"a.stl", "solid\nvertex 1 2\n", "line 2: a vertex has 2 coordinates"},
		{"a.stl", "solid\n\nvertex 1 2 inf\n", `line 3: "inf" is not a finite number`},
		{"a.stl", "solid\nvertex 1 2 3\nendfacet", "line 3: a facet has 1 vertices"},
		{"a.stl", "solid\nvertex 1 2 3\n", "ends within a facet"},
		{"a.stl", "solid\n" + strings.Repeat("vertex 1 2 3\n", 4), "line 5: a facet has more than three"},
		{"a.stl", "solid\nvortex 1 2 3\n", `line 2: unknown word "vortex"`},
		{"a.obj", "v 1 2\n", "line 1: a vertex has 2 coordinates"},
		{"a.obj", "v 1 2 1e999\n", "is not a finite number"},
		{"a.obj", "v 0 0 0\nf 1 1 2\n", `line 2: "2" is no vertex; there are 1 before it`},
		{"a.obj", "v 0 0 0\nf 1 1 -2\n", `"-2" is no vertex`},
		{"a.obj", "v 0 0 0\nf 0 1 1\n", `"0" is no vertex`},
		{"a.dae", "<a/>", `no COLLADA file: its element is "a"`},
		{"a.dae", "<COLLADA>", "does not end"},
		{"a.dae", "<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA/>", "entities are not read"},
		{"a.dae", dae("Y_UP", "UP"), `line 3: "UP" is no upward axis`},
		{"a.dae", dae(`meter="0.001"`, `meter="0"`), `"0" is no length in metres`},
		{"a.dae", dae("#g", "#p"), `"#p" is no geometry of this file`},
		{"a.dae", dae("#g", "g"), `"g" is no geometry of this file`},
		{"a.dae", dae("<instance_geometry", "<lookat/><instance_geometry"), `transformations "lookat" are not read`},
		{"a.dae", dae("<instance_geometry", "<scale>1 2</scale><instance_geometry"), "2 numbers in place of 3"},
		{"a.dae", dae("<instance_geometry", "<rotate>0 0 0 3</rotate><instance_geometry"), "the axis is zero"},
		{"a.dae", dae("<instance_geometry", "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix><instance_geometry"), "the last row of the matrix is not 0 0 0 1"},
		{"a.dae", dae("<vcount>4", "<vcount>5"), "the indices end within a face"},
		{"a.dae", dae("<vcount>4", "<vcount>3.5"), "vcount does not fit the indices"},
		{"a.dae", dae("<vcount>4", "<vcount>"), "vcount does not fit the indices"},
		{"a.dae", dae("<p>1 3 7 5", "<p>1 3 7 8"), `"8" is no vertex`},
		{"a.dae", dae("<p>1 3 7 5", "<ph/><p>1 3 7 5"), "polygons with holes are not read"},
		{"a.dae", dae("<p>1 3 7 5</p>", "<p> </p><p>1</p><p/>"), ""},
		{"a.dae", dae(`<input semantic="VERTEX" source="#v" offset="0"/><p>1`, "<p>1"), "faces without vertices"},
		{"a.dae", dae(`offset="1"/><vcount>`, `offset="-1"/><vcount>`), `"-1" is no offset`},
		{"a.dae", dae(`stride="3"`, `stride="0"`), `"0" is no stride of points`},
		{"a.dae", dae("0 0 0  1 0 0", "0 0 0  inf 0 0"), "is not finite"},
		{"a.dae", dae("<triangles", "<tristrips/><triangles"), "tristrips are not read"},
		{"a.dae", dae(`semantic="POSITION"`, `semantic="COLOR"`), "vertices without positions"},
		{"a.dae", strings.Replace(daeBox(cycle), "library_nodes", "x", 2), "deeper than 64"},
		{"a.dae", daeBox(many), "more than 65536 parts"},
	} {
		if c.message == "" {
			continue // a face of one corner is no triangle and no error
		}
		_, err := mesh.Read(c.name, []byte(c.text))
		if assert.Error(t, err, c.message) {
			assert.Contains(t, err.Error(), c.message)
			assert.NotContains(t, err.Error(), "\n")
		}
	}
}

// TestForgiven: words of STL in capitals, and faces of less than three corners, which have no area, are read as other programs
// read them.
func TestForgiven(t *testing.T) {
	m, err := mesh.Read("a.stl", []byte("\n SOLID Part\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVertex 1 0 0\nvertex 0 1 0\nENDLOOP\nENDFACET\nENDSOLID\n"))
	require.NoError(t, err)
	assert.Len(t, m.Triangles, 1)
	want, err := mesh.Read("a.obj", []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"))
	require.NoError(t, err)
	m, err = mesh.Read("a.obj", []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 2 3\nf 3\nf\n"))
	require.NoError(t, err)
	assert.Equal(t, want, m)
}

// TestThroughput: 10 MB of each format are read in less than a second. The bound is for the whole import.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("timed")
	}
	const size = 10 << 20
	m := round(280, func(u float64) float64 { return 1 + 0.3*math.Cos(2*math.Pi*u) }, func(u float64) float64 { return 0.3 * math.Sin(2*math.Pi*u) }, true)
	var obj bytes.Buffer
	for _, v := range m.Vertices {
		fmt.Fprintf(&obj, "v %v %v %v\n", v[0], v[1], v[2])
	}
	for _, f := range m.Triangles {
		fmt.Fprintf(&obj, "f %d/1/1 %d/1/1 %d/1/1\n", f[0]+1, f[1]+1, f[2]+1)
	}
	for name, data := range map[string][]byte{"a.stl": binarySTL(m), "b.stl": textSTL(m), "c.obj": obj.Bytes()} {
		for len(data) < size {
			if name == "a.stl" {
				data = append(data, data[84:]...)
				binary.LittleEndian.PutUint32(data[80:], uint32((len(data)-84)/50))
			} else {
				data = append(data, data...)
			}
		}
		start := time.Now()
		_, err := mesh.Read(name, data)
		took := time.Since(start)
		require.NoError(t, err, name)
		t.Logf("%s: %d MB in %v", name, len(data)>>20, took)
		assert.Less(t, took.Seconds()*size/float64(len(data)), 1.0, name)
	}
}

// FuzzRead: no input panics or hangs; what is read has triangles of its vertices, all finite.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = 10 * time.Second
	m := box(spatial.Vec3{}, spatial.Vec3{1, 1, 1})
	f.Add(uint8(0), binarySTL(m))
	f.Add(uint8(0), textSTL(m))
	f.Add(uint8(1), []byte(objBox))
	f.Add(uint8(2), []byte(daeBox(`<node><rotate>0 0 1 90</rotate><instance_node url="#shared"/></node>`)))
	f.Fuzz(func(t *testing.T, format uint8, data []byte) {
		m, err := mesh.Read([]string{"a.stl", "a.obj", "a.dae"}[format%3], data)
		if err != nil {
			require.Nil(t, m)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, v := range m.Vertices {
			require.True(t, v.IsFinite())
		}
		for _, c := range m.Triangles {
			for _, k := range c {
				require.True(t, k >= 0 && int(k) < len(m.Vertices))
			}
		}
		for _, properties := range []func() (mesh.Moments, error){m.Solid, m.Convexoid, m.Shell} {
			_, _ = properties()
		}
	})
}
