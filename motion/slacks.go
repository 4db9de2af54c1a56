package motion

import (
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// slackRows are the rows of G of one kind of element, theory.md (57). Each of their nodes has a slack of the same size.
type slackRows interface {
	// slacks appends the slacks to a list, one a node.
	slacks(list []sparse.Slack) []sparse.Slack
	// place says which node of the pattern of slacked.fac is the first, and returns the first behind these.
	place(node int32) int32
	// at returns err as an error at the element of a node, counted from the first.
	at(node int, err error) *mechanism.Error
	// fill stores the rows at st in the matrix of slacked.fac, after slacked.sys was filled at st.
	fill(st *mechanism.State, position, velocity float64) error
}

// slacked is the system of a Newton: the equations of the mechanism, and the matrix that has rows with slacks besides.
type slacked struct {
	sys        *assemble.Weighted
	fac        *kkt.Factored // of W and G at the state of Linearize
	first, gap int           // scalar rows of the bodies; of the slacks
	r          []float64     // as sys.Right: residual
	b, y       []float64     // as fac: right side and solution
}

// setScales takes the scales of the joints' rows from the assembled system, as a row may vanish
// at a pose. The scales of springs are 1.
func (n *slacked) setScales() {
	p := n.sys.Layout.Pattern
	scale := n.fac.Scale[n.first+n.gap:]
	for i := copy(scale, n.sys.Scale[n.first:]); i < len(scale); i++ {
		scale[i] = 1
	}
	for node := p.Positive(); node < p.Len(); node++ {
		kkt.FloorScales(scale[int(p.Off[node])-n.first:int(p.Off[node+1])-n.first], nil)
	}
}

// solve solves for n.r, and what n.b has in the rows of springs, into n.y. It clears
// these rows.
func (n *slacked) solve() {
	clear(n.b[n.first : n.first+n.gap])
	copy(n.b, n.r[:n.first])
	copy(n.b[n.first+n.gap:], n.r[n.first:])
	n.fac.SolveTo(n.y, n.b)
	clear(n.b[len(n.b)-n.gap:])
}

// addHeld adds to the residual n.r, for accelerations u, the torques of the held inertia of rods and point masses
// (mechanism.Singular, theory.md (H1)). The Newton matrix has this inertia, but the bodies do not.
func (n *slacked) addHeld(u []float64) {
	m := n.sys.Layout.Mech
	for i := range m.Singular() {
		s := &m.Singular()[i]
		E := &n.sys.Kin.Bodies[s.Body].E
		alpha := E.TMulVec(spatial.Vec3(u[6*s.Body : 6*s.Body+3]))
		var t spatial.Vec3
		for _, a := range s.Axes {
			t = t.Add(a.Scale(s.Hold * a.Dot(alpha)))
		}
		w := spatial.NewForce(E.MulVec(t), spatial.Vec3{})
		n.sys.AddWrenchTo(n.r[6*s.Body:][:6], int(s.Body), 1, &w)
	}
}

// fillEnd stores sign·wᵀ·X·C⁻ᵀ of one body (assemble.Weighted).
func (n *slacked) fillEnd(v []float64, w *spatial.Force, arm *spatial.Vec3, body int32, sign float64) {
	E, c := &n.sys.Kin.Bodies[body].E, n.sys.Layout.Mech.Bodies[body].Weight()
	f := w.Linear()
	moment := E.TMulVec(w.Moment().Add(arm.Cross(f)))
	c.Inertia.MulVecTo(&moment, &moment)
	f = E.TMulVec(f)
	for i := range 3 {
		v[i], v[3+i] = sign*moment[i], sign*c.Mass*f[i]
	}
}

// addEnd adds sign·wᵀ·X·C⁻ᵀ of one body to the residual.
func (n *slacked) addEnd(w *spatial.Force, arm *spatial.Vec3, body int32, sign float64) {
	var v [6]float64
	n.fillEnd(v[:], w, arm, body, sign)
	r := n.r[6*body:]
	for i, x := range v {
		r[i] += x
	}
}

// rootLeast is the least √κ of a row, for springs whose stiffness has gone or is negative: the row is divided by it. Any value as small does.
const rootLeast = 1e-100

// rootDrop is the pivot, relative to the largest entry of the diagonal, that is rounding.
const rootDrop = 1e-13

// rootTo stores in G rows with GᵀG = A for a positive semidefinite A of order n, by Cholesky's method with
// complete pivoting. Of another symmetric A it leaves out what comes after the last positive pivot. A is used up.
func rootTo(G, A []float64, n int) {
	clear(G[:n*n])
	least := 0.0
	for i := range n {
		least = max(least, rootDrop*math.Abs(A[i*n+i]))
	}
	for row := range n {
		i := 0
		for k := range n {
			if A[k*n+k] > A[i*n+i] {
				i = k
			}
		}
		if !(A[i*n+i] > least) {
			return
		}
		g := G[row*n:][:n]
		root := math.Sqrt(A[i*n+i])
		for k := range g {
			g[k] = A[i*n+k] / root
		}
		for r, x := range g {
			for c, y := range g {
				A[r*n+c] -= x * y
			}
		}
	}
}
