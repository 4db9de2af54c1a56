package derive

import (
	"errors"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrOutput is the error for a column that is unknown or has no derivative here.
var ErrOutput = errors.New("derive: no such output")

// Output is a number of a state, by the name of its column in a trajectory. Columns of a body are BODY.px to .pz and .qw to .qz for the
// pose of its frame, .vx to .vz for the velocity of its origin, .wx to .wz, .accx to .accz for the acceleration of its origin, and .alphax
// to .alphaz. Columns of a joint are joint.NAME.q, .qd and .qdd, followed by the number of the freedom if the joint has several.
type Output struct {
	name      string
	what      outputKind
	of        int // body or joint
	component int
}

// Name returns the name of the column.
func (o *Output) Name() string { return o.name }

type outputKind uint8

const (
	outputPosition outputKind = iota
	outputRotation
	outputVelocity
	outputAngular
	outputAcceleration
	outputAlpha
	outputQ
	outputQd
	outputQdd
)

var bodyOutputs = map[string]struct {
	what      outputKind
	component int
}{
	"px": {outputPosition, 0}, "py": {outputPosition, 1}, "pz": {outputPosition, 2},
	"qw": {outputRotation, 0}, "qx": {outputRotation, 1}, "qy": {outputRotation, 2}, "qz": {outputRotation, 3},
	"vx": {outputVelocity, 0}, "vy": {outputVelocity, 1}, "vz": {outputVelocity, 2},
	"wx": {outputAngular, 0}, "wy": {outputAngular, 1}, "wz": {outputAngular, 2},
	"accx": {outputAcceleration, 0}, "accy": {outputAcceleration, 1}, "accz": {outputAcceleration, 2},
	"alphax": {outputAlpha, 0}, "alphay": {outputAlpha, 1}, "alphaz": {outputAlpha, 2},
}

// Output returns the output with the name of a column.
//
// It returns an error that wraps ErrOutput if there is none.
func (d *Derivatives) Output(column string) (Output, error) {
	o := Output{name: column}
	at := strings.LastIndexByte(column, '.')
	if at < 0 {
		return o, fault.Errorf("%w: %s", ErrOutput, fault.Name(column))
	}
	head, tail := column[:at], column[at+1:]
	if x, ok := bodyOutputs[tail]; ok {
		i, err := d.mech.BodyIndex(head)
		if err != nil || i < 0 {
			return o, fault.Errorf("%w: %s is of no body", ErrOutput, fault.Name(column))
		}
		o.what, o.of, o.component = x.what, i, x.component
		return o, nil
	}
	name, joint := strings.CutPrefix(head, "joint.")
	letters := strings.TrimRight(tail, "0123456789")
	what, known := map[string]outputKind{"q": outputQ, "qd": outputQd, "qdd": outputQdd}[letters]
	if !joint || !known {
		return o, fault.Errorf(
			"%w: %s; outputs are poses, velocities and accelerations of bodies, and coordinates of joints",
			ErrOutput, fault.Name(column))
	}
	j, err := d.mech.JointIndex(name)
	if err != nil {
		return o, fault.Errorf("%w: %s is of no joint", ErrOutput, fault.Name(column))
	}
	kind, number := d.mech.Joints[j].Kind, 0
	if digits := tail[len(letters):]; digits != "" {
		number, err = strconv.Atoi(digits)
	}
	several := kind.Freedoms() > 1
	if err != nil || number >= kind.Freedoms() || several != (tail != letters) || what == outputQ && !kind.Scalar(number) {
		return o, fault.Errorf("%w: %s is of no freedom", ErrOutput, fault.Name(column))
	}
	o.what, o.of, o.component = what, j, number
	return o, nil
}

// OutputValue returns the value of an output at the state. It panics without At.
func (d *Derivatives) OutputValue(o Output) float64 {
	d.mustBeReady()
	if o.what >= outputQ {
		return d.coordinate(o)
	}
	b, st := &d.bodies[o.of], &d.st.Bodies[o.of]
	switch o.what {
	case outputPosition:
		return st.Position[o.component]
	case outputRotation:
		return st.Rotation[o.component]
	case outputVelocity:
		return st.Velocity[o.component]
	case outputAngular:
		return st.Omega[o.component]
	case outputAcceleration:
		return b.a[o.component]
	}
	return b.alpha[o.component]
}

// OutputOf returns an output as a function of states that solves no system; nil for accelerations.
//
// Cost of the function: O(1), no allocation.
func (d *Derivatives) OutputOf(o Output) func(st *mechanism.State) float64 {
	k, i, m := o.component, o.of, d.mech
	switch o.what {
	case outputPosition:
		return func(st *mechanism.State) float64 { return st.Bodies[i].Position[k] }
	case outputRotation:
		return func(st *mechanism.State) float64 { return st.Bodies[i].Rotation[k] }
	case outputVelocity:
		return func(st *mechanism.State) float64 { return st.Bodies[i].Velocity[k] }
	case outputAngular:
		return func(st *mechanism.State) float64 { return st.Bodies[i].Omega[k] }
	case outputQ:
		return func(st *mechanism.State) float64 {
			q, _ := m.Coordinate(mechanism.Freedom{Joint: i, Freedom: k}, st)
			return q
		}
	case outputQd:
		return func(st *mechanism.State) float64 {
			_, qd := m.Coordinate(mechanism.Freedom{Joint: i, Freedom: k}, st)
			return qd
		}
	}
	return nil
}

// coordinate returns q, q̇ or q̈ of a freedom at the state. An angle q includes the turns that the state carries.
func (d *Derivatives) coordinate(o Output) float64 {
	if o.what == outputQ {
		q, _ := d.mech.Coordinate(mechanism.Freedom{Joint: o.of, Freedom: o.component}, d.st)
		return q
	}
	if d.carried.current && o.what == outputQdd {
		if c := d.carriedOf(o.of); c != nil && c.bentAt < 0 {
			return c.alongFreedom(o.component, c.wd, c.Vd)
		}
	}
	b := &d.b
	b.begin(o.of)
	b.reserve(2, 1)
	r := b.relation(o.of)
	b.setFreedoms(r)
	if o.what == outputQd {
		return r.qd[o.component]
	}
	return b.c.Value1(r.freedoms[o.component].qdd)
}

// Output returns the derivative of an output along direction k. It panics without results.
func (c *Changes) Output(k int, o Output) float64 { return c.of(k).output(c.d, o) }

// output returns the derivative of an output.
func (s *changes) output(d *Derivatives, o Output) float64 {
	switch o.what {
	case outputQ:
		return s.joints[o.of].Q[o.component]
	case outputQd:
		return s.joints[o.of].Qd[o.component]
	case outputQdd:
		return s.joints[o.of].Qdd[o.component]
	}
	var t bodyTangent
	u := &s.taken.bodies[o.of]
	d.bodies[o.of].setTangent(&t, u, s.x[6*o.of:][:6])
	switch o.what {
	case outputPosition:
		return t.r[o.component]
	case outputRotation: // δq = ½ (0, φ)·q
		q := spatial.Quat{0, t.phi[0] / 2, t.phi[1] / 2, t.phi[2] / 2}.Mul(d.st.Bodies[o.of].Rotation)
		return q[o.component]
	case outputVelocity:
		return t.v[o.component]
	case outputAngular:
		return t.w[o.component]
	case outputAcceleration:
		return t.a[o.component]
	}
	return t.al[o.component]
}

// AddOutput adds x to the weight on an output. It panics if the output belongs to a state of another mechanism.
func (w *Weights) AddOutput(o Output, x float64) {
	switch o.what {
	case outputQ:
		w.joints[o.of].Q[o.component] += x
	case outputQd:
		w.joints[o.of].Qd[o.component] += x
	case outputQdd:
		w.joints[o.of].Qdd[o.component] += x
	}
	if o.what >= outputQ {
		w.jointed = true
		return
	}
	w.moved = true
	t := &w.motions[o.of]
	switch o.what {
	case outputRotation: // the derivatives of ½ (0, φ)·q by φ
		q := w.d.st.Bodies[o.of].Rotation
		for i := range 3 {
			var turn spatial.Quat
			turn[1+i] = x / 2
			t.phi[i] += turn.Mul(q)[o.component]
		}
	case outputPosition:
		t.r[o.component] += x
	case outputVelocity:
		t.v[o.component] += x
	case outputAngular:
		t.w[o.component] += x
	case outputAcceleration:
		t.a[o.component] += x
	case outputAlpha:
		t.al[o.component] += x
	}
}
