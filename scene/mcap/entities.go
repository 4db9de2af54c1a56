package mcap

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

func vectorOf(v spatial.Vec3) vector { return vector{v[0], v[1], v[2]} }

func quaternionOf(q spatial.Quat) quaternion { return quaternion{q[1], q[2], q[3], q[0]} }

func poseOf(f mechanism.Frame) pose {
	return pose{vectorOf(f.Origin), quaternionOf(spatial.FromMat(f.E))}
}

func colorOf(c scene.Color) color {
	return color{float64(c[0]) / 255, float64(c[1]) / 255, float64(c[2]) / 255, 1}
}

// entity returns an entity without shapes, with an id in a frame.
func entity(at stamp, frame, id string) sceneEntity {
	return sceneEntity{Timestamp: at, Frame: frame, ID: id, FrameLocked: true, Metadata: []keyValue{}, Cubes: []solid{}, Spheres: []solid{}, Cylinders: []solid{},
		Triangles: []triangleList{}}
}

// fixed returns an entity for each body, with its shapes, and one for the world, with its shapes and the ground around st. It returns
// an error if the mechanism has no finite extent.
func (f *file) fixed(st *mechanism.State, at stamp) (*sceneUpdate, error) {
	m := f.scene.Mechanism
	u := &sceneUpdate{Deletions: []struct{}{}, Entities: make([]sceneEntity, m.NumBodies()+1)}
	for i := range m.NumBodies() {
		u.Entities[i] = entity(at, m.BodyName(i), m.BodyName(i))
	}
	u.Entities[m.NumBodies()] = entity(at, World, World)
	for i := range f.scene.Shapes {
		sh := &f.scene.Shapes[i]
		e := &u.Entities[m.NumBodies()]
		if sh.Body != mechanism.World {
			e = &u.Entities[sh.Body]
		}
		f.add(e, sh)
		if sh.Joint >= 0 {
			name := keyValue{"joint", m.JointName(int(sh.Joint))}
			if n := len(e.Metadata); n == 0 || e.Metadata[n-1] != name {
				e.Metadata = append(e.Metadata, name)
			}
		}
	}
	if err := f.grounds(&u.Entities[m.NumBodies()], st); err != nil {
		return nil, err
	}
	return u, nil
}

// add adds a shape to an entity.
func (f *file) add(e *sceneEntity, s *scene.Shape) {
	at, c := poseOf(s.At), colorOf(s.Color)
	ball := func(p spatial.Vec3) {
		d := 2 * s.Size[0]
		e.Spheres = append(e.Spheres, solid{Pose: pose{vectorOf(p), at.Orientation}, Size: vector{d, d, d}, Color: c})
	}
	one := 1.0
	switch s.Kind {
	case scene.Box:
		e.Cubes = append(e.Cubes, solid{Pose: at, Size: vectorOf(s.Size.Scale(2)), Color: c})
	case scene.Sphere:
		ball(s.At.Origin)
	case scene.Surface:
		mesh := f.scene.Meshes[s.Mesh]
		t := triangleList{Pose: at, Points: make([]vector, len(mesh.Points)), Color: c, Colors: []color{}, Indices: make([]int32, 0, 3*len(mesh.Triangles))}
		for i := range mesh.Points {
			var p spatial.Vec3
			mesh.PointTo(&p, s, i)
			t.Points[i] = vectorOf(p)
		}
		for _, tri := range mesh.Triangles {
			t.Indices = append(t.Indices, tri[:]...)
		}
		e.Triangles = append(e.Triangles, t)
	default:
		e.Cylinders = append(e.Cylinders, solid{Pose: at, Size: vector{2 * s.Size[0], 2 * s.Size[0], 2 * s.Size[2]}, Bottom: &one, Top: &one, Color: c})
		if s.Kind == scene.Capsule {
			half := s.At.E.Col(2).Scale(s.Size[2])
			ball(s.At.Origin.Sub(half))
			ball(s.At.Origin.Add(half))
		}
	}
}

// groundNodes is the number of nodes of a ground along a side.
const groundNodes = 128

var groundColor = scene.Color{196, 190, 176}

// grounds adds the part of each ground around the mechanism at st. Triangles with a node where there is no ground are left out.
func (f *file) grounds(e *sceneEntity, st *mechanism.State) error {
	if len(f.scene.Surfaces) == 0 {
		return nil
	}
	center, radius := f.scene.Bounds(st)
	if !center.IsFinite() || !algebra.AllFinite(radius) {
		return fmt.Errorf("mcap: the mechanism has no finite extent: centre %v m, radius %v m", center, radius)
	}
	for _, g := range f.scene.Surfaces {
		t := scene.NewTerrain(g, center, 3*radius, groundNodes)
		list := triangleList{Pose: pose{Orientation: quaternion{W: 1}}, Points: []vector{}, Color: colorOf(groundColor), Colors: []color{}, Indices: []int32{}}
		number := make([]int32, len(t.Z))
		for k := range t.Z {
			if number[k] = -1; !math.IsNaN(t.Z[k]) {
				number[k] = int32(len(list.Points))
				list.Points = append(list.Points, vectorOf(t.At(k%t.Columns, k/t.Columns)))
			}
		}
		for j := range t.Rows - 1 {
			for i := range t.Columns - 1 {
				k := j*t.Columns + i
				a, b, c, d := number[k], number[k+1], number[k+t.Columns+1], number[k+t.Columns]
				if min(a, b, c, d) >= 0 {
					list.Indices = append(list.Indices, a, b, c, a, c, d)
				}
			}
		}
		if len(list.Indices) > 0 {
			e.Triangles = append(e.Triangles, list)
		}
	}
	return nil
}

// links returns an entity with the lines from body to body at st. It is in the
// frame of the world, as both ends of a line move.
func (f *file) links(st *mechanism.State, at stamp) (*sceneUpdate, error) {
	e := entity(at, World, "links")
	for i := range f.scene.Links {
		sh := f.scene.Links[i].Shape(st)
		if !sh.At.Origin.IsFinite() || !algebra.AllFinite(sh.Size[2]) {
			return nil, fmt.Errorf("mcap: time %g s: a line between bodies has no finite length", st.Time)
		}
		f.add(&e, &sh)
	}
	return &sceneUpdate{Deletions: []struct{}{}, Entities: []sceneEntity{e}}, nil
}
