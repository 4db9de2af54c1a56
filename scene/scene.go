package scene

import (
	"cmp"
	"io/fs"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Kind is the form of a Shape.
type Kind uint8

const (
	Box      Kind = iota // Size: half the edges
	Sphere               // Size[0]: radius
	Cylinder             // Size[0]: radius, Size[2]: half the length, along z
	Capsule              // a cylinder with a half ball at both ends; Size as for a cylinder
	Surface              // one of Scene.Meshes; Size: ones
	numKinds
)

// NumSolids is the number of kinds before Surface. Each has one mesh for all sizes.
const NumSolids = int(Surface)

var kindNames = [numKinds]string{"box", "sphere", "cylinder", "capsule", "surface"}

// String returns the name of the kind.
func (k Kind) String() string {
	if k >= numKinds {
		return "unknown"
	}
	return kindNames[k]
}

// Color is red, green, blue, as on a screen (sRGB).
type Color [3]uint8

// Shape is a solid of one colour that is fixed in a body or in the world.
type Shape struct {
	Kind  Kind
	Color Color
	Body  int32           // its number or mechanism.World
	Joint int32           // of which it is the mark; −1: it is part of the body
	Mesh  int32           // of a Surface: its number in Scene.Meshes
	Size  spatial.Vec3    // m, see Kind
	At    mechanism.Frame // axes and centre of the shape, body frame
}

// Link is a line between points of two bodies. It stands for a spring, a part of a cable, a distance joint or a coupling.
type Link struct {
	A, B   mechanism.Attachment
	Look   Look
	Radius float64 // m; of a coil, to the middle of its wire
	Color  Color
	Joint  int32 // number of the joint; −1: it is none
	Force  int32 // number of the force element; −1: it is none
	// Coupling is 1 more than the number of the coupling; 0: it is none.
	Coupling int32
}

// Scene has the solids by which a mechanism is drawn. It is immutable.
type Scene struct {
	Mechanism *mechanism.Mechanism
	Shapes    []Shape
	Links     []Link
	Meshes    []*Mesh           // of Surfaces
	Surfaces  []*ground.Surface // the grounds of contacts and rolling wheels, each once
	Unit      float64           // median length of the bodies, m
	Faults    []error           // why visuals cannot be drawn, each with its place in the model
}

// Options choose what is drawn. The zero value draws all.
type Options struct {
	NoJoints bool // no marks of joints and no lines of couplings; curves are drawn
	// Visuals are the shapes of the model for its bodies. They replace the invented ones.
	Visuals []model.Visual
	// Files has the files of the meshes of Visuals. It decides which files may be opened: the FS of an os.Root keeps to its folder.
	Files fs.FS
}

// New returns the scene of m.
//
// Cost: O(bodies + joints + forces + visuals), and the triangles of each mesh once. It panics without a mechanism.
func New(m *mechanism.Mechanism, o Options) *Scene {
	if m == nil {
		panic("scene: no mechanism")
	}
	b := &builder{Scene: Scene{Mechanism: m, Shapes: make([]Shape, 0, len(m.Bodies)+len(m.Joints))}}
	b.anchors()
	b.measure()
	b.visuals(&o)
	b.wheels()
	for i := range m.Bodies {
		if !b.seen[i] {
			b.body(i)
		}
	}
	for j := range m.Joints {
		b.joint(j, o.NoJoints)
	}
	b.forces()
	if !o.NoJoints {
		b.couplings()
	}
	return &b.Scene
}

// builder collects the shapes. The anchors of body i are points[first[i]:first[i+1]]: the origins of its joints, body frame, m.
type builder struct {
	Scene

	first  []int32
	points []spatial.Vec3
	radius []float64            // radius of the rods of each body, m
	spread []bool               // of each body: its anchors do not all coincide
	wheel  []bool               // of each body: it has a wheel
	curved []float64            // size of the smallest curve of each body, m; 0: it has none
	seen   []bool               // of each body, and last of the world: it has visuals
	tyres  map[[2]float64]int32 // number in Meshes of the torus with a radius and a tyre's radius, m
}

// anchors lists the anchors of each body.
func (b *builder) anchors() {
	m := b.Mechanism
	b.first = make([]int32, len(m.Bodies)+1)
	ends := func(visit func(body int32, p *spatial.Vec3)) {
		for j := range m.Joints {
			jt := &m.Joints[j]
			visit(jt.Pred, &jt.P.Origin)
			visit(jt.Succ, &jt.S.Origin)
		}
	}
	ends(func(body int32, _ *spatial.Vec3) {
		if body != mechanism.World {
			b.first[body+1]++
		}
	})
	for i := range m.Bodies {
		b.first[i+1] += b.first[i]
	}
	b.points = make([]spatial.Vec3, b.first[len(m.Bodies)])
	next := slices.Clone(b.first)
	ends(func(body int32, p *spatial.Vec3) {
		if body != mechanism.World {
			b.points[next[body]] = *p
			next[body]++
		}
	})
}

const (
	rodPart            = 0.045      // radius of a rod relative to the length of its body
	thinnest, thickest = 0.01, 0.08 // bounds of that radius relative to the Unit
	samePoint          = 1e-6       // distance, relative to the Unit, up to which two anchors coincide
)

// measure finds the length of each body, the Unit and the radii of rods.
func (b *builder) measure() {
	m := b.Mechanism
	b.measureCurves()
	b.radius = make([]float64, len(m.Bodies))
	for i := range m.Bodies {
		b.radius[i] = b.length(i)
	}
	sorted := slices.Clone(b.radius)
	slices.Sort(sorted)
	if n := len(sorted); n > 0 {
		b.Unit = sorted[n/2]
	}
	if !(b.Unit > 0) || math.IsInf(b.Unit, 0) {
		b.Unit = 1
	}
	b.spread = make([]bool, len(m.Bodies))
	for i, l := range b.radius {
		b.radius[i] = min(max(rodPart*l, thinnest*b.Unit), thickest*b.Unit)
		at := b.points[b.first[i]:b.first[i+1]]
		b.spread[i] = slices.ContainsFunc(at, func(p spatial.Vec3) bool { return !b.same(p, at[0]) })
	}
}

// length returns a length of body i, m. With anchors at several points it is the largest distance of an anchor from the anchor that is
// farthest from the first anchor: in a bar the distance of its ends. Else, for a body with curves, such as a cam, it is the size
// of the smallest curve. Else it is the distance from the anchor to the centre of mass, or twice the radius of gyration if that is
// larger. Joints and curves come first because the inertias of a model are sometimes invented.
func (b *builder) length(i int) float64 {
	at := b.points[b.first[i]:b.first[i+1]]
	l, end := 0.0, 0
	for range 2 { // first from the first anchor, then from the one farthest from it
		from := end
		for k := range at {
			if d := at[k].Sub(at[from]).Norm(); d > l {
				l, end = d, k
			}
		}
	}
	if l > 0 {
		return l
	}
	if l = b.curved[i]; l > 0 {
		return l
	}
	body := &b.Mechanism.Bodies[i]
	l = 2 * math.Sqrt(math.Max(0, body.Inertia.Trace()/2/body.Mass))
	if len(at) > 0 {
		l = max(l, at[0].Sub(body.Com).Norm())
	}
	return l
}

// body adds the shapes of body i: a rod between two anchors, a frame for more, else a block, with a rod to an anchor outside it.
func (b *builder) body(i int) {
	body := &b.Mechanism.Bodies[i]
	at := b.distinct(b.points[b.first[i]:b.first[i+1]])
	c := BodyColor(i)
	switch len(at) {
	case 0, 1:
		if b.wheel[i] {
			return // the wheel is its shape
		}
		first := len(b.Shapes)
		half := b.block(i, c)
		if b.curved[i] > 0 {
			half = b.makeHub(first, half, b.curved[i])
		}
		if len(at) == 1 && at[0].Sub(body.Com).Norm() > 1.2*max(half[0], half[1], half[2]) {
			b.rod(i, at[0], body.Com, c)
		}
	case 2:
		b.rod(i, at[0], at[1], c)
	default:
		b.frame(i, at, c)
	}
}

// same reports whether two anchors coincide.
func (b *builder) same(p, q spatial.Vec3) bool { return p.Sub(q).Norm() <= samePoint*b.Unit }

// distinct returns the points that coincide with none before, but at most 64 of them.
func (b *builder) distinct(points []spatial.Vec3) []spatial.Vec3 {
	const most = 64 // enough for a picture
	var out []spatial.Vec3
	for _, p := range points {
		if len(out) == most {
			break
		}
		if !slices.ContainsFunc(out, func(q spatial.Vec3) bool { return b.same(p, q) }) {
			out = append(out, p)
		}
	}
	return out
}

// block adds the uniform block with the mass m and the inertia of body i, and returns its half edges. With principal moments
// A ≤ B ≤ C the half edge along the axis of A is √(3(B+C−A)/2m). With A = B < C it adds a disc instead, as round parts are more
// frequent than square plates: of radius √(2C/m) and thickness √(12A/m − 3·2C/m), with a spoke that shows its rotation. No half
// edge is shorter than a twentieth of the longest one.
func (b *builder) block(i int, c Color) spatial.Vec3 {
	body := &b.Mechanism.Bodies[i]
	moments, axes := body.Inertia.Principal()
	var half spatial.Vec3
	r := math.Sqrt(2 * moments[2] / body.Mass)
	if thick := 12*moments[0]/body.Mass - 3*r*r; moments[1]-moments[0] < 1e-6*moments[2] && moments[0] < (1-1e-6)*moments[2] && r > 0 && !math.IsInf(r, 0) {
		half = spatial.Vec3{r, r, max(math.Sqrt(max(thick, 0))/2, 0.05*r)}
		at := mechanism.Frame{E: axes, Origin: body.Com}
		b.Shapes = append(b.Shapes, Shape{Kind: Cylinder, Color: c, Body: int32(i), Joint: -1, Size: half, At: at},
			Shape{Kind: Box, Color: wheelColor, Body: int32(i), Joint: -1, Size: spatial.Vec3{0.85 * r, 0.1 * r, 1.06 * half[2]}, At: at})
		return half
	}
	total := moments[0] + moments[1] + moments[2]
	for k := range half {
		half[k] = math.Sqrt(math.Max(0, 1.5*(total-2*moments[k])/body.Mass))
	}
	longest := max(half[0], half[1], half[2])
	if !(longest > 0) {
		longest = 0.1 * b.Unit
	}
	for k := range half {
		half[k] = max(half[k], 0.05*longest)
	}
	b.Shapes = append(b.Shapes, Shape{Kind: Box, Color: c, Body: int32(i), Joint: -1, Size: half, At: mechanism.Frame{E: axes, Origin: body.Com}})
	return half
}

// rod adds a capsule between two points of body i.
func (b *builder) rod(i int, from, to spatial.Vec3, c Color) {
	b.Shapes = append(b.Shapes, Shape{Kind: Capsule, Color: c, Body: int32(i), Joint: -1, Size: spatial.Vec3{b.radius[i], b.radius[i], to.Sub(from).Norm() / 2},
		At: mechanism.Frame{E: Along(to.Sub(from)), Origin: from.Add(to).Scale(0.5)}})
}

// frame adds the rods of a body with three anchors or more: one rod if they are on a line, the polygon through them if they are nearly
// in a plane, else rods from their middle.
func (b *builder) frame(i int, at []spatial.Vec3, c Color) {
	var middle spatial.Vec3
	for _, p := range at {
		middle = middle.Add(p.Scale(1 / float64(len(at))))
	}
	var second spatial.Sym3
	for _, p := range at {
		d := p.Sub(middle)
		second = second.Add(spatial.Sym3{d[0] * d[0], d[1] * d[1], d[2] * d[2], d[0] * d[1], d[0] * d[2], d[1] * d[2]})
	}
	moments, axes := second.Principal()
	const flat, thin = 0.02, 1e-3 // ratios of the second moments in a plane and on a line
	switch {
	case moments[1] <= thin*moments[2]:
		along := axes.Col(2)
		slices.SortFunc(at, func(p, q spatial.Vec3) int { return cmp.Compare(along.Dot(p), along.Dot(q)) })
		b.rod(i, at[0], at[len(at)-1], c)
	case moments[0] <= flat*moments[1]:
		x, y := axes.Col(2), axes.Col(1)
		angle := func(p spatial.Vec3) float64 { d := p.Sub(middle); return math.Atan2(y.Dot(d), x.Dot(d)) }
		slices.SortStableFunc(at, func(p, q spatial.Vec3) int { return cmp.Compare(angle(p), angle(q)) })
		for k, p := range at {
			b.rod(i, p, at[(k+1)%len(at)], c)
		}
	default:
		for _, p := range at {
			b.rod(i, middle, p, c)
		}
	}
}

// Place returns the axes and the centre of the shape in the world at st.
func (s *Shape) Place(st *mechanism.State) mechanism.Frame {
	if s.Body == mechanism.World {
		return s.At
	}
	body := &st.Bodies[s.Body]
	E := body.Rotation.Mat()
	return mechanism.Frame{E: E.Mul(s.At.E), Origin: body.Position.Add(E.MulVec(s.At.Origin))}
}

// Ends returns the ends of the link in the world at st, m.
func (l *Link) Ends(st *mechanism.State) (from, to spatial.Vec3) {
	return Point(st, l.A), Point(st, l.B)
}

// Point returns the position of a point of a body in the world at st, m.
func Point(st *mechanism.State, a mechanism.Attachment) spatial.Vec3 {
	if a.Body == mechanism.World {
		return a.Point
	}
	body := &st.Bodies[a.Body]
	return body.Position.Add(body.Rotation.Rotate(a.Point))
}

// Balls calls visit with a ball around each shape at st, and with a ball at each
// end of a link: its centre in the world and its radius, m.
//
// Cost: O(shapes + links). It panics if st is of another mechanism, as Bounds does.
func (s *Scene) Balls(st *mechanism.State, visit func(center spatial.Vec3, radius float64)) {
	if st == nil || len(st.Bodies) != len(s.Mechanism.Bodies) {
		panic("scene" + fault.ForeignState)
	}
	if visit == nil {
		panic("scene: no function")
	}
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		at := sh.Place(st)
		if sh.Kind == Surface { // the origin of a mesh may be at its end
			at.Origin = at.Origin.Add(at.E.MulVec(s.Meshes[sh.Mesh].Center))
		}
		visit(at.Origin, s.reach(sh))
	}
	for i := range s.Links {
		from, to := s.Links[i].Ends(st)
		visit(from, s.Links[i].Radius)
		visit(to, s.Links[i].Radius)
	}
}

// Bounds returns a ball around all shapes and links at st: its centre in the world and its radius, m. The centre is the centre
// of the box, along the world's axes, around the balls of Balls. A scene without shapes and links has the radius Unit.
//
// Cost: O(shapes + links).
func (s *Scene) Bounds(st *mechanism.State) (center spatial.Vec3, radius float64) {
	lo, hi := spatial.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, spatial.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	s.Balls(st, func(p spatial.Vec3, r float64) {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]-r), max(hi[k], p[k]+r)
		}
	})
	if lo[0] > hi[0] {
		return spatial.Vec3{}, s.Unit
	}
	center = lo.Add(hi).Scale(0.5)
	s.Balls(st, func(p spatial.Vec3, r float64) { radius = max(radius, p.Sub(center).Norm()+r) })
	return center, radius
}

// reach returns the radius of a ball around a shape, m.
func (s *Scene) reach(sh *Shape) float64 {
	switch sh.Kind {
	case Sphere:
		return sh.Size[0]
	case Capsule:
		return sh.Size[0] + sh.Size[2]
	case Cylinder:
		return math.Hypot(sh.Size[0], sh.Size[2])
	case Surface:
		return s.Meshes[sh.Mesh].Radius
	}
	return sh.Size.Norm()
}

// Extent returns the largest component along d of a point of a shape of s, m. The unit vector d and the point are in the axes of the
// shape.
//
// Cost: O(1); for a Surface O(points).
func (s *Scene) Extent(sh *Shape, d spatial.Vec3) float64 {
	switch sh.Kind {
	case Sphere:
		return sh.Size[0]
	case Capsule:
		return sh.Size[0] + sh.Size[2]*math.Abs(d[2])
	case Cylinder:
		return sh.Size[0]*math.Hypot(d[0], d[1]) + sh.Size[2]*math.Abs(d[2])
	case Surface:
		far := math.Inf(-1)
		for _, p := range s.Meshes[sh.Mesh].Points {
			far = max(far, p.Dot(d))
		}
		return far
	}
	return sh.Size[0]*math.Abs(d[0]) + sh.Size[1]*math.Abs(d[1]) + sh.Size[2]*math.Abs(d[2])
}
