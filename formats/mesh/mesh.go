package mesh

import (
	"fmt"
	"path"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// MaxTriangles is the largest number of triangles of a mesh, and of vertices, that is read.
const MaxTriangles = 4_000_000

// Mesh is a surface made of triangles. Seen from outside, the corners of a triangle run counterclockwise.
type Mesh struct {
	Vertices  []spatial.Vec3
	Triangles [][3]int32 // indices of vertices
}

// Read reads the mesh in data. The extension of the name gives the format: .stl, .obj or .dae, in upper or lower case.
//
// Cost: O(bytes). It returns an error that names the position in the
// file, also for coordinates that are not finite and for more than MaxTriangles triangles or vertices.
func Read(name string, data []byte) (*Mesh, error) {
	var m *Mesh
	var err error
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".stl":
		m, err = readSTL(data)
	case ".obj":
		m, err = readOBJ(data)
	case ".dae":
		m, err = readDAE(data)
	default:
		err = fmt.Errorf("formats/mesh: meshes are files that end in .stl, .obj or .dae")
	}
	if err != nil {
		return nil, fmt.Errorf("formats/mesh: %s: %w", fault.Name(name), fault.Plain(err))
	}
	return m, nil
}

// Transform moves the vertices to origin + E·diag(scale)·vertex. A scale with one or three negative factors mirrors the mesh;
// the order of the corners is then reversed, so that the outside of the triangles stays outside.
func (m *Mesh) Transform(scale spatial.Vec3, E spatial.Mat3, origin spatial.Vec3) {
	for i, v := range m.Vertices {
		m.Vertices[i] = origin.Add(E.MulVec(spatial.Vec3{scale[0] * v[0], scale[1] * v[1], scale[2] * v[2]}))
	}
	if scale[0]*scale[1]*scale[2]*E.Det() < 0 {
		m.turnOver(0)
	}
}

// turnOver reverses the order of the corners of the triangles from index from on.
func (m *Mesh) turnOver(from int) {
	for i := from; i < len(m.Triangles); i++ {
		t := &m.Triangles[i]
		t[1], t[2] = t[2], t[1]
	}
}

// add appends a vertex, and returns whether it is finite.
func (m *Mesh) add(v spatial.Vec3) bool {
	m.Vertices = append(m.Vertices, v)
	return v.IsFinite()
}

// fan appends a polygon as triangles that share its first corner. It returns false if the mesh now has more than MaxTriangles.
func (m *Mesh) fan(corners []int32) bool {
	for i := 2; i < len(corners); i++ {
		m.Triangles = append(m.Triangles, [3]int32{corners[0], corners[i-1], corners[i]})
	}
	return len(m.Triangles) <= MaxTriangles
}

// errTooMany returns the error of a mesh that is too large.
func errTooMany() error {
	return fmt.Errorf("formats/mesh: more than %d triangles or vertices", MaxTriangles)
}
