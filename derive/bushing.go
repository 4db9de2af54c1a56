package derive

import (
	"slices"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// bushing is what a bushing does at the state, docs/springs.md (E4) to (E8).
type bushing struct {
	mechanism.BushingState
	b      *builder
	part   *ownPart
	K, D   *springs.Matrix
	stress [6]float64 // which does the work
	w      [2]spatial.Force
	arm    [2]spatial.Vec3 // of the ends, from the origins of the bodies' frames
}

// bushing adds a bushing as what it does for a small motion of its frames, docs/springs.md (E6), (E7).
func (b *builder) bushing(i int) error {
	m := b.d.mech
	n := slices.Index(b.d.bushings, int32(i))
	var u bushing
	if err := m.BushingAt(&u.BushingState, n, b.d.kin, b.d.st); err != nil {
		return err
	}
	var body [2]int32
	body, u.K, u.D, _ = m.Bushing(n)
	b.own = append(b.own, ownPart{})
	u.b, u.part = b, &b.own[len(b.own)-1]
	for k := range u.stress {
		u.stress[k] = -u.Stress[k]
	}
	u.WrenchTo(&u.w[0], &u.w[1], &u.stress)
	for e, at := range body {
		if at >= 0 {
			u.arm[e] = b.d.bodies[at].k.Add(u.Arm[e])
			u.part.bodies, u.part.ends = append(u.part.bodies, at), append(u.part.ends, e)
		}
	}
	wide := 6 * len(u.part.bodies)
	u.part.pose, u.part.velocity = make([]float64, wide*wide), make([]float64, wide*wide)
	for column := range wide {
		u.setColumns(column)
	}
	for e := range body {
		u.setFrame(e, body[e])
	}
	for _, s := range b.d.scalarsOf(b.number) {
		u.setScalar(s)
	}
	return nil
}

// bend is a small motion of end e of a bushing: a turn, a travel of its origin, by which its velocity changes, and how much its arm
// changes.
type bend struct {
	e                       int
	turn, travel, rate, arm spatial.Vec3
}

// twist returns a motion of an end as that of the bushing.
func twistOf(e int, turn, line spatial.Vec3) springs.Twist {
	w := springs.Twist{Line: line.Scale(float64(2*e - 1))}
	if e == 0 {
		w.A = turn
	} else {
		w.B = turn
	}
	return w
}

// bendTo stores in out the changes of the wrenches about the origins of the bodies' frames.
func (u *bushing) bendTo(out []float64, x *bend) {
	move := twistOf(x.e, x.turn, x.travel)
	bent := u.Bend(&move)
	dx := bent.X()
	line := x.rate.Scale(float64(2*x.e - 1))
	var rate, ds, damping [6]float64
	bent.RateTo(&rate, &u.Twist, &line)
	u.K.MulTo(&ds, &dx)
	u.D.MulTo(&damping, &rate)
	for i := range ds {
		ds[i] = -ds[i] - damping[i]
	}
	var change [2]spatial.Force
	bent.WrenchTo(&change[0], &change[1], &u.stress, &ds)
	m := x.arm.Cross(u.w[x.e].Linear())
	for r := range m {
		change[x.e][r] += m[r]
	}
	u.store(out, &change)
}

// store stores wrenches at the ends about the origins of the bodies' frames.
func (u *bushing) store(out []float64, w *[2]spatial.Force) {
	for i, e := range u.part.ends {
		f := w[e].Linear()
		m := w[e].Moment().Add(u.arm[e].Cross(f))
		copy(out[6*i:], m[:])
		copy(out[6*i+3:], f[:])
	}
}

// setColumns stores the changes for motion column of the bodies: a turn or travel of a frame, and the same as a velocity.
func (u *bushing) setColumns(column int) {
	wide := 6 * len(u.part.bodies)
	at := column / 6
	e := u.part.ends[at]
	omega := u.b.d.bodies[u.part.bodies[at]].omega
	var turn, travel spatial.Vec3
	if column%6 < 3 {
		turn[column%3] = 1
	} else {
		travel[column%3] = 1
	}
	moved := turn.Cross(u.arm[e])
	out := make([]float64, wide)
	u.bendTo(out, &bend{e, turn, travel.Add(moved), omega.Cross(moved), moved})
	for r, x := range out {
		u.part.pose[r*wide+column] = x
	}
	w := twistOf(e, turn, travel.Add(moved))
	var rate, damping [6]float64
	u.RateTo(&rate, &w)
	u.D.MulTo(&damping, &rate)
	for i := range damping {
		damping[i] = -damping[i]
	}
	var change [2]spatial.Force
	u.WrenchTo(&change[0], &change[1], &damping)
	u.store(out, &change)
	for r, x := range out {
		u.part.velocity[r*wide+column] = x
	}
}

// setFrame stores the changes for a travel of the point of end e in its body, along the axes of the body.
func (u *bushing) setFrame(e int, body int32) {
	E, omega := spatial.Identity3(), spatial.Vec3{}
	if body >= 0 {
		E, omega = u.b.d.bodies[body].E, u.b.d.bodies[body].omega
	}
	f := ownFrame{frame: u.b.d.pointFrame(u.b.number, e)}
	for k := range f.by {
		moved := E.Col(k)
		f.by[k] = make([]float64, 6*len(u.part.bodies))
		u.bendTo(f.by[k], &bend{e: e, travel: moved, rate: omega.Cross(moved), arm: moved})
	}
	u.part.frames = append(u.part.frames, f)
}

// setScalar stores the change for a number of the bushing: of a diagonal of its matrices, or of its force at rest.
func (u *bushing) setScalar(s activeScalar) {
	var ds [6]float64
	k := s.slot.index
	switch s.slot.kind {
	case slotStiffness:
		ds[k] = -u.X[k]
	case slotDamping:
		ds[k] = -u.Rate[k]
	case slotTorqueVector:
		ds[k] = 1
	case slotForceVector:
		ds[3+k] = 1
	}
	var change [2]spatial.Force
	u.WrenchTo(&change[0], &change[1], &ds)
	f := ownScalar{at: s.at, by: make([]float64, 6*len(u.part.bodies))}
	u.store(f.by, &change)
	u.part.scalars = append(u.part.scalars, f)
}
