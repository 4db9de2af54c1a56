package outline

import "github.com/rung-mbd/rung/model"

// Tree is a spanning tree of the bodies with the world as its root. Joints outside it close loops.
type Tree struct {
	Placed []int // by body: the joint to its parent; −1: the body floats
	// Standing has each joint, in the direction of the tree; for a joint outside the tree the parent is its predecessor, unless the
	// successor is the world. nil: the joint is not a row of motions.
	Standing []*Standing
	In       []bool // by joint: it is in the tree
	Roots    []int  // bodies that float, the roots of further trees
	Order    []int  // bodies, each after its parent
}

// Spread chooses a spanning tree. The next joint is always one of the
// lowest class among the joints of the bodies reached so far, and among these the one whose
// parent was reached first. A joint of a negative class is never in the tree.
//
// Cost: O(bodies + joints).
func (d *Draft) Spread(class func(i int) int) *Tree {
	m := d.Model
	nb := len(m.Bodies)
	t := &Tree{Placed: make([]int, nb), Standing: make([]*Standing, len(m.Joints)), In: make([]bool, len(m.Joints))}
	near, classes, most := d.near(class)
	for i := range t.Placed {
		t.Placed[i] = -1
	}
	type step struct{ joint, from int }
	queues := make([][]step, most+1) // by class
	seen := make([]bool, nb+1)
	reach := func(b int) {
		seen[b] = true
		if b < nb {
			t.Order = append(t.Order, b)
		}
		for _, i := range near[b] {
			queues[classes[i]] = append(queues[classes[i]], step{i, b})
		}
	}
	grow := func() {
		for c := 0; c <= most; c++ {
			if len(queues[c]) == 0 {
				continue
			}
			s := queues[c][0]
			queues[c] = queues[c][1:]
			j := &m.Joints[s.joint]
			to := d.Number(j.Successor)
			back := to == s.from
			if back {
				to = d.Number(j.Predecessor)
			}
			if !seen[to] {
				if stand, ok := d.Stand(s.joint, back); ok {
					t.Placed[to], t.Standing[s.joint], t.In[s.joint] = s.joint, stand, true
					reach(to)
				}
			}
			c = -1 // start again with the lowest class
		}
	}
	reach(nb)
	grow()
	for b := range m.Bodies {
		if !seen[b] {
			t.Roots = append(t.Roots, b)
			reach(b)
			grow()
		}
	}
	for i := range m.Joints {
		if !t.In[i] {
			t.Standing[i], _ = d.Stand(i, m.Joints[i].Successor == model.World)
		}
	}
	return t
}

// near returns the joints at each body, with the world after the bodies, the class of each joint, and the largest class.
// Joints of a negative class are left out of near.
func (d *Draft) near(class func(i int) int) (near [][]int, classes []int, most int) {
	m := d.Model
	near, classes = make([][]int, len(m.Bodies)+1), make([]int, len(m.Joints))
	for i := range m.Joints {
		j := &m.Joints[i]
		if classes[i] = class(i); classes[i] < 0 {
			continue
		}
		most = max(most, classes[i])
		p, s := d.Number(j.Predecessor), d.Number(j.Successor)
		near[p], near[s] = append(near[p], i), append(near[s], i)
	}
	return near, classes, most
}
