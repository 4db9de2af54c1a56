package mesh

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// readOBJ reads the vertices and faces of an OBJ file. Polygons become fans of triangles; free-form surfaces, lines,
// normals and materials are skipped.
//
// Cost and errors: as Read.
func readOBJ(data []byte) (*Mesh, error) {
	m := new(Mesh)
	r := lines{data: data, backslash: true}
	var corners []int32
	for r.next() {
		f := r.fields
		switch string(f[0]) {
		case "v": // a weight or colours may follow the coordinates
			if len(f) < 4 {
				return nil, r.errorf("a vertex has %d coordinates", len(f)-1)
			}
			v, err := r.point(f[1:4])
			if err != nil {
				return nil, err
			}
			if m.Vertices = append(m.Vertices, v); len(m.Vertices) > MaxTriangles {
				return nil, errTooMany()
			}
		case "f":
			corners = corners[:0]
			for _, text := range f[1:] {
				k, err := r.corner(text, len(m.Vertices))
				if err != nil {
					return nil, err
				}
				corners = append(corners, k)
			}
			if !m.fan(corners) { // fewer than three corners give no triangle
				return nil, errTooMany()
			}
		}
	}
	return m, nil
}

// corner reads a corner of a face, numbers separated by slashes, and returns the index of its vertex, the first number. n is the
// number of vertices so far. Numbers count from 1; negative numbers count backwards from the last vertex.
func (r *lines) corner(text []byte, n int) (int32, error) {
	first, _, _ := bytes.Cut(text, []byte{'/'})
	k, err := strconv.ParseInt(string(first), 10, 32)
	if err != nil || k == 0 || k > int64(n) || -k > int64(n) {
		return 0, r.errorf("%s is no vertex; there are %d before it", strconv.Quote(short(text)), n)
	}
	if k < 0 {
		k += int64(n) + 1
	}
	return int32(k - 1), nil
}

// lines iterates over the lines of a text that have words.
type lines struct {
	data      []byte
	backslash bool     // a backslash at the end of a line continues it; # begins a comment
	line      int      // number of the current line, from 1
	fields    [][]byte // words of the current line
}

// next reads the next line with words, and returns false at the end.
func (r *lines) next() bool {
	r.fields = r.fields[:0]
	for len(r.data) > 0 {
		var line []byte
		line, r.data, _ = bytes.Cut(r.data, []byte{'\n'})
		r.line++
		line = bytes.TrimRight(line, " \t\r")
		if r.backslash {
			line, _, _ = bytes.Cut(line, []byte{'#'})
		}
		more := r.backslash && bytes.HasSuffix(line, []byte{'\\'})
		if more {
			line = line[:len(line)-1]
		}
		r.split(line)
		if !more && len(r.fields) > 0 {
			return true
		}
	}
	return len(r.fields) > 0
}

// split appends the words of a line to fields.
func (r *lines) split(line []byte) {
	start := -1
	for i, c := range line {
		if blank := c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; blank && start >= 0 {
			r.fields = append(r.fields, line[start:i])
			start = -1
		} else if !blank && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		r.fields = append(r.fields, line[start:])
	}
}

// point reads three words as the finite coordinates of a vertex.
func (r *lines) point(words [][]byte) (v spatial.Vec3, err error) {
	if len(words) != 3 {
		return v, r.errorf("a vertex has %d coordinates", len(words))
	}
	for k, w := range words {
		x, err := strconv.ParseFloat(string(w), 64)
		if err != nil || !algebra.Finite(x) {
			return v, r.errorf("%s is not a finite number", strconv.Quote(short(w)))
		}
		v[k] = x
	}
	return v, nil
}

func (r *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("formats/mesh: line %d: %s", r.line, fmt.Sprintf(format, args...))
}

// short returns the beginning of a word.
func short(word []byte) string { return string(word[:min(len(word), 40)]) }
