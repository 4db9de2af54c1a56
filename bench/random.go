package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// tangle is a rig that grows a random mechanism: first a tree, then loops, which are grouped in clusters. Its lists of the tree are by
// body.
type tangle struct {
	rig
	up    []int32 // the body from which this one hangs, or ground
	kid   []int32 // a body that hangs from this one, or ground
	depth []int32 // number of joints to the world
	joint []int32 // the joint by which it hangs
	free  []uint8 // freedoms of that joint without a motion, one bit each
	owner []int32 // cluster of that joint, or −1
	first []int32 // scratch: first column of that joint in the matrix of a cluster

	clusters []cluster
	values   []float64 // scratch: the matrix of a cluster
}

// Random is a mechanism of n bodies and n + ⌊n/3⌋ joints with a random graph, random frames and
// all joint types. A joint runs from world or body to body or world in either direction; bodies
// and joints are shuffled. Some joints have forces, springs, turns and prescribed motions;
// there are spring-dampers and wrenches.
//
// Bodies "b…" hang in a tree by joints "j…", from the world or from a body before them. Bodies
// "c…" and "s…" are legs, with joints "u…", "p…", "s…". Loops are the legs, joints "k…", and
// joints "d…", which double a joint of the tree. The first eight of "k…" join any two bodies,
// the others bodies a few joints apart.
//
// A joint that closes a loop is placed so that it agrees with the velocities: with its axis along the relative velocity, its plane or
// rod along or across it, or its screw axis on the axis of the relative screw. It is added only if all rows of its cluster (the loops
// that share joints with it) are well independent and leave at least one freedom. So only the rows of the joints "d…" are redundant;
// the other counts depend on the types drawn. Legs come last; they have six freedoms and constrain nothing.
//
// Cost: O(n) on average but for eight loops of O(log n). It returns ErrSize.
func Random(n int, seed uint64) (*model.Model, error) {
	if _, err := Bodies("random", n); err != nil {
		return nil, err
	}
	g := &tangle{rig: *newRig("random", n, seed, n, n+n/3)}
	g.up, g.kid, g.joint = make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	g.depth, g.free = make([]int32, 0, n), make([]uint8, 0, n)
	g.owner, g.first = make([]int32, 0, n), make([]int32, 0, n)
	loops := n / 3
	legs := (loops + 1) / 4
	for i := range n - 2*legs {
		g.addBody(i)
	}
	for k := range loops - legs {
		if g.rng.IntN(5) == 0 || !g.addLoop(k) {
			g.double(k)
		}
	}
	for i := n - 2*legs; i < n; i += 2 {
		g.addLeg(i)
	}
	g.addForces()
	g.rng.Shuffle(n, func(i, j int) { b := g.m.Bodies; b[i], b[j] = b[j], b[i] })
	g.rng.Shuffle(len(g.m.Joints), func(i, j int) { s := g.m.Joints; s[i], s[j] = s[j], s[i] })
	return g.m, nil
}

// enter records that the newest body hangs from the body up by joint j, whose freedoms without a motion are the bits of free.
func (g *tangle) enter(up, j int, free uint8) {
	i := int32(len(g.up))
	depth := int32(1)
	if up != ground {
		depth += g.depth[up]
		g.kid[up] = i
	}
	g.up, g.kid = append(g.up, int32(up)), append(g.kid, ground)
	g.depth, g.joint = append(g.depth, depth), append(g.joint, int32(j))
	g.free = append(g.free, free)
	g.owner, g.first = append(g.owner, -1), append(g.first, 0)
}

// addBody appends body i, which hangs from the world or from a body before it by a random joint.
func (g *tangle) addBody(i int) {
	types := [...]model.JointType{
		model.Fixed, model.Revolute, model.Revolute, model.Revolute, model.Prismatic, model.Prismatic,
		model.Helical, model.Helical, model.Cylindrical, model.Cylindrical, model.Universal, model.Universal,
		model.Planar, model.Planar, model.Spherical, model.Spherical, model.Spherical,
		model.SphereInCylinder, model.PointOnPlane, model.Distance, model.Free,
	}
	l := link{
		body: g.name("b", i), joint: g.name("j", i), kind: types[g.rng.IntN(len(types))],
		up: ground, frame: place{g.vec(2), g.rotation(math.Pi)},
		local: place{g.vec(0.3), g.rotation(math.Pi)}, g: g.boulder(),
		swapped: g.rng.IntN(2) == 0,
	}
	if i > 0 && g.rng.IntN(8) > 0 {
		l.up, l.frame.p = g.rng.IntN(i), g.vec(0.6)
	}
	switch l.kind {
	case model.Helical:
		l.pitch = g.pitch()
	case model.Distance:
		l.length = g.between(0.4, 0.8)
	}
	d := g.displace(l.kind, 0.7, l.pitch, l.length)
	_, j := g.hang(&l, &d)
	g.enter(l.up, len(g.m.Joints)-1, g.load(j, &d))
}

// load gives joint j, which is in the state d, random forces, springs, turns or a motion. It returns the freedoms without a motion,
// one bit each.
func (g *tangle) load(j *model.Joint, d *displacement) uint8 {
	rotations, translations := freely(j.Type)
	free := uint8(1)<<(rotations+translations) - 1
	n, first := freedoms(j.Type)
	if n == 0 {
		return free
	}
	if g.rng.IntN(4) == 0 {
		j.Force = g.list(n)
		for i := range j.Force {
			j.Force[i] = g.uniform(2)
		}
	}
	if first == n {
		return free
	}
	k := first + g.rng.IntN(n-first)
	switch g.rng.IntN(8) {
	case 0, 1:
		j.Stiffness, j.Damping, j.Rest = g.list(n), g.list(n), g.list(n)
		j.Stiffness[k], j.Damping[k], j.Rest[k] = g.between(1, 10), g.between(0, 1), g.uniform(0.5)
		if j.Type == model.Revolute {
			j.Turns = []int64{int64(g.rng.IntN(3) - 1)}
		}
	case 2:
		j.Motion = make([]*model.Motion, n)
		j.Motion[k] = g.motion(d.q[k], d.qd[k])
		free &^= 1 << k
	}
	return free
}

// motion draws a motion that has the value q and the rate qd at time 0.
func (g *tangle) motion(q, qd float64) *model.Motion {
	if g.rng.IntN(2) == 0 {
		return &model.Motion{Kind: model.Polynomial, Coefficients: []float64{q, qd, g.uniform(0.5), g.uniform(0.5)}}
	}
	f, phase := g.between(0.2, 0.6), g.uniform(1)
	s, c := math.Sincos(phase)
	a := qd / (2 * math.Pi * f * c)
	return &model.Motion{Kind: model.Harmonic, Offset: q - a*s, Amplitude: a, Frequency: f, Phase: phase}
}

// near returns two random bodies, of which the second may be the world. They are a few joints apart, or anywhere if far.
func (g *tangle) near(far bool) (a, b int) {
	n := len(g.m.Bodies)
	a = g.rng.IntN(n)
	if far {
		b = g.rng.IntN(n + 1)
		if b < n && b != a {
			return a, b
		}
		return a, ground
	}
	b = a
	for range 1 + g.rng.IntN(3) {
		if b != ground {
			b = int(g.up[b])
		}
	}
	for range g.rng.IntN(3) {
		if b != ground && g.kid[b] != ground && int(g.kid[b]) != a {
			b = int(g.kid[b])
		}
	}
	return a, b
}

// addLeg adds a leg of the bodies i and i+1 between two random bodies.
func (g *tangle) addLeg(i int) {
	base, top := g.near(i < 30)
	if g.rng.IntN(2) == 0 {
		base, top = top, base
	}
	a := g.place(base).point(g.vec(0.4))
	b := g.place(top).point(g.vec(0.4))
	if b.sub(a).norm() < 0.5 {
		b = a.add(g.direction().mul(0.8))
	}
	u := b.sub(a).unit()
	hinge := turn(u, g.uniform(math.Pi)).apply(u.across())
	hinge = hinge.add(u.mul(g.uniform(0.6))).unit()
	low := g.leg(&leg{
		names: [5]string{g.name("c", i), g.name("s", i+1), g.name("u", i), g.name("p", i), g.name("s", i)},
		base:  base, top: top, a: a, b: b, hinge: hinge,
	})
	g.enter(base, len(g.m.Joints)-3, 0)
	g.enter(low, len(g.m.Joints)-2, 0)
}

// addForces adds spring-dampers and wrenches.
func (g *tangle) addForces() {
	n := len(g.m.Bodies)
	g.m.Forces = make([]model.ForceElement, 0, n/5+n/10)
	for k := range n / 5 {
		a, b := g.near(false)
		g.m.Forces = append(g.m.Forces, model.ForceElement{
			Name: g.name("e", k), Type: model.SpringDamper,
			A:         model.Attachment{Body: g.label(a), Point: g.vec(0.3)},
			B:         model.Attachment{Body: g.label(b), Point: g.vec(0.3)},
			Stiffness: g.between(5, 20), Damping: g.between(0, 1), RestLength: g.between(0.2, 1),
		})
	}
	for k := range n / 10 {
		g.m.Forces = append(g.m.Forces, model.ForceElement{
			Name: g.name("w", k), Type: model.Wrench,
			A:     model.Attachment{Body: g.label(g.rng.IntN(n)), Point: g.vec(0.3)},
			Force: g.vec(3), Torque: g.vec(0.5),
		})
	}
}
