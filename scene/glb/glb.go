package glb

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// MaxBytes is the largest size of the positions and orientations of a motion.
const MaxBytes = 1 << 30

// Write writes s at the state rest, animated by m unless it is nil.
//
// Cost: O(shapes + bodies·times), and the file in memory. It returns the errors of m and w, the cause for which ctx has ended, and
// an error if the motion takes more than MaxBytes or a position is not finite.
func Write(ctx context.Context, w io.Writer, s *scene.Scene, rest *mechanism.State, m scene.Recording) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	center, radius := s.Bounds(rest)
	if !center.IsFinite() || !algebra.Finite(radius) {
		return fmt.Errorf("glb: the mechanism has no finite extent: centre %v m, radius %v m", center, radius)
	}
	for k := range center {
		center[k] = float64(float32(center[k])) // exact in single precision, so that the root node stores the same centre
	}
	b := &builder{scene: s, center: center, doc: gltf.NewDocument(), meshes: map[meshKey]int{}, solids: map[solidKey]gltf.PrimitiveAttributes{},
		indices: map[solidKey]int{}, materials: map[scene.Color]int{}}
	b.doc.Asset.Generator = "rung"
	b.nodes(rest)
	b.terrains(radius)
	if m != nil {
		if err := b.animate(ctx, m); err != nil {
			return err
		}
	}
	e := gltf.NewEncoder(w)
	e.AsBinary = true
	if err := e.Encode(b.doc); err != nil {
		return fmt.Errorf("glb: %w", err)
	}
	return nil
}

// solidKey identifies a geometry. Shapes of one kind share a geometry of unit size, which their nodes scale; capsules have one
// for each size.
type solidKey struct {
	kind scene.Kind
	mesh int32        // of a surface
	size spatial.Vec3 // of a capsule
}

// meshKey identifies a mesh: a geometry in a colour.
type meshKey struct {
	solidKey
	color scene.Color
}

// builder makes the document. Nodes 0 to bodies−1 are the bodies, then come the links, then all others.
type builder struct {
	scene     *scene.Scene
	center    spatial.Vec3 // of the scene at rest: the origin of the nodes, world, m
	doc       *gltf.Document
	solids    map[solidKey]gltf.PrimitiveAttributes
	indices   map[solidKey]int    // accessors of triangles
	meshes    map[meshKey]int     // numbers of meshes
	materials map[scene.Color]int // numbers of materials
	root      *gltf.Node
}

// upright returns the rotation from the world to the axes of glTF: x to the right, y up, and z towards an eye in front
// (scene.Upright).
func upright(s *scene.Scene) spatial.Mat3 {
	u := scene.Upright(s.Mechanism)
	return spatial.Mat3{u[0], u[3], u[6], u[2], u[5], u[8], -u[1], -u[4], -u[7]}
}

// nodes adds all nodes at the state rest.
func (b *builder) nodes(rest *mechanism.State) {
	m := b.scene.Mechanism
	up := upright(b.scene)
	b.root = &gltf.Node{Name: "world", Rotation: quat(spatial.FromMat(up)), Scale: gltf.DefaultScale, Matrix: gltf.DefaultMatrix, Translation: up.MulVec(b.center)}
	for i := range m.NumBodies() {
		st := &rest.Bodies[i]
		b.add(b.root, &gltf.Node{Name: m.BodyName(i), Translation: b.relative(st.Position), Rotation: quat(st.Rotation), Scale: gltf.DefaultScale})
	}
	for i := range b.scene.Links {
		l := &b.scene.Links[i]
		sh := l.Shape(rest)
		n := node(&sh, b.linkName(l))
		if l.Look == scene.Line {
			n.Mesh = gltf.Index(b.mesh(&sh))
		} else {
			n.Mesh = gltf.Index(b.linkMesh(l, &sh))
		}
		n.Translation = b.relative(sh.At.Origin)
		b.add(b.root, n)
	}
	for i := range b.scene.Shapes {
		sh := &b.scene.Shapes[i]
		name := ""
		if sh.Joint >= 0 {
			name = m.JointName(int(sh.Joint))
		}
		n := node(sh, name)
		n.Mesh = gltf.Index(b.mesh(sh))
		if sh.Body == mechanism.World {
			n.Translation = b.relative(sh.At.Origin)
			b.add(b.root, n)
			continue
		}
		b.add(b.doc.Nodes[sh.Body], n)
	}
	b.doc.Nodes = append(b.doc.Nodes, b.root)
	b.doc.Scenes[0].Nodes = []int{len(b.doc.Nodes) - 1}
}

// linkName returns the name of the joint, coupling or force element of which l is a link.
func (b *builder) linkName(l *scene.Link) string {
	if l.Joint >= 0 {
		return b.scene.Mechanism.JointName(int(l.Joint))
	}
	if l.Coupling > 0 {
		return b.scene.Mechanism.CouplingName(int(l.Coupling) - 1)
	}
	return b.scene.Mechanism.ForceName(int(l.Force))
}

// add adds a node below a parent.
func (b *builder) add(parent, n *gltf.Node) {
	n.Matrix = gltf.DefaultMatrix
	parent.Children = append(parent.Children, len(b.doc.Nodes))
	b.doc.Nodes = append(b.doc.Nodes, n)
}

// relative returns a position of the world relative to the centre, as nodes store it.
func (b *builder) relative(p spatial.Vec3) [3]float64 { return p.Sub(b.center) }

// quat returns a quaternion in the order of glTF: x y z w.
func quat(q spatial.Quat) [4]float64 { return [4]float64{q[1], q[2], q[3], q[0]} }

// node returns the node of a shape, without its mesh.
func node(s *scene.Shape, name string) *gltf.Node {
	return &gltf.Node{Name: name, Translation: s.At.Origin, Rotation: quat(spatial.FromMat(s.At.E)), Scale: scale(s)}
}

// scale returns the factors that make a unit mesh the shape. A shape
// without length gets a tiny one: a factor of zero has no inverse.
func scale(s *scene.Shape) [3]float64 {
	if s.Kind == scene.Capsule {
		return [3]float64{1, 1, 1}
	}
	var f [3]float64
	for k := range f {
		f[k] = max(s.Size[k], 1e-9*s.Size.Norm(), 1e-30)
	}
	return f
}

// corners is the number of corners with which a circle is drawn.
const corners = 24

// mesh returns the number of the mesh of a shape, and adds it if it is new.
func (b *builder) mesh(s *scene.Shape) int {
	key := meshKey{solidKey: solidKey{kind: s.Kind}, color: s.Color}
	switch s.Kind {
	case scene.Capsule:
		key.size = s.Size
	case scene.Surface:
		key.mesh = s.Mesh
	}
	if i, ok := b.meshes[key]; ok {
		return i
	}
	attributes, ok := b.solids[key.solidKey]
	if !ok {
		attributes = b.solid(key.solidKey)
	}
	b.doc.Meshes = append(b.doc.Meshes, &gltf.Mesh{Name: s.Kind.String(), Primitives: []*gltf.Primitive{
		{Attributes: attributes, Indices: gltf.Index(b.indices[key.solidKey]), Material: gltf.Index(b.material(s.Color))}}})
	b.meshes[key] = len(b.doc.Meshes) - 1
	return b.meshes[key]
}

// solid adds the triangles of a geometry, and returns their vertices. Shapes have sizes of 1, as nodes scale them, except for
// capsules, whose caps must stay round: these have their own size.
func (b *builder) solid(key solidKey) gltf.PrimitiveAttributes {
	var m *scene.Mesh
	if key.kind == scene.Surface {
		m = b.scene.Meshes[key.mesh]
	} else {
		m = scene.NewMesh(key.kind, corners)
	}
	of := scene.Shape{Kind: key.kind, Size: key.size}
	if key.kind != scene.Capsule {
		of.Size = spatial.Vec3{1, 1, 1}
	}
	points, normals := make([][3]float32, len(m.Points)), make([][3]float32, len(m.Points))
	for i := range points {
		var p spatial.Vec3
		m.PointTo(&p, &of, i)
		points[i], normals[i] = single(p), single(m.Normals[i])
	}
	b.indices[key] = modeler.WriteIndices(b.doc, flat(m.Triangles))
	b.solids[key] = gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(b.doc, points), gltf.NORMAL: modeler.WriteNormal(b.doc, normals)}
	return b.solids[key]
}

// linkMesh adds the mesh of a coil or a dashpot, and returns its number. s is
// the cylinder around the link at rest, at whose length the wire is round.
func (b *builder) linkMesh(l *scene.Link, s *scene.Shape) int {
	m, second := scene.LinkMesh(l.Look, corners)
	f := scale(s)
	points, normals := make([][3]float32, len(m.Points)), make([][3]float32, len(m.Points))
	for i, p := range m.Points {
		p[2] = p[2]*f[0]/max(f[2], 1e-3*f[0]) + m.Shifts[i]
		n := spatial.Vec3{f[0] * m.Normals[i][0], f[1] * m.Normals[i][1], f[2] * m.Normals[i][2]} // as viewers divide normals by the scale
		points[i], normals[i] = single(p), single(n.Scale(1/n.Norm()))
	}
	attributes := gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(b.doc, points), gltf.NORMAL: modeler.WriteNormal(b.doc, normals)}
	out := &gltf.Mesh{Name: l.Look.String()}
	for k, t := range [2][][3]int32{m.Triangles[:second], m.Triangles[second:]} {
		if len(t) > 0 {
			out.Primitives = append(out.Primitives, &gltf.Primitive{Attributes: attributes, Indices: gltf.Index(modeler.WriteIndices(b.doc, flat(t))),
				Material: gltf.Index(b.material([2]scene.Color{l.Color, scene.DamperColor}[k]))})
		}
	}
	b.doc.Meshes = append(b.doc.Meshes, out)
	return len(b.doc.Meshes) - 1
}

// single returns a vector in single precision.
func single(p spatial.Vec3) [3]float32 {
	return [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
}

// flat returns the corners of triangles as one list of indices.
func flat(t [][3]int32) []uint32 {
	out := make([]uint32, 0, 3*len(t))
	for i := range t {
		out = append(out, uint32(t[i][0]), uint32(t[i][1]), uint32(t[i][2]))
	}
	return out
}

// material returns the number of the material of a colour, and adds it if it is new. glTF stores colours in linear light, so the
// curve of sRGB is undone.
func (b *builder) material(c scene.Color) int {
	if i, ok := b.materials[c]; ok {
		return i
	}
	var f [4]float64
	for k := range c {
		x := float64(c[k]) / 255
		if f[k] = x / 12.92; x > 0.04045 {
			f[k] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	f[3] = 1
	b.doc.Materials = append(b.doc.Materials, &gltf.Material{PBRMetallicRoughness: &gltf.PBRMetallicRoughness{BaseColorFactor: &f,
		MetallicFactor: gltf.Float(0), RoughnessFactor: gltf.Float(0.7)}})
	b.materials[c] = len(b.doc.Materials) - 1
	return b.materials[c]
}

// terrains adds the part of each ground around the scene at rest, up to three times its radius (m) from its centre. Triangles with
// a node where there is no ground are left out.
func (b *builder) terrains(radius float64) {
	const nodes = 128
	for _, g := range b.scene.Surfaces {
		t := scene.NewTerrain(g, b.center, 3*radius, nodes)
		points, number := [][3]float32{}, make([]int, nodes*nodes)
		normals := [][3]float32{}
		for j := range t.Rows {
			for i := range t.Columns {
				p := t.At(i, j)
				number[j*t.Columns+i] = -1
				if patch, err := g.At(p[0], p[1]); err == nil {
					number[j*t.Columns+i] = len(points)
					points, normals = append(points, single(p.Sub(b.center))), append(normals, single(patch.Normal()))
				}
			}
		}
		var triangles [][3]int32
		for j := range t.Rows - 1 {
			for i := range t.Columns - 1 {
				a, e, c, d := number[j*t.Columns+i], number[j*t.Columns+i+1], number[(j+1)*t.Columns+i+1], number[(j+1)*t.Columns+i]
				if min(a, e, c, d) >= 0 {
					triangles = append(triangles, [3]int32{int32(a), int32(e), int32(c)}, [3]int32{int32(a), int32(c), int32(d)})
				}
			}
		}
		if len(triangles) == 0 {
			continue
		}
		b.doc.Meshes = append(b.doc.Meshes, &gltf.Mesh{Name: "ground", Primitives: []*gltf.Primitive{{
			Indices:    gltf.Index(modeler.WriteIndices(b.doc, flat(triangles))),
			Attributes: gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(b.doc, points), gltf.NORMAL: modeler.WriteNormal(b.doc, normals)},
			Material:   gltf.Index(b.material(scene.Color{196, 190, 176}))}}})
		b.add(b.root, &gltf.Node{Name: "ground", Mesh: gltf.Index(len(b.doc.Meshes) - 1), Rotation: gltf.DefaultRotation, Scale: gltf.DefaultScale})
	}
}
