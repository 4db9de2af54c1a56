package mechanism

// Hanging is a choice of bodies that hang on the ground: they are connected to it by a tree of joints with few freedoms, like a
// crank and its coupler (docs/theory.md, "Bodies that hang on the ground"). The bodies of one tree are a group.
type Hanging struct {
	Bodies []HungBody // bodies of a group are consecutive, parents first
	Groups []int32    // index in Bodies of the first body of each group, in the order of these bodies' numbers; then len(Bodies)
	Of     []int32    // for each body of the mechanism, its index in Bodies, −1 if it does not hang
}

// HungBody is a body that hangs, with its tree joint.
type HungBody struct {
	Body, Joint int32
	Parent      int32 // index in Bodies of the body on the other side of the joint, −1 for the ground
	Dof, From   int   // number of freedoms of the joint, and index of the first among the freedoms of the group; the last joints come first
	Reversed    bool  // the body is the predecessor of the joint
}

// HangingRules bound the groups of bodies that hang.
type HangingRules struct {
	Freedoms, Bodies int // largest numbers of freedoms and bodies of a group
	Loops            int // largest number of joints of a group besides its tree joints, after a body has been added to the first
	Others           int // largest number of joints of a body besides its tree joint; it does not hold for bodies on the ground

	// MayLead reports whether a joint may be the tree joint that leads to a body.
	MayLead func(j *Joint, body int32) bool
}

// Hang chooses the bodies that hang on the ground. These are all bodies with a joint to the ground that may lead to them (the first such
// joint counts), and then bodies further out, as long as the rules allow. A body that two joints connect to a group is not added to it.
//
// Cost: O(bodies + joints); allocates.
func (m *Mechanism) Hang(rules *HangingRules) *Hanging {
	of, root := make([]int32, len(m.Bodies)), make([]int32, len(m.Bodies))
	h := hanger{Hanging: &Hanging{Of: of}, rules: rules, mech: m, joints: m.Incidence(), root: root}
	for i := range h.root {
		h.Of[i], h.root[i] = -1, -1
		for _, j := range h.joints.Joints(int32(i)) {
			if jt := &m.Joints[j]; rules.MayLead(jt, int32(i)) && jt.Other(int32(i)) < 0 {
				h.root[i] = j
				break
			}
		}
	}
	for i, j := range h.root {
		if j >= 0 {
			h.grow(int32(i))
		}
	}
	h.Groups = append(h.Groups, int32(len(h.Bodies)))
	return h.Hanging
}

// Group returns the bodies of group i, parents first, and the number of their freedoms.
func (h *Hanging) Group(i int) (list []HungBody, dof int) {
	list = h.Bodies[h.Groups[i]:h.Groups[i+1]]
	// The freedoms of the first body are the last of the group.
	return list, list[0].From + list[0].Dof
}

// hanger grows the groups of a Hanging.
type hanger struct {
	*Hanging
	rules  *HangingRules
	mech   *Mechanism
	joints *Incidence
	root   []int32 // for each body, its first joint to the ground that may lead to it, −1 if there is none

	first      int // index in Bodies of the first body of the current group
	dof, loops int // number of its freedoms, and of its joints besides tree joints
}

// grow adds the group that begins with a body on the ground, and then bodies further out.
func (h *hanger) grow(body int32) {
	h.first, h.dof, h.loops = len(h.Bodies), 0, len(h.joints.Joints(body))-1
	h.Groups = append(h.Groups, int32(h.first))
	h.add(body, h.root[body], -1)
	for parent := h.first; parent < len(h.Bodies); parent++ {
		at := h.Bodies[parent].Body
		for _, j := range h.joints.Joints(at) {
			if next := h.mech.Joints[j].Other(at); next >= 0 && h.fits(next, j) {
				h.loops += len(h.joints.Joints(next)) - 2
				h.add(next, j, int32(parent))
			}
		}
	}
	from := h.dof
	for k := range h.Bodies[h.first:] {
		b := &h.Bodies[h.first+k]
		from -= b.Dof
		b.From = from
	}
}

// fits reports whether a body that joint j connects to the group may be added to it: the body is in no
// group and begins none of its own, the rules allow it, and no other joint connects it to the group.
func (h *hanger) fits(body, j int32) bool {
	jt, list := &h.mech.Joints[j], h.joints.Joints(body)
	switch {
	case h.Of[body] >= 0 || h.root[body] >= 0 || !h.rules.MayLead(jt, body),
		h.dof+jt.Kind.Dof() > h.rules.Freedoms,
		len(h.Bodies)-h.first == h.rules.Bodies,
		h.loops+len(list)-2 > h.rules.Loops,
		len(list)-1 > h.rules.Others:
		return false
	}
	for _, i := range list {
		if o := h.mech.Joints[i].Other(body); i != j && o >= 0 && int(h.Of[o]) >= h.first {
			return false
		}
	}
	return true
}

// add adds a body to the group; parent is the index of its parent in Bodies.
func (h *hanger) add(body, joint, parent int32) {
	jt := &h.mech.Joints[joint]
	h.Of[body] = int32(len(h.Bodies))
	h.Bodies = append(h.Bodies, HungBody{Body: body, Joint: joint, Parent: parent, Dof: jt.Kind.Dof(), Reversed: jt.Pred == body})
	h.dof += jt.Kind.Dof()
}
