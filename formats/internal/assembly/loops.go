package assembly

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// nearest returns the pose of S in P, allowed by joint j, that is nearest to x, and its distance from x: m, at the
// point of the joint, and rad. For a Typed joint y is x itself, with the distance from misfit. It returns false for
// types that no reader makes.
func (j *Joint) nearest(x Pose) (y Pose, linear, angular float64, ok bool) {
	switch {
	case j.Typed:
		linear, angular, ok = j.misfit(x)
		return x, linear, angular, ok
	case len(j.Axes) > 1:
		y = fit(j.Axes, x)
		d := y.Inverse().Mul(x)
		return y, d.R.Norm(), d.Q.Log().Norm(), true
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

// misfit returns the distance of x, the pose of S in P, from the poses that a Typed joint allows, m and rad; false for types that no
// reader makes.
func (j *Joint) misfit(x Pose) (linear, angular float64, ok bool) {
	E := x.quat().Mat()
	across := math.Hypot(x.R[0], x.R[1])
	switch j.Type {
	case model.Distance:
		return math.Abs(x.R.Norm() - j.Length), 0, true
	case model.PointOnCurve: // a circle about z, in its plane
		return math.Abs(across - j.Curve.Radius), 0, true
	case model.PointOnPlane:
		return math.Abs(x.R[2]), 0, true
	case model.SphereInCylinder:
		return across, 0, true
	case model.Planar:
		return math.Abs(x.R[2]), math.Atan2(math.Hypot(E[2], E[5]), E[8]), true
	case model.Universal:
		return x.R.Norm(), math.Abs(math.Asin(max(-1, min(E[1], 1)))), true
	}
	return 0, 0, false
}

// fit returns the pose nearest to x that a row of motions reaches, by Gauss–Newton steps from zero and, if the motions have
// other values, from these. An angle of 1 rad counts as 1 m.
func fit(axes []Axis, x Pose) Pose {
	row := slices.Clone(axes)
	given := false
	for k := range row {
		given = given || row[k].Value != 0 || row[k].Turn != (spatial.Quat{})
		row[k].Value, row[k].Turn = 0, spatial.IdentityQuat()
	}
	best, least := fitFrom(row, x)
	if given {
		copy(row, axes)
		if y, size := fitFrom(row, x); size < least {
			best = y
		}
	}
	return best
}

// fitSteps bounds the number of steps of a fit. Near the solution convergence is quadratic.
const fitSteps = 30

// fitFrom is fit from the values of row. It also returns the square of the distance from x. It changes the values of row.
func fitFrom(row []Axis, x Pose) (best Pose, least float64) {
	best, least = Identity(), math.Inf(1)
	for range fitSteps {
		// The columns are the twists of S for unit rates of the coordinates, at S and in its axes, angular part first.
		var cols [][6]float64
		var of []int         // motion of each column; a ball has three columns
		behind := Identity() // pose of S in the frame after the current motion
		for k := len(row) - 1; k >= 0; k-- {
			a := &row[k]
			dirs := []spatial.Vec3{a.Axis}
			if a.Kind == Ball {
				dirs = []spatial.Vec3{xAxis, yAxis, zAxis}
			}
			at := a.move().Mul(behind) // S in the frame before the motion
			for _, d := range dirs {
				var w, v spatial.Vec3
				if a.Kind == Prismatic {
					v = d
				} else {
					w, v = d, d.Cross(at.R.Sub(a.Point)).Add(d.Scale(a.Pitch))
				}
				back := at.Inverse()
				w, v = back.Dir(w), back.Dir(v)
				cols, of = append(cols, [6]float64{w[0], w[1], w[2], v[0], v[1], v[2]}), append(of, k)
			}
			behind = at
		}
		d := behind.Inverse().Mul(x)
		turn := d.Q.Log()
		e := [6]float64{turn[0], turn[1], turn[2], d.R[0], d.R[1], d.R[2]}
		size := 0.0
		for _, z := range e {
			size += z * z
		}
		if !(size < least) {
			break
		}
		best, least = behind, size
		dq := leastSquares(cols, e)
		for c := len(cols) - 1; c >= 0; c-- {
			a := &row[of[c]]
			if a.Kind == Ball {
				a.Turn = spatial.Exp(spatial.Vec3{dq[c-2], dq[c-1], dq[c]}).Mul(Pose{Q: a.Turn}.quat()).Normalize()
				c -= 2
			} else {
				a.Value += dq[c]
			}
		}
	}
	return best, least
}

// fitDamping is added to the diagonal of the normal equations of leastSquares, times 1 plus the diagonal entry: for independent
// columns it changes q by a similar fraction. leastPivot bounds the pivots from below, so that their roots are not zero.
const fitDamping, leastPivot = 1e-12, 1e-30

// leastSquares returns the q that minimizes |cols·q − e|², by a Cholesky factorization of the normal equations. These are
// regularized, so that columns may be dependent.
func leastSquares(cols [][6]float64, e [6]float64) []float64 {
	n := len(cols)
	L, q := make([][]float64, n), make([]float64, n)
	dot := func(a, b *[6]float64) (s float64) {
		for k := range a {
			s += a[k] * b[k]
		}
		return s
	}
	for i := range n {
		L[i] = make([]float64, i+1)
		for j := range i + 1 {
			s := dot(&cols[i], &cols[j])
			if i == j {
				s += fitDamping * (1 + s)
			}
			for k := range j {
				s -= L[i][k] * L[j][k]
			}
			if i == j {
				L[i][i] = math.Sqrt(max(s, leastPivot))
			} else {
				L[i][j] = s / L[j][j]
			}
		}
		q[i] = dot(&cols[i], &e)
		for k := range i {
			q[i] -= L[i][k] * q[k]
		}
		q[i] /= L[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			q[i] -= L[k][i] * q[k]
		}
		q[i] /= L[i][i]
	}
	return q
}

// between returns the pose of S in P of joint j, for the given poses of the links.
func (j *Joint) between(poses []Pose) Pose {
	return at(poses, j.Predecessor).Mul(j.P).Inverse().Mul(at(poses, j.Successor).Mul(j.S))
}

// at returns the pose of a link, or the identity for World.
func at(poses []Pose, link int) Pose {
	if link == World {
		return Identity()
	}
	return poses[link]
}

// snapOf returns o.Snap or its default: the largest error of a loop, m and rad, that counts as rounding of the file.
func snapOf(o *source.Options) float64 {
	if o.Snap == 0 {
		return source.DefaultSnap
	}
	return o.Snap
}

// snap moves the successor frames of loop joints that are open by rounding of the file, so that they are satisfied in the
// reference pose. For distances and points on curves it changes the length or the radius.
func (a *Assembly) snap(tree []int, o *source.Options, report *source.Report) {
	tol := snapOf(o)
	var poses []Pose
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Typed && j.Type != model.Distance && j.Type != model.PointOnCurve || j.Successor != World && tree[j.Successor] == k {
			continue
		}
		if poses == nil {
			poses = a.atZero(tree)
		}
		x := j.between(poses)
		y, linear, angular, ok := j.nearest(x)
		if !ok || linear > tol || angular > tol {
			continue
		}
		if linear > ownRounding || angular > ownRounding { // smaller errors come from this program and are not reported
			report.Change(j.At, "joint "+fault.Name(j.Name), fmt.Sprintf("does not quite close its loop in the reference pose, by %.3g m and %.3g rad", linear, angular), "its frame is moved by that much")
		}
		if j.Type == model.PointOnCurve && j.Typed {
			j.Curve.Radius = math.Hypot(x.R[0], x.R[1])
		} else if j.Typed {
			j.Length = x.R.Norm()
		} else {
			j.S = j.S.Mul(x.Inverse()).Mul(y)
		}
	}
}

// residual stores in r the largest errors of the loop joints, m and rad, and the name of the joint with the largest error.
func (a *Assembly) residual(tree []int, poses []Pose, r *source.Result) {
	worst := algebra.NewPeak(0)
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Successor != World && tree[j.Successor] == k {
			continue
		}
		_, linear, angular, ok := j.nearest(j.between(poses))
		if !ok {
			continue
		}
		if worst.Take(max(linear, angular), k); worst.At == k {
			r.Worst = j.Name
		}
		r.Linear, r.Angular = max(r.Linear, linear), max(r.Angular, angular)
	}
}

// tellCouplings reports linear couplings that are violated in the pose of the model.
func (a *Assembly) tellCouplings(tree []int, poses []Pose, report *source.Report) {
	if len(a.Couplings) == 0 {
		return
	}
	values := map[int]float64{}
	for k := range a.Joints {
		j := &a.Joints[k]
		var from []float64
		if j.Successor == World || tree[j.Successor] != k {
			if !j.line() {
				continue
			}
			from = j.coordinates(j.between(poses))
		}
		for m := range j.Axes {
			if id := j.Axes[m].Coordinate; id != 0 && j.Axes[m].Kind != Ball {
				values[id] = j.Axes[m].Value
				if from != nil {
					values[id] = from[m]
				}
			}
		}
	}
	for k := range a.Couplings {
		c := &a.Couplings[k]
		known := c.Law == nil && c.Polynomial == nil
		sum, scale := -c.Offset, math.Abs(c.Offset)
		for _, t := range c.Terms {
			q, ok := values[t.Coordinate]
			known = known && ok
			sum += t.Factor * q
			scale = max(scale, math.Abs(t.Factor))
		}
		if known && math.Abs(sum) > source.Closed*max(1, scale) {
			report.Note(c.At, "equation "+fault.Name(c.Name), fmt.Sprintf("is open by %.3g in this pose; the solver can close it", math.Abs(sum)))
		}
	}
}

// line reports whether all motions of j are along or about one line through the origin of P.
func (j *Joint) line() bool {
	for k := range j.Axes {
		a := &j.Axes[k]
		if a.Kind == Ball || a.Point != (spatial.Vec3{}) || k > 0 && !parallel(a.Axis, j.Axes[0].Axis) {
			return false
		}
	}
	return len(j.Axes) > 0
}
