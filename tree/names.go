package tree

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// DofName returns the name of an entry of q̇: the joint's name and the number of
// its freedom, as "elbow.0", or the body's name with the number of the freedom of
// its floating base, as "body cart.3".
//
// It panics if d is out of range.
func (p *Plan) DofName(d int) string {
	if d < 0 || d >= p.nv {
		panic("tree: freedom out of range")
	}
	l := p.linkOfDof(d)
	k := d - int(l.Dof)
	if l.Joint < 0 {
		return fmt.Sprintf("body %s.%d", p.mech.BodyName(int(l.Body)), k)
	}
	return fmt.Sprintf("%s.%d", p.mech.JointName(int(l.Joint)), k)
}

// Entry is an entry of q̇ in an error: its number, and its name (Plan.DofName).
type Entry struct {
	Dof  int
	Name string
}

// entry returns the Entry of entry d of q̇.
func (p *Plan) entry(d int) Entry { return Entry{d, p.DofName(d)} }

// listOf returns the names of entries as a list for a message.
func listOf(list []Entry) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return fault.List(names)
}
