package motion

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// strain has the rows of G of a bushing or a cable. A bushing has six coordinates, a cable has one. With B the derivative of the
// coordinates by the motion of the bodies, and κ = p·K + s·D, the rows are R·B with RᵀR = κ. The stresses are multipliers, as the
// tensions of springs are (Newton.Correct).
type strain struct {
	element int     // number of the force element
	index   int     // number among the bushings or the cables
	cable   bool    // it is a cable, not a bushing
	bodies  []int32 // increasing
	rows    int     // 6 or 1
	first   int     // the first of its stresses
	node    int32   // node of the rows in the pattern of slacked.fac

	R     [36]float64 // rows×rows, of the last Linearize
	pivot [6]int8     // by row of R: the column of its pivot, which is zero in later rows
	g     []float64   // of a cable: its row, six numbers a body
}

// strainRows are the rows of bushings and cables.
type strainRows struct {
	*slacked
	list     []strain
	stresses int // number of all stresses
}

// newStrainRows allocates the strainRows of a system.
func newStrainRows(q *slacked) strainRows {
	list, stresses := strains(q.sys.Layout.Mech)
	return strainRows{q, list, stresses}
}

// strains lists the bushings and the cables, and counts their stresses.
func strains(m *mechanism.Mechanism) (list []strain, stresses int) {
	add := func(s strain) {
		s.first = stresses
		stresses += s.rows
		list = append(list, s)
	}
	for i := range m.NumBushings() {
		body, _, _, element := m.Bushing(i)
		s := strain{element: element, index: i, rows: 6}
		for _, b := range [2]int32{min(body[0], body[1]), max(body[0], body[1])} {
			if b >= 0 {
				s.bodies = append(s.bodies, b)
			}
		}
		add(s)
	}
	for i := range m.NumCables() {
		bodies, element := m.Cable(i)
		add(strain{element: element, index: i, cable: true, bodies: bodies, rows: 1, g: make([]float64, 6*len(bodies))})
	}
	return list, stresses
}

// slacks implements slackRows.
func (n *strainRows) slacks(list []sparse.Slack) []sparse.Slack {
	for i := range n.list {
		list = append(list, n.list[i].slack())
	}
	return list
}

// place implements slackRows.
func (n *strainRows) place(node int32) int32 {
	for i := range n.list {
		n.list[i].node = node + int32(i)
	}
	return node + int32(len(n.list))
}

// at implements slackRows.
func (n *strainRows) at(node int, err error) *mechanism.Error {
	return n.sys.Layout.Mech.AtForce(n.list[node].element, err)
}

// fill implements slackRows.
func (n *strainRows) fill(st *mechanism.State, position, velocity float64) error {
	for i := range n.list {
		if n.fac.Watched().Every(i) {
			return n.fac.Watched().Err()
		}
		fill := n.fillBushing
		if n.list[i].cable {
			fill = n.fillCable
		}
		if err := fill(&n.list[i], st, position, velocity); err != nil {
			return fault.Errorf("motion: %w", err)
		}
	}
	return nil
}

// slack returns the slack of the rows of s.
func (s *strain) slack() sparse.Slack {
	n := int8(s.rows)
	out := sparse.Slack{Nodes: [2]int32{s.bodies[0], -1}, Size: n, Rows: n}
	if len(s.bodies) > 1 {
		out.Nodes[1], out.More = s.bodies[1], s.bodies[2:]
	}
	return out
}

// block returns the entries of n.fac from the block of the rows of s and the body i of its bodies on. The block of the slack follows the
// blocks of the bodies.
func (n *strainRows) block(s *strain, i int) []float64 {
	p := n.fac.Matrix.Pattern
	return n.fac.Matrix.Val[p.Pos[p.Ptr[s.node]+int32(i)]:]
}

// fillCable stores the row √κ·B of a cable at st in n.fac, with κ = position·stiffness + velocity·damping. Its slack has −1.
func (n *strainRows) fillCable(s *strain, st *mechanism.State, position, velocity float64) error {
	m, k := n.sys.Layout.Mech, n.sys.Kin
	c, err := m.CableAt(s.index, k, st)
	if err != nil {
		return err
	}
	s.R[0] = max(math.Sqrt(position*c.Stiffness+velocity*c.Damping), rootLeast)
	m.CableGradientTo(s.g, s.index, k, st)
	for i, b := range s.bodies {
		n.fillEnd(n.block(s, i), (*spatial.Force)(s.g[6*i:]), &spatial.Vec3{}, b, s.R[0])
	}
	n.block(s, len(s.bodies))[0] = -1
	return nil
}

// fillBushing stores the rows R·B of a bushing at st in n.fac, with RᵀR = position·K + velocity·D. The slack of each row has −1.
func (n *strainRows) fillBushing(s *strain, st *mechanism.State, position, velocity float64) error {
	m := n.sys.Layout.Mech
	var b mechanism.BushingState
	if err := m.BushingAt(&b, s.index, n.sys.Kin, st); err != nil {
		return err
	}
	bodies, K, D, _ := m.Bushing(s.index)
	var A springs.Matrix
	for i := range A {
		A[i] = position*K[i] + velocity*D[i]
	}
	s.root(&A)
	slack := n.block(s, len(s.bodies))
	for r := range 6 {
		n.fillBushingRow(s, r, &b, bodies)
		row := slack[6*r : 6*r+6]
		clear(row)
		row[r] = -1
	}
	return nil
}

// fillBushingRow stores row r of R·B: the wrenches on both bodies of stresses as in row r of R. The world, −1, has no block.
func (n *strainRows) fillBushingRow(s *strain, r int, b *mechanism.BushingState, bodies [2]int32) {
	var w [2]spatial.Force
	b.WrenchTo(&w[0], &w[1], (*[6]float64)(s.R[6*r:]))
	for e, body := range bodies {
		if body < 0 {
			continue
		}
		block := n.block(s, slices.Index(s.bodies, body))
		n.fillEnd(block[6*r:], &w[e], &b.Arm[e], body, 1)
	}
}

// root stores in s.R rows with RᵀR = A for a positive semidefinite A, by Cholesky's method with complete pivoting on A scaled to a diagonal
// of ones. A pivot that is zero to rounding is replaced by rootLeast², so that R has an inverse.
func (s *strain) root(A *springs.Matrix) {
	var scale [6]float64
	var a springs.Matrix
	for i := range 6 {
		scale[i] = math.Sqrt(max(A[7*i], 0))
	}
	for i := range 6 {
		for j := range 6 {
			if x := scale[i] * scale[j]; x > 0 {
				a[6*i+j] = A[6*i+j] / x
			}
		}
	}
	s.R = [36]float64{}
	var done [6]bool
	for row := range 6 {
		p := -1
		for i := range 6 {
			if !done[i] && (p < 0 || a[7*i] > a[7*p]) {
				p = i
			}
		}
		s.pivot[row], done[p] = int8(p), true
		R := s.R[6*row : 6*row+6]
		if !(a[7*p] > rootDrop) {
			R[p] = rootLeast
			continue
		}
		root := math.Sqrt(a[7*p])
		var r [6]float64
		for i := range 6 {
			if !done[i] || i == p {
				r[i] = a[6*p+i] / root
				R[i] = r[i] * scale[i]
			}
		}
		for i, x := range r {
			for j, y := range r {
				a[6*i+j] -= x * y
			}
		}
		R[p] = max(R[p], rootLeast)
	}
}

// setStresses replaces the stresses of bushings and cables at st in the residual of the bodies by the given ones, as setTensions does.
func (n *strainRows) setStresses(stress []float64, st *mechanism.State) error {
	p := n.fac.Matrix.Pattern
	for i := range n.list {
		s := &n.list[i]
		set := n.setBushing
		if s.cable {
			set = n.setCable
		}
		if err := set(s, stress[s.first:], n.b[p.Off[s.node]:], st); err != nil {
			return err
		}
	}
	return nil
}

// setCable adds the tension of a cable at st less stress to the residual of the bodies, and stores this difference in the right side of the
// cable's row.
func (n *strainRows) setCable(s *strain, stress, row []float64, st *mechanism.State) error {
	m, k := n.sys.Layout.Mech, n.sys.Kin
	c, err := m.CableAt(s.index, k, st)
	if err != nil {
		return err
	}
	e := c.Tension - stress[0]
	row[0] = -e / s.R[0]
	m.CableGradientTo(s.g, s.index, k, st)
	for j, b := range s.bodies {
		n.addEnd((*spatial.Force)(s.g[6*j:]), &spatial.Vec3{}, b, e)
	}
	return nil
}

// setBushing is setCable for the six stresses of a bushing.
func (n *strainRows) setBushing(s *strain, stress, rows []float64, st *mechanism.State) error {
	m := n.sys.Layout.Mech
	var b mechanism.BushingState
	if err := m.BushingAt(&b, s.index, n.sys.Kin, st); err != nil {
		return err
	}
	var e [6]float64
	for r := range e {
		e[r] = b.Stress[r] - stress[r]
	}
	var w [2]spatial.Force
	b.WrenchTo(&w[0], &w[1], &e)
	body, _, _, _ := m.Bushing(s.index)
	for j := range 2 {
		if body[j] >= 0 {
			n.addEnd(&w[j], &b.Arm[j], body[j], 1)
		}
	}
	for r := range 6 { // rows = −R⁻ᵀ·e
		c := int(s.pivot[r])
		z := -e[c]
		for q := range r {
			z -= s.R[6*q+c] * rows[q]
		}
		rows[r] = z / s.R[6*r+c]
	}
	return nil
}

// stressesTo stores in d the changes of the stresses by the last solution.
func (n *strainRows) stressesTo(d []float64) {
	p := n.fac.Matrix.Pattern
	for i := range n.list {
		s := &n.list[i]
		y, out := n.y[p.Off[s.node]:], d[s.first:]
		if s.cable {
			out[0] = s.R[0] * y[0]
			continue
		}
		for c := range 6 {
			sum := 0.0
			for r := range 6 {
				sum += s.R[6*r+c] * y[r]
			}
			out[c] = sum
		}
	}
}
