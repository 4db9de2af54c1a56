package assembly

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// nearest returns the pose of S in P that joint j allows and that is nearest to x, and how far x is from it: m at the
// point of the joint, and rad. It reports false for joints of several motions.
func (j *Joint) nearest(x Pose) (y Pose, linear, angular float64, ok bool) {
	switch {
	case j.Typed && j.Type == model.Distance:
		return x, math.Abs(x.R.Norm() - j.Length), 0, true
	case j.Typed || len(j.Axes) > 1:
		return x, 0, 0, false
	case len(j.Axes) == 0:
		return Identity(), x.R.Norm(), x.Q.Log().Norm(), true
	}
	a := j.Axes[0]
	switch a.Kind {
	case Ball:
		a.Turn = x.Q
	case Prismatic:
		a.Value = a.Axis.Dot(x.R)
	default:
		q := x.Q
		a.Value = 2 * math.Atan2(spatial.Vec3{q[1], q[2], q[3]}.Dot(a.Axis), q[0])
	}
	y = a.move()
	d := y.Inverse().Mul(x)
	return y, d.Point(a.Point).Sub(a.Point).Norm(), d.Q.Log().Norm(), true
}

// between returns the pose of S in P of joint j, with the links at some poses.
func (j *Joint) between(poses []Pose) Pose {
	return at(poses, j.Predecessor).Mul(j.P).Inverse().Mul(at(poses, j.Successor).Mul(j.S))
}

func at(poses []Pose, link int) Pose {
	if link == World {
		return Identity()
	}
	return poses[link]
}

// snap moves the successor frames of loop joints that are off by the rounding of the file, so that they hold in the
// reference pose.
func (a *Assembly) snap(tree []int, o *source.Options, report *source.Report) {
	tol := o.Snap
	if tol == 0 {
		tol = source.DefaultSnap
	}
	var poses []Pose
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Typed && j.Type != model.Distance || j.Successor != World && tree[j.Successor] == k {
			continue
		}
		if poses == nil {
			poses, _ = a.place(tree, false)
		}
		x := j.between(poses)
		y, linear, angular, ok := j.nearest(x)
		if !ok || linear > tol || angular > tol {
			continue
		}
		// What is a few roundings of numbers near 1 is the arithmetic's, not the file's; it is taken out in silence.
		if linear > 1e-14 || angular > 1e-14 {
			report.Change(j.At, "joint "+fault.Name(j.Name), fmt.Sprintf("does not quite close its loop in the reference pose, by %.3g m and %.3g rad", linear, angular), "its frame is moved by that much")
		}
		if j.Typed {
			j.Length = x.R.Norm()
		} else {
			j.S = j.S.Mul(x.Inverse()).Mul(y)
		}
	}
}

// residual finds the loop joint that is farthest from closed.
func (a *Assembly) residual(tree []int, poses []Pose, r *Result) {
	worst := 0.0
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Successor != World && tree[j.Successor] == k {
			continue
		}
		_, linear, angular, ok := j.nearest(j.between(poses))
		if !ok {
			continue
		}
		if e := max(linear, angular); e > worst {
			worst, r.Worst = e, j.Name
		}
		r.Linear, r.Angular = max(r.Linear, linear), max(r.Angular, angular)
	}
}
