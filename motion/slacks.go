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
	// slacks appends the slacks, one for each node, to a list.
	slacks(list []sparse.Slack) []sparse.Slack
	// place sets the first of their nodes in the pattern of slacked.fac, and returns the first node after them.
	place(node int32) int32
	// at returns err as an error at the element of a node, counted from the first.
	at(node int, err error) *mechanism.Error
	// fill stores the rows at st in the matrix of slacked.fac, after slacked.sys was filled at st. position, s², and
	// velocity, s, are those of Newton.Linearize.
	fill(st *mechanism.State, position, velocity float64) error
}

// slacked is the system of a Newton: the equations of the mechanism, and the Newton matrix, which also has the rows with slacks.
type slacked struct {
	sys        *assemble.Weighted
	fac        *kkt.Factored // of W and G at the state of Linearize
	first, gap int           // number of scalar rows of the bodies, and of the slacks
	r          []float64     // as long as sys.Right: residual
	b, y       []float64     // as long as fac: right side and solution
}

// setScales sets the scales of the rows with which kkt.Factored compares pivots: for joints the scales of the assembled system, bounded
// from below as a row may vanish at a pose; for springs 1.
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

// solve stores in n.y the solution for the right side n.r, with the right sides that n.b has in the rows with slacks. It then clears these.
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

// rootLeast is the least √κ of a row, by which the row is divided. It is taken where the stiffness of a spring is zero or negative.
// Any value as small does.
const rootLeast = 1e-100

// rootDrop is the size of a pivot, relative to the largest entry of the diagonal, up to which it is rounding.
const rootDrop = 1e-13

// rootTo stores in G rows with GᵀG = A for a positive semidefinite A of order n, by Cholesky's method with complete pivoting. For another
// symmetric A it stops after the last positive pivot, and the rest of A is missing from GᵀG. It overwrites A.
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
