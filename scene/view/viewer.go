package view

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/sim/replay"
	"github.com/rung-mbd/rung/spatial"
)

// Options of a Viewer.
type Options struct {
	Run  *replay.Replay // a trajectory of the mechanism; nil: there is none
	Plan *kkt.Plan      // with it the page shows reactions and redundant rows
	// Analyse makes the plan when the page first needs it. It is not called if there is a Plan.
	Analyse func(ctx context.Context) (*kkt.Plan, error)
	Live    Live // the mechanism moves while pages show it; Run must be nil then
}

// Live is a mechanism that moves while pages show it.
type Live interface {
	// StateTo stores the present state in st. It may be called by any goroutine.
	StateTo(st *mechanism.State)
	// Head returns the data about it that pages get at the start. It is encoded as JSON.
	Head() any
	// Connect serves a connection of a page, whose request has been admitted, until it ends.
	Connect(w http.ResponseWriter, r *http.Request)
}

// Viewer answers the requests of pages that show one mechanism. It serves any number of them at the same time.
type Viewer struct {
	scene  *scene.Scene
	state  *mechanism.State // of the model
	center spatial.Vec3     // the middle, to which positions are relative, world, m
	radius float64          // of a ball around the scene, m
	secret string

	head, shapes, links, joints []byte // answers that never change
	terrains, meshes            [][]byte

	live Live

	mu     sync.Mutex // guards the fields below
	run    *replay.Replay
	st     *mechanism.State // of the row that was asked for last
	solver *kkt.Solver
	kin    *mechanism.Kinematics

	analyse func(ctx context.Context) (*kkt.Plan, error)
}

// NewViewer returns the viewer of s at st. The paths of its addresses begin with secret, which others must not be able to guess
// (NewSecret).
//
// Cost: O(shapes). It returns an error if the mechanism has no finite extent. It panics without a scene or a state, and with both
// a trajectory and Live.
func NewViewer(s *scene.Scene, st *mechanism.State, secret string, o Options) (*Viewer, error) {
	if s == nil || st == nil {
		panic("view: no scene or no state")
	}
	v := &Viewer{scene: s, state: st.Clone(), secret: secret, run: o.Run, st: st.Clone(), analyse: o.Analyse, live: o.Live}
	if v.run != nil && v.live != nil {
		panic("view: a trajectory of a mechanism that moves by itself")
	}
	v.center, v.radius = s.Bounds(st)
	if !v.center.IsFinite() || !algebra.Finite(v.radius) {
		return nil, errors.New("view: the mechanism has no finite extent")
	}
	if v.run == nil && v.live == nil { // a mechanism that moves keeps the larger ball
		v.radius = min(v.radius, v.reach())
	}
	if o.Plan != nil {
		v.solver = o.Plan.NewSolver()
	}
	if err := v.encode(); err != nil {
		return nil, err
	}
	return v, nil
}

// solves reports whether reactions can be shown.
func (v *Viewer) solves() bool { return v.solver != nil || v.analyse != nil }

// solve makes the solver if there is none yet. It returns errRow if there is no plan, and the errors of Options.Analyse.
func (v *Viewer) solve(ctx context.Context) error {
	if v.solver != nil {
		return nil
	}
	if v.analyse == nil {
		return errRow
	}
	plan, err := v.analyse(ctx)
	if err != nil {
		return err
	}
	v.solver = plan.NewSolver()
	return nil
}

// head is the first answer that a page reads. It reads names and joints later, once it has a picture.
type head struct {
	Name     string     `json:"name"`
	Bodies   int        `json:"bodies"`
	Joints   int        `json:"joints"`
	Types    []string   `json:"types"`  // of joints
	Shapes   []int      `json:"shapes"` // number of shapes of each scene.Kind before Surface, and then of each mesh
	Links    []int      `json:"links"`  // number of links of each scene.Look
	Terrains int        `json:"terrains"`
	Center   [3]float64 `json:"center"`  // world, m
	Upright  [9]float64 `json:"upright"` // columns: to the right, away and up
	Low      float64    `json:"low"`     // height of the lowest point of the shapes relative to the centre, m; not positive
	Radius   float64    `json:"radius"`  // m
	Unit     float64    `json:"unit"`    // scene.Scene.Unit, m
	Rows     int        `json:"rows"`    // of the trajectory
	Columns  []string   `json:"columns"` // of the trajectory, without columns of bodies
	Solves   bool       `json:"solves"`  // reactions can be shown
	Arrows   int        `json:"arrows"`  // numArrows
	Block    int        `json:"block"`   // number of rows that are packed together in a file
	Live     any        `json:"live,omitempty"`
}

// names are the names of the mechanism's parts, in order.
type names struct {
	Bodies []string `json:"bodies"`
	Joints []string `json:"joints"`
	Forces []string `json:"forces"`
}

// encode makes the answers that never change. Shapes are sorted by kind and mesh, and links by look, as head counts them.
func (v *Viewer) encode() error {
	m := v.scene.Mechanism
	h := head{Name: m.Name, Links: make([]int, scene.NumLooks), Terrains: len(v.scene.Surfaces), Center: v.center, Radius: v.radius, Unit: v.scene.Unit, Solves: v.solves(),
		Upright: scene.Upright(m), Low: v.low(), Bodies: m.NumBodies(), Joints: m.NumJoints(), Shapes: make([]int, scene.NumSolids+len(v.scene.Meshes)), Columns: []string{}}
	v.joints, h.Types = jointTable(m)
	if v.live != nil {
		h.Live = v.live.Head()
	}
	h.Arrows = v.numArrows()
	if v.run != nil {
		h.Rows, h.Columns = len(v.run.Times()), v.run.Others()
	}
	h.Block = v.blockRows()
	set := func(s *scene.Shape) int { // index in head.Shapes
		if s.Kind == scene.Surface {
			return scene.NumSolids + int(s.Mesh)
		}
		return int(s.Kind)
	}
	order := make([]int32, len(v.scene.Shapes))
	for i := range order {
		h.Shapes[set(&v.scene.Shapes[i])]++
	}
	first := make([]int, len(h.Shapes)+1)
	for k, n := range h.Shapes {
		first[k+1] = first[k] + n
	}
	for i := range v.scene.Shapes { // a stable counting sort
		k := set(&v.scene.Shapes[i])
		order[first[k]] = int32(i)
		first[k]++
	}
	v.shapes = make([]byte, 0, 4*shapeFloats*len(order))
	for _, i := range order {
		v.shapes = v.appendShape(v.shapes, &v.scene.Shapes[i])
	}
	for _, m := range v.scene.Meshes {
		v.meshes = append(v.meshes, mesh(m))
	}
	v.links = make([]byte, 0, 4*linkFloats*len(v.scene.Links))
	for look := range h.Links {
		for i := range v.scene.Links {
			if l := &v.scene.Links[i]; int(l.Look) == look {
				v.links = v.appendLink(v.links, l)
				h.Links[look]++
			}
		}
	}
	for _, g := range v.scene.Surfaces {
		v.terrains = append(v.terrains, v.terrain(scene.NewTerrain(g, v.center, 4*v.radius, 160)))
	}
	var err error
	v.head, err = json.Marshal(&h)
	return err
}

// mesh returns the corners of all triangles, one after the other, as float32 numbers: a point, m, and a normal each.
func mesh(m *scene.Mesh) []byte {
	b := make([]byte, 0, 3*6*4*len(m.Triangles))
	for _, t := range m.Triangles {
		for _, i := range t {
			p, n := &m.Points[i], &m.Normals[i]
			b = appendFloats(b, p[0], p[1], p[2], n[0], n[1], n[2])
		}
	}
	return b
}

// shapeFloats is the number of floats of a shape.
const shapeFloats = 15

// jointTable returns three int32 numbers for each joint: the index of its type in types, its predecessor and its successor.
func jointTable(m *mechanism.Mechanism) (table []byte, types []string) {
	number := map[string]int32{}
	table = make([]byte, 0, 12*m.NumJoints())
	for j := range m.Joints {
		jt := &m.Joints[j]
		name := jt.Kind.String()
		k, ok := number[name]
		if !ok {
			k = int32(len(types))
			number[name], types = k, append(types, name)
		}
		for _, x := range [3]int32{k, jt.Pred, jt.Succ} {
			table = binary.LittleEndian.AppendUint32(table, uint32(x))
		}
	}
	return table, types
}

// names returns the names of the bodies, joints and force elements, as JSON.
func (v *Viewer) names() ([]byte, error) {
	m := v.scene.Mechanism
	n := names{Bodies: make([]string, m.NumBodies()), Joints: make([]string, m.NumJoints()), Forces: make([]string, len(m.Forces))}
	for i := range n.Bodies {
		n.Bodies[i] = m.BodyName(i)
	}
	for j := range n.Joints {
		n.Joints[j] = m.JointName(j)
	}
	for i := range n.Forces {
		n.Forces[i] = m.ForceName(i)
	}
	return json.Marshal(&n)
}

// times returns the times of the rows as float64 numbers, s; nil without a trajectory.
func (v *Viewer) times() []byte {
	if v.run == nil {
		return nil
	}
	b := make([]byte, 0, 8*len(v.run.Times()))
	for _, t := range v.run.Times() {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t))
	}
	return b
}

// appendShape appends shapeFloats numbers: position, m, orientation (x y z w), size, m, colour, body and joint. The position is in
// the body's frame; for a shape of the world it is relative to the middle.
func (v *Viewer) appendShape(b []byte, s *scene.Shape) []byte {
	at := s.At.Origin
	if s.Body == mechanism.World {
		at = at.Sub(v.center)
	}
	q := spatial.FromMat(s.At.E)
	return appendFloats(appendColor(appendFloats(b, at[0], at[1], at[2], q[1], q[2], q[3], q[0], s.Size[0], s.Size[1], s.Size[2]), s.Color), float64(s.Body), float64(s.Joint))
}

// linkFloats is the number of floats of a link.
const linkFloats = 14

// appendLink appends linkFloats numbers: both ends as point, m, and body, radius, m, colour, joint and force. A point is in the
// body's frame; for the world it is relative to the middle.
func (v *Viewer) appendLink(b []byte, l *scene.Link) []byte {
	for _, a := range [2]mechanism.Attachment{l.A, l.B} {
		p := a.Point
		if a.Body == mechanism.World {
			p = p.Sub(v.center)
		}
		b = appendFloats(b, p[0], p[1], p[2], float64(a.Body))
	}
	return appendFloats(appendColor(appendFloats(b, l.Radius), l.Color), float64(l.Joint), float64(l.Force))
}

// appendColor appends the channels of a colour, each from 0 to 1.
func appendColor(b []byte, c scene.Color) []byte {
	return appendFloats(b, float64(c[0])/255, float64(c[1])/255, float64(c[2])/255)
}

// appendFloats appends numbers in single precision.
func appendFloats(b []byte, x ...float64) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

// terrain returns a ground as float32 numbers: columns, rows, the first node relative to the middle, m, the steps, m, and then the
// heights relative to the middle, m, with NaN where there is no ground.
func (v *Viewer) terrain(t *scene.Terrain) []byte {
	b := appendFloats(nil, float64(t.Columns), float64(t.Rows), t.Min[0]-v.center[0], t.Min[1]-v.center[1], t.Step[0], t.Step[1])
	for _, z := range t.Z {
		b = appendFloats(b, z-v.center[2])
	}
	return b
}

// frameFloats is the number of floats of a body in a frame.
const frameFloats = 13

// frame returns the frame of a row (AppendFrame).
func (v *Viewer) frame(row int) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.at(row); err != nil {
		return nil, err
	}
	return AppendFrame(make([]byte, 0, FrameSize(len(v.st.Bodies))), v.st, v.center), nil
}

// FrameSize returns the number of bytes of a frame of n bodies.
func FrameSize(n int) int { return 4 * frameFloats * n }

// AppendFrame appends to b the numbers of a state that are sent to pages, as little-endian float32 numbers in world axes: first
// seven for each body, its position relative to center, m, and its orientation (x y z w); then six for each body, its velocity,
// m/s, and angular velocity, rad/s.
//
// Cost: O(bodies), no allocation if b has room for FrameSize.
func AppendFrame(b []byte, st *mechanism.State, center spatial.Vec3) []byte {
	for i := range st.Bodies {
		s := &st.Bodies[i]
		p, q := s.Position.Sub(center), s.Rotation
		b = appendFloats(b, p[0], p[1], p[2], q[1], q[2], q[3], q[0])
	}
	for i := range st.Bodies {
		s := &st.Bodies[i]
		b = appendFloats(b, s.Velocity[0], s.Velocity[1], s.Velocity[2], s.Omega[0], s.Omega[1], s.Omega[2])
	}
	return b
}

// errRow is the error for a row or another part of the data that does not exist.
var errRow = errors.New("no such row")

// at stores the state of a row in v.st. Without a trajectory there is only row 0: the present state of Options.Live, or the state of
// the model. It returns errRow for another row, and the errors of the trajectory.
func (v *Viewer) at(row int) error {
	if v.run == nil {
		if row != 0 {
			return errRow
		}
		copyState(v.st, v.state)
		if v.live != nil {
			v.live.StateTo(v.st)
		}
		return nil
	}
	if row < 0 || row >= len(v.run.Times()) {
		return errRow
	}
	return v.run.StateTo(v.st, row)
}

// copyState copies the time, the poses and the velocities of a state.
func copyState(to, from *mechanism.State) {
	to.Time = from.Time
	copy(to.Bodies, from.Bodies)
}

// most is the largest number of points of a curve that a page gets.
const most = 2000

// series returns a column of the trajectory as times and values (thin). It returns errRow if there
// is no such column.
func (v *Viewer) series(name string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.run == nil {
		return nil, errRow
	}
	for k, n := range v.run.Source.Names() {
		if n != name {
			continue
		}
		x := make([]float64, v.run.Source.Rows())
		if err := v.run.Source.ColumnTo(x, k); err != nil {
			return nil, err
		}
		return thin(v.run.Times(), x), nil
	}
	return nil, errRow
}

// thin encodes a curve as pairs of time and value, float64 numbers. It cuts a curve of more than
// most points into pieces, and keeps the least and the largest value of each, in their order.
func thin(t, x []float64) []byte {
	var b []byte
	add := func(i int) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t[i]))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x[i]))
	}
	if len(x) <= most {
		for i := range x {
			add(i)
		}
		return b
	}
	const pieces = most / 2
	for p := range pieces {
		from, to := p*len(x)/pieces, (p+1)*len(x)/pieces
		lo, hi := from, from
		for i := from; i < to; i++ {
			if x[i] < x[lo] {
				lo = i
			}
			if x[i] > x[hi] {
				hi = i
			}
		}
		add(min(lo, hi))
		if lo != hi {
			add(max(lo, hi))
		}
	}
	return b
}

// rowIn reads the number of a row, 0 if the query has none.
func rowIn(query url.Values) (int, error) {
	text := query.Get("row")
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}
