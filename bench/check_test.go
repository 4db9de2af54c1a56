package bench_test

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// The checker reads the joint definitions of rung-model/1 with rotation
// matrices; it shares nothing with the generator.

type v3 = [3]float64

func add(a, b v3) v3 { return v3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func sub(a, b v3) v3 { return v3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func dot(a, b v3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func size(a v3) float64 { return math.Sqrt(dot(a, a)) }

func times(a v3, s float64) v3 { return v3{a[0] * s, a[1] * s, a[2] * s} }

func cross(a, b v3) v3 {
	return v3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// m3 has the columns x, y, z.
type m3 [3]v3

func matrix(q [4]float64) m3 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return m3{
		{1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y)},
		{2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x)},
		{2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y)},
	}
}

func (R m3) apply(a v3) v3 {
	return add(times(R[0], a[0]), add(times(R[1], a[1]), times(R[2], a[2])))
}

func (R m3) mul(B m3) m3 { return m3{R.apply(B[0]), R.apply(B[1]), R.apply(B[2])} }

// body is the state of one body about its centre of mass.
type body struct {
	R       m3
	c, w, v v3 // centre of mass, angular velocity, its velocity
}

// system is a model with its state, as the checker sees it.
type system struct {
	m      *model.Model
	index  map[string]int
	bodies []body
}

func read(m *model.Model) *system {
	s := &system{m, map[string]int{model.World: -1}, make([]body, len(m.Bodies))}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		s.index[b.Name] = i
		R := matrix(b.Pose.Orientation)
		r := R.apply(b.Com)
		w := v3(b.Velocity.Angular)
		s.bodies[i] = body{R, add(b.Pose.Position, r), w, add(b.Velocity.Linear, cross(w, r))}
	}
	return s
}

// moved returns the state after every body has moved on with its velocity for
// the time h.
func (s *system) moved(h float64) *system {
	t := &system{s.m, s.index, append([]body(nil), s.bodies...)}
	for i := range t.bodies {
		b := &t.bodies[i]
		b.c = add(b.c, times(b.v, h))
		if a := size(b.w) * h; a != 0 {
			sin, cos := math.Sincos(a / 2)
			e := times(b.w, sin*h/a)
			b.R = matrix([4]float64{cos, e[0], e[1], e[2]}).mul(b.R)
		}
	}
	return t
}

// frame returns origin and axes in the world of a frame given in a body.
func (s *system) frame(name string, x model.Pose) (v3, m3) {
	R := matrix(x.Orientation)
	i := s.index[name]
	if i < 0 {
		return x.Position, R
	}
	b := &s.bodies[i]
	return add(b.c, b.R.apply(sub(x.Position, s.m.Bodies[i].Com))), b.R.mul(R)
}

// row is one constraint row: t·(relative velocity at p) + e·(relative angular
// velocity) = sigma, of body b against a.
type row struct {
	a, b    int
	p, t, e v3
	sigma   float64
}

// view is what a joint's position and freedoms are read from.
type view struct {
	pP, pS v3
	P, S   m3
	d      v3 // S's origin in P
	angle  float64
}

func (s *system) view(j *model.Joint) view {
	var v view
	v.pP, v.P = s.frame(j.Predecessor, j.PredecessorFrame)
	v.pS, v.S = s.frame(j.Successor, j.SuccessorFrame)
	r := sub(v.pS, v.pP)
	v.d = v3{dot(v.P[0], r), dot(v.P[1], r), dot(v.P[2], r)}
	v.angle = math.Atan2(dot(v.P[1], v.S[0]), dot(v.P[0], v.S[0]))
	return v
}

// errors returns the position errors of a joint, m or rad.
func (v *view) errors(j *model.Joint) []float64 {
	x, y, z := v.d[0], v.d[1], v.d[2]
	tilt := []float64{size(sub(v.S[2], v.P[2]))}
	full := []float64{size(sub(v.S[0], v.P[0])), size(sub(v.S[1], v.P[1]))}
	switch j.Type {
	case model.Fixed:
		return append(full, x, y, z)
	case model.Revolute:
		return append(tilt, x, y, z)
	case model.Prismatic:
		return append(full, x, y)
	case model.Helical:
		turns := z/j.Pitch - v.angle
		return append(tilt, x, y, math.Remainder(turns, 2*math.Pi))
	case model.Cylindrical:
		return append(tilt, x, y)
	case model.Universal:
		return []float64{dot(v.P[0], v.S[1]), x, y, z}
	case model.Planar:
		return append(tilt, z)
	case model.Spherical:
		return []float64{x, y, z}
	case model.SphereInCylinder:
		return []float64{x, y}
	case model.PointOnPlane:
		return []float64{z}
	case model.Distance:
		return []float64{size(v.d) - j.Length}
	case model.Rolling:
		return []float64{z + dot(v.P[2], v.lowest(j))}
	default:
		return nil
	}
}

// lowest leads from the centre of a disc to its lowest point above the plane of P.
func (v *view) lowest(j *model.Joint) v3 {
	up := sub(v.P[2], times(v.S[2], dot(v.P[2], v.S[2])))
	return times(up, -j.Radius/size(up))
}

// rows returns the constraint rows of a joint, without its motions.
func (s *system) rows(j *model.Joint, v *view) []row {
	a, b := s.index[j.Predecessor], s.index[j.Successor]
	slide := func(t v3) row { return row{a: a, b: b, p: v.pS, t: t} }
	turn := func(e v3) row { return row{a: a, b: b, p: v.pS, e: e} }
	x, y, z := v.P[0], v.P[1], v.P[2]
	switch j.Type {
	case model.Fixed:
		return []row{turn(x), turn(y), turn(z), slide(x), slide(y), slide(z)}
	case model.Revolute:
		return []row{turn(x), turn(y), slide(x), slide(y), slide(z)}
	case model.Prismatic:
		return []row{turn(x), turn(y), turn(z), slide(x), slide(y)}
	case model.Helical:
		return []row{turn(x), turn(y), slide(x), slide(y), {a: a, b: b, p: v.pS, t: z, e: times(z, -j.Pitch)}}
	case model.Cylindrical:
		return []row{turn(x), turn(y), slide(x), slide(y)}
	case model.Universal:
		return []row{turn(cross(x, v.S[1])), slide(x), slide(y), slide(z)}
	case model.Planar:
		return []row{turn(x), turn(y), slide(z)}
	case model.Spherical:
		return []row{slide(x), slide(y), slide(z)}
	case model.SphereInCylinder:
		return []row{slide(x), slide(y)}
	case model.PointOnPlane:
		return []row{slide(z)}
	case model.Distance:
		return []row{slide(times(sub(v.pS, v.pP), 1/j.Length))}
	case model.NoSlip:
		return []row{slide(v.S[2])}
	case model.Rolling: // of a disc
		ahead := cross(v.S[2], v.P[2])
		ahead = times(ahead, 1/size(ahead))
		p := add(v.pS, v.lowest(j))
		list := []row{{a: a, b: b, p: p, t: z}, {a: a, b: b, p: p, t: ahead}}
		if j.Slip != joints.SlipAcross {
			list = append(list, row{a: a, b: b, p: p, t: cross(z, ahead)})
		}
		return list
	default:
		return nil
	}
}

// freedom returns the coordinate of freedom k and the row that its motion adds.
func (s *system) freedom(j *model.Joint, v *view, k int) (float64, row) {
	r := row{a: s.index[j.Predecessor], b: s.index[j.Successor], p: v.pS}
	x, y, z := v.P[0], v.P[1], v.P[2]
	angle := v.angle
	if len(j.Turns) > 0 {
		angle += 2 * math.Pi * float64(j.Turns[0])
	}
	switch {
	case j.Type == model.Helical:
		r.e = z
		return v.d[2] / j.Pitch, r
	case j.Type == model.Universal && k == 0:
		r.e = x
		return math.Atan2(dot(v.P[2], v.S[1]), dot(v.P[1], v.S[1])), r
	case j.Type == model.Universal:
		r.e = v.S[1]
		return math.Atan2(dot(v.P[0], v.S[2]), dot(v.P[0], v.S[0])), r
	case j.Type == model.Planar && k == 1:
		r.t = x
		return v.d[0], r
	case j.Type == model.Planar && k == 2:
		r.t = y
		return v.d[1], r
	case j.Type == model.Revolute || j.Type == model.Planar || j.Type == model.Cylindrical && k == 0:
		r.e = z
		return angle, r
	default:
		r.t = z
		return v.d[2], r
	}
}

// driven returns value, rate and second rate of a motion at time t.
func driven(m *model.Motion, t float64) (q, qd, qdd float64) {
	if m.Kind == model.Harmonic {
		w := 2 * math.Pi * m.Frequency
		s, c := math.Sincos(w*t + m.Phase)
		return m.Offset + m.Amplitude*s, m.Amplitude * w * c, -m.Amplitude * w * w * s
	}
	for i := len(m.Coefficients) - 1; i >= 0; i-- {
		qdd = qdd*t + 2*qd
		qd = qd*t + q
		q = q*t + m.Coefficients[i]
	}
	return q, qd, qdd
}

// all returns the position errors and the rows of every joint, motions
// included.
func (s *system) all() (errs []float64, rows []row) {
	for i := range s.m.Joints {
		j := &s.m.Joints[i]
		v := s.view(j)
		errs = append(errs, v.errors(j)...)
		rows = append(rows, s.rows(j, &v)...)
		for k, m := range j.Motion {
			if m == nil {
				continue
			}
			q, r := s.freedom(j, &v, k)
			want, rate, _ := driven(m, s.m.Time)
			r.sigma = rate
			errs, rows = append(errs, q-want), append(rows, r)
		}
	}
	return errs, rows
}

// rate returns the left side of a row for the velocities of s, less sigma.
func (s *system) rate(r *row) float64 {
	velocity := func(i int) (w, v v3) {
		if i < 0 {
			return
		}
		b := &s.bodies[i]
		return b.w, add(b.v, cross(b.w, sub(r.p, b.c)))
	}
	wa, va := velocity(r.a)
	wb, vb := velocity(r.b)
	return dot(r.t, sub(vb, va)) + dot(r.e, sub(wb, wa)) - r.sigma
}
