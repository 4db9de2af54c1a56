package lines

import "strings"

// withShared lists the instructions with a second form, Shared, and the operands that are shared numbers in it: constants of
// bodies, and points, axes and frames that are fixed in bodies. A cache line has eight shared numbers, but only one vector.
var withShared = []struct{ names, operands string }{
	{"Body Mul3 MulVec PutOnPin Pull Angle", "C"},
	{"Weigh Unweigh Wrench Torque Twist Thrust Forces Moments", "D"},
	{"MotionOfJoint MotionOfBoth MotionOfParent Point Pin TurnedPin BackOnHinge BackOnUniversal BackOnSlider Tilt", "D"},
	{"Rate Euler EulerRoot EulerPin", "D"},
	{"Moved MovedRoot", "D"},
	{"Root RootHolds", "DE"},
	{"HingeBias", "BC"},
}

// onlyShared lists the instructions with operands that are always shared numbers: limits, and constants that are the same in all lanes
// whenever gradients are computed.
var onlyShared = []struct{ name, operands string }{
	{"Verdict", "C"},
	{"Wanting", "C"},
	{"BackBody", "D"},
	{"BackEuler", "B"},
	{"BackFrames", "DE"},
}

// addShared returns the list with the second forms appended, and sets the operands of onlyShared.
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

// find returns the kernel with this name.
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

// sharedForm returns the second form of a kernel: the same lines with other shared operands.
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
