package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/spatial"
)

// The sizes of the header, without the number of triangles, and of a facet of a binary STL file, bytes.
const (
	stlHeader = 80
	stlFacet  = 50
)

// readSTL reads an STL file, binary or text. It ignores the normals: the order of the corners defines the outside.
//
// Cost and errors: as Read.
func readSTL(data []byte) (*Mesh, error) {
	if len(data) >= stlHeader+4 {
		n := int64(binary.LittleEndian.Uint32(data[stlHeader:]))
		if int64(len(data)) == stlHeader+4+n*stlFacet {
			return binarySTL(data[stlHeader+4:])
		}
	}
	if begin := bytes.TrimLeft(data, " \t\r\n"); len(begin) >= 5 && strings.EqualFold(string(begin[:5]), "solid") && bytes.IndexByte(data, 0) < 0 {
		return textSTL(data)
	}
	if len(data) < stlHeader+4 {
		return nil, fmt.Errorf("formats/mesh: no STL file: it has %d bytes and does not begin with solid", len(data))
	}
	return nil, fmt.Errorf("formats/mesh: no STL file: %d triangles are stated, and there are %d bytes", binary.LittleEndian.Uint32(data[stlHeader:]), len(data))
}

// binarySTL reads the facets of a binary file.
func binarySTL(data []byte) (*Mesh, error) {
	n := len(data) / stlFacet
	if n > MaxTriangles {
		return nil, errTooMany()
	}
	m := &Mesh{Vertices: make([]spatial.Vec3, 0, 3*n), Triangles: make([][3]int32, 0, n)}
	for i := range n {
		facet := data[i*stlFacet:]
		for k := range 3 {
			var v spatial.Vec3
			for d := range v {
				v[d] = float64(math.Float32frombits(binary.LittleEndian.Uint32(facet[12+12*k+4*d:])))
			}
			if !m.add(v) {
				return nil, fmt.Errorf("formats/mesh: triangle %d has a corner that is not finite", i)
			}
		}
		m.Triangles = append(m.Triangles, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
	}
	return m, nil
}

// textSTL reads the lines "vertex x y z" of a text file, three of which are a triangle.
func textSTL(data []byte) (*Mesh, error) {
	m := new(Mesh)
	r := lines{data: data}
	corners := 0
	for r.next() {
		switch f := r.fields; strings.ToLower(string(f[0])) {
		case "vertex":
			v, err := r.point(f[1:])
			if err != nil {
				return nil, err
			}
			if corners++; corners > 3 {
				return nil, r.errorf("a facet has more than three vertices")
			}
			m.Vertices = append(m.Vertices, v)
		case "endfacet":
			if corners != 3 {
				return nil, r.errorf("a facet has %d vertices", corners)
			}
			corners = 0
			n := int32(len(m.Vertices))
			m.Triangles = append(m.Triangles, [3]int32{n - 3, n - 2, n - 1})
			if len(m.Triangles) > MaxTriangles {
				return nil, errTooMany()
			}
		case "solid", "facet", "outer", "endloop", "endsolid":
		default:
			return nil, r.errorf("unknown word %s", strconv.Quote(short(f[0])))
		}
	}
	if corners != 0 {
		return nil, r.errorf("the file ends within a facet")
	}
	return m, nil
}
