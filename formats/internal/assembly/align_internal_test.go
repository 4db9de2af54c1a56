package assembly

import (
	"testing"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// joinedLinks returns links with joints between some of them.
func joinedLinks(links int, joints ...[2]int) *Assembly {
	a := &Assembly{Links: make([]Link, links)}
	for _, j := range joints {
		a.Joints = append(a.Joints, Joint{Predecessor: j[0], Successor: j[1], Loop: true, At: source.Location{}})
	}
	return a
}

// TestParts compares with the links that still hang together after each joint in turn is taken out.
func TestParts(t *testing.T) {
	rng := check.Rand(3)
	for range 200 {
		n := 1 + rng.IntN(9)
		a := joinedLinks(n)
		for range rng.IntN(14) {
			if u, v := rng.IntN(n+1)-1, rng.IntN(n+1)-1; u != v {
				a.Joints = append(a.Joints, Joint{Predecessor: u, Successor: v})
			}
		}
		parts := a.parts()
		for k := range a.Joints {
			j := &a.Joints[k]
			reach := map[int]bool{j.Predecessor: true}
			for range n + 1 {
				for i := range a.Joints {
					if u, v := a.Joints[i].Predecessor, a.Joints[i].Successor; i != k && reach[u] != reach[v] {
						reach[u], reach[v] = true, true
					}
				}
			}
			if one := parts[j.Predecessor+1] == parts[j.Successor+1]; one != reach[j.Successor] {
				t.Fatalf("joint %d of %v: one part %t", k, a.Joints, one)
			}
		}
	}
}

// TestAlign: axes in loops that are nearly parallel, in one sense or the other, are parallel afterwards, and no link moves. Those of joints
// in no loop, and axes that are farther off, stay.
func TestAlign(t *testing.T) {
	const off, far = 3e-8, 2e-6
	hinge := func(e spatial.Vec3) []Axis {
		return []Axis{{Kind: Revolute, Axis: zAxis, Point: spatial.Vec3{0.1, 0, 0}, Value: e[0]}}
	}
	a := joinedLinks(5, [2]int{World, 0}, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, World}, [2]int{2, 3}, [2]int{World, 4}, [2]int{4, 2})
	for i := range a.Links {
		a.Links[i].Pose = Pose{R: spatial.Vec3{float64(i), 1, -2}, Q: spatial.Exp(spatial.Vec3{0.3 * float64(i), 0.2, 1})}
	}
	tilt := []spatial.Vec3{{0, 0, 0}, {off, 0, 0}, {0, -off, 0}, {0, far, 0}, {off, off, 0}, {0, off, 0}, {0, 0, 0}}
	for k := range a.Joints {
		j := &a.Joints[k]
		w := Pose{R: spatial.Vec3{float64(k), 2, 1}, Q: spatial.Exp(tilt[k])}
		j.Name, j.Axes = string(rune('a'+k)), hinge(spatial.Vec3{})
		if k == 2 { // the other way round
			w.Q = w.Q.Mul(spatial.Exp(spatial.Vec3{3.141592653589793, 0, 0}))
		}
		if k == 5 { // a slide, with a rotation about it
			j.Axes = append(j.Axes, Axis{Kind: Prismatic, Axis: zAxis})
		}
		if k == 6 { // whose rotations have no axis in common
			j.Axes = append(j.Axes, Axis{Kind: Revolute, Axis: xAxis})
		}
		j.P, j.S = at2(a, j.Predecessor).Inverse().Mul(w), at2(a, j.Successor).Inverse().Mul(w)
	}
	was := append([]Joint(nil), a.Joints...)
	report := &source.Report{}
	a.align(a.trees(), &source.Options{}, report)
	if len(report.Entries) != 3 {
		t.Errorf("entries: %v", report.Entries)
	}
	for k := range a.Joints {
		j := &a.Joints[k]
		e, s := at2(a, j.Predecessor).Mul(j.P), at2(a, j.Successor).Mul(j.S)
		below(t, e.Inverse().Mul(s).Q.Log().Norm(), 1e-14, j.Name)
		below(t, e.Inverse().Mul(s).R.Norm(), 1e-14, j.Name)
		point := at2(a, j.Predecessor).Mul(was[k].P).Point(j.Axes[0].Point)
		below(t, e.Point(j.Axes[0].Point).Sub(point).Norm(), 1e-14, j.Name)
		switch j.Name {
		case "a", "d", "e", "g":
			if j.P != was[k].P {
				t.Errorf("%s: %v, not %v", j.Name, j.P, was[k].P)
			}
		default:
			below(t, e.Dir(zAxis).Cross(zAxis).Norm(), 1e-15, j.Name)
		}
	}
}

func at2(a *Assembly, link int) Pose {
	if link == World {
		return Identity()
	}
	return a.Links[link].Pose
}
