package tree

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Workspace is the memory of all computations of a plan at one state. It belongs
// to one goroutine at a time. SetState or Set comes first; the other methods
// refer to that state.
type Workspace struct {
	plan  *Plan
	kin   *mechanism.Kinematics
	state *mechanism.State // the state in use: the caller's, or own
	own   *mechanism.State // the state of Set
	ready bool             // there is a state in use
	given bool             // the state is the caller's: velocities reads the rates of revolute joints from it

	force []spatial.Force  // by body: its loads about its centre of mass, gyroscopic moment included
	links []linkState      // by link
	slide []spatial.Vec3   // by link: position of S in P of its joint without violations, P's axes, m
	qd    []float64        // rates
	s     []spatial.Motion // by entry of q̇: its column of S, about the link's centre of mass, of opposite sign if the link is Reversed

	art    []articulated   // by link, of ForwardTo
	proj   []spatial.Force // by entry of q̇, of ForwardTo: row of D⁻¹Uᵀ
	y      []float64       // by entry of q̇, of ForwardTo: D⁻¹u
	wr     []spatial.Force // by link, of InverseTo: force through its joint
	comp   []composite     // by link, of InertiaTo
	ground spatial.Mat3    // axes of the world

	postures []joints.Posture // of composite tree joints, Plan.postureOf

	watch *team.Watch // of a ClosedSolver
}

// linkState is the motion of a link at the state in use: world axes, about the
// centre of mass.
type linkState struct {
	r spatial.Vec3           // from the parent's centre of mass; 0 if the parent is the world
	v spatial.Motion         // velocity
	c spatial.ClassicalAccel // velocity-product acceleration of the joint
	a spatial.ClassicalAccel // acceleration, memory of outward passes
}

// NewWorkspace allocates a workspace of the plan.
func (p *Plan) NewWorkspace() *Workspace {
	if p == nil || p.mech == nil {
		panic("tree: zero Plan; use NewPlan")
	}
	n := len(p.Links)
	return &Workspace{
		plan:   p,
		kin:    p.mech.NewKinematics(),
		own:    p.mech.Initial(),
		force:  make([]spatial.Force, n),
		links:  make([]linkState, n),
		slide:  make([]spatial.Vec3, n),
		qd:     make([]float64, p.nv),
		s:      make([]spatial.Motion, p.nv),
		art:    make([]articulated, n),
		proj:   make([]spatial.Force, p.nv),
		y:      make([]float64, p.nv),
		wr:     make([]spatial.Force, n),
		comp:   make([]composite, n),
		ground: spatial.Identity3(),

		postures: make([]joints.Posture, p.postures),
	}
}

// SetState makes s the state in use: it computes kinematics and loads at s. Velocities of links are computed from the joint rates at s, so
// that they satisfy the tree joints. s is kept, not copied.
//
// Cost: O(links + joints + forces), no allocation. It returns mechanism.ErrNotFinite, mechanism.ErrNoDirection, or
// joints.ErrSingular for a composite tree joint; no state is in use then. It panics if s is of another mechanism.
func (w *Workspace) SetState(s *mechanism.State) error {
	w.ready = false
	if err := w.plan.mech.KinematicsTo(w.kin, s); err != nil {
		return err
	}
	w.state, w.given = s, true
	if err := w.measure(); err != nil {
		return err
	}
	return w.finish()
}

// Set makes the state with joint variables q and qd at the time t the state in
// use.
//
// Shapes: q and qd have NumQ and NumDof entries.
// Cost: O(links + joints + forces), no allocation.
// It returns errors as SetState does. It panics on a length mismatch.
func (w *Workspace) Set(q, qd []float64, t float64) error {
	p := w.plan
	if len(q) != p.nq || len(qd) != p.nv {
		panic("tree: length mismatch")
	}
	w.ready = false
	w.own.Time = t
	p.StateTo(w.own, q, qd)
	p.branchesTo(w.own, q)
	if err := p.mech.KinematicsTo(w.kin, w.own); err != nil {
		return err
	}
	w.state, w.given = w.own, false
	copy(w.qd, qd)
	for i := range p.Links {
		l := &p.Links[i]
		if k := p.postureOf(i); k >= 0 {
			p.postureTo(&w.postures[k], i, q[l.Q:l.Q+l.NumQ])
			w.slide[i] = w.postures[k].R
		} else if p.consts[i].form > turning && l.Joint >= 0 {
			w.slide[i] = slideOf(l.Kind, p.mech.Joints[l.Joint].Pitch, q[l.Q:l.Q+l.NumQ])
		}
	}
	return w.finish()
}

// finish computes the applied forces and the velocities of the links at w.state: the end of SetState and Set.
func (w *Workspace) finish() error {
	if err := w.plan.mech.ForcesTo(w.force, w.kin, w.state); err != nil {
		return err
	}
	w.velocities()
	w.ready = true
	return nil
}

// measure stores the joint rates and slides at w.state. The rates of revolute joints are left to velocities.
func (w *Workspace) measure() error {
	p, s := w.plan, w.state
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for i := range p.consts {
		c := &p.consts[i]
		switch c.form {
		case turning:
		case floating:
			b := &s.Bodies[c.body]
			copy(w.qd[c.dof:], b.Omega[:])
			copy(w.qd[c.dof+3:], b.Velocity[:])
		default:
			l := &p.Links[i]
			p.mech.JointTo(&jk, int(l.Joint), w.kin, s)
			spec := &p.mech.Joints[l.Joint].Spec
			if k := p.postureOf(i); k >= 0 {
				if err := spec.SettleTo(&w.postures[k], &qd, &jk.Frames); err != nil {
					return fault.Errorf("tree: %w", p.mech.AtJoint(int(l.Joint), -1, err))
				}
				copy(w.qd[l.Dof:l.Dof+l.NumDof], qd[:])
				w.slide[i] = w.postures[k].R
				continue
			}
			spec.CoordinatesTo(&q, &qd, &jk.Frames)
			copy(w.qd[l.Dof:l.Dof+l.NumDof], qd[:])
			if hasBall(l.Kind) {
				q[4] = q[3] // after the four numbers of a quaternion
			}
			w.slide[i] = slideOf(l.Kind, spec.Pitch, q[:])
		}
	}
	return nil
}

// rateAbout returns the angular velocity of link c relative to its parent about a unit vector z at w.state, rad/s.
func (w *Workspace) rateAbout(z *spatial.Vec3, c *linkConst) float64 {
	var none spatial.Vec3
	omega, up := &w.state.Bodies[c.body].Omega, &none
	if c.parentBody >= 0 {
		up = &w.state.Bodies[c.parentBody].Omega
	}
	return z[0]*(omega[0]-up[0]) + z[1]*(omega[1]-up[1]) + z[2]*(omega[2]-up[2])
}

// axes returns the rotation matrix of a body or of the world.
func (w *Workspace) axes(body int32) *spatial.Mat3 {
	if body < 0 {
		return &w.ground
	}
	return &w.kin.Bodies[body].E
}

// mustBeReady panics unless a state is in use.
func (w *Workspace) mustBeReady() {
	if !w.ready {
		panic("tree: no state")
	}
}

// Plan returns the plan of w.
func (w *Workspace) Plan() *Plan { return w.plan }

// State returns the state in use: the one given to SetState, or the maximal
// state of the variables given to Set, which changes with the next Set.
//
// It panics without a state in use, as Kinematics, Rates, Velocity and
// MotionSubspace do.
func (w *Workspace) State() *mechanism.State {
	w.mustBeReady()
	return w.state
}

// Kinematics returns the mechanism's kinematics at the state in use.
func (w *Workspace) Kinematics() *mechanism.Kinematics {
	w.mustBeReady()
	return w.kin
}

// Rates returns q̇ at the state in use; it changes with the next state.
func (w *Workspace) Rates() []float64 {
	w.mustBeReady()
	return w.qd
}

// mustHaveLink panics unless there is a state in use and a link i.
func (w *Workspace) mustHaveLink(i int) {
	w.mustBeReady()
	if uint(i) >= uint(len(w.links)) {
		panic("tree: link out of range")
	}
}

// Velocity returns the velocity of link i about its centre of mass, world axes.
//
// It panics if i is out of range, as does Shift.
func (w *Workspace) Velocity(i int) spatial.Motion {
	w.mustHaveLink(i)
	return w.links[i].v
}

// Shift returns the vector from the centre of mass of link i's parent to the centre of mass of
// link i, world axes, m; zero where the parent is the world.
func (w *Workspace) Shift(i int) spatial.Vec3 {
	w.mustHaveLink(i)
	return w.links[i].r
}

// MotionSubspace returns the columns of S, one an entry of q̇, each about the centre of mass of its own link, world axes. They change with
// the next state. The velocity of link i is the velocity of its parent, about the centre of mass of link i, plus Σ S[k]·q̇[k].
func (w *Workspace) MotionSubspace() []spatial.Motion {
	w.mustBeReady()
	return w.s
}
