package dist

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Piece is the part of a mechanism on one rank. Its model has first the rank's own bodies, then the halo: the bodies of
// other ranks that share a joint or a force element with an own body. It has all joints and force elements of its own
// bodies.
type Piece struct {
	Model *model.Model
	Own   int     // bodies of its own, the first ones
	Rank  []int32 // by body of the halo: the rank whose own it is
	Body  []int64 // by body: its number in the whole, the same on all ranks
	Joint []int64 // by joint: its number in the whole, the same on all ranks
}

// check returns an error if p is not a piece of rank r of n.
func (p *Piece) check(r, n int) error {
	nb := len(p.Model.Bodies)
	if p.Own < 0 || p.Own > nb || len(p.Rank) != nb-p.Own || len(p.Body) != nb || len(p.Joint) != len(p.Model.Joints) {
		return fmt.Errorf("dist: a piece of %d bodies, %d of its own, and %d joints has %d ranks, %d numbers of bodies and %d of joints",
			nb, p.Own, len(p.Model.Joints), len(p.Rank), len(p.Body), len(p.Joint))
	}
	for i, q := range p.Rank {
		if q < 0 || int(q) >= n || int(q) == r {
			return fmt.Errorf("dist: body %s of the halo of rank %d is of rank %d", fault.Name(p.Model.Bodies[p.Own+i].Name), r, q)
		}
	}
	return nil
}

// Partition returns one of n ranks for each body of m, with about the same work for each rank, and few rows of joints between
// ranks (order.Partition). The bodies of a coupling, and the bodies of a joint with armature, stay together.
//
// Cost: near-linear in bodies and joints for each doubling of n. It panics if n is not positive.
func Partition(m *mechanism.Mechanism, n int) []int32 {
	together := sets.New(m.NumBodies())
	some := false // bodies have been joined
	join := func(a, b int32) {
		if a >= 0 && b >= 0 {
			some = true
			together.Union(a, b)
		}
	}
	for i := range m.Couplings {
		list := m.Couplings[i].Bodies
		for k := 1; k < len(list); k++ {
			join(list[0], list[k])
		}
	}
	for _, j := range m.Geared() {
		join(m.Joints[j].Pred, m.Joints[j].Succ)
	}
	var group []int32
	if some {
		group = make([]int32, m.NumBodies())
		for i := range group {
			group[i] = together.Find(int32(i))
		}
	}
	return order.Partition(assemble.NewLayout(m).Pattern, n, group)
}

// Cut returns the piece of m for one rank; part has the rank of each body. Frames, visuals and the source of m, which are not
// used in computations, are left out.
//
// Cost: O(model). It returns an error with the name if a coupling is cut, or if a joint, coupling or force element refers to a body or
// joint that does not exist; it suggests a near name then. It also returns an error if part does not have a rank for each body.
func Cut(m *model.Model, part []int32, rank int) (*Piece, error) {
	if len(part) != len(m.Bodies) {
		return nil, fmt.Errorf("dist: %d parts of %d bodies", len(part), len(m.Bodies))
	}
	c := &cutter{m: m, part: part, rank: int32(rank), body: make(map[string]int, len(m.Bodies)), joint: make(map[string]int, len(m.Joints)), halo: make([]bool, len(m.Bodies))}
	for i := range m.Bodies {
		c.body[m.Bodies[i].Name] = i
	}
	for j := range m.Joints {
		c.joint[m.Joints[j].Name] = j
	}
	return c.cut()
}

// cutter is the state of Cut.
type cutter struct {
	m     *model.Model
	part  []int32        // by body: its rank
	rank  int32          // of the piece
	body  map[string]int // by name: number
	joint map[string]int // by name: number
	halo  []bool         // by body: it is in the halo of the piece
	list  []int          // bodies of the element at hand
}

// touches collects in c.list the bodies that an element names, and reports whether one of them is the rank's own. If so, it adds the others
// to the halo. It returns an error for a body that does not exist. kind and of are the kind and the name of the element.
func (c *cutter) touches(kind, of string, names ...string) (bool, error) {
	c.list = c.list[:0]
	mine := false
	for _, name := range names {
		if name == model.World {
			continue
		}
		i, ok := c.body[name]
		if !ok {
			return false, c.noBody(kind, of, name)
		}
		c.list = append(c.list, i)
		mine = mine || c.part[i] == c.rank
	}
	if mine {
		for _, i := range c.list {
			c.halo[i] = c.halo[i] || c.part[i] != c.rank
		}
	}
	return mine, nil
}

// noBody returns the error that there is no body with this name, which an element has. The world may be meant, too.
func (c *cutter) noBody(kind, of, name string) error {
	n := len(c.m.Bodies)
	meant := fault.MeantOf(name, n+1, func(i int) string {
		if i == n {
			return model.World
		}
		return c.m.Bodies[i].Name
	})
	return fmt.Errorf("dist: %s %s: there is no body %s%s", kind, fault.Name(of), fault.Name(name), meant)
}

// jointOf returns the bodies of the joint with this name, which an element has, or an error if there is none.
func (c *cutter) jointOf(kind, of, name string) (bodies [2]string, err error) {
	j, ok := c.joint[name]
	if !ok {
		meant := fault.MeantOf(name, len(c.m.Joints), func(i int) string { return c.m.Joints[i].Name })
		return bodies, fmt.Errorf("dist: %s %s: there is no joint %s%s", kind, fault.Name(of), fault.Name(name), meant)
	}
	return [2]string{c.m.Joints[j].Predecessor, c.m.Joints[j].Successor}, nil
}

// cut returns the piece: the joints, couplings and force elements that touch bodies of the rank, these bodies, and the halo.
func (c *cutter) cut() (*Piece, error) {
	m := c.m
	p := &Piece{Model: &model.Model{Name: m.Name, Gravity: m.Gravity, Time: m.Time, Terrains: m.Terrains}}
	for j := range m.Joints {
		jt := &m.Joints[j]
		mine, err := c.touches("joint", jt.Name, jt.Predecessor, jt.Successor)
		if err != nil {
			return nil, err
		}
		if mine {
			p.Model.Joints = append(p.Model.Joints, *jt)
			p.Joint = append(p.Joint, int64(j))
		}
	}
	if err := c.couplings(p.Model); err != nil {
		return nil, err
	}
	for i := range m.Forces {
		names, err := c.bodiesOf(&m.Forces[i])
		if err != nil {
			return nil, err
		}
		mine, err := c.touches(ofForces, m.Forces[i].Name, names...)
		if err != nil {
			return nil, err
		}
		if mine {
			p.Model.Forces = append(p.Model.Forces, m.Forces[i])
		}
	}
	take := func(i int) {
		p.Model.Bodies = append(p.Model.Bodies, m.Bodies[i])
		p.Body = append(p.Body, int64(i))
	}
	for i, q := range c.part {
		if q == c.rank {
			take(i)
		}
	}
	p.Own = len(p.Body)
	for i, is := range c.halo {
		if is {
			take(i)
			p.Rank = append(p.Rank, c.part[i])
		}
	}
	return p, nil
}

// couplings appends the couplings that touch bodies of the rank. It returns an error for a coupling that is cut.
func (c *cutter) couplings(to *model.Model) error {
	for i := range c.m.Couplings {
		k := &c.m.Couplings[i]
		var names []string
		add := func(joint string) error {
			bodies, err := c.jointOf("coupling", k.Name, joint)
			names = append(names, bodies[:]...)
			return err
		}
		for t := range k.Terms {
			if err := add(k.Terms[t].Joint); err != nil {
				return err
			}
		}
		for _, of := range k.Of() {
			if err := add(of.Joint); err != nil {
				return err
			}
		}
		mine, err := c.touches("coupling", k.Name, names...)
		if err != nil {
			return err
		}
		if !mine {
			continue
		}
		if slices.ContainsFunc(c.list, func(b int) bool { return c.part[b] != c.rank }) {
			return fmt.Errorf("dist: coupling %s is cut: its bodies have to be of one rank", fault.Name(k.Name))
		}
		to.Couplings = append(to.Couplings, *k)
	}
	return nil
}

// ofForces is the kind of force elements in errors.
const ofForces = "force element"

// bodiesOf returns the names of the bodies on which a force element depends.
func (c *cutter) bodiesOf(f *model.ForceElement) ([]string, error) {
	switch {
	case f.Actuator != nil:
		bodies, err := c.jointOf(ofForces, f.Name, f.Actuator.Joint)
		if err != nil {
			return nil, err
		}
		return bodies[:], nil
	case f.Cable != nil:
		var names []string
		for i := range f.Cable.Points {
			names = append(names, f.Cable.Points[i].Body)
		}
		return names, nil
	case f.Type == model.Wrench || f.Type == model.ContactForce:
		return []string{f.A.Body}, nil
	}
	return []string{f.A.Body, f.B.Body}, nil
}
