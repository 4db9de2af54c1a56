package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// demandPart is the least part of the estimated error that a row has to demand to be named as its cause. The rows of joints next to
// a joint with a jump demand a part of the order of the angle, rad, by which bodies turn in a step.
const demandPart = 0.5

// blame says why the steps of error control are short.
type blame struct {
	size   float64 // estimated error of the step last tried, in units of the tolerance
	body   int     // body with that error; −1: none
	place  int     // constraint with a row that demands demandPart of the error or more; −1: none
	row    int     // that row of place
	demand float64 // part of the error that the row demands, at most 1
}

// blamer is a Stepper that knows the largest parts of the error of the step last tried.
type blamer interface{ blame() blame }

// blame implements blamer. ê is the estimated error of the velocities of the bodies, and a row with the Jacobian J demands J·ê of it.
// If a law, a curve or a motion changes faster than a step can follow, its row causes the error, and J·ê has the size of ê. If a force
// does, the joints move with the bodies, and J·ê is smaller by the angle, rad, by which the bodies turn in the step.
//
// Cost: O(bodies + joints), allocates.
func (k *RungeKutta) blame() blame {
	b := blame{body: -1, place: -1}
	if !k.tried || k.tab.E == nil {
		return b
	}
	at := k.end.Clone()
	kin := k.mech.NewKinematics()
	kin.I = nil
	at.Rest()
	if k.mech.KinematicsTo(kin, at) != nil {
		return b
	}
	rest := k.rowRates(kin, at)
	scale := math.Abs(k.t1-k.t0) / k.tol.Relative
	vel, acc, e := k.chosen(k.tab.E)
	body, row := algebra.NewPeak(0), algebra.NewPeak(0)
	for i := range k.start {
		var x, v [6]float64
		sumTo(&x, e, vel, 6*i)
		sumTo(&v, e, acc, 6*i)
		turn, speed := k.rates(i)
		size := scale * max(length(x[:3]), length(x[3:])/k.tol.Length, length(v[:3])/turn, length(v[3:])/speed)
		body.Take(size, i)
		at.Bodies[i].AddComVelocity(1, &v, &kin.Bodies[i].Com)
	}
	b.size, b.body = body.Most, body.At
	if k.mech.KinematicsTo(kin, at) != nil {
		return b
	}
	for c, rates := range k.rowRates(kin, at) {
		turn, speed := k.constraintRates(c)
		for r := range k.mech.ConstraintRows(c) {
			d, unit := math.Abs(rates[r]-rest[c][r]), speed
			if k.angle(c, r) {
				unit = turn
			}
			if part := scale * d / (unit * b.size); part == part {
				row.Take(min(part, 1), 6*c+r)
			}
		}
	}
	if b.demand = row.Most; b.demand >= demandPart {
		b.place, b.row = row.At/6, row.At%6
	}
	return b
}

// rowRates returns the velocity errors of the rows of all constraints at a state, of couplings over their Size; zeros where a constraint
// has no rows.
func (k *RungeKutta) rowRates(kin *mechanism.Kinematics, at *mechanism.State) [][6]float64 {
	out := make([][6]float64, k.mech.NumConstraints())
	var delta [6]float64
	for c := range out {
		if k.mech.ConstraintErrorsTo(&delta, &out[c], c, kin, at) != nil {
			out[c] = [6]float64{}
		}
		if i := c - k.mech.NumJoints(); i >= 0 {
			out[c][0] /= k.mech.Couplings[i].Size
		}
	}
	return out
}

// angle reports whether the error of a row of a constraint is an angle.
func (k *RungeKutta) angle(constraint, row int) bool {
	if i := constraint - k.mech.NumJoints(); i >= 0 {
		return k.mech.Couplings[i].Angle
	}
	return k.mech.Joints[constraint].Angles>>row&1 != 0
}

// rates returns the angular velocity, rad/s, and the velocity, m/s, to which errors of these of a body are relative (Tolerance).
func (k *RungeKutta) rates(body int) (turn, speed float64) {
	w := (*[6]float64)(k.vel[0][6*body:])
	return k.tol.Rate + length(w[:3]), k.tol.Length*k.tol.Rate + length(w[3:])
}

// constraintRates returns the largest angular and linear rates of the bodies of a constraint, rad/s and m/s, but at least the rates
// of the
// tolerance.
func (k *RungeKutta) constraintRates(constraint int) (turn, speed float64) {
	var pair [2]int32
	list := pair[:]
	if i := constraint - k.mech.NumJoints(); i >= 0 {
		list = k.mech.Couplings[i].Bodies
	} else {
		pair = [2]int32{k.mech.Joints[constraint].Pred, k.mech.Joints[constraint].Succ}
	}
	turn, speed = k.tol.Rate, k.tol.Length*k.tol.Rate
	for _, i := range list {
		if i >= 0 {
			t, s := k.rates(int(i))
			turn, speed = max(turn, t), max(speed, s)
		}
	}
	return turn, speed
}

// blamed returns err at the row that makes the steps short, or else at the body whose error does. It returns nil if the stepper is no
// blamer. On ranks the rank with the largest error names the place.
func (s *stepping) blamed(err error) error {
	k, ok := s.stepper.(blamer)
	if !ok {
		return nil
	}
	b := k.blame()
	switch {
	case b.body < 0:
	case b.place >= 0:
		err = s.mech.AtConstraint(b.place, b.row, fault.Errorf("%w: this row demands %.0f%% of the estimated error, which is that of body %s",
			err, 100*b.demand, fault.Name(s.mech.BodyName(b.body))))
	default:
		err = s.mech.AtBody(b.body, fault.Errorf("%w: the estimated error is that of this body, which turns at %.3g rad/s",
			err, s.st.Bodies[b.body].Omega.Norm()))
	}
	return s.ranks.chosen(b.size, fault.Errorf("sim: at t = %v: %w", s.st.Time, err))
}
