package assemble

import (
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A pinned joint is of a plain type (joints.Kind.Plain) and has no prescribed freedom: arm and slip of its rows are
// zero, and T˚ too. In the axes of its predecessor such a row does not change, so its weighted block on the predecessor is
// constant. At each state lanes.PinRows fills only the block of the successor and the right side.

// pinned reports whether a joint is pinned.
func pinned(j *mechanism.Joint) bool { return j.Kind.Plain() && j.Motion == nil }

// pins returns the rows of a pinned joint.
func pins(k joints.Kind) lanes.Pins {
	switch k {
	case joints.Fixed:
		return lanes.Pins{Force: 3, Moments: 3}
	case joints.Revolute:
		return lanes.Hinge
	default:
		return lanes.Ball
	}
}

// The numbers of the world as one of the two bodies of a pinned joint. The joint has no block for it.
var (
	still      = spatial.Identity3()
	zero       spatial.Vec3
	zeroWeight spatial.Lower3
	nothing    [6]float64
)

// pinWork is the scratch of fillPinned.
type pinWork struct {
	pin   lanes.Pin
	block [36]float64 // receives the block of the world, which is not used
}

// pinPlace says which block of a pinned joint is the one of its successor.
type pinPlace uint8

// The places.
const (
	notPinned   pinPlace = iota // the joint is not pinned
	nowhere                     // the successor is the world
	firstBlock                  // the first block of the joint
	secondBlock                 // the second block of the joint
)

// pinPlaceOf returns the place of a pinned joint.
func pinPlaceOf(jt *mechanism.Joint) pinPlace {
	switch {
	case jt.Succ < 0:
		return nowhere
	case jt.Pred >= 0 && jt.Pred < jt.Succ:
		return secondBlock
	}
	return firstBlock
}

// fillConstant stores in y.pins the places of the joints lo ≤ i < hi. For pinned ones it stores the blocks of their predecessors, and in
// y.base the squared norms of the rows of these blocks.
func (y *Weighted) fillConstant(lo, hi int) {
	m := y.Layout.Mech
	nb, first := m.NumBodies(), y.Layout.FirstJoint()
	for i := lo; i < hi; i++ {
		jt := &m.Joints[y.Layout.joint[i]]
		if y.pins[i] = notPinned; !y.Layout.pinned(y.Layout.joint[i], jt) {
			continue
		}
		if y.pins[i] = pinPlaceOf(jt); jt.Pred < 0 {
			continue
		}
		at := y.Layout.place(jt, int32(first+i))
		constantRows(y.Matrix.Val[at.pred:], y.base[int(at.row)-6*nb:], y.bodies, jt)
	}
}

// constantRows stores the block of a pinned joint and its predecessor in v, and the squared
// norms of its rows in base. It calls lanes.PinRows with the predecessor in the place of the successor, in its own axes, and
// with the axes of P reversed, as the block has the opposite sign.
func constantRows(v, base []float64, list []bodies.Body, jt *mechanism.Joint) {
	body := &list[jt.Pred]
	c := body.Weight()
	var axes [9]float64
	var b [6]float64
	for k, e := range jt.P.E {
		axes[k] = -e
	}
	lanes.PinRows(v, base, b[:], &lanes.Pin{
		EP: (*[9]float64)(&still), ES: (*[9]float64)(&still),
		OmegaP: (*[3]float64)(&zero), OmegaS: (*[3]float64)(&zero),
		Axes: &axes, OriginP: (*[3]float64)(&zero), OriginS: (*[3]float64)(&jt.P.Origin),
		ComP: (*[3]float64)(&zero), ComS: (*[3]float64)(&body.Com),
		Weight: (*[6]float64)(&c.Inertia), Root: c.Mass, Base: nothing[:],
	}, pins(jt.Kind))
}

// fillPinned fills the rows of a pinned joint except the constant block of its
// predecessor.
func (y *Weighted) fillPinned(w *pinWork, jt *mechanism.Joint, at pinPlace, node int, s *mechanism.State) {
	p := y.Layout.Pattern
	o := int(p.Off[node])
	v := w.block[:]
	if at >= firstBlock {
		v = y.Matrix.Val[p.Pos[p.Ptr[node]+int32(at-firstBlock)]:]
	}
	w.pin.Base = y.base[o-6*len(y.Kin.Bodies):]
	w.set(jt, y.bodies, y.Kin, s)
	lanes.PinRows(v, y.Scale[o:], y.Right[o:], &w.pin, pins(jt.Kind))
}

// set fills w.pin for a joint, except Base.
func (w *pinWork) set(jt *mechanism.Joint, list []bodies.Body, k *mechanism.Kinematics, s *mechanism.State) {
	p := &w.pin
	p.Axes, p.OriginP, p.OriginS = (*[9]float64)(&jt.P.E), (*[3]float64)(&jt.P.Origin), (*[3]float64)(&jt.S.Origin)
	if i := jt.Pred; i >= 0 {
		p.EP, p.OmegaP, p.ComP = (*[9]float64)(&k.Bodies[i].E), (*[3]float64)(&s.Bodies[i].Omega), (*[3]float64)(&list[i].Com)
	} else {
		p.EP, p.OmegaP, p.ComP = (*[9]float64)(&still), (*[3]float64)(&zero), (*[3]float64)(&zero)
	}
	if i := jt.Succ; i >= 0 {
		q := &list[i]
		c := q.Weight()
		p.ES, p.OmegaS, p.ComS = (*[9]float64)(&k.Bodies[i].E), (*[3]float64)(&s.Bodies[i].Omega), (*[3]float64)(&q.Com)
		p.Weight, p.Root = (*[6]float64)(&c.Inertia), c.Mass
		return
	}
	p.ES, p.OmegaS, p.ComS = (*[9]float64)(&still), (*[3]float64)(&zero), (*[3]float64)(&zero)
	p.Weight, p.Root = (*[6]float64)(&zeroWeight), 0
}
