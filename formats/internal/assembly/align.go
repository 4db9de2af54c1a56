package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/spatial"
)

// ownRounding is an angle, rad, or a length, m, of a few roundings of numbers near 1: those of the arithmetic here, and not of a file.
const ownRounding = 1e-14

// direction returns the direction of the axis of j in its frame P. All rotations of j turn about that axis, or its one slide moves along
// it. It reports false if there is none.
func (j *Joint) direction() (e spatial.Vec3, ok bool) {
	slides := 0
	for k := range j.Axes {
		switch a := &j.Axes[k]; {
		case a.Kind == Ball || a.Kind != Prismatic && ok && !parallel(a.Axis, e):
			return e, false
		case a.Kind != Prismatic:
			e, ok = a.Axis, true
		default:
			slides++
		}
	}
	if !ok && slides == 1 {
		return j.Axes[0].Axis, true
	}
	return e, ok
}

// axis is the axis of a joint, in axes of the world. Others are made parallel to it.
type axis struct {
	e     spatial.Vec3
	key   float64 // size of its part along aside, by which axes are sorted: those of parallel axes are as near to each other
	joint int
}

// aside is a vector, not longer than 1, along which the parts of different axes differ.
var aside = spatial.Vec3{0.29, 0.53, 0.79}

// near returns the first joint's axis that is parallel to e up to tol, and the place of e among those.
func near(sorted []axis, e spatial.Vec3, tol float64) (to *axis, place int) {
	key := math.Abs(aside.Dot(e))
	place, _ = slices.BinarySearchFunc(sorted, key, func(a axis, key float64) int { return cmp.Compare(a.key, key) })
	from := place
	for from > 0 && sorted[from-1].key >= key-tol {
		from--
	}
	for i := from; i < len(sorted) && sorted[i].key <= key+tol; i++ {
		if x := &sorted[i]; x.e.Cross(e).Norm() <= tol && (to == nil || x.joint < to.joint) {
			to = x
		}
	}
	return to, place
}

// align turns the frames of joints in loops, so that axes are parallel that are so but for the rounding of the file, to the
// first of them. A loop of hinges that are not quite parallel cannot move far: three of its rows depend on the others but for as
// little as the hinges are off.
func (a *Assembly) align(tree []int, o *source.Options, report *source.Report) {
	tol := snapOf(o)
	parts := a.parts()
	firsts := map[int32][]axis{} // by part
	var poses []Pose
	for k := range a.Joints {
		j := &a.Joints[k]
		d, ok := j.direction()
		part := parts[j.Predecessor+1]
		if !ok || parts[j.Successor+1] != part {
			continue
		}
		if poses == nil {
			poses, _ = a.place(tree, false)
		}
		if _, linear, angular, _ := j.nearest(j.between(poses)); tree[max(j.Successor, 0)] != k && max(linear, angular) > source.Closed {
			continue // it is open, and its frames have different axes
		}
		e := at(poses, j.Predecessor).Mul(j.P).Dir(d)
		first, place := near(firsts[part], e, tol)
		if first == nil {
			firsts[part] = slices.Insert(firsts[part], place, axis{e, math.Abs(aside.Dot(e)), k})
			continue
		}
		to := first.e.Scale(math.Copysign(1, first.e.Dot(e)))
		if off := e.Cross(to).Norm(); off > ownRounding {
			j.turn(poses, Least(e, to))
			report.Change(j.At, "joint "+fault.Name(j.Name),
				fmt.Sprintf("its axis is not quite parallel to that of joint %s, by %.3g rad", fault.Name(a.Joints[first.joint].Name), off),
				"its frames are turned by that much")
		}
	}
}

// turn turns both frames of j by q, axes of the world, about the point of its first motion. Neither of its links moves.
func (j *Joint) turn(poses []Pose, q spatial.Quat) {
	to := func(link int, frame *Pose, centre spatial.Vec3) {
		x := at(poses, link)
		w := x.Mul(*frame)
		w = Pose{R: centre.Add(q.Rotate(w.R.Sub(centre))), Q: q.Mul(w.quat())}
		*frame = x.Inverse().Mul(w)
	}
	centre := at(poses, j.Predecessor).Mul(j.P).Point(j.Axes[0].Point)
	to(j.Predecessor, &j.P, centre)
	to(j.Successor, &j.S, centre)
}

// parts returns a number for the world and each link, in this order: the same for those that hang together without any
// one of the joints. So a joint is in a loop if the numbers of both its links are one.
func (a *Assembly) parts() []int32 {
	n := len(a.Links) + 1
	around := make([][]int, n) // joints
	for k := range a.Joints {
		j := &a.Joints[k]
		around[j.Predecessor+1] = append(around[j.Predecessor+1], k)
		around[j.Successor+1] = append(around[j.Successor+1], k)
	}
	// Trees in breadth, whose nodes are numbered as they are reached: what is above has a smaller number.
	place := make([]int32, n) // 1 + number
	var reached []int
	var up []int32 // by number
	lead := make([]bool, len(a.Joints))
	reach := func(v int, from int32) {
		reached, up = append(reached, v), append(up, from)
		place[v] = int32(len(reached))
	}
	for root := range n {
		if place[root] != 0 {
			continue
		}
		reach(root, -1)
		for i := len(reached) - 1; i < len(reached); i++ {
			for _, k := range around[reached[i]] {
				j := &a.Joints[k]
				if v := j.Predecessor + j.Successor + 2 - reached[i]; place[v] == 0 {
					lead[k] = true
					reach(v, int32(i))
				}
			}
		}
	}
	s := sets.New(n)
	for k := range a.Joints {
		if lead[k] {
			continue
		}
		// What a joint besides the trees joins hangs together with all on the way between.
		u, v := s.Find(place[a.Joints[k].Predecessor+1]-1), s.Find(place[a.Joints[k].Successor+1]-1)
		for u != v {
			if u < v {
				u, v = v, u
			}
			s.Union(u, up[u])
			u = s.Find(u)
		}
	}
	out := make([]int32, n)
	for v := range out {
		out[v] = s.Find(place[v] - 1)
	}
	return out
}
