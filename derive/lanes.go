package derive

import (
	"math"

	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/spatial"
)

// Where joints whose lines turn with P are all that acts on bodies, directions are swept side by side, a direction in each lane. The
// assembly (lanes.SweepBody, lanes.SweepJoint) does the operations of addResidual, move, acts, pushed and opens in their order and rounds
// each, so a right side has the bits that it has alone. On the way, right sides have their final sign, minus the change of the residual.

// fewestLanes is the least number of directions that are swept in lanes. Another value costs time only.
const fewestLanes = 3

// inLanes reports whether the directions of out are swept in lanes.
func (d *Derivatives) inLanes(out []changes) bool {
	if !lanes.Have() || len(out) < fewestLanes || len(d.carried.list) != d.numParts() || abreast*len(d.x) > math.MaxInt32 {
		return false
	}
	for k := range out {
		if u := &out[k].taken; u.shifts || u.forced || u.time != 0 {
			return false
		}
	}
	return d.layout.Pattern.Dim() == len(d.x)
}

// needPanel prepares the memory for n directions, with looks also for the openings of rows.
func (d *Derivatives) needPanel(n int, looks bool) {
	p := &d.panel
	if p.all == nil {
		p.all = make([]float64, abreast*len(d.x))
		for k := range p.sides {
			p.sides[k] = p.all[k*len(d.x):][:len(d.x)]
		}
	}
	for k := range n {
		if looks && p.positions[k] == nil {
			p.positions[k], p.velocities[k] = make([]float64, len(d.plainRight)), make([]float64, len(d.plainRight))
		}
	}
}

// sweepLanes computes the right sides of the directions of out. Bits of looks are set for the directions whose openings are needed. They
// are stored only where a row opens too far (panel.shut).
func (d *Derivatives) sweepLanes(out []changes, looks uint8) {
	p, w := &d.panel, &d.panel.lanes
	if w.moved == nil {
		w.moved, w.right = make([]lanes.Moved, len(d.bodies)+1), make([]lanes.Vector, len(d.x))
	}
	d.bodiesInLanes(out)
	w.joint.Most, w.joint.Sum, w.ground = [2]lanes.Vector{}, [2]lanes.Vector{}, [6]lanes.Vector{}
	for i := range d.carried.list {
		if c := &d.carried.list[i]; c.spring < 0 {
			d.jointInLanes(c, looks != 0)
		} else {
			d.jointByLane(c, out, looks)
		}
	}
	at := [lanes.Width]int32{}
	for k := range at {
		at[k] = int32(k * len(d.x))
	}
	lanes.Scatter(p.all, &at, w.right)
	for k := range out {
		if looks>>k&1 == 0 {
			continue
		}
		if p.shut[k] = d.shut(k, &out[k].taken); !p.shut[k] {
			d.openingsTo(p.positions[k], p.velocities[k], &out[k].taken)
		}
	}
}

// isLoaded reports whether u has loads, or changes of mass or inertia.
func (u *BodyDirection) isLoaded() bool {
	none := spatial.Vec3{}
	return u.Force != none || u.Torque != none || u.Mass != 0 || u.Com != none || u.Inertia != (spatial.Sym3{})
}

// bodiesInLanes stores the motions of all bodies in lanes, and begins the right sides with what the bodies contribute.
func (d *Derivatives) bodiesInLanes(out []changes) {
	w, heavier := &d.panel.lanes, false
	if len(out) < abreast {
		clear(w.moved)
	}
	for k := range out {
		heavier = heavier || out[k].taken.gravity != (spatial.Vec3{})
	}
	for i := range d.bodies {
		m, alone := &w.moved[i], heavier
		for v := range out {
			u := &out[v].taken.bodies[i]
			for k := range 3 {
				m.Rotation[k][v], m.Position[k][v] = u.Rotation[k], u.Position[k]
				m.Angular[k][v], m.Linear[k][v] = u.Angular[k], u.Linear[k]
			}
			alone = alone || u.isLoaded()
		}
		b, rest, y := &d.bodies[i], &d.carried.rest[i], (*[6]lanes.Vector)(w.right[6*i:])
		if !alone {
			t := &w.body
			t.K, t.Omega, t.Alpha, t.Rest, t.I = b.k, b.omega, b.alpha, rest.vec3(), b.I
			t.Iw, t.Ial = product(&b.I, vecOf(&b.omega)).vec3(), product(&b.I, vecOf(&b.alpha)).vec3()
			lanes.SweepBody(y, m, t)
			continue
		}
		for v := range out {
			var r [6]float64
			u := &out[v].taken
			b.addResidual(r[:], &u.bodies[i], rest, &d.mech.Gravity, &u.gravity)
			for k, x := range r {
				y[k][v] = -x
			}
		}
	}
}

// jointInLanes sweeps a joint that has no springs.
func (d *Derivatives) jointInLanes(c *carriedJoint, looks bool) {
	w := &d.panel.lanes
	j := &w.at
	P, S := d.ends(c)
	j.OmegaP, j.OmegaS, j.AlphaP, j.AlphaS, j.W = P.omega, S.omega, P.alpha, S.alpha, vecOf(&S.omega).sub(vecOf(&P.omega)).vec3()
	j.S, j.A, j.B, j.V, j.Wd, j.Vd = c.s.vec3(), c.a.vec3(), c.b.vec3(), c.V.vec3(), c.wd.vec3(), c.Vd.vec3()
	j.SpinS, j.SpinP, j.N, j.F, j.E, j.Row = c.spinS.vec3(), c.spinP.vec3(), c.N.vec3(), c.F.vec3(), c.E, c.lines.among
	world := &w.moved[len(d.bodies)]
	uP, uS, yP, yS := world, world, &w.ground, &w.ground
	if c.pred >= 0 {
		uP, yP = &w.moved[c.pred], (*[6]lanes.Vector)(w.right[6*c.pred:])
	}
	if c.succ >= 0 {
		uS, yS = &w.moved[c.succ], (*[6]lanes.Vector)(w.right[6*c.succ:])
	}
	switch {
	case c.lines.slides:
		j.Slip, j.Allow = c.allowed(c.V).vec3(), [2]float64{-1, 1}
		if c.lines.onZ {
			j.Allow = [2]float64{1, 0}
		}
		lanes.SweepSliding(&w.joint, uP, uS, j, yP, yS)
	case c.bentAt >= 0:
		l := &d.carried.bent[c.bentAt]
		k := l.u.cross(l.w)
		j.Y, j.U, j.Normal, j.Curl, j.Lambda = l.y.vec3(), l.u.vec3(), l.n.vec3(), k.cross(l.w).vec3(), c.lambda
		j.Twist = l.w.cross(l.y).cross(l.u).add(l.y.cross(k)).vec3()
		lanes.SweepBent(&w.joint, uP, uS, j, yP, yS)
	case looks:
		lanes.SweepOpening(&w.joint, uP, uS, j, yP, yS)
	default:
		lanes.SweepJoint(&w.joint, uP, uS, j, yP, yS)
	}
	if c.at < 0 {
		return
	}
	to := w.right[c.at:][:c.numRows()]
	for i, line := range c.lines.rows {
		to[i] = w.joint.Rows[line]
	}
	if c.bentAt >= 0 {
		to[len(c.lines.rows)] = w.joint.Bent
	}
}

// jointByLane sweeps a joint along one direction after the other.
func (d *Derivatives) jointByLane(c *carriedJoint, out []changes, looks uint8) {
	w, r := &d.panel.lanes, d.right
	var rows []lanes.Vector
	if c.at >= 0 {
		rows = w.right[c.at:][:c.numRows()]
		clear(rows)
	}
	// exchange copies lane v of a part of the right sides to r, or back, with the other sign.
	exchange := func(first, n, v int, back bool) {
		for i := first; i < first+n; i++ {
			if back {
				w.right[i][v] = -r[i]
			} else {
				r[i] = -w.right[i][v]
			}
		}
	}
	var m carriedMove
	for v := range out {
		u := &out[v].taken
		if !d.touches(int(c.number), u) {
			continue
		}
		m.opens = looks>>v&1 != 0
		d.move(&m, c, u, nil, orderAcceleration)
		for _, back := range [2]bool{false, true} {
			for _, b := range [2]int32{c.pred, c.succ} {
				if b >= 0 {
					exchange(6*int(b), 6, v, back)
				}
			}
			if exchange(int(c.at), len(rows), v, back); !back {
				d.gatherCarried(r, c, &m, u)
			}
		}
		if m.opens && c.plain >= 0 {
			d.note(c, &m, u, v)
		}
	}
}

// note is what lanes.SweepOpening notes of a joint, for direction u in lane v.
func (d *Derivatives) note(c *carriedJoint, m *carriedMove, u *direction, v int) {
	t := &d.panel.lanes.joint
	for at := orderPosition; at <= orderVelocity; at++ {
		var rows [7]float64
		d.opens(rows[:], c, m, u, at)
		sum := 0.0
		for _, x := range rows {
			sum += math.Abs(x)
		}
		t.Most[at][v] = max(t.Most[at][v], sum)
		t.Sum[at][v] += sum
	}
}

// shut reports whether the direction u in lane v opens no row too far. If it does not, rows have to be looked at one by one.
func (d *Derivatives) shut(v int, u *direction) bool {
	t := &d.panel.lanes.joint
	for _, l := range [2]level{ofPositions, ofVelocities} {
		at := l.order()
		if !(t.Most[at][v] <= allowedTol*d.sizeOf(u, l)) || math.IsNaN(t.Sum[at][v]) {
			return false
		}
	}
	return true
}

// openingsTo stores the openings of all rows along u, where joints whose lines turn with P have all of them.
func (d *Derivatives) openingsTo(positions, velocities []float64, u *direction) {
	clear(positions)
	clear(velocities)
	var m carriedMove
	for i := range d.carried.list {
		if c := &d.carried.list[i]; c.plain >= 0 && d.touches(int(c.number), u) {
			d.move(&m, c, u, nil, orderVelocity)
			d.opens(positions[c.plain:], c, &m, u, orderPosition)
			d.opens(velocities[c.plain:], c, &m, u, orderVelocity)
		}
	}
}
