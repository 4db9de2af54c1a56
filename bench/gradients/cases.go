package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// subject is a mechanism that is differentiated.
type subject struct {
	name, title string
	family      string // of package bench
	size        int
	planar      bool            // all bodies move in a plane, so that two rows close a loop
	rest        bool            // all velocities are 0
	coordinates model.JointType // joints of this type are the independent coordinates
	first       bool            // only the first of these joints is one
	random      int             // number of random directions that the joints allow, in place of coordinates; 0: coordinates
}

// subjects are the mechanisms of the tables.
var subjects = []subject{
	{name: "chain-5", title: "Open chain of 5 links", family: "chain", size: 5, coordinates: model.Revolute},
	{name: "chain-20", title: "Open chain of 20 links", family: "chain", size: 20, coordinates: model.Revolute},
	{name: "chain-100", title: "Open chain of 100 links", family: "chain", size: 100, coordinates: model.Revolute},
	{name: "four-bar", title: "Four-bar", family: "nfourbar", size: 1, planar: true, coordinates: model.Revolute, first: true},
	{
		name: "four-bar-rest", title: "Four-bar at rest", family: "nfourbar", size: 1, planar: true, rest: true,
		coordinates: model.Revolute, first: true,
	},
	{
		name: "n-four-bar-40", title: "N-four-bar with 40 windows", family: "nfourbar", size: 40, planar: true,
		coordinates: model.Revolute, first: true,
	},
	{name: "stewart", title: "Stewart platform", family: "stewart", size: 1, coordinates: model.Prismatic},
	{name: "ladder-100", title: "Ladder of 100 bodies", family: "ladder", size: 100, random: 8},
}

// problem is a subject with its directions and the true derivatives.
type problem struct {
	*subject
	model       *model.Model
	mech        *mechanism.Mechanism
	coordinates []int // numbers of joints
	directions  [][]derive.BodyDirection
	weights     []float64 // six for each body, angular first: the gradient is of the sum of accelerations with these weights
	truth
	wantBodies [][]float64            // by direction: changes of the accelerations, six numbers for each body
	wantCoords [][]float64            // by direction: changes of the second derivatives of the coordinates
	wantBody   []derive.BodyDirection // gradient by the loads and mass properties of each body
}

// seed is the seed of models and directions.
const seed = 1

// newProblem makes the model of a subject, its directions and its true derivatives.
func newProblem(s *subject) (*problem, error) {
	p := &problem{subject: s}
	var err error
	if p.model, err = bench.Generate(s.family, s.size, seed); err != nil {
		return nil, err
	}
	for i := range p.model.Joints {
		j := &p.model.Joints[i]
		j.Force, j.Damping = nil, nil // none of the peers has them in the same way
		if s.random == 0 && j.Type == s.coordinates && !(s.first && len(p.coordinates) > 0) {
			p.coordinates = append(p.coordinates, i)
		}
	}
	if s.rest {
		for i := range p.model.Bodies {
			p.model.Bodies[i].Velocity = model.Velocity{}
		}
	}
	if p.mech, err = mechanism.New(p.model); err != nil {
		return nil, err
	}
	t, err := newTruth(p.model, p.coordinates)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	p.truth = *t
	p.direct()
	p.weigh()
	for _, u := range p.directions {
		a, q := p.forward(u)
		p.wantBodies, p.wantCoords = append(p.wantBodies, a), append(p.wantCoords, q)
	}
	p.wantBody = p.gradient(p.weights)
	return p, nil
}

// direct makes the directions: the coordinates, then their rates, and random ones if the subject has some.
func (p *problem) direct() {
	rates := make([][]derive.BodyDirection, len(p.coordinates))
	for k := range p.coordinates {
		var pose []derive.BodyDirection
		pose, rates[k] = p.coordinate(k)
		p.directions = append(p.directions, pose)
	}
	p.directions = append(p.directions, rates...)
	r := rand.New(rand.NewPCG(seed, 2))
	vec := func() spatial.Vec3 { return spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()} }
	for range p.random {
		u := make([]derive.BodyDirection, len(p.model.Bodies))
		for i := range u {
			u[i] = derive.BodyDirection{Rotation: vec(), Position: vec(), Angular: vec(), Linear: vec()}
		}
		p.follow(u)
		p.directions = append(p.directions, u)
	}
}

// weigh chooses the acceleration whose gradient is taken: the acceleration of the first coordinate if this is the angle of the first
// body relative to the world, else the sum a_x + 2·a_y + 3·a_z of the first body's centre of mass.
func (p *problem) weigh() {
	p.weights = make([]float64, 6*len(p.model.Bodies))
	j := &p.model.Joints[0]
	if p.random == 0 && j.Type == model.Revolute && j.Predecessor == model.World && j.Successor == p.model.Bodies[0].Name {
		axis := frameAxis(&j.PredecessorFrame, 2)
		for c := range 3 {
			p.weights[c] = axis[c].v.Hi
		}
		return
	}
	copy(p.weights[3:], []float64{1, 2, 3})
}

// motion is the derivative of a freedom of a joint, and of its rate, along a direction.
type motion struct{ pose, rate float64 }

// motions returns the derivatives of the freedoms of a joint along a direction u, for programs with joint coordinates: rotations
// about axes, or the translation along an axis. The axes of a ball joint are the axes of the successor frame at the state, fixed in
// the predecessor.
func (p *problem) motions(j *model.Joint, u []derive.BodyDirection) (list []motion) {
	st := p.mech.Initial()
	none := derive.BodyDirection{}
	var a, b *derive.BodyDirection = &none, &none
	A, B := mechanism.BodyState{Rotation: spatial.IdentityQuat()}, mechanism.BodyState{Rotation: spatial.IdentityQuat()}
	var comA, comB spatial.Vec3
	if i, err := p.mech.BodyIndex(j.Predecessor); err == nil && i >= 0 {
		a, A, comA = &u[i], st.Bodies[i], p.mech.Bodies[i].Com
	}
	if i, err := p.mech.BodyIndex(j.Successor); err == nil && i >= 0 {
		b, B, comB = &u[i], st.Bodies[i], p.mech.Bodies[i].Com
	}
	P, S := A.Rotation.Mul(orientation(&j.PredecessorFrame)), B.Rotation.Mul(orientation(&j.SuccessorFrame))
	// turn appends the rotation about an axis, which rotates by carried along u.
	turn := func(axis, carried spatial.Vec3) {
		rate := B.Omega.Sub(A.Omega)
		list = append(list, motion{
			axis.Dot(b.Rotation.Sub(a.Rotation)),
			carried.Cross(axis).Dot(rate) + axis.Dot(b.Angular.Sub(a.Angular)),
		})
	}
	x, y, z := spatial.Vec3{1}, spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1}
	switch j.Type {
	case model.Revolute:
		turn(S.Rotate(z), a.Rotation)
	case model.Universal:
		turn(P.Rotate(x), a.Rotation)
		turn(S.Rotate(y), b.Rotation)
	case model.Spherical:
		for _, e := range [3]spatial.Vec3{x, y, z} {
			turn(S.Rotate(e), a.Rotation)
		}
	case model.Prismatic:
		cA, cB := A.Position.Add(A.Rotation.Rotate(comA)), B.Position.Add(B.Rotation.Rotate(comB))
		vA := A.Velocity.Add(A.Omega.Cross(A.Rotation.Rotate(comA)))
		vB := B.Velocity.Add(B.Omega.Cross(B.Rotation.Rotate(comB)))
		at := B.Position.Add(B.Rotation.Rotate(spatial.Vec3(j.SuccessorFrame.Position)))
		rA, rB := at.Sub(cA), at.Sub(cB)
		moved := b.Position.Add(b.Rotation.Cross(rB))
		rate := vB.Add(B.Omega.Cross(rB)).Sub(vA).Sub(A.Omega.Cross(rA))
		ofB := b.Linear.Add(b.Angular.Cross(rB)).Add(B.Omega.Cross(b.Rotation.Cross(rB)))
		ofA := a.Linear.Add(a.Angular.Cross(rA)).Add(A.Omega.Cross(moved.Sub(a.Position)))
		axis := S.Rotate(z)
		list = append(list, motion{
			axis.Dot(moved.Sub(a.Position).Sub(a.Rotation.Cross(rA))),
			a.Rotation.Cross(axis).Dot(rate) + axis.Dot(ofB.Sub(ofA)),
		})
	}
	return list
}

// orientation returns the orientation of a frame; four zeros stand for the identity.
func orientation(f *model.Pose) spatial.Quat {
	q := spatial.Quat(f.Orientation)
	if q == (spatial.Quat{}) {
		return spatial.IdentityQuat()
	}
	return q
}
