package mechanics

import (
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// rowTol returns the largest residual of a row, relative to its terms, that a solver accepts.
func rowTol() float64 {
	_, _, tol := kkt.DropWeak.Settings()
	return tol
}

// newCompiler lays out the workspace of a plan for the system r and states of the form s. With wrenches, states have a wrench on each body.
func newCompiler(p *kkt.Plan, r *reduction, s *State, wrenches bool) *compiler {
	c := &compiler{mech: p.Mechanism(), plan: p.Dynamics(), reduced: r, state: s, loops: map[int32][]loop{}}
	c.Program = program.New(tape.Front(factor.WeakPivot*c.epsilon(), rowTol()*rowTol()))
	m := c.mech
	c.zero = c.Shared(make([]float64, 12)...)
	c.unit = c.Shared(1, 0, 0, 0, 1, 0, 0, 0, 1)
	c.input = c.Room(s.Length)
	for _, at := range s.Forces {
		c.force = append(c.force, c.varied(at))
	}
	c.rareForces = c.anyRareForce()
	c.sys = newSystem(c.Program, c.reduced)
	c.layOutRows()
	for _, g := range c.reduced.groups {
		c.sys.group[g.node] = true
	}
	for i := range m.Bodies {
		b := bodyPlace{state: c.input.At(Bodies + bodyPlaces*i), data: c.dataPlace(i), a: c.Room(6)}
		if h := c.reduced.of[i]; h != nil {
			c.placeTreeBody(&b, h)
		} else {
			node := c.reduced.node[i]
			b.axes, b.load, b.x = c.Room(places.ArmParent), c.sys.right[node], c.sys.x[node]
		}
		b.spin = b.axes.At(places.Spin)
		if wrenches || c.rareForces {
			b.wrench = c.Constant(make([]float64, 6)...)
		}
		c.bodies = append(c.bodies, b)
	}
	return c
}

// placeTreeBody lays out a body in a group.
func (c *compiler) placeTreeBody(b *bodyPlace, h *treeBody) {
	b.axes = c.Room(places.Frame)
	if h.group.ofHinges {
		h.pin = c.Constant(make([]float64, places.Pin)...) // behind the frame
	}
	b.load, b.x = c.Room(6), c.Room(6)
	h.N = c.Room(6 * (h.columns() + 1))
	if !h.group.ofHinges {
		h.correction = c.Room(12) // behind c
	}
	for range h.dof {
		h.free = append(h.free, c.Constant(make([]float64, 6)...))
	}
	if h.parent == nil {
		h.add = c.Room(6) // behind the last of these
	} else {
		h.add = c.Constant(make([]float64, 12)...).At(6)
	}
}

// anyRareForce reports whether there is a force for which there are no instructions, so that all forces are evaluated one state at a time.
func (c *compiler) anyRareForce() bool {
	m := c.mech
	if m.NumActuators()+m.NumResistors()+m.NumBushings()+m.NumCables()+m.NumContacts()+m.NumOwn() > 0 {
		return true
	}
	for i := range m.Forces {
		if m.Forces[i].Kind > model.Wrench || m.SpringLaw(i) != nil {
			return true
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		d := m.Drive(j)
		if hasNoLanes(jt) && c.isDriven(j) {
			return true
		}
		if d == nil {
			continue
		}
		for i := range jt.Kind.Freedoms() {
			if d.Law(i) != nil || d.Stiffness[i] != 0 && jt.Kind.Rotational(i) && !c.isSprungAngle(j, i) {
				return true
			}
		}
	}
	return false
}
