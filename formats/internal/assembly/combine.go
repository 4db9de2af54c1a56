package assembly

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// exact is the largest error of a right angle, rad, or of an intersection, m, that counts as rounding of the file.
const exact = 1e-9

// flatSine is the smallest sine of the angle of two directions that span a plane, and the smallest volume of three that span space.
const flatSine = 1e-6

// part is a joint of the model: its type, its frame, at which P and S coincide if all coordinates are zero, and for each freedom its
// motion in the row.
type part struct {
	kind     model.JointType
	frame    Pose  // in P, and in S unless frameS is set
	frameS   *Pose // in S; nil: frame
	length   float64
	pitch    float64
	curve    *model.PointCurve
	freedoms []freedom
	reversed bool // predecessor and successor are exchanged
}

// freedom is the index of a motion in the row, −1 for none, and the sign of its coordinate. A ball has three freedoms with one axis.
type freedom struct {
	axis int
	sign float64
}

// combine returns the joints of the model that together allow exactly the motions of a row, or false if there
// are none. Motions that are held must have their coordinates as freedoms.
//
//	no motion                                      fixed
//	one motion                                     its type
//	two rotations about one line                   revolute
//	two translations along one line                prismatic
//	rotations, axes perpendicular and meeting      universal
//	rotations, axes parallel                       planar and distance
//	rotation and translation along one line        cylindrical
//	translations and rotation, all perpendicular   planar
//	three rotations, perpendicular and meeting     spherical
//	translation and ball                           sphere in cylinder
//	two translations and ball                      point on plane
//	three translations and ball or spherical       nothing
//	two balls                                      distance
//	rotation and ball                              point on a circle
//	rotation, translation along its axis, ball     point on a circle in the xy plane, with z free
func combine(row []Axis) ([]part, bool) {
	held, count := make([]bool, len(row)), [4]int{}
	for k := range row {
		held[k] = row[k].held()
		count[row[k].Kind]++
	}
	any := slices.Contains(held, true)
	r, p, b := count[Revolute], count[Prismatic], count[Ball]
	switch {
	case len(row) == 0:
		return []part{{kind: model.Fixed, frame: Identity()}}, true
	case len(row) == 1:
		return single(&row[0]), true
	case count[Helical] > 0:
		return nil, false
	case r == 2 && p == 0 && b == 0:
		return twoRotations(row, any)
	case r == 1 && p == 1 && b == 0:
		return cylinder(row)
	case r == 0 && p == 2 && b == 0:
		if parallel(row[0].Axis, row[1].Axis) && !any {
			return single(&row[0]), true
		}
	case r == 1 && p == 2 && b == 0:
		return plane(row, held)
	case r == 3 && p == 0 && b == 0:
		if point, ok := meet(row); ok && !any {
			return []part{{kind: model.Spherical, frame: Pose{R: point}}}, true
		}
	case b == 1 && r == 0 && p == 1:
		return ballOnLine(row), true
	case b == 1 && r == 0 && p == 2 && !any && row[1].Kind != Ball:
		return ballOnPlane(row)
	case p == 3 && !any && (b == 1 && r == 0 || b == 0 && r == 3):
		return nil, isFree(row, r)
	case b == 1 && r == 1 && p < 2 && !any && (row[0].Kind == Ball || row[p+1].Kind == Ball):
		return circleOf(row)
	case b == 2 && len(row) == 2:
		return twoBalls(row), true
	}
	return nil, false
}

// isFree reports whether three translations, with a ball or with r = 3 rotations, allow all motions: the translations span space, and the
// axes of the rotations are perpendicular and meet.
func isFree(row []Axis, r int) bool {
	s := translations(row)
	if math.Abs(s[0].Cross(s[1]).Dot(s[2])) < flatSine {
		return false
	}
	if r < 3 {
		return true
	}
	_, ok := meet(rotations(row))
	return ok
}

// twoBalls returns the joint of two balls: a distance, or one ball if they have the same centre.
func twoBalls(row []Axis) []part {
	if d := row[1].Point.Sub(row[0].Point); d.Norm() > exact {
		s := Pose{R: row[1].Point}
		return []part{{kind: model.Distance, frame: Pose{R: row[0].Point}, frameS: &s, length: d.Norm()}}
	}
	return []part{{kind: model.Spherical, frame: Pose{R: row[0].Point}}}
}

// ballOnLine returns the joint of a ball and a translation, in either order.
func ballOnLine(row []Axis) []part {
	k := 0
	if row[0].Kind == Ball {
		k = 1
	}
	ball := row[1-k].Point
	f := freedom{k, 1}
	if k == 1 { // the ball is in the predecessor, the line in the successor
		f.sign = -1
	}
	turn := freedom{1 - k, 1}
	return []part{{kind: model.SphereInCylinder, frame: Along(ball, row[k].Axis), freedoms: []freedom{turn, turn, turn, f}, reversed: k == 1}}
}

// circleOf returns the joint of a rotation, a ball before or after it, and possibly a translation between them. It returns false if the
// translation is not along the axis of the rotation.
func circleOf(row []Axis) ([]part, bool) {
	last := len(row) - 1
	if row[last].Kind == Ball {
		return circle(row)
	}
	parts, ok := circle([]Axis{row[1], row[last], row[0]})
	if !ok {
		return nil, false
	}
	q := &parts[0]
	if q.reversed = true; q.frameS != nil { // the circle is in the successor
		f := q.frame
		q.frame, q.frameS = *q.frameS, &f
	}
	return parts, true
}

// circle returns the joint of a rotation, possibly a translation along its axis, and a ball, the last of row: the ball's
// centre stays on a circle about the axis. It returns false if the translation is not along the axis.
func circle(row []Axis) ([]part, bool) {
	turn, ball := &row[0], &row[len(row)-1]
	planar := false
	for k := range row[:len(row)-1] {
		a := &row[k]
		if a.Kind == Revolute {
			turn = a
		} else {
			planar = true
		}
		if !parallel(a.Axis, row[0].Axis) {
			return nil, false
		}
	}
	d := ball.Point.Sub(turn.Point)
	along := turn.Axis.Scale(turn.Axis.Dot(d))
	across := d.Sub(along)
	s := Pose{R: ball.Point}
	radius := across.Norm()
	switch {
	case radius <= exact && planar: // the rotation has no effect; no coordinate is needed
		line := ballOnLine([]Axis{{Kind: Prismatic, Axis: turn.Axis}, *ball})
		line[0].freedoms = nil
		return line, true
	case radius <= exact:
		return []part{{kind: model.Spherical, frame: s}}, true
	}
	f := Along(turn.Point.Add(along), turn.Axis)
	return []part{{
		kind: model.PointOnCurve, frame: f, frameS: &s,
		curve: &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: radius}, Planar: planar},
	}}, true
}

// ballOnPlane returns the joint of a ball, first or last in row, and two translations, or false if these are parallel.
func ballOnPlane(row []Axis) ([]part, bool) {
	s := translations(row) // any two directions of the plane
	s[1] = s[1].Sub(s[0].Scale(s[0].Dot(s[1])))
	across := s[1].Norm()
	if across < flatSine {
		return nil, false
	}
	s[1] = s[1].Scale(1 / across)
	ball := 2
	if row[0].Kind == Ball {
		ball = 0
	}
	return []part{{kind: model.PointOnPlane, frame: axes(row[ball].Point, s[0], s[1]), reversed: ball == 0}}, true
}

// single returns the joint of one motion.
func single(a *Axis) []part {
	q := part{freedoms: []freedom{{0, 1}}}
	switch a.Kind {
	case Revolute:
		q.kind = model.Revolute
	case Prismatic:
		q.kind = model.Prismatic
	case Helical:
		q.kind, q.pitch = model.Helical, a.Pitch
	case Ball:
		return []part{{kind: model.Spherical, frame: Pose{R: a.Point}, freedoms: []freedom{{0, 1}, {0, 1}, {0, 1}}}}
	}
	q.frame = Along(a.Point, a.Axis)
	return []part{q}
}

// twoRotations returns the joints of two rotations: a revolute one for one axis, a planar one with a distance for axes that are parallel
// and apart, and a universal one for axes that cross at right angles. It returns false for others, and for two parallel axes if their
// coordinates are to be freedoms (held), which no such joint has.
func twoRotations(row []Axis, held bool) ([]part, bool) {
	a, b := &row[0], &row[1]
	d := b.Point.Sub(a.Point)
	if parallel(a.Axis, b.Axis) {
		across := d.Sub(a.Axis.Scale(a.Axis.Dot(d)))
		switch {
		case held:
			return nil, false
		case across.Norm() <= exact:
			return single(a), true
		}
		f := Along(a.Point, a.Axis)
		s := Pose{R: a.Point.Add(across), Q: f.Q}
		return []part{
			{kind: model.Planar, frame: f},
			{kind: model.Distance, frame: f, frameS: &s, length: across.Norm()},
		}, true
	}
	if math.Abs(a.Axis.Dot(b.Axis)) > exact {
		return nil, false
	}
	point, ok := cross(a, b)
	if !ok {
		return nil, false
	}
	return []part{{kind: model.Universal, frame: axes(point, a.Axis, b.Axis), freedoms: []freedom{{0, 1}, {1, 1}}}}, true
}

// cylinder returns the cylindrical joint of a rotation and a translation along parallel axes, or false for other axes. The sign of the
// translation is −1 if the axes are antiparallel.
func cylinder(row []Axis) ([]part, bool) {
	r, p := 0, 1
	if row[0].Kind == Prismatic {
		r, p = 1, 0
	}
	if !parallel(row[0].Axis, row[1].Axis) {
		return nil, false
	}
	sign := math.Copysign(1, row[0].Axis.Dot(row[1].Axis))
	return []part{{kind: model.Cylindrical, frame: Along(row[r].Point, row[r].Axis), freedoms: []freedom{{r, 1}, {p, sign}}}}, true
}

// plane returns the planar joint of a rotation and two translations, all perpendicular, or false. A translation after the rotation turns
// with it: then the coordinates of the translations are no freedoms of the joint, and must not be held.
func plane(row []Axis, held []bool) ([]part, bool) {
	r := 0
	for row[r].Kind != Revolute {
		r++
	}
	x, y := (r+1)%3, (r+2)%3
	if x > y {
		x, y = y, x
	}
	if r != 2 && (held[x] || held[y]) {
		return nil, false
	}
	ax, ay, az := row[x].Axis, row[y].Axis, row[r].Axis
	for _, c := range [3]float64{ax.Dot(ay), ay.Dot(az), az.Dot(ax)} {
		if math.Abs(c) > exact {
			return nil, false
		}
	}
	sign := math.Copysign(1, ax.Cross(ay).Dot(az))
	f := axes(row[r].Point, ax, ay.Scale(sign)) // z along the rotation
	q := part{kind: model.Planar, frame: f, freedoms: []freedom{{r, 1}, {x, 1}, {y, sign}}}
	if r != 2 {
		q.freedoms[1].axis, q.freedoms[2].axis = -1, -1
	}
	return []part{q}, true
}

// parallel reports whether two unit vectors are parallel or antiparallel up to exact.
func parallel(a, b spatial.Vec3) bool { return a.Cross(b).Norm() <= exact }

// translations returns the directions of the translations in a row.
func translations(row []Axis) (out []spatial.Vec3) {
	for k := range row {
		if row[k].Kind == Prismatic {
			out = append(out, row[k].Axis)
		}
	}
	return out
}

// rotations returns the rotations in a row.
func rotations(row []Axis) (out []Axis) {
	for k := range row {
		if row[k].Kind == Revolute {
			out = append(out, row[k])
		}
	}
	return out
}

// cross returns the intersection of two axes that are not parallel; false if they do not meet.
func cross(a, b *Axis) (spatial.Vec3, bool) {
	n := a.Axis.Cross(b.Axis)
	d := b.Point.Sub(a.Point)
	n2 := n.Dot(n)
	if math.Abs(d.Dot(n)) > exact*math.Sqrt(n2) {
		return spatial.Vec3{}, false
	}
	if d == (spatial.Vec3{}) {
		return a.Point, true
	}
	return a.Point.Add(a.Axis.Scale(d.Cross(b.Axis).Dot(n) / n2)), true
}

// meet returns the common point of three rotation axes, each perpendicular to the next; false if they are not so. The first and the third
// axis may coincide: there the row is in gimbal lock, but the spherical joint in its place is not.
func meet(row []Axis) (spatial.Vec3, bool) {
	if math.Abs(row[0].Axis.Dot(row[1].Axis)) > exact || math.Abs(row[1].Axis.Dot(row[2].Axis)) > exact {
		return spatial.Vec3{}, false
	}
	p, ok := cross(&row[0], &row[1])
	if !ok {
		return p, false
	}
	q, ok := cross(&row[1], &row[2])
	if !ok || p.Sub(q).Norm() > exact {
		return p, false
	}
	return p, true
}

// reverse returns the joint with predecessor and successor exchanged. Coordinates keep their values.
func (j Joint) reverse() Joint {
	j.Predecessor, j.Successor = j.Successor, j.Predecessor
	j.P, j.S = j.S, j.P
	row := make([]Axis, len(j.Axes))
	for k := range row {
		a := j.Axes[len(row)-1-k]
		a.Axis = a.Axis.Neg()
		if a.Kind == Ball && a.Turn != (spatial.Quat{}) {
			a.Spin = a.Turn.Rotate(a.Spin).Neg()
			a.Turn = a.Turn.Conj()
		} else {
			a.Spin = a.Spin.Neg()
		}
		row[k] = a
	}
	j.Axes = row
	return j
}

// compose returns one joint with the motions of a and then of b. The link between them, the successor of a, is left out.
func compose(a, b Joint) Joint {
	g := a.S.Inverse().Mul(b.P)
	j := a
	j.Successor = b.Successor
	j.S = b.S.Mul(g.Inverse())
	j.Axes = append(append([]Axis(nil), a.Axes...), b.Axes...)
	for k := len(a.Axes); k < len(j.Axes); k++ {
		x := &j.Axes[k]
		x.Axis, x.Point = g.Dir(x.Axis), g.Point(x.Point)
		if x.Kind == Ball {
			if x.Turn != (spatial.Quat{}) {
				x.Turn = g.quat().Mul(x.Turn).Mul(g.quat().Conj())
			}
			x.Spin = g.Dir(x.Spin)
		}
	}
	j.Loop = a.Loop || b.Loop
	j.Name = a.Name + "+" + b.Name
	return j
}
