package outline

import "github.com/rung-mbd/rung/model"

// Tree says which joint places each body, from the world on, and which joints close loops.
type Tree struct {
	Placed   []int       // by body: the joint that places it; −1: none, it floats
	Standing []*Standing // by joint: from the parent on if it places a body, else with its predecessor as the parent; nil for those that are no motions in a row
	In       []bool      // joints that place a body
	Roots    []int       // bodies that float and from which others hang
	Order    []int       // bodies, each behind the one from which it hangs
}

// Spread chooses a spanning tree: the joints that place bodies. The next joint is one of the
// lowest class among the joints of the bodies reached so far, and among these the one whose
// parent was reached first. A joint of a negative class never places a body.
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
			c = -1 // the lowest class again
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

// near returns the joints at each body, the world behind the bodies, and the class of each joint with the largest one.
// Joints of a class below 0 are left out.
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
