package bench

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/model"
)

// ground stands for the world where a body index is expected.
const ground = -1

// rig builds a model body by body, with random numbers and with room for names and lists.
type rig struct {
	m     *model.Model
	rng   *rand.Rand
	text  []byte          // scratch for names
	nums  []float64       // memory from which lists of joints are cut
	names strings.Builder // memory from which names are cut
}

// newRig returns an empty model "name-n" with room for bodies and joints. n and the seed determine the random numbers.
func newRig(name string, n int, seed uint64, bodies, joints int) *rig {
	m := model.New(name + "-" + strconv.Itoa(n))
	m.Bodies = make([]model.Body, 0, bodies)
	m.Joints = make([]model.Joint, 0, joints)
	return &rig{m: m, rng: rand.New(rand.NewPCG(seed, uint64(n)))}
}

// solid holds the mass properties of a body, in its own frame.
type solid struct {
	mass    float64
	com     vec
	inertia model.Inertia
}

// rod returns a slender rod of 1 kg and the given length, m, along x from the body's origin; its inertia about its axis is 1e-4 kg m².
func rod(length float64) solid {
	t := length * length / 12
	return solid{1, vec{length / 2}, model.Inertia{XX: 1e-4, YY: t, ZZ: t}}
}

// lump returns a body whose mass is spread evenly over balls of radius 0.1 m at the points, so that its inertia is one that a real
// body can have.
func lump(mass float64, points ...vec) solid {
	var com vec
	for _, p := range points {
		com = com.add(p.mul(1 / float64(len(points))))
	}
	k := mass / float64(len(points))
	ball := 0.4 * mass * 0.1 * 0.1
	g := model.Inertia{XX: ball, YY: ball, ZZ: ball}
	for _, p := range points {
		r := p.sub(com)
		g.XX += k * (r[1]*r[1] + r[2]*r[2])
		g.YY += k * (r[2]*r[2] + r[0]*r[0])
		g.ZZ += k * (r[0]*r[0] + r[1]*r[1])
		g.XY -= k * r[0] * r[1]
		g.XZ -= k * r[0] * r[2]
		g.YZ -= k * r[1] * r[2]
	}
	return solid{mass, com, g}
}

// body appends a body whose frame has the pose x and the motion t, and returns
// its index.
func (r *rig) body(name string, g solid, x place, t twist) int {
	r.m.Bodies = append(r.m.Bodies, model.Body{
		Name: name, Mass: g.mass, Com: g.com, Inertia: g.inertia,
		Pose:     model.Pose{Position: x.p, Orientation: x.q},
		Velocity: model.Velocity{Linear: t.v, Angular: t.w},
	})
	return len(r.m.Bodies) - 1
}

// place returns the pose of a body.
func (r *rig) place(i int) place {
	if i == ground {
		return origin
	}
	b := &r.m.Bodies[i]
	return place{b.Pose.Position, b.Pose.Orientation}
}

// twist returns the motion of a body's frame.
func (r *rig) twist(i int) twist {
	if i == ground {
		return twist{}
	}
	b := &r.m.Bodies[i]
	return twist{b.Velocity.Angular, b.Velocity.Linear}
}

// velocity returns the velocity of the point of body i that is at p, world
// axes.
func (r *rig) velocity(i int, p vec) vec {
	if i == ground {
		return vec{}
	}
	b := &r.m.Bodies[i]
	return twist{b.Velocity.Angular, b.Velocity.Linear}.shift(p.sub(b.Pose.Position))
}

// label returns the name of a body.
func (r *rig) label(i int) string {
	if i == ground {
		return model.World
	}
	return r.m.Bodies[i].Name
}

// joint appends a joint between two bodies; P and S are its frames in the frames of these bodies. The pointer is valid until the next
// call.
func (r *rig) joint(name string, kind model.JointType, pred, succ int, P, S place) *model.Joint {
	r.m.Joints = append(r.m.Joints, model.Joint{
		Name: name, Type: kind, Predecessor: r.label(pred), Successor: r.label(succ),
		PredecessorFrame: model.Pose{Position: P.p, Orientation: P.q},
		SuccessorFrame:   model.Pose{Position: S.p, Orientation: S.q},
	})
	return &r.m.Joints[len(r.m.Joints)-1]
}

// fit is joint with P and S in the world frame.
func (r *rig) fit(name string, kind model.JointType, pred, succ int, P, S place) *model.Joint {
	return r.joint(name, kind, pred, succ, P.in(r.place(pred)), S.in(r.place(succ)))
}

// name joins a prefix with a number.
func (r *rig) name(prefix string, i int) string {
	return r.cut(strconv.AppendInt(append(r.text, prefix...), int64(i), 10))
}

// name2 joins a prefix with two numbers and an underscore between them.
func (r *rig) name2(prefix string, i, j int) string {
	t := strconv.AppendInt(append(r.text, prefix...), int64(i), 10)
	return r.cut(strconv.AppendInt(append(t, '_'), int64(j), 10))
}

// cut returns the text as a string and keeps its memory for the next name.
func (r *rig) cut(text []byte) string {
	r.text = text[:0]
	if r.names.Cap()-r.names.Len() < len(text) {
		r.names.Reset()
		r.names.Grow(max(4096, len(text)))
	}
	start := r.names.Len()
	r.names.Write(text)
	return r.names.String()[start:]
}

// list returns n zeros for a list of a joint.
func (r *rig) list(n int) []float64 {
	if len(r.nums) < n {
		r.nums = make([]float64, 4096)
	}
	l := r.nums[:n:n]
	r.nums = r.nums[n:]
	return l
}

// values returns the given numbers as a list of a joint.
func (r *rig) values(list ...float64) []float64 {
	l := r.list(len(list))
	copy(l, list)
	return l
}

// uniform returns a number in [−a, a).
func (r *rig) uniform(a float64) float64 { return a * (2*r.rng.Float64() - 1) }

// between returns a number in [a, b).
func (r *rig) between(a, b float64) float64 { return a + (b-a)*r.rng.Float64() }

// vec returns a random vector in the cube [−a, a)³.
func (r *rig) vec(a float64) vec { return vec{r.uniform(a), r.uniform(a), r.uniform(a)} }

// direction returns a unit vector, uniform on the sphere.
func (r *rig) direction() vec {
	z := r.uniform(1)
	s, c := math.Sincos(r.uniform(math.Pi))
	h := math.Sqrt(1 - z*z)
	return vec{h * c, h * s, z}
}

// rotation returns a rotation by at most the given angle, rad, about a random axis.
func (r *rig) rotation(angle float64) quat { return turn(r.direction(), r.uniform(angle)) }
