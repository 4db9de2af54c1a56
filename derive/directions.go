package derive

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// BodyDirection is the change of a body per unit of a direction; in a gradient it holds the derivatives by these numbers. World axes,
// except for Com and Inertia, which are in the axes of the body.
type BodyDirection struct {
	Rotation spatial.Vec3 // R becomes exp(Rotation×)·R, about the centre of mass
	Position spatial.Vec3 // travel of the centre of mass, m
	Angular  spatial.Vec3 // change of the three numbers of the angular velocity, rad/s
	Linear   spatial.Vec3 // change of the three numbers of the velocity of the centre of mass, m/s

	Force, Torque spatial.Vec3 // a load at the centre of mass, N and N m

	Mass float64 // kg
	// Com is the change of the centre of mass in the body's frame, m. It moves the centre of mass by E·Com and changes its velocity by
	// ω×E·Com; Position and Linear are counted beyond that.
	Com     spatial.Vec3
	Inertia spatial.Sym3 // about the centre of mass, xx yy zz xy xz yz, kg m²
}

// FrameChange is the change of a frame in a body, in the axes of the body: of its origin, m, and of its axes by a rotation vector, rad.
type FrameChange struct {
	Origin, Turn spatial.Vec3
}

// direction is a direction, or the cotangents of its numbers. A direction that consists of parameters and names only has no lists with an
// entry a body, a frame or a joint.
type direction struct {
	name     string
	follow   bool
	bodies   []BodyDirection
	gravity  spatial.Vec3
	frames   []FrameChange
	forces   [][6]float64
	scalars  []float64
	time     float64
	bearings []float64
	changes  []change // changes of parameters
	given    []given  // changes given by names
	// framed: some frames may change. forced: some forces may change. shifts: frames or centres of mass change in bodies.
	framed, forced, shifts bool
	moving                 bool    // it may open a joint
	pose, rate             float64 // sizes of the changes of poses and rates, m and m/s
	lane                   uint8   // its bit in work.moved
}

// change is the change x of a parameter.
type change struct {
	p *Parameter
	x float64
}

// given is a change that was given by a name: of a body, or of the force of a freedom of a joint.
type given struct {
	body, joint, freedom int // −1 for none
	change               BodyDirection
	force                float64
}

// Directions are n directions of one mechanism.
type Directions struct {
	d        *Derivatives
	versions int
	list     []direction
}

// NewDirections allocates n directions of zeros. Call Parameter for all parameters before.
//
// Cost: the memory of a direction is proportional to its parameters and, once Body, SetForce or Force is called, to the mechanism.
func (d *Derivatives) NewDirections(n int) *Directions {
	return &Directions{d: d, versions: d.versions, list: make([]direction, n)}
}

// whole returns direction k with all its lists, which it allocates if they are missing.
func (in *Directions) whole(k int) *direction {
	u := &in.list[k]
	if u.bodies == nil {
		all := in.d.newDirection()
		in.d.fill(&all, u)
		*u = all
		u.given = nil
	}
	return u
}

// fill sets u, which has all lists, to the changes of from, which has none.
func (d *Derivatives) fill(u, from *direction) {
	u.reset()
	u.name, u.follow, u.time, u.changes, u.given = from.name, from.follow, from.time, from.changes, from.given
	for i := range from.given {
		if x := &from.given[i]; x.body >= 0 {
			u.bodies[x.body].add(&x.change)
		} else {
			u.forces[x.joint][x.freedom] += x.force
			u.forced = true
		}
	}
	for _, c := range from.changes {
		for i := range c.p.parts {
			c.p.parts[i].addTo(u, d, c.x)
		}
	}
}

// filled returns the direction u, which has no lists, with all lists, in memory of d.
func (d *Derivatives) filled(u *direction) *direction {
	if d.all.bodies == nil || len(d.all.scalars) != len(d.active) {
		d.all = d.newDirection()
	}
	d.fill(&d.all, u)
	return &d.all
}

// add adds to u the numbers of v that names can give: all but mass, centre of mass and inertia.
func (u *BodyDirection) add(v *BodyDirection) {
	u.Rotation, u.Position = u.Rotation.Add(v.Rotation), u.Position.Add(v.Position)
	u.Angular, u.Linear = u.Angular.Add(v.Angular), u.Linear.Add(v.Linear)
	u.Force, u.Torque = u.Force.Add(v.Force), u.Torque.Add(v.Torque)
}

func (d *Derivatives) newDirection() direction {
	nb := d.mech.NumBodies()
	return direction{
		bodies: make([]BodyDirection, nb), frames: make([]FrameChange, d.frames), forces: make([][6]float64, d.mech.NumJoints()),
		scalars: make([]float64, len(d.active)), bearings: make([]float64, d.mech.NumBearings()),
	}
}

// Len returns the number of directions.
func (in *Directions) Len() int { return len(in.list) }

// SetName names direction k, for errors.
func (in *Directions) SetName(k int, name string) { in.list[k].name = name }

// Name returns the name of direction k.
func (in *Directions) Name(k int) string { return in.list[k].name }

// SetFollow says whether the state follows along direction k, theory.md (D3), (D4): the least change that closes the joints is added.
// Otherwise the joints have to allow the direction as it is.
func (in *Directions) SetFollow(k int, follow bool) { in.list[k].follow = follow }

// Body returns the change of body i along direction k, for reading and writing.
func (in *Directions) Body(k, i int) *BodyDirection { return &in.whole(k).bodies[i] }

// SetForce sets the change of the generalized force of freedom i of joint j along direction k, N or N m.
func (in *Directions) SetForce(k, j, i int, x float64) {
	u := in.whole(k)
	u.forces[j][i], u.forced = x, true
}

// SetTime sets the change of time along direction k. Prescribed motions and the values of actuators change with time.
func (in *Directions) SetTime(k int, x float64) { in.list[k].time = x }

// Reset sets direction k to zero, and removes its name.
func (in *Directions) Reset(k int) {
	u := &in.list[k]
	u.reset()
	u.changes, u.given, u.name, u.follow = u.changes[:0], u.given[:0], "", false
}

func (u *direction) reset() {
	clear(u.bodies)
	clear(u.frames)
	clear(u.forces)
	clear(u.scalars)
	u.gravity, u.time, u.framed, u.forced = spatial.Vec3{}, 0, false, false
}

// AddParameter adds x to the change of p along direction k.
//
// It panics if the directions were allocated before the call of Derivatives.Parameter for p.
func (in *Directions) AddParameter(k int, p *Parameter, x float64) {
	u := &in.list[k]
	in.mustBeNew()
	for i := range p.parts {
		if u.bodies != nil {
			p.parts[i].addTo(u, in.d, x)
		}
	}
	u.changes = append(u.changes, change{p, x})
}

func (in *Directions) mustBeNew() {
	if in.versions != in.d.versions {
		panic("derive: directions from before a parameter")
	}
}

// Force returns the change of the generalized force of freedom i of joint j along direction k.
func (in *Directions) Force(k, j, i int) float64 { return in.whole(k).forces[j][i] }

// Parameter returns the change of the parameter that the call i of AddParameter has added to direction k.
func (in *Directions) Parameter(k, i int) float64 { return in.list[k].changes[i].x }

// copyDirection copies the changes of from to to; both have all lists. It does not copy from.changes and from.given, which the lists
// contain, nor the fields that each solution computes anew: bearings, shifts, moving, pose, rate and lane.
func copyDirection(to, from *direction) {
	to.name, to.follow, to.gravity, to.time = from.name, from.follow, from.gravity, from.time
	copy(to.bodies, from.bodies)
	if from.framed || to.framed {
		copy(to.frames, from.frames)
	}
	if from.forced || to.forced {
		copy(to.forces, from.forces)
	}
	to.framed, to.forced = from.framed, from.forced
	copy(to.scalars, from.scalars)
}

// scale multiplies all changes in u by s.
func (u *direction) scale(s float64) {
	for i := range u.bodies {
		b := &u.bodies[i]
		for _, v := range [7]*spatial.Vec3{&b.Rotation, &b.Position, &b.Angular, &b.Linear, &b.Force, &b.Torque, &b.Com} {
			*v = v.Scale(s)
		}
		b.Mass *= s
		for k := range b.Inertia {
			b.Inertia[k] *= s
		}
	}
	for i := range u.frames {
		u.frames[i] = FrameChange{u.frames[i].Origin.Scale(s), u.frames[i].Turn.Scale(s)}
	}
	for j := range u.forces {
		for i := range u.forces[j] {
			u.forces[j][i] *= s
		}
	}
	for i := range u.scalars {
		u.scalars[i] *= s
	}
	u.gravity, u.time = u.gravity.Scale(s), s*u.time
}

// corrected returns the largest difference of a number of the state between u and given.
func corrected(u, given *direction) (most float64) {
	for i := range u.bodies {
		a, b := &u.bodies[i], &given.bodies[i]
		for _, v := range [4]spatial.Vec3{
			a.Rotation.Sub(b.Rotation), a.Position.Sub(b.Position), a.Angular.Sub(b.Angular), a.Linear.Sub(b.Linear),
		} {
			most = max(most, math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
		}
	}
	return most
}
