package mesh

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Bounds of a COLLADA scene. Nodes can be instances of other nodes, so that a few bytes could describe billions of nodes.
const (
	maxInstances = 1 << 16 // instances of nodes and geometries
	maxDepth     = 64      // depth of nested nodes
	maxWork      = 1 << 29 // work in all: the bytes of text that are read, counted for each instance, and nodeWork for each element
	nodeWork     = 64
)

// readDAE reads the triangles, polylists and polygons without holes of the scene of a COLLADA file, transformed by the
// nodes above them, into metres and with the upward axis along z. From a file without a scene it reads
// all geometries, without nodes. Lines, splines, skins and materials are skipped.
//
// Cost and errors: as Read.
func readDAE(data []byte) (*Mesh, error) {
	root, err := xmltree.Parse("", data)
	if err != nil {
		return nil, err
	}
	if root.Name != "COLLADA" {
		return nil, fmt.Errorf("formats/mesh: no COLLADA file: its element is %s", fault.Name(root.Name))
	}
	d := dae{mesh: new(Mesh), ids: map[string]*xmltree.Node{}}
	d.index(root)
	unit, err := d.frame(root)
	if err != nil {
		return nil, err
	}
	scene, err := d.scene(root)
	if err != nil {
		return nil, err
	}
	if scene != nil {
		return d.mesh, d.nodes(scene, unit, 0)
	}
	for _, library := range root.Children {
		for _, g := range library.Children {
			if g.Name == "geometry" {
				if err := d.geometry(g, unit); err != nil {
					return nil, err
				}
			}
		}
	}
	return d.mesh, nil
}

// affine is a map x → A·x + r.
type affine struct {
	A spatial.Mat3
	r spatial.Vec3
}

// mul returns the map x → a(b(x)).
func (a affine) mul(b affine) affine { return affine{a.A.Mul(b.A), a.r.Add(a.A.MulVec(b.r))} }

// dae is the state of readDAE.
type dae struct {
	mesh      *Mesh
	ids       map[string]*xmltree.Node
	instances int
	work      int
}

// spend counts work, and returns an error if it is too much.
func (d *dae) spend(n *xmltree.Node, work int) error {
	if d.work += work; d.work > maxWork {
		return errorAt(n, "the scene is too large")
	}
	return nil
}

// index stores the elements with an id; of equal ids the first counts.
func (d *dae) index(n *xmltree.Node) {
	if id, ok := n.Attr("id"); ok {
		if _, twice := d.ids[id]; !twice {
			d.ids[id] = n
		}
	}
	for _, c := range n.Children {
		d.index(c)
	}
}

// errorAt returns an error with the line of n.
func errorAt(n *xmltree.Node, format string, args ...any) error {
	return fmt.Errorf("formats/mesh: line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

// frame returns the map from coordinates of the file to metres with z upward.
func (d *dae) frame(root *xmltree.Node) (affine, error) {
	f := affine{A: spatial.Identity3()}
	asset := root.Child("asset")
	if asset == nil {
		return f, nil
	}
	switch up := asset.Child("up_axis"); {
	case up == nil || up.Text == "Y_UP": // the default of COLLADA
		f.A = spatial.Mat3{1, 0, 0, 0, 0, -1, 0, 1, 0}
	case up.Text == "X_UP":
		f.A = spatial.Mat3{0, -1, 0, 0, 0, -1, 1, 0, 0}
	case up.Text != "Z_UP":
		return f, errorAt(up, "%s is no upward axis", fault.Name(up.Text))
	}
	if unit := asset.Child("unit"); unit != nil {
		if text, ok := unit.Attr("meter"); ok {
			x, err := xmltree.Float(strings.TrimSpace(text))
			if err != nil || !(x > 0) || math.IsInf(x, 0) {
				return f, errorAt(unit, "%s is no length in metres", fault.Name(text))
			}
			f.A = f.A.Scale(x)
		}
	}
	return f, nil
}

// scene returns the visual scene of the file, nil if there is none.
func (d *dae) scene(root *xmltree.Node) (*xmltree.Node, error) {
	s := root.Child("scene")
	if s == nil {
		return nil, nil
	}
	i := s.Child("instance_visual_scene")
	if i == nil {
		return nil, nil
	}
	return d.target(i)
}

// target returns the element NAME to which n, an element instance_NAME, refers.
func (d *dae) target(n *xmltree.Node) (*xmltree.Node, error) {
	url, _ := n.Attr("url")
	want := strings.TrimPrefix(n.Name, "instance_")
	t := d.find(url)
	if t == nil || t.Name != want {
		return nil, errorAt(n, "%s is no %s of this file", fault.Name(url), want)
	}
	return t, nil
}

// find returns the element that a reference #id names, or nil.
func (d *dae) find(url string) *xmltree.Node {
	id, ok := strings.CutPrefix(url, "#")
	if !ok {
		return nil
	}
	return d.ids[id]
}

// nodes adds the geometries in a scene or a node n, mapped by at. The transformations of a node apply from the last to the first.
func (d *dae) nodes(n *xmltree.Node, at affine, depth int) error {
	if depth > maxDepth {
		return errorAt(n, "nodes stand deeper than %d in each other", maxDepth)
	}
	for _, c := range n.Children {
		if err := d.spend(c, nodeWork); err != nil {
			return err
		}
		var err error
		switch c.Name {
		case "matrix", "translate", "rotate", "scale":
			var step affine
			if step, err = d.transformation(c); err == nil {
				at = at.mul(step)
			}
		case "lookat", "skew":
			err = errorAt(c, "transformations %s are not read", fault.Name(c.Name))
		case "node":
			err = d.nodes(c, at, depth+1)
		case "instance_node", "instance_geometry":
			err = d.instance(c, at, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// instance adds the node or geometry that n names.
func (d *dae) instance(n *xmltree.Node, at affine, depth int) error {
	if d.instances++; d.instances > maxInstances {
		return errorAt(n, "the scene has more than %d parts", maxInstances)
	}
	target, err := d.target(n)
	if err != nil {
		return err
	}
	if target.Name == "node" {
		return d.nodes(target, at, depth+1)
	}
	return d.geometry(target, at)
}

// transformation reads one transformation of a node.
func (d *dae) transformation(n *xmltree.Node) (affine, error) {
	count := map[string]int{"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}[n.Name]
	x, err := d.numbers(n, count)
	if err != nil {
		return affine{}, err
	}
	a := affine{A: spatial.Identity3()}
	switch n.Name {
	case "matrix": // by rows; the last is 0 0 0 1
		if x[12] != 0 || x[13] != 0 || x[14] != 0 || x[15] != 1 {
			return a, errorAt(n, "the last row of the matrix is not 0 0 0 1")
		}
		a = affine{spatial.Mat3{x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]}, spatial.Vec3{x[3], x[7], x[11]}}
	case "translate":
		a.r = spatial.Vec3(x)
	case "rotate": // axis, degrees
		axis := spatial.Vec3{x[0], x[1], x[2]}
		length := axis.Norm()
		if length == 0 && x[3] != 0 {
			return a, errorAt(n, "the axis is zero")
		}
		if length > 0 {
			a.A = spatial.FromAxisAngle(axis.Scale(1/length), x[3]*math.Pi/180).Mat()
		}
	case "scale":
		a.A = spatial.Mat3{x[0], 0, 0, 0, x[1], 0, 0, 0, x[2]}
	}
	return a, nil
}

// numbers reads the numbers in the text of n, which must be finite. If count is not negative, there must be count numbers.
func (d *dae) numbers(n *xmltree.Node, count int) ([]float64, error) {
	if err := d.spend(n, len(n.Text)); err != nil {
		return nil, err
	}
	x, err := xmltree.Floats(n.Text)
	if err != nil {
		return nil, errorAt(n, "%s", fault.Plain(err))
	}
	if count >= 0 && len(x) != count {
		return nil, errorAt(n, "%d numbers in place of %d", len(x), count)
	}
	for _, v := range x {
		if math.IsInf(v, 0) {
			return nil, errorAt(n, "a number is not finite")
		}
	}
	return x, nil
}

// geometry adds the meshes of a geometry.
func (d *dae) geometry(g *xmltree.Node, at affine) error {
	mesh := g.Child("mesh")
	if mesh == nil {
		return nil // a spline, or the convex hull of another geometry
	}
	from := len(d.mesh.Triangles)
	base, err := d.positions(mesh, at)
	if err != nil {
		return err
	}
	for _, p := range mesh.Children {
		switch p.Name {
		case "triangles", "polylist", "polygons":
			if err := d.faces(p, base); err != nil {
				return err
			}
		case "tristrips", "trifans":
			return errorAt(p, "%s are not read", p.Name)
		}
	}
	if at.A.Det() < 0 {
		d.mesh.turnOver(from)
	}
	return nil
}

// positions adds the vertices of a mesh, mapped by at, and returns the index of the first.
func (d *dae) positions(mesh *xmltree.Node, at affine) (base int, err error) {
	base = len(d.mesh.Vertices)
	vertices := mesh.Child("vertices")
	if vertices == nil {
		return base, errorAt(mesh, "a mesh without vertices")
	}
	for _, in := range vertices.Children {
		if semantic, _ := in.Attr("semantic"); semantic != "POSITION" {
			continue
		}
		url, _ := in.Attr("source")
		source := d.find(url)
		if source == nil || source.Name != "source" {
			return base, errorAt(in, "%s is no source of this file", fault.Name(url))
		}
		return base, d.points(source, at)
	}
	return base, errorAt(vertices, "vertices without positions")
}

// points adds the points of a source, mapped by at.
func (d *dae) points(source *xmltree.Node, at affine) error {
	array := source.Child("float_array")
	if array == nil {
		return errorAt(source, "a source without numbers")
	}
	stride := 3
	if common := source.Child("technique_common"); common != nil {
		if accessor := common.Child("accessor"); accessor != nil {
			if text, ok := accessor.Attr("stride"); ok {
				if n, err := strconv.Atoi(text); err != nil || n < 3 || n > 64 {
					return errorAt(accessor, "%s is no stride of points", fault.Name(text))
				} else {
					stride = n
				}
			}
		}
	}
	x, err := d.numbers(array, -1)
	if err != nil {
		return err
	}
	for ; len(x) >= stride; x = x[stride:] {
		if !d.mesh.add(at.r.Add(at.A.MulVec(spatial.Vec3{x[0], x[1], x[2]}))) {
			return errorAt(array, "a vertex is not finite")
		}
	}
	if len(d.mesh.Vertices) > MaxTriangles {
		return errTooMany()
	}
	return nil
}

// faces adds the faces of an element triangles, polylist or polygons. Its vertex 0 is vertex base of the mesh.
func (d *dae) faces(p *xmltree.Node, base int) error {
	offset, stride, err := inputs(p)
	if err != nil {
		return err
	}
	var counts []float64
	if vcount := p.Child("vcount"); p.Name == "polylist" && vcount != nil {
		if counts, err = d.numbers(vcount, -1); err != nil {
			return err
		}
	}
	var corners []int32
	for _, list := range p.Children {
		switch list.Name {
		case "ph":
			return errorAt(list, "polygons with holes are not read")
		case "p":
		default:
			continue
		}
		if err := d.spend(list, len(list.Text)); err != nil {
			return err
		}
		indices := strings.Fields(list.Text)
		for k := 0; len(indices) > 0; k++ {
			n := 3
			switch {
			case p.Name == "polygons":
				n = len(indices) / stride
			case p.Name == "polylist" && k < len(counts) && counts[k] >= 0 && counts[k] <= float64(len(indices)) && counts[k] == math.Trunc(counts[k]):
				n = int(counts[k])
			case p.Name == "polylist":
				return errorAt(list, "vcount does not fit the indices")
			}
			if n*stride > len(indices) || n == 0 && p.Name == "polygons" {
				return errorAt(list, "the indices end within a face")
			}
			corners = corners[:0]
			for i := range n {
				v, err := strconv.Atoi(indices[i*stride+offset])
				if err != nil || v < 0 || v >= len(d.mesh.Vertices)-base {
					return errorAt(list, "%s is no vertex", fault.Name(indices[i*stride+offset]))
				}
				corners = append(corners, int32(base+v))
			}
			if indices = indices[n*stride:]; !d.mesh.fan(corners) {
				return errTooMany()
			}
		}
	}
	return nil
}

// inputs returns the number of indices for each corner of a face, stride, and the position of the vertex among them, offset.
func inputs(p *xmltree.Node) (offset, stride int, err error) {
	offset = -1
	for _, in := range p.Children {
		if in.Name != "input" {
			continue
		}
		text, _ := in.Attr("offset")
		k, err := strconv.Atoi(text)
		if err != nil || k < 0 || k > 64 {
			return 0, 0, errorAt(in, "%s is no offset", fault.Name(text))
		}
		if semantic, _ := in.Attr("semantic"); semantic == "VERTEX" {
			offset = k
		}
		stride = max(stride, k+1)
	}
	if offset < 0 {
		return 0, 0, errorAt(p, "faces without vertices")
	}
	return offset, stride, nil
}
