package motion

import (
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// own has the rows of G for a user's force on n bodies, theory.md (57), (58). With P and V the derivatives of the force by pose and
// velocity, the 6n rows are a factor of the symmetric, positive semidefinite part of p·K + s·D = −(p·P + s·V), in mass-weighted
// coordinates. The rest of this matrix is left out of the Newton matrix; the residual is exact.
type own struct {
	index  int       // number of the force among users' forces
	bodies []int32   // increasing
	at     []int     // by body here: its place among the force's bodies
	node   int32     // the first of n nodes of six rows each in the pattern of slacked.fac
	A, B   []float64 // 6n×6n: the matrix, and memory
}

// ownRows are the rows of users' forces that have derivatives.
type ownRows struct {
	*slacked
	list []own
}

// owns lists the users' forces that have derivatives.
func owns(m *mechanism.Mechanism) (list []own) {
	for i := range m.NumOwn() {
		bodies, derivatives := m.OwnBodies(i)
		if !derivatives {
			continue
		}
		o := own{index: i, bodies: slices.Sorted(slices.Values(bodies))}
		for _, b := range o.bodies {
			o.at = append(o.at, slices.Index(bodies, b))
		}
		n := 6 * len(bodies)
		o.A, o.B = make([]float64, n*n), make([]float64, n*n)
		list = append(list, o)
	}
	return list
}

// slacks implements slackRows.
func (n *ownRows) slacks(list []sparse.Slack) []sparse.Slack {
	for i := range n.list {
		f := &n.list[i]
		s := sparse.Slack{Nodes: [2]int32{f.bodies[0], -1}, Size: sparse.MaxBlock, Rows: sparse.MaxBlock}
		if len(f.bodies) > 1 {
			s.Nodes[1], s.More = f.bodies[1], f.bodies[2:]
		}
		for range f.bodies {
			list = append(list, s)
		}
	}
	return list
}

// place implements slackRows.
func (n *ownRows) place(node int32) int32 {
	for i := range n.list {
		n.list[i].node = node
		node += int32(len(n.list[i].bodies))
	}
	return node
}

// at implements slackRows.
func (n *ownRows) at(node int, err error) *mechanism.Error {
	m := n.sys.Layout.Mech
	for i := range n.list {
		o := &n.list[i]
		if node -= len(o.bodies); node < 0 {
			return m.AtForce(len(m.Forces)+o.index, err)
		}
	}
	panic("motion: node out of range")
}

// fill implements slackRows.
func (n *ownRows) fill(st *mechanism.State, position, velocity float64) error {
	for i := range n.list {
		if err := n.fillOwn(&n.list[i], st, position, velocity); err != nil {
			return fault.Errorf("motion: %w", err)
		}
	}
	return nil
}

// fillOwn stores the rows of o at st in n.fac.
func (n *ownRows) fillOwn(o *own, st *mechanism.State, position, velocity float64) error {
	P, V, err := n.sys.Layout.Mech.OwnDerivatives(o.index, n.sys.Kin, st)
	if err != nil {
		return err
	}
	wide := 6 * len(o.bodies)
	for r := range wide {
		for c := range wide {
			k := (6*o.at[r/6]+r%6)*wide + 6*o.at[c/6] + c%6
			o.A[r*wide+c] = -(position*P[k] + velocity*V[k])
		}
	}
	n.weigh(o) // twice, so that C acts on both sides
	n.weigh(o)
	for r := range wide {
		for c := range r {
			x := (o.A[r*wide+c] + o.A[c*wide+r]) / 2
			o.A[r*wide+c], o.A[c*wide+r] = x, x
		}
	}
	rootTo(o.B, o.A, wide)
	p := n.fac.Matrix.Pattern
	for k := range o.bodies {
		at := p.Ptr[o.node+int32(k)]
		blocks := n.fac.Matrix.Val[p.Pos[at]:]
		for r := range 6 {
			for c := range wide {
				blocks[36*(c/6)+6*r+c%6] = o.B[(6*k+r)*wide+c]
			}
			for c := range 6 {
				blocks[6*wide+6*r+c] = 0
			}
			blocks[6*wide+7*r] = -1
		}
	}
	return nil
}

// weigh replaces o.A by the transpose of o.A·C⁻ᵀ, with C from assemble.Weighted.
func (n *ownRows) weigh(o *own) {
	wide := 6 * len(o.bodies)
	var v [6]float64
	var none spatial.Vec3
	for r := range wide {
		for k, b := range o.bodies {
			w := spatial.Force(o.A[r*wide+6*k:])
			n.fillEnd(v[:], &w, &none, b, 1)
			for c, x := range v {
				o.B[(6*k+c)*wide+r] = x
			}
		}
	}
	copy(o.A, o.B)
}
