package scene

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"

	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// maxMeshBytes is the largest total size of the files of meshes.
	maxMeshBytes = 1 << 28
	// maxMeshTriangles is the largest total number of triangles of the meshes and ellipsoids. A mesh that several bodies have counts once.
	maxMeshTriangles = 1 << 21
)

// address is in the names of files that are not relative to the model, such as package://NAME/FILE.
const address = "://"

// meshKey identifies a mesh that bodies may share: a file and its scale, or the half axes of an ellipsoid.
type meshKey struct {
	file string
	size spatial.Vec3
}

// visuals adds the shapes that the model has for its bodies. Collision shapes are drawn only for bodies without other visuals.
// A visual that cannot be drawn is in Faults; a body of which no visual can be drawn gets invented shapes.
func (b *builder) visuals(o *Options) {
	b.seen = make([]bool, len(b.Mechanism.Bodies)+1) // the last is the world
	if len(o.Visuals) == 0 {
		return
	}
	number := make(map[string]int32, len(b.Mechanism.Bodies)+1)
	for i := range b.Mechanism.Bodies {
		number[b.Mechanism.BodyName(i)] = int32(i)
	}
	number[model.World] = mechanism.World
	r := meshReader{files: o.Files, known: map[meshKey]int32{}, broken: map[meshKey]bool{}}
	for _, collision := range [2]bool{false, true} {
		var now []int
		for i := range o.Visuals {
			v := &o.Visuals[i]
			body, ok := number[v.Body]
			if !ok || v.Collision != collision || collision && b.seen[b.place(body)] {
				continue
			}
			s, err := b.visual(v, body, &r)
			if err != nil {
				b.Faults = append(b.Faults, fmt.Errorf("$.visuals[%d], of body %s: %w", i, fault.Name(v.Body), err))
				continue
			}
			now = append(now, b.place(body))
			if hidden := v.Color[3] == 0 && v.Color != [4]float64{}; !hidden {
				b.Shapes = append(b.Shapes, s)
			}
		}
		for _, k := range now {
			b.seen[k] = true
		}
	}
}

// place returns the index of a body in seen.
func (b *builder) place(body int32) int {
	if body == mechanism.World {
		return len(b.seen) - 1
	}
	return int(body)
}

// visual returns the shape of v, or an error if it cannot be drawn.
func (b *builder) visual(v *model.Visual, body int32, r *meshReader) (Shape, error) {
	s := Shape{Color: worldColor, Body: body, Joint: -1, At: mechanism.NewFrame(v.Pose)}
	if body != mechanism.World {
		s.Color = BodyColor(int(body))
	}
	if v.Color != [4]float64{} {
		for k := range s.Color {
			s.Color[k] = uint8(255*min(max(v.Color[k], 0), 1) + 0.5)
		}
	}
	x := v.Size
	switch v.Kind {
	case model.BoxVisual:
		s.Kind, s.Size = Box, spatial.Vec3{x[0] / 2, x[1] / 2, x[2] / 2}
	case model.SphereVisual:
		s.Kind, s.Size = Sphere, spatial.Vec3{x[0], x[0], x[0]}
	case model.CylinderVisual, model.CapsuleVisual:
		s.Kind, s.Size = Cylinder, spatial.Vec3{x[0], x[0], x[1] / 2}
		if v.Kind == model.CapsuleVisual {
			s.Kind = Capsule
		}
	case model.EllipsoidVisual, model.MeshVisual:
		key := meshKey{size: x}
		if v.Kind == model.MeshVisual {
			file := v.File
			if !strings.Contains(file, address) {
				file = path.Clean(file) // a file system takes no "./"
			}
			if key = (meshKey{file, v.Scale}); v.Scale == [3]float64{} {
				key.size = spatial.Vec3{1, 1, 1}
			}
		}
		k, err := r.mesh(key, &b.Scene)
		if err != nil {
			return s, err
		}
		s.Kind, s.Size, s.Mesh = Surface, spatial.Vec3{1, 1, 1}, k
	default:
		return s, fmt.Errorf("kind %v is not drawn", v.Kind)
	}
	if !(min(s.Size[0], s.Size[1], s.Size[2]) > 0) || !s.Size.IsFinite() {
		return s, fmt.Errorf("a %v without extent: %v m", v.Kind, x)
	}
	return s, nil
}

// meshReader reads each mesh once.
type meshReader struct {
	files            fs.FS
	known            map[meshKey]int32 // number in Scene.Meshes
	broken           map[meshKey]bool  // meshes that cannot be read
	bytes, triangles int               // of all meshes that were read
}

// errSaid is the error for a mesh whose error was returned before.
var errSaid = errors.New("the mesh cannot be read, as said before")

// mesh returns the number of a mesh in s.Meshes, to which it adds a new one; −1 with an error.
func (r *meshReader) mesh(key meshKey, s *Scene) (int32, error) {
	if k, ok := r.known[key]; ok {
		return k, nil
	}
	if r.broken[key] {
		return -1, errSaid
	}
	m, err := r.read(key)
	if err != nil {
		r.broken[key] = true
		return -1, err
	}
	s.Meshes = append(s.Meshes, m)
	r.known[key] = int32(len(s.Meshes) - 1)
	return r.known[key], nil
}

// read makes the mesh of an ellipsoid, or reads the mesh of a file and scales it.
func (r *meshReader) read(key meshKey) (*Mesh, error) {
	if key.file == "" {
		if !(min(key.size[0], key.size[1], key.size[2]) > 0) || !key.size.IsFinite() {
			return nil, fmt.Errorf("an ellipsoid without extent: %v m", key.size)
		}
		m := ellipsoid(key.size)
		return m, r.count(len(m.Triangles))
	}
	name := fault.Name(key.file)
	if r.files == nil {
		return nil, fmt.Errorf("mesh %s: no folder is given to read it from", name)
	}
	if strings.Contains(key.file, address) {
		return nil, fmt.Errorf("mesh %s: an address, not a file (rung import --package-dir finds the files of packages)", name)
	}
	if !fs.ValidPath(key.file) {
		return nil, fmt.Errorf("mesh %s: not in the folder of the model or below it", name)
	}
	// Reading a file that is not regular, such as a pipe, may never end.
	if info, err := fs.Stat(r.files, key.file); err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, cause(err))
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("mesh %s: not a regular file", name)
	}
	f, err := r.files.Open(key.file)
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, cause(err))
	}
	left := maxMeshBytes - r.bytes
	data, err := io.ReadAll(io.LimitReader(f, int64(left)+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, cause(err))
	}
	if len(data) > left {
		return nil, fmt.Errorf("mesh %s: the files of meshes have more than %d bytes", name, maxMeshBytes)
	}
	r.bytes += len(data)
	m, err := mesh.Read(key.file, data)
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, fault.Plain(err))
	}
	if err := r.count(len(m.Triangles)); err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, err)
	}
	m.Transform(key.size, spatial.Identity3(), spatial.Vec3{})
	out := smooth(m)
	if len(out.Triangles) == 0 {
		return nil, fmt.Errorf("mesh %s: no triangle has an area", name)
	}
	if !(out.Radius > 0) || math.IsInf(out.Radius, 0) {
		return nil, fmt.Errorf("mesh %s: its radius is %g m", name, out.Radius)
	}
	return out, nil
}

// count adds the triangles of a mesh to the total, or returns an error if there would be too many.
func (r *meshReader) count(triangles int) error {
	if triangles > maxMeshTriangles-r.triangles {
		return fmt.Errorf("the meshes have more than %d triangles", maxMeshTriangles)
	}
	r.triangles += triangles
	return nil
}

// cause returns the error in a *fs.PathError, as the caller tells the name itself.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ellipsoid returns the mesh of an ellipsoid with these half axes, m.
func ellipsoid(size spatial.Vec3) *Mesh {
	m := NewMesh(Sphere, 32)
	for i := range m.Points {
		p, n := &m.Points[i], &m.Normals[i]
		for k := range p {
			p[k] *= size[k]
			n[k] /= size[k] / min(size[0], size[1], size[2])
		}
		*n = n.Scale(1 / n.Norm())
	}
	m.Radius = max(size[0], size[1], size[2])
	return m
}

const (
	// smoothCosine is the cosine of 40°. Triangles that meet at a smaller angle look like one curved side.
	smoothCosine = 0.766
	// mostAround is the largest number of triangles at a vertex for which normals are averaged.
	mostAround = 48
)

// smooth returns a mesh for drawing. Each corner of a triangle has a vertex of its own. Its normal is the mean, weighted by area, of
// the normals of the triangles around it that are within 40° of the triangle's own.
//
// Cost: O(triangles).
func smooth(m *mesh.Mesh) *Mesh {
	normals := make([]spatial.Vec3, len(m.Triangles)) // with twice the area as length
	first := make([]int32, len(m.Vertices)+1)
	for i, t := range m.Triangles {
		a, b, c := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
		normals[i] = b.Sub(a).Cross(c.Sub(a))
		for _, v := range t {
			first[v+1]++
		}
	}
	for i := range m.Vertices {
		first[i+1] += first[i]
	}
	around, next := make([]int32, first[len(m.Vertices)]), append([]int32(nil), first...)
	for i, t := range m.Triangles {
		for _, v := range t {
			around[next[v]] = int32(i)
			next[v]++
		}
	}
	out := &Mesh{}
	for i, t := range m.Triangles {
		n := normals[i]
		l := n.Norm()
		if !(l > 0) || math.IsInf(l, 0) {
			continue // no normal
		}
		var corner [3]int32
		for k, v := range t {
			sum := n
			if list := around[first[v]:first[v+1]]; len(list) <= mostAround {
				sum = spatial.Vec3{}
				for _, other := range list {
					if o := normals[other]; o.Dot(n) >= smoothCosine*o.Norm()*l {
						sum = sum.Add(o)
					}
				}
			}
			corner[k] = out.vertex(m.Vertices[v], sum.Scale(1/sum.Norm()))
		}
		out.Triangles = append(out.Triangles, corner)
	}
	out.bound()
	return out
}

// bound sets Center and Radius to a ball around the points, whose centre is the middle of their box.
func (m *Mesh) bound() {
	if len(m.Points) == 0 {
		return
	}
	lo, hi := m.Points[0], m.Points[0]
	for _, p := range m.Points {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	m.Center = lo.Scale(0.5).Add(hi.Scale(0.5))
	for _, p := range m.Points {
		m.Radius = max(m.Radius, p.Sub(m.Center).Norm())
	}
}
