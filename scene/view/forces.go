package view

import (
	"encoding/binary"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// arrowFloats is the number of floats of an arrow: three for its place, three for the force or moment, and 1 for a moment.
const arrowFloats = 7

// numArrows returns the number of arrows: one for each contact, two for each line of a force element, at its ends, and two for
// each drive, a force and a moment.
func (v *Viewer) numArrows() int {
	m, n := v.scene.Mechanism, 0
	for i := range v.scene.Links {
		if v.scene.Links[i].Force >= 0 {
			n += 2
		}
	}
	for j := range m.Joints {
		if m.Drive(j) != nil {
			n += 2
		}
	}
	return n + m.NumContacts()
}

// forces returns the arrows of contacts, force elements and drives at a row, arrowFloats single-precision numbers each: world axes,
// places in m relative to the middle, forces in N and moments in N m. An arrow without force has zeros.
//
// It returns the errors of the laws of the forces.
func (v *Viewer) forces(row int) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.at(row); err != nil {
		return nil, err
	}
	m := v.scene.Mechanism
	if v.kin == nil {
		v.kin = m.NewKinematics()
	}
	if err := m.KinematicsTo(v.kin, v.st); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 4*arrowFloats*v.numArrows())
	add := func(p, f spatial.Vec3, moment float64) {
		p = p.Sub(v.center)
		b = appendFloats(b, p[0], p[1], p[2], f[0], f[1], f[2], moment)
	}
	for i := range m.NumContacts() {
		c, err := m.ContactAt(i, v.kin, v.st)
		if err != nil {
			return nil, err
		}
		add(c.Nearest.P, c.Wrench.Linear(), 0)
	}
	for i := range v.scene.Links {
		l := &v.scene.Links[i]
		if l.Force < 0 {
			continue
		}
		e, ok, err := m.ElementAt(int(l.Force), v.kin, v.st)
		if err != nil {
			return nil, err
		}
		from, to := l.Ends(v.st)
		f := e.Force // of a bushing, on the end to
		if line := to.Sub(from); ok && !m.Forces[l.Force].IsBushing() {
			if f = (spatial.Vec3{}); line.Norm() > 0 {
				f = line.Scale(-e.Tension / line.Norm())
			}
		}
		add(from, f.Scale(-1), 0)
		add(to, f, 0)
	}
	for j := range m.Joints {
		if m.Drive(j) == nil {
			continue
		}
		var w spatial.Force
		var jk mechanism.JointKinematics
		m.JointTo(&jk, j, v.kin, v.st)
		m.DriveWrenchTo(&w, j, &jk)
		at := scene.Point(v.st, mechanism.Attachment{Body: m.Joints[j].Succ, Point: m.Joints[j].S.Origin})
		add(at, w.Linear(), 0)
		add(at, w.Moment(), 1)
	}
	return b, nil
}

// clusters returns the number of the loop cluster of each joint; −1: it is in no loop.
func (v *Viewer) clusters() []byte {
	m := v.scene.Mechanism
	of := make([]int32, m.NumJoints())
	for j := range of {
		of[j] = -1
	}
	for k, c := range tree.ClustersOf(m) {
		for _, j := range c.Joints {
			of[j] = int32(k)
		}
	}
	b := make([]byte, 0, 4*len(of))
	for _, k := range of {
		b = binary.LittleEndian.AppendUint32(b, uint32(k))
	}
	return b
}
