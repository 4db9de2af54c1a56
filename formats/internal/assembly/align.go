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

// ownRounding bounds the rounding errors of the arithmetic here, rad or m, for numbers near 1. It is much smaller than rounding in files.
const ownRounding = 1e-14

// direction returns a unit vector in axes of P: the common direction of the axes of all rotations of j or, if j has no rotation, of its
// one translation. It returns false if there is none.
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

// axis is the direction of a joint's axis, to which other joints' axes are made parallel.
type axis struct {
	e     spatial.Vec3 // unit, world axes
	key   float64      // |aside·e|, by which axes are sorted: parallel axes have nearly equal keys
	joint int
}

// aside is a vector of length at most 1 in a general direction, so that the keys of most other axes differ.
var aside = spatial.Vec3{0.29, 0.53, 0.79}

// near returns, of the axes that are parallel to e up to tol, rad, the one with the smallest joint, nil if there is none; and the index
// at which e is to be inserted in the sorted axes.
func near(sorted []axis, e spatial.Vec3, tol float64) (to *axis, index int) {
	key := math.Abs(aside.Dot(e))
	index, _ = slices.BinarySearchFunc(sorted, key, func(a axis, key float64) int { return cmp.Compare(a.key, key) })
	from := index
	for from > 0 && sorted[from-1].key >= key-tol {
		from--
	}
	for i := from; i < len(sorted) && sorted[i].key <= key+tol; i++ {
		if x := &sorted[i]; x.e.Cross(e).Norm() <= tol && (to == nil || x.joint < to.joint) {
			to = x
		}
	}
	return to, index
}

// align turns the frames of joints in loops so that axes that are parallel up to rounding in the file become exactly parallel to the
// first of them. A loop of hinges that are nearly parallel can hardly move: three of its rows depend on the others only
// nearly.
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
			poses = a.atZero(tree)
		}
		if _, linear, angular, _ := j.nearest(j.between(poses)); tree[max(j.Successor, 0)] != k && max(linear, angular) > source.Closed {
			continue // the loop is open at this joint, where the axes of P and S differ
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

// turn rotates both frames of j by q, in world axes, about the point of its first motion. The links do not move.
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

// parts returns the number of a component for the world and each link, in this order. Two links are in the same component if they stay
// connected whichever single joint is removed (2-edge-connected components). A joint is in a loop if both its links have the same number.
func (a *Assembly) parts() []int32 {
	n := len(a.Links) + 1
	around := make([][]int, n) // joints
	for k := range a.Joints {
		j := &a.Joints[k]
		around[j.Predecessor+1] = append(around[j.Predecessor+1], k)
		around[j.Successor+1] = append(around[j.Successor+1], k)
	}
	// Breadth-first trees, whose nodes are numbered in the order in which they are reached: a parent has a smaller number.
	place := make([]int32, n) // 1 + number; 0: not reached yet
	var reached []int
	var up []int32                      // parent by number; −1 at a root
	lead := make([]bool, len(a.Joints)) // joints of the trees
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
		// A joint outside the trees closes a loop with the tree path between its links: all nodes on it form one component.
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
