package lines

import "strings"

// withShared are the instructions that have a second form, Shared, and which operands are shared numbers there: constants of
// bodies, and points, axes and frames that are fixed in them. Eight of these numbers stand in a line of the caches, and not
// one of them.
var withShared = []struct{ names, operands string }{
	{"Body Mul3 MulVec PutOnPin Pull Angle", "C"},
	{"Weigh Unweigh Wrench Torque Twist Thrust Forces Moments", "D"},
	{"MotionOfJoint MotionOfBoth MotionOfParent Point Pin TurnedPin BackOnHinge BackOnUniversal BackOnSlider Tilt", "D"},
	{"Rate Euler EulerRoot EulerPin", "D"},
	{"Moved MovedRoot", "D"},
	{"Root RootHolds", "DE"},
	{"HingeBias", "BC"},
}

// onlyShared are the instructions whose operands are shared numbers always: limits, and what may not vary where gradients are taken.
var onlyShared = []struct{ name, operands string }{
	{"Verdict", "C"},
	{"Wanting", "C"},
	{"BackBody", "D"},
	{"BackEuler", "B"},
	{"BackFrames", "DE"},
}

// addShared appends the second forms.
func addShared(list []*Kernel) []*Kernel {
	all := list
	for _, x := range onlyShared {
		k := find(list, x.name)
		k.Shared = x.operands
		if k.Narrow != nil {
			panic("lines: a form for few registers of " + x.name)
		}
	}
	for _, x := range withShared {
		for _, name := range strings.Fields(x.names) {
			all = append(all, sharedForm(find(list, name), x.operands))
		}
	}
	return all
}

// find returns the kernel of a name.
func find(list []*Kernel, name string) *Kernel {
	for _, k := range list {
		if k.Name == name {
			return k
		}
	}
	panic("lines: no instruction " + name)
}

// SharedName ends the names of second forms.
const SharedName = "Shared"

// sharedForm returns a kernel with the same lines.
func sharedForm(k *Kernel, operands string) *Kernel {
	out := *k
	out.Name, out.Shared = k.Name+SharedName, operands
	out.Doc = "is " + k.Name + " with shared numbers at " + strings.Join(strings.Split(operands, ""), " and ") + "."
	if k.Narrow != nil {
		out.Narrow = sharedForm(k.Narrow, operands)
	}
	return &out
}

// IsShared reports whether a place is a shared number.
func (k *Kernel) IsShared(m Mem) bool { return m.Ptr == 'Z' || strings.IndexByte(k.Shared, m.Ptr) >= 0 }
