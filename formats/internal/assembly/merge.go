package assembly

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/spatial"
)

// carrier is where a link is: in a link that carries it, or in the world.
type carrier struct {
	link int
	pose Pose
}

// fixed reports whether j holds its links together as one body.
func (j *Joint) fixed() bool { return !j.Typed && len(j.Axes) == 0 && !j.Loop }

// Wholes says which links do not move against each other, by fixed joints and the ground.
type Wholes sets.Disjoint

// Wholes returns which links do not move against each other.
//
// Cost: O(links + joints).
func (a *Assembly) Wholes() Wholes {
	w := Wholes(sets.New(len(a.Links) + 1)) // the last is the world
	for i := range a.Links {
		if a.Links[i].Ground {
			sets.Disjoint(w).Union(w.number(i), w.number(World))
		}
	}
	for k := range a.Joints {
		if j := &a.Joints[k]; j.fixed() {
			sets.Disjoint(w).Union(w.number(j.Predecessor), w.number(j.Successor))
		}
	}
	return w
}

func (w Wholes) number(link int) int32 {
	if link == World {
		link = len(w) - 1
	}
	return int32(link)
}

// Of returns a number that all links have which do not move against this one.
func (w Wholes) Of(link int) int32 { return sets.Disjoint(w).Find(w.number(link)) }

// carriers finds which links are one body. The one that carries is the one from which the others hang: the world, a
// link that is no successor of a fixed joint, or the first. Poses are those of the links in the carrier; in the
// world, those in the world.
func (a *Assembly) carriers(o *source.Options, report *source.Report) []carrier {
	near := make([][]int, len(a.Links)) // fixed joints by link
	grounded := []int{}
	for k := range a.Joints {
		j := &a.Joints[k]
		if o.KeepFixed || !j.fixed() {
			continue
		}
		for _, l := range [2]int{j.Predecessor, j.Successor} {
			if l == World {
				grounded = append(grounded, k)
			} else {
				near[l] = append(near[l], k)
			}
		}
	}
	w := walker{a: a, near: near, out: make([]carrier, len(a.Links)), done: make([]bool, len(a.Links)), used: make([]bool, len(a.Joints)), report: report}
	w.root = World
	for i := range a.Links {
		if a.Links[i].Ground {
			w.reach(i, a.Links[i].Pose)
		}
	}
	for _, k := range grounded {
		w.along(k, World, Identity())
	}
	w.drain()
	held := make([]bool, len(a.Links)) // successors of fixed joints
	for i := range near {
		for _, k := range near[i] {
			held[i] = held[i] || a.Joints[k].Successor == i
		}
	}
	for _, second := range [2]bool{false, true} {
		for i := range a.Links {
			if !w.done[i] && (second || !held[i]) {
				w.root = i
				w.reach(i, Identity())
				w.drain()
			}
		}
	}
	return w.out
}

type walker struct {
	a      *Assembly
	near   [][]int
	out    []carrier
	done   []bool
	used   []bool
	root   int
	queue  []int
	report *source.Report
}

// reach puts link i, in pose x of the root, to those that are to be looked at.
func (w *walker) reach(i int, x Pose) {
	w.done[i], w.out[i] = true, carrier{w.root, x}
	w.queue = append(w.queue, i)
}

// drain goes along the fixed joints of all links in the queue, and of those that it meets.
func (w *walker) drain() {
	for len(w.queue) > 0 {
		i := w.queue[0]
		w.queue = w.queue[1:]
		for _, k := range w.near[i] {
			w.along(k, i, w.out[i].pose)
		}
	}
}

// along goes from one side of fixed joint k, a link with pose x, to the other.
func (w *walker) along(k, from int, x Pose) {
	if w.used[k] {
		return
	}
	w.used[k] = true
	j := &w.a.Joints[k]
	to, p, s := j.Successor, j.P, j.S
	if to == from {
		to, p, s = j.Predecessor, j.S, j.P
	}
	y := x.Mul(p).Mul(s.Inverse())
	switch {
	case to == World || w.done[to]:
		have := Identity()
		if to != World {
			have = w.out[to].pose
		}
		d := have.Inverse().Mul(y)
		if off, turn := d.R.Norm(), d.Q.Log().Norm(); off > source.DefaultSnap || turn > source.DefaultSnap {
			w.report.Refuse(j.At, "joint "+fault.Name(j.Name), fmt.Sprintf("holds links together that are held together already, and elsewhere: by %.3g m and %.3g rad", off, turn))
			return
		}
		w.report.Note(j.At, "joint "+fault.Name(j.Name), "its links are one body without it")
	default:
		w.reach(to, y)
	}
}

// merge makes one link of those that are one body. Joints and forces then have the carriers, links that are carried
// have no mass and are not alive.
func (a *Assembly) merge(c []carrier) (alive []bool) {
	alive = make([]bool, len(a.Links))
	for i := range a.Links {
		alive[i] = c[i].link == i
	}
	for i := range a.Links {
		if l := c[i].link; l != i && l != World {
			a.Links[l].Add(&a.Links[i], c[i].pose)
		}
	}
	for k := range a.Joints {
		j := &a.Joints[k]
		j.Predecessor, j.P = carry(c, j.Predecessor, j.P)
		j.Successor, j.S = carry(c, j.Successor, j.S)
	}
	for k := range a.Forces {
		a.Forces[k].ends(func(link *int, point *spatial.Vec3) {
			var x Pose
			*link, x = carry(c, *link, Pose{R: *point})
			*point = x.R
		})
	}
	return alive
}

func carry(c []carrier, link int, x Pose) (int, Pose) {
	if link == World || c[link].link == link {
		return link, x
	}
	return c[link].link, c[link].pose.Mul(x)
}

// Add puts the mass of b, whose frame is at x, to that of l.
func (l *Link) Add(b *Link, x Pose) {
	if b.Mass == 0 && b.Inertia == (spatial.Sym3{}) {
		return
	}
	com, inertia := x.Point(b.Com), b.Inertia
	if q := x.quat(); q != spatial.IdentityQuat() {
		inertia = inertia.Rotate(q.Mat())
	}
	if l.Mass == 0 && l.Inertia == (spatial.Sym3{}) {
		l.Mass, l.Com, l.Inertia = b.Mass, com, inertia
		return
	}
	m := l.Mass + b.Mass
	mid := l.Com
	if m > 0 {
		mid = l.Com.Scale(l.Mass / m).Add(com.Scale(b.Mass / m))
	}
	l.Inertia = l.Inertia.Add(inertia).Add(Steiner(l.Mass, l.Com.Sub(mid))).Add(Steiner(b.Mass, com.Sub(mid)))
	l.Mass, l.Com = m, mid
}

// Steiner returns the inertia of a point of mass m at d, about the origin.
func Steiner(m float64, d spatial.Vec3) spatial.Sym3 {
	return spatial.Sym3{
		m * (d[1]*d[1] + d[2]*d[2]), m * (d[0]*d[0] + d[2]*d[2]), m * (d[0]*d[0] + d[1]*d[1]),
		-m * d[0] * d[1], -m * d[0] * d[2], -m * d[1] * d[2],
	}
}
