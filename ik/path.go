package ik

import (
	"math"
	"sort"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// course is a path with functions of time in place of waypoints: it gives wanted places and rates of the targets at any time.
type course struct {
	times []float64 // of the waypoints, s
	step  float64   // from sample to sample, s
	ways  []way
}

// way is the course of one target. Parts that are nil stay as the target has them.
type way struct {
	target      int
	position    [3]*segmentCurve
	value       *segmentCurve
	orientation *turns
	posed       bool // wanted rates of its rows depend on the pose: target.poseRatesTo
}

// newCourse returns the course of the task's path.
//
// Cost: O(waypoints); allocates.
func (p *Problem) newCourse() *course {
	path := p.task.Path
	c := &course{times: path.Times, step: path.step()}
	for i := range path.Targets {
		w := &path.Targets[i]
		v := way{target: p.targetIndex(w.Target)}
		if w.Position != nil {
			for k := range 3 {
				v.position[k] = through(path, func(i int) float64 { return w.Position[i][k] })
			}
		}
		if w.Value != nil {
			v.value = through(path, func(i int) float64 { return w.Value[i] })
		}
		if w.Orientation != nil {
			v.orientation = newTurns(path, w.Orientation)
		}
		v.posed = v.orientation != nil || p.targets[v.target].Type == Distance && w.Position != nil
		c.ways = append(c.ways, v)
	}
	return c
}

// step returns the time from sample to sample, s: Step, or a hundredth of the shortest section.
func (o *Path) step() float64 {
	if o.Step != 0 {
		return o.Step
	}
	step := math.Inf(1)
	for i := 1; i < len(o.Times); i++ {
		step = min(step, (o.Times[i]-o.Times[i-1])/100)
	}
	return step
}

// at returns the path's time of sample k from 0 to samples. The last sample is at the end of the path.
func (c *course) at(k, samples int) float64 {
	first, last := c.times[0], c.times[len(c.times)-1]
	if k == samples {
		return last
	}
	return first + (last-first)/float64(samples)*float64(k)
}

// targetIndex returns the number of a target, or −1.
func (p *Problem) targetIndex(name string) int {
	for t := range p.targets {
		if p.targets[t].Name == name {
			return t
		}
	}
	return -1
}

// segmentCurve is a function of time through values: a spline, or straight lines.
type segmentCurve struct {
	spline        *joints.Motion // nil for lines
	times, values []float64
}

// through returns the curve through the values at(i) at the times of a path: a spline if the path says so, else straight lines.
func through(path *Path, at func(i int) float64) *segmentCurve {
	v := make([]float64, len(path.Times))
	for i := range v {
		v[i] = at(i)
	}
	return newCurve(path.Times, v, path.Spline)
}

// newCurve returns the curve through values at the times, which it keeps: a cubic spline, or straight lines.
func newCurve(times, values []float64, spline bool) *segmentCurve {
	c := &segmentCurve{times: times, values: values}
	if spline {
		c.spline = (&joints.Motion{Kind: joints.Spline, Times: times, Values: values, Hold: true}).Prepared()
	}
	return c
}

// at returns value and rate at the time t.
func (c *segmentCurve) at(t float64) (x, rate float64) {
	if c.spline != nil {
		x, rate, _ = c.spline.At(t)
		return x, rate
	}
	i := section(c.times, t)
	rate = (c.values[i+1] - c.values[i]) / (c.times[i+1] - c.times[i])
	return c.values[i] + rate*(t-c.times[i]), rate
}

// section returns the number i of the section from times[i] to times[i+1] that has t, or is nearest to it.
func section(times []float64, t float64) int {
	i := sort.SearchFloat64s(times, t)
	if i == len(times) || times[i] > t {
		i--
	}
	return max(0, min(i, len(times)-2))
}

// turnsWindow is the number of waypoints before and after a time that are taken into account. The effect of a value on a spline falls by
// the factor 2 − √3 from waypoint to waypoint, so further ones change nothing but rounding.
const turnsWindow = 40

// turns is a rotation through waypoints (docs/inverse-kinematics.md (P1); Kim, Kim & Shin 1995). It is the product of the
// first waypoint and of the rotations from each waypoint to the next, each about a fixed axis. Each angle is multiplied
// by a function of time that goes from 0 to 1. With splines these functions are C², and so is the rotation.
type turns struct {
	times []float64
	at0   []spatial.Quat  // waypoints, B → R
	omega []spatial.Vec3  // rotation vector from the waypoint before, axes of R, rad; entry 0 is not used
	part  []*segmentCurve // factor of omega over time, from 0 to 1; entry 0 is not used
}

// newTurns returns the rotation through the waypoints of a path. The factor of the rotation to waypoint i is 0 at waypoints before i and 1
// from i on; its curve goes through the waypoints within turnsWindow of i.
func newTurns(path *Path, waypoints [][4]float64) *turns {
	n := len(waypoints)
	u := &turns{times: path.Times, at0: make([]spatial.Quat, n), omega: make([]spatial.Vec3, n), part: make([]*segmentCurve, n)}
	for i, q := range waypoints {
		u.at0[i] = unitQuat(q)
		if i == 0 {
			continue
		}
		u.omega[i] = u.at0[i].Mul(u.at0[i-1].Conj()).Log()
		first, end := max(0, i-turnsWindow-1), min(n, i+turnsWindow+2)
		done := make([]float64, end-first)
		for k := range done {
			if first+k >= i {
				done[k] = 1
			}
		}
		u.part[i] = newCurve(path.Times[first:end], done, path.Spline)
	}
	return u
}

// rotationTo stores rotation and angular velocity, axes of R, at the time t.
//
// Cost: O(turnsWindow), no allocation.
func (u *turns) rotationTo(q *spatial.Quat, omega *spatial.Vec3, t float64) {
	s := section(u.times, t)
	first := max(0, s-turnsWindow+1)
	*q, *omega = u.at0[first], spatial.Vec3{}
	for i := first + 1; i < min(len(u.at0), s+turnsWindow); i++ {
		part, rate := u.part[i].at(t)
		turn := spatial.Exp(u.omega[i].Scale(part))
		*q = turn.Mul(*q)
		*omega = turn.Rotate(*omega).Add(u.omega[i].Scale(rate))
	}
	*q = q.Normalize()
}

// wantTo stores in w the wanted place of the target at the time t, and in rate its rate: three numbers of the angular velocity and three of
// the velocity, axes of R, and the rate of the value.
func (v *way) wantTo(w *wanted, rate *[7]float64, t float64) {
	*rate = [7]float64{}
	if v.position[0] != nil {
		for k := range 3 {
			w.position[k], rate[3+k] = v.position[k].at(t)
		}
	}
	if v.value != nil {
		w.value, rate[6] = v.value.at(t)
	}
	if v.orientation != nil {
		var omega spatial.Vec3
		v.orientation.rotationTo(&w.orientation, &omega, t)
		copy(rate[:3], omega[:])
	}
}

// rateOf returns the wanted weighted rate of row k of a target, from rate as wantTo stores it, without the part that depends on the pose.
func (t *target) rateOf(k int, rate *[7]float64) float64 {
	row := int(t.own[k])
	switch t.Type {
	case PoseTarget, Orientation:
		return t.weight[k] * rate[row]
	case Plane:
		n := unit(t.Direction)
		return t.weight[k] * (n[0]*rate[3] + n[1]*rate[4] + n[2]*rate[5])
	case Coordinate, Distance:
		return t.weight[k] * rate[6]
	}
	return t.weight[k] * rate[3+row]
}

// poseRatesTo stores the wanted weighted rates of t that depend on the pose: of a rotation, and of a distance from a moving point,
// docs/inverse-kinematics.md, Paths. raw has the rates of all rows, rate is from wantTo, and s has the rows of t at the pose.
func (t *target) poseRatesTo(raw []float64, rate *[7]float64, s *targetRows) {
	switch t.Type {
	case Orientation, PoseTarget:
		t.turningTo(raw, spatial.Vec3(rate[:3]), s)
	case Distance:
		raw[t.first] = t.weight[0] * (rate[6] + s.away().Dot(spatial.Vec3(rate[3:6])))
	}
}

// away returns the direction of a Distance from its point in R to its point in the body, axes of R. Where they coincide it is R's z, which
// the row takes there too.
func (s *targetRows) away() spatial.Vec3 {
	distance := s.jk.R.Norm()
	if distance == 0 {
		return spatial.Vec3{2: 1}
	}
	return s.jk.EP.TMulVec(s.jk.R.Scale(1 / distance))
}

// turningTo stores in raw the wanted weighted rates of the angular rows of t. The wanted orientation rotates with the angular velocity
// omega, rad/s, axes of R. If t is uneven the rows are derivatives of the rotation vector, else angular velocities.
func (t *target) turningTo(raw []float64, omega spatial.Vec3, s *targetRows) {
	var delta [6]float64
	t.joint.PositionErrorTo(&delta, &s.jk.Frames, 0)
	d := spatial.Vec3(delta[:3])
	if t.uneven {
		B := rotationRates(d.Scale(-1))
		omega = B.MulVec(omega)
	} else {
		omega = spatial.Exp(d).Rotate(omega)
	}
	for k := range t.n {
		if t.own[k] < 3 {
			raw[t.first+k] = t.weight[k] * omega[t.own[k]]
		}
	}
}
