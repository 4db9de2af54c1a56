package assembly

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// lightest is the mass, relative to the lightest neighbour, below which a link counts as massless.
	lightest = 1e-8
	// rounded is the largest relative rounding error of a zero in a file; for negative masses and moments it is relative to the
	// mass of the lightest neighbour.
	rounded = 1e-12
	// defaultRatio is the mass, relative to the lightest neighbour, that massless links get by source.GiveMass.
	defaultRatio = 1e-6
	// defaultReach is the size of a massless link whose joints are all at one point, m.
	defaultReach = 0.1
)

// folder removes massless links from an assembly.
type folder struct {
	a      *Assembly
	o      *source.Options
	report *source.Report
	alive  []bool  // links that become bodies
	joints []bool  // joints that are not removed
	near   [][]int // joints at each link; may contain removed ones, see at
	forced []bool  // links that forces act on
	degree []int   // number of joints at each link
	light  float64 // mass up to which a link may count as massless
	least  float64 // smallest positive mass of the links
	most   float64 // largest mass of the links
	given  []bool  // links that have got a mass by giveMass
	gone   []int   // coordinates of removed joints
}

// fold treats massless links as o.Massless says: it removes them with a joint, gives them a mass, or refuses them, with a report. alive
// tells which links are bodies after merge. The result has the links and joints that are left.
func (a *Assembly) fold(alive []bool, o *source.Options, report *source.Report) *folder {
	links := len(a.Links)
	f := &folder{
		a: a, o: o, report: report, alive: alive, joints: make([]bool, len(a.Joints)), near: make([][]int, links),
		forced: make([]bool, links), degree: make([]int, links), least: math.Inf(1), given: make([]bool, links),
	}
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Predecessor == j.Successor { // both within one body
			if !o.KeepFixed && j.fixed() {
				continue
			}
			report.Note(j.At, "joint "+fault.Name(j.Name), "its links are one body without it")
			for m := range j.Axes {
				f.markGone(&j.Axes[m])
			}
			continue
		}
		f.joints[k] = true
		f.link(k)
	}
	f.findLight()
	f.foldAll()
	return f
}

// findLight sets forced, least, most and light.
func (f *folder) findLight() {
	a := f.a
	for k := range a.Forces {
		a.Forces[k].ends(func(link *int, _ *spatial.Vec3) {
			if *link != World {
				f.forced[*link] = true
			}
		})
	}
	for i := range a.Links {
		if m := a.Links[i].Mass; f.alive[i] && m > 0 {
			f.most, f.least = max(f.most, m), min(f.least, m)
		}
	}
	f.light = lightest * f.most
}

// foldAll folds the massless links. It starts with links that have one or two joints, as folding them removes joints of others.
func (f *folder) foldAll() {
	var queue []int
	for i := range f.a.Links {
		if f.alive[i] && f.candidate(i) {
			queue = append(queue, i)
		}
	}
	candidates := queue
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		// A link with more than two joints is tried below, when it may have lost some.
		if f.alive[i] && (f.degree[i] <= 2 || f.o.Massless != source.Fold) {
			queue = append(queue, f.foldLink(i)...)
		}
	}
	for _, i := range candidates {
		if f.alive[i] && f.degree[i] > 2 && f.o.Massless == source.Fold {
			f.foldLink(i)
		}
	}
}

// candidate reports whether link i may count as massless.
func (f *folder) candidate(i int) bool {
	l := &f.a.Links[i]
	return l.Mass <= f.light
}

// link adds joint k to the lists of its links.
func (f *folder) link(k int) {
	for _, l := range [2]int{f.a.Joints[k].Predecessor, f.a.Joints[k].Successor} {
		if l != World {
			f.near[l] = append(f.near[l], k)
			f.degree[l]++
		}
	}
}

// unlink removes joint k; at removes it from the lists later.
func (f *folder) unlink(k int) {
	f.joints[k] = false
	for _, l := range [2]int{f.a.Joints[k].Predecessor, f.a.Joints[k].Successor} {
		if l != World {
			f.degree[l]--
		}
	}
}

// at returns the joints of link i, without removed ones and duplicates: a joint composed of two is in the lists twice.
func (f *folder) at(i int) []int {
	out := f.near[i][:0]
	for _, k := range f.near[i] {
		if j := &f.a.Joints[k]; f.joints[k] && (j.Predecessor == i || j.Successor == i) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	f.near[i] = out
	return out
}

// other returns the link on the other side of joint k.
func (f *folder) other(k, i int) int {
	if j := &f.a.Joints[k]; j.Predecessor != i {
		return j.Predecessor
	}
	return f.a.Joints[k].Successor
}

// massless reports whether link i, with the given joints, has no mass, or a negligible one; the latter is reported as a change.
func (f *folder) massless(i int, joints []int) bool {
	l := &f.a.Links[i]
	if l.Mass == 0 && l.Inertia == (spatial.Sym3{}) {
		return true
	}
	trace := l.Inertia[0] + l.Inertia[1] + l.Inertia[2]
	least := f.beside(i, joints)
	if math.IsInf(least, 1) {
		if l.Mass > 0 {
			return false
		}
		least = f.most
	}
	entry := 0.0
	for _, x := range l.Inertia {
		entry = max(entry, math.Abs(x))
	}
	if min(l.Mass, trace) < -rounded*least || entry > trace+rounded*least {
		return false // and refused
	}
	if ratio := max(math.Abs(l.Mass), math.Abs(l.Mass*l.Com.Dot(l.Com)+trace)) / least; ratio < lightest {
		f.report.Change(l.At, "link "+fault.Name(l.Name), fmt.Sprintf("has next to no mass, %.3g of its lightest neighbour's", ratio), "it counts as one without mass")
		return true
	}
	return false
}

// foldLink folds link i if it is massless, and returns links that may be folded now.
func (f *folder) foldLink(i int) []int {
	l := &f.a.Links[i]
	joints := f.at(i)
	if f.forced[i] && l.Mass > 0 {
		return nil // a link with a force keeps its mass, however small
	}
	if !f.massless(i, joints) {
		return nil
	}
	name := "link " + fault.Name(l.Name)
	switch {
	case f.forced[i]:
		f.report.Refuse(l.At, name, "has no mass although a force acts on it")
		return nil
	case f.o.Massless == source.RefuseLinks:
		f.report.Refuse(l.At, name, "has no mass")
		return nil
	case f.o.Massless == source.GiveMass:
		f.giveMass(i, joints)
		return nil
	}
	switch len(joints) {
	case 0:
		f.alive[i] = false
		f.report.Note(l.At, name, "has neither mass nor joints and is left out")
		return nil
	case 1:
		return f.drop(i, joints[0])
	case 2:
		return f.join(i, joints[0], joints[1])
	}
	f.report.Refuse(l.At, name, fmt.Sprintf("has no mass and %d joints; --massless mass gives it a small mass", len(joints)))
	return nil
}

// drop removes massless link i and its only joint, k. It returns the neighbour if that may be folded now.
func (f *folder) drop(i, k int) []int {
	l, j := &f.a.Links[i], &f.a.Joints[k]
	f.alive[i] = false
	f.unlink(k)
	f.report.Note(l.At, "link "+fault.Name(l.Name), "has no mass and nothing behind it; it is left out with its joint "+fault.Name(j.Name)+", whose coordinate nothing determines")
	f.leaveOut(j)
	if n := f.other(k, i); n != World && f.candidate(n) {
		return []int{n}
	}
	return nil
}

// leaveOut marks the coordinates of j, which is removed with its link, as gone, and reports springs, forces and so on along them as
// dropped.
func (f *folder) leaveOut(j *Joint) {
	for m := range j.Axes {
		x := &j.Axes[m]
		f.markGone(x)
		if x.Stiffness != 0 || x.Damping != 0 || x.Armature != 0 || x.Force != 0 || x.Friction != 0 || x.Springs != [2]float64{} || x.Dampers != [2]float64{} {
			f.report.DropUsed(x.At, "spring, damper, rotor, friction or force of "+fault.Name(x.Name), "its link has no mass and is left out", "")
		}
	}
}

// markGone records the coordinate of x as removed.
func (f *folder) markGone(x *Axis) {
	if x.Coordinate != 0 {
		f.gone = append(f.gone, x.Coordinate)
	}
}

// join folds massless link i with its two joints, k and m: one joint with the motions of both replaces them. If both lead to the same
// body, they are removed. It returns that body if it may be folded now, and refuses a link that cannot be folded.
func (f *folder) join(i, k, m int) []int {
	l := &f.a.Links[i]
	name := "link " + fault.Name(l.Name)
	a, b := f.a.Joints[k], f.a.Joints[m]
	if a.Typed || b.Typed || !f.o.KeepFixed && (len(a.Axes) == 0 || len(b.Axes) == 0) && !a.Loop && !b.Loop {
		f.report.Refuse(l.At, name, "has no mass and cannot be folded: joint "+fault.Name(a.Name)+" or "+fault.Name(b.Name)+" is of another kind")
		return nil
	}
	// The joint whose successor is the link comes first, so that the new joint keeps the direction of the file.
	if a.Successor != i && b.Successor == i {
		a, b = b, a
	}
	if a.Successor != i {
		a = a.reverse()
	}
	if b.Predecessor != i {
		b = b.reverse()
	}
	if a.Predecessor == b.Successor {
		f.alive[i] = false
		f.unlink(k)
		f.unlink(m)
		f.report.Note(l.At, name, "has no mass and joins a body to itself; it is left out with its joints "+fault.Name(a.Name)+" and "+fault.Name(b.Name))
		f.leaveOut(&a)
		f.leaveOut(&b)
		if a.Predecessor == World || !f.candidate(a.Predecessor) {
			return nil
		}
		return []int{a.Predecessor}
	}
	if len(a.Axes)+len(b.Axes) > MaxRow {
		f.report.Refuse(l.At, name, fmt.Sprintf("has no mass; folded, more than %d motions would be in a row", MaxRow))
		return nil
	}
	j := compose(a, b)
	if len(a.Axes) == 0 { // a is a fixed loop joint: the new joint is b
		j.Name, j.At = b.Name, b.At
	} else if len(b.Axes) == 0 {
		j.Name = a.Name
	}
	f.alive[i] = false
	f.unlink(m)
	f.unlink(k)
	f.a.Joints[k], f.joints[k] = j, true
	f.link(k)
	f.report.Note(l.At, name, "has no mass; its joints "+fault.Name(a.Name)+" and "+fault.Name(b.Name)+" become one")
	return nil
}

// beside returns the mass of the lightest neighbour of link i, +Inf if there is none. Masses by giveMass do not count.
func (f *folder) beside(i int, joints []int) float64 {
	least := math.Inf(1)
	for _, k := range joints {
		if n := f.other(k, i); n != World && !f.given[n] && f.a.Links[n].Mass > 0 {
			least = min(least, f.a.Links[n].Mass)
		}
	}
	return least
}

// giveMass gives link i the mass and inertia of a cube in the middle of its joints.
func (f *folder) giveMass(i int, joints []int) {
	l := &f.a.Links[i]
	least, whose := f.beside(i, joints), "its lightest neighbour"
	if math.IsInf(least, 1) {
		least, whose = f.least, "the lightest link"
	}
	if math.IsInf(least, 1) {
		f.report.Refuse(l.At, "link "+fault.Name(l.Name), "has no mass, and no link has one")
		return
	}
	var middle spatial.Vec3
	for _, k := range joints {
		middle = middle.Add(f.a.Joints[k].origin(i).Scale(1 / float64(len(joints))))
	}
	reach := 0.0
	for _, k := range joints {
		reach = max(reach, f.a.Joints[k].origin(i).Sub(middle).Norm())
	}
	ratio := f.o.MassRatio
	if ratio == 0 {
		ratio = defaultRatio
	}
	if reach == 0 {
		reach = defaultReach
	}
	l.Mass, l.Com, f.given[i] = ratio*least, middle, true
	moment := l.Mass * reach * reach / 6 // of a cube with edges of length reach
	l.Inertia = spatial.Diag3(moment, moment, moment)
	f.report.Change(l.At, "link "+fault.Name(l.Name), "has no mass", fmt.Sprintf("it gets %.3g kg, %.3g of %s; expect errors of that size, relative, where it is not still", l.Mass, ratio, whose))
}

// origin returns the origin of the frame of j in link i, which is one of its links.
func (j *Joint) origin(i int) spatial.Vec3 {
	if j.Successor == i {
		return j.S.R
	}
	return j.P.R
}
