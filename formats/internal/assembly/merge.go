package assembly

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/spatial"
)

// carrier is the link, or World, of whose body a link is a part, and the pose of the link in it.
type carrier struct {
	link int
	pose Pose
}

// fixed reports whether j makes its links one body.
func (j *Joint) fixed() bool { return !j.Typed && len(j.Axes) == 0 && !j.Loop }

// Wholes are the sets of links that do not move relative to each other, because of fixed joints or the ground.
type Wholes sets.Disjoint

// Wholes returns the sets of links that do not move relative to each other.
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

// number returns the index of a link, or World, in the sets.
func (w Wholes) number(link int) int32 {
	if link == World {
		link = len(w) - 1
	}
	return int32(link)
}

// Of returns the number of the set of a link, or of World.
func (w Wholes) Of(link int) int32 { return sets.Disjoint(w).Find(w.number(link)) }

// carriers returns the carrier of each link. Of the links of one body, the carrier is the world if one is fixed to it; else a
// link that is no successor of a fixed joint; else the first one. A fixed joint that contradicts others is refused.
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
	for _, anyLink := range [2]bool{false, true} { // first links that are no successors
		for i := range a.Links {
			if !w.done[i] && (anyLink || !held[i]) {
				w.root = i
				w.reach(i, Identity())
				w.drain()
			}
		}
	}
	return w.out
}

// walker follows fixed joints from the current root.
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

// reach sets the carrier of link i, whose pose in the root is x, and appends it to the queue.
func (w *walker) reach(i int, x Pose) {
	w.done[i], w.out[i] = true, carrier{w.root, x}
	w.queue = append(w.queue, i)
}

// drain follows the fixed joints of all links in the queue, until it is empty.
func (w *walker) drain() {
	for len(w.queue) > 0 {
		i := w.queue[0]
		w.queue = w.queue[1:]
		for _, k := range w.near[i] {
			w.along(k, i, w.out[i].pose)
		}
	}
}

// along follows fixed joint k from link from, whose pose in the root is x, to its other link. It refuses a joint that contradicts the
// pose of that link.
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

// merge adds the masses of links to their carriers, and moves the ends of joints and forces to the carriers. It returns, by link,
// whether it is a carrier.
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

// carry returns the carrier of a link, and pose x in the link as a pose in the carrier.
func carry(c []carrier, link int, x Pose) (int, Pose) {
	if link == World || c[link].link == link {
		return link, x
	}
	return c[link].link, c[link].pose.Mul(x)
}

// Add adds the mass and inertia of b, whose pose in the frame of l is x, to l.
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

// Steiner returns the inertia about the origin of a point mass m at d, the parallel-axis term.
func Steiner(m float64, d spatial.Vec3) spatial.Sym3 {
	return spatial.Sym3{
		m * (d[1]*d[1] + d[2]*d[2]), m * (d[0]*d[0] + d[2]*d[2]), m * (d[0]*d[0] + d[1]*d[1]),
		-m * d[0] * d[1], -m * d[0] * d[2], -m * d[1] * d[2],
	}
}
