package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/spatial"
)

// A sum Z = aM·M + aC·C + aK·K has blocks between bodies, which the block factorization does
// not take, and need not be positive definite. It is split into, statics-and-modes.md (S5),
//
//	Z + Zᵀ = 2·(D + Σ κ·b·bᵀ),   κ > 0,
//
// with D of blocks of single bodies, and each b reaching over two bodies. A spring is such a
// term as it stands. A negative term is −|κ|·b·bᵀ with b = (p, q), and equal to
//
//	|κ|·(αp, −q/α)·(αp, −q/α)ᵀ − |κ|·(1+α²)·p·pᵀ − |κ|·(1+1/α²)·q·qᵀ.
//
// Its coupling is turned round, and the two other terms go to D. A negative term over more bodies
// is a sum over their pairs. The geometric stiffness of other joints is first brought to the
// directions that the joint allows, as it counts only there. There it is brought to its principal
// axes.
//
// D is then made positive definite by as much of M as that takes.

// term is κ·b·bᵀ.
type term struct {
	body [2]int32
	b    [12]float64
	k    float64
	full float64 // |κ| of a braced term
	far  *reach  // of a term over more than two bodies, in place of body and b; else nil
}

// split is Z in two parts, without aM·M.
type split struct {
	aC, aK float64
	braced bool // negative terms have been left out
	block  [][36]float64
	terms  []term
}

// splitOf computes the parts of aC·C + aK·K, docs/statics-and-modes.md (S5).
//
// Cost: O(bodies + rows), and an eigenvalue problem of order 12 for each pair;
// allocates. It returns ErrNotFinite with the name of the joint of a pair.
func (s *System) splitOf(aC, aK float64) (*split, error) { return s.splitTerms(aC, aK, false) }

// splitTerms is splitOf, or leaves negative terms over two bodies out.
func (s *System) splitTerms(aC, aK float64, braced bool) (*split, error) {
	z := &split{aC: aC, aK: aK, braced: braced, block: make([][36]float64, len(s.stiff))}
	for i := range z.block {
		if s.every(i) {
			return nil, s.orCause(nil)
		}
		for r := range 6 {
			for c := range 6 {
				a, b := 6*r+c, 6*c+r
				z.block[i][a] = (aK*(s.stiff[i][a]+s.stiff[i][b]) + aC*(s.damp[i][a]+s.damp[i][b])) / 2
			}
		}
	}
	for i := range s.rows {
		if s.every(i) {
			return nil, s.orCause(nil)
		}
		r := &s.rows[i]
		s.addTerm(z, &term{body: r.body, b: r.v, k: aK*r.k + aC*r.d, far: r.far})
	}
	for i := range s.pairs {
		if s.over() { // an eigenvalue problem each
			return nil, s.orCause(nil)
		}
		z.terms = roomFor(z.terms, i, len(s.pairs))
		p, scale := &s.pairs[i], aK
		if p.C != nil {
			p, scale = p.mixed(aC, aK), 1
		}
		if scale == 0 {
			continue
		}
		if err := s.addPair(z, p, scale); err != nil {
			return nil, s.pairError(p, err)
		}
	}
	return z, nil
}

// mixed returns a pair with aC·C + aK·K in place of K.
func (p *pair) mixed(aC, aK float64) *pair {
	out := pair{body: p.body, joint: p.joint}
	for i := range out.K {
		out.K[i] = aC*p.C[i] + aK*p.K[i]
	}
	return &out
}

// pairError adds the name of the joint of p, or a body of its force, to err.
func (s *System) pairError(p *pair, err error) error {
	if p.joint < 0 {
		return s.bodyError(int(p.body[0]), err)
	}
	return s.jointError(int(p.joint), err)
}

// timesTo stores Z·x in dst, which is not x, but for aM·M.
//
// Cost: O(bodies + terms), no allocation.
func (z *split) timesTo(dst, x []float64) {
	for i := range z.block {
		u, out := (*[6]float64)(x[6*i:]), (*[6]float64)(dst[6*i:])
		for a := range 6 {
			q := (*[6]float64)(z.block[i][6*a:])
			out[a] = q[0]*u[0] + q[1]*u[1] + q[2]*u[2] + q[3]*u[3] + q[4]*u[4] + q[5]*u[5]
		}
	}
	var u [12]float64
	for i := range z.terms {
		t := &z.terms[i]
		if t.far != nil {
			t.far.addTo(dst, t.k*t.far.along(t.far.v, x))
			continue
		}
		gather(&u, x, &t.body)
		scatter(dst, &t.b, t.k*dot12(&t.b, &u), &t.body)
	}
}

// addTerm adds κ·b·bᵀ with κ of any sign.
func (s *System) addTerm(z *split, t *term) {
	switch {
	case t.k == 0:
	case t.far == nil && (t.body[0] < 0 || t.body[1] < 0):
		for e, b := range t.body {
			if b >= 0 {
				addOuter(&z.block[b], t.k, t.b[6*e:6*e+6])
			}
		}
	case t.k > 0 || z.braced:
		// The pattern does not depend on signs.
		kept := *t
		kept.k, kept.full = max(t.k, -braceSlack*t.k), math.Abs(t.k)
		z.terms = append(z.terms, kept)
	case t.far != nil:
		s.addFarTurned(z, t)
	default:
		s.addTurned(z, t, 1)
	}
}

// addFarTurned adds a negative term over more than two bodies, pair by pair of these.
func (s *System) addFarTurned(z *split, t *term) {
	list, v := t.far.bodies, t.far.v
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			pair := term{body: [2]int32{list[i], list[j]}, k: t.k}
			copy(pair.b[:6], v[6*i:])
			copy(pair.b[6:], v[6*j:6*j+6])
			s.addTurned(z, &pair, 1/float64(len(list)-1))
		}
	}
}

// addTurned adds the coupling of a negative term over two bodies, turned round, and share times the parts of the term within either body.
func (s *System) addTurned(z *split, t *term, share float64) {
	// α² that makes both leftovers the same in the metric of the inertias.
	p := s.inverseNorm(t.body[0], t.b[:6])
	q := s.inverseNorm(t.body[1], t.b[6:])
	if p == 0 || q == 0 {
		addOuter(&z.block[t.body[0]], t.k*share, t.b[:6])
		addOuter(&z.block[t.body[1]], t.k*share, t.b[6:])
		return
	}
	alpha2 := q / p
	alpha := math.Sqrt(alpha2)
	addOuter(&z.block[t.body[0]], t.k*(share+alpha2), t.b[:6])
	addOuter(&z.block[t.body[1]], t.k*(share+1/alpha2), t.b[6:])
	turned := term{body: t.body, k: -t.k}
	for i := range 6 {
		turned.b[i], turned.b[6+i] = alpha*t.b[i], -t.b[6+i]/alpha
	}
	z.terms = append(z.terms, turned)
}

// addOuter adds k·v·vᵀ to a block.
func addOuter(block *[36]float64, k float64, v []float64) {
	for r := range 6 {
		for c := range 6 {
			block[6*r+c] += k * v[r] * v[c]
		}
	}
}

// inverseNorm returns bᵀ·M⁻¹·b for the six entries of one body.
func (s *System) inverseNorm(body int32, b []float64) float64 {
	var inv spatial.Sym3
	B := &s.mech.Bodies[body]
	B.InvWorldInertiaTo(&inv, &s.y.Kin.Bodies[body].E)
	m, f := spatial.Vec3(b[:3]), spatial.Vec3(b[3:6])
	return m.Dot(inv.MulVec(m)) + f.Dot(f)/B.Mass
}

// pairDrop is the eigenvalue of a pair, relative to the largest, that is rounding.
const pairDrop = 1e-13

// addPair adds aK times the symmetric part of a pair on the directions that its
// joint allows: in coordinates in which M is the unit matrix, with N an orthonormal
// basis of the null space of the joint's rows, the term N·(NᵀKN)·Nᵀ.
func (s *System) addPair(z *split, p *pair, aK float64) error {
	C := s.pairRoot(p)
	N, err := s.pairFree(p, C)
	if N == nil || err != nil {
		return err
	}
	_, f := N.Dims()
	var K, A mat.Dense
	K.CloneFrom(mat.NewDense(12, 12, append([]float64(nil), p.K[:]...)))
	var CN mat.Dense // displacements of the basis
	CN.Mul(C, N)
	A.Product(CN.T(), &K, &CN)
	sym := mat.NewSymDense(f, nil)
	for i := range f {
		for k := i; k < f; k++ {
			sym.SetSym(i, k, (A.At(i, k)+A.At(k, i))/2)
		}
	}
	var eig mat.EigenSym
	if err := full.Symmetric(&eig, sym); err != nil {
		return err
	}
	var U, Ci, B mat.Dense
	eig.VectorsTo(&U)
	if err := full.Inverse(&Ci, C); err != nil {
		return err
	}
	// z = C⁻¹·x, so that uᵀ·Nᵀ·z is the row uᵀ·Nᵀ·C⁻¹.
	B.Product(U.T(), N.T(), &Ci)
	values := eig.Values(nil)
	most := algebra.MaxAbs(values)
	for i, k := range values {
		if math.Abs(k) <= pairDrop*most {
			continue
		}
		t := term{body: p.body, k: aK * k}
		copy(t.b[:], B.RawRowView(i))
		for e, b := range p.body {
			if b < 0 {
				clear(t.b[6*e : 6*e+6])
			}
		}
		s.addTerm(z, &t)
	}
	return nil
}

// pairRoot returns C with x = C·z such that xᵀMx = zᵀz; the world counts as a unit.
func (s *System) pairRoot(p *pair) *mat.Dense {
	C := mat.NewDense(12, 12, nil)
	for e, b := range p.body {
		for i := range 6 {
			C.Set(6*e+i, 6*e+i, 1)
		}
		if b < 0 {
			continue
		}
		w := s.mech.Bodies[b].Weight()
		E := &s.y.Kin.Bodies[b].E
		for c := range 3 {
			var unit spatial.Vec3
			unit[c] = 1
			w.Inertia.TMulVecTo(&unit, &unit)
			v := E.MulVec(unit)
			for r := range 3 {
				C.Set(6*e+r, 6*e+c, v[r])
			}
			C.Set(6*e+3+c, 6*e+3+c, w.Mass)
		}
	}
	return C
}

// freeTol is the singular value of a joint's scaled rows that counts as zero.
const freeTol = 1e-9

// pairFree returns an orthonormal basis of the null space of the joint's rows times
// C, the displacement of the world left out; nil if there is none.
func (s *System) pairFree(p *pair, C *mat.Dense) (*mat.Dense, error) {
	layout := s.plan.Layout()
	node, fixed := -1, 0
	if p.joint >= 0 {
		node = layout.JointNode(int(p.joint))
	}
	for _, b := range p.body {
		if b < 0 {
			fixed = 6
		}
	}
	rows := fixed
	if node >= 0 {
		rows += int(layout.Pattern.Size[node])
	}
	if rows == 0 {
		return identity(12), nil
	}
	J := mat.NewDense(rows, 12, nil)
	at := 0
	for e, b := range p.body {
		if b < 0 {
			for i := range 6 {
				J.Set(i, 6*e+i, 1)
			}
			at = 6
		}
	}
	if node >= 0 {
		P := layout.Pattern
		for k := P.Ptr[node]; k < P.Ptr[node+1]; k++ {
			for e, b := range p.body {
				if b != P.Ind[k] {
					continue
				}
				for r := range int(P.Size[node]) {
					for c := range 6 {
						J.Set(at+r, 6*e+c, s.y.Matrix.Val[int(P.Pos[k])+6*r+c])
					}
				}
			}
		}
	}
	var W mat.Dense
	W.Mul(J, C)
	return nullSpace(&W)
}

func identity(n int) *mat.Dense {
	I := mat.NewDense(n, n, nil)
	for i := range n {
		I.Set(i, i, 1)
	}
	return I
}

// nullSpace returns an orthonormal basis of the null space of A, whose rows are
// scaled to unit length first; nil if there is none. Rows of zeros are no
// constraints. It returns ErrNotFinite where A is not finite.
func nullSpace(A *mat.Dense) (*mat.Dense, error) {
	rows, n := A.Dims()
	W := mat.NewDense(rows, n, nil)
	for i := range rows {
		v := A.RawRowView(i)
		if norm := floats.Norm(v, 2); norm != 0 { // what is not finite makes NaN, which Singular refuses
			for k, x := range v {
				W.Set(i, k, x/norm)
			}
		}
	}
	return nullOf(W, freeTol)
}

// nullOf returns an orthonormal basis of the vectors that A makes no longer than cut; nil if there are none.
func nullOf(A *mat.Dense, cut float64) (*mat.Dense, error) {
	_, n := A.Dims()
	var svd mat.SVD
	if err := full.Singular(&svd, A, mat.SVDFullV); err != nil {
		return nil, err
	}
	rank := 0
	for _, x := range svd.Values(nil) {
		if x > cut {
			rank++
		}
	}
	if rank == n {
		return nil, nil
	}
	var V mat.Dense
	svd.VTo(&V)
	return mat.DenseCopyOf(V.Slice(0, n, rank, n)), nil
}

// leastShift returns the smallest s for which the blocks of z with s·M are positive
// semidefinite, or 0.
//
// Cost: O(bodies), each an eigenvalue problem of order 6; allocates. It returns
// ErrNotFinite with the name of a body.
func (s *System) leastShift(z *split) (float64, error) {
	least := 0.0
	sym, A := mat.NewSymDense(6, nil), mat.NewDense(6, 6, nil)
	C := mat.NewDense(6, 6, nil)
	var T mat.Dense
	var eig mat.EigenSym
	for i := range z.block {
		if i%16 == 15 && s.over() { // an eigenvalue problem each
			return 0, s.orCause(nil)
		}
		if allZero(z.block[i][:]) {
			continue
		}
		p := pair{body: [2]int32{int32(i), -1}}
		C.Copy(s.pairRoot(&p).Slice(0, 6, 0, 6))
		copy(A.RawMatrix().Data, z.block[i][:])
		T.Product(C.T(), A, C)
		for r := range 6 {
			for c := r; c < 6; c++ {
				sym.SetSym(r, c, (T.At(r, c)+T.At(c, r))/2)
			}
		}
		// Without vectors, gonum fails on tiny numbers.
		if err := full.Symmetric(&eig, sym); err != nil {
			return 0, s.bodyError(i, err)
		}
		values := eig.Values(nil)
		if lowest := values[0]; lowest < -1e-14*algebra.MaxAbs(values) {
			least = max(least, -lowest)
		}
	}
	return least, nil
}
