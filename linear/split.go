package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/spatial"
)

// A sum Z = aM·M + aC·C + aK·K has blocks between bodies, which the block factorization cannot have,
// and need not be positive definite. It is split into, statics-and-modes.md (S5),
//
//	Z + Zᵀ = 2·(D + Σ κ·b·bᵀ),   κ > 0,
//
// with D of blocks of single bodies, and entries of each b for two bodies or more. A spring is such a
// term. A spring of negative stiffness is a term −|κ|·b·bᵀ with b = (p, q), which equals
//
//	|κ|·(αp, −q/α)·(αp, −q/α)ᵀ − |κ|·(1+α²)·p·pᵀ − |κ|·(1+1/α²)·q·qᵀ.
//
// So it becomes a positive term with the same coupling between the bodies, and two negative terms of single bodies, which are added to D. A
// negative term over more bodies is a sum over their pairs. The geometric stiffness of a pair is projected on the
// directions that its joint allows, as it counts only there, and split into its principal components, one term each.
//
// D is then made positive definite by adding as much of M as necessary.

// term is κ·b·bᵀ.
type term struct {
	body [2]int32    // two bodies, none the world
	b    [12]float64 // six entries for each
	k    float64     // κ
	full float64     // |κ| of the given term, in a modified split
	far  *multiRow   // row b over more than two bodies, in place of body and b; else nil
}

// split is Z, without aM·M, as a sum of blocks of single bodies and terms.
type split struct {
	aC, aK   float64
	modified bool          // negative terms have been left out, up to negativeKept
	block    [][36]float64 // D, a row-major 6×6 block for each body
	terms    []term
}

// splitOf returns the split of aC·C + aK·K, docs/statics-and-modes.md (S5).
//
// Cost: O(bodies + rows), and an eigenvalue problem of order 12 for each pair;
// allocates. It returns ErrNotFinite with the name of the joint of a pair.
func (s *System) splitOf(aC, aK float64) (*split, error) { return s.splitTerms(aC, aK, !modified) }

// modified makes splitTerms leave out negative terms.
const modified = true

// splitTerms is splitOf, and if modified is set leaves out negative terms between bodies, up to negativeKept.
func (s *System) splitTerms(aC, aK float64, modified bool) (*split, error) {
	z := &split{aC: aC, aK: aK, modified: modified, block: make([][36]float64, len(s.stiff))}
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
		if s.over() { // tested for each pair, which takes an eigenvalue problem
			return nil, s.orCause(nil)
		}
		z.terms = reserve(z.terms, i, len(s.pairs))
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

// mixed returns a pair with aC·C + aK·K as its K. C must not be nil.
func (p *pair) mixed(aC, aK float64) *pair {
	out := pair{body: p.body, joint: p.joint}
	for i := range out.K {
		out.K[i] = aC*p.C[i] + aK*p.K[i]
	}
	return &out
}

// pairError adds to err the name of the joint of p, or of the first body of p if p is of a force.
func (s *System) pairError(p *pair, err error) error {
	if p.joint < 0 {
		return s.bodyError(int(p.body[0]), err)
	}
	return s.jointError(int(p.joint), err)
}

// timesTo stores Z·x, without aM·M, in dst, which is not x.
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

// addTerm adds κ·b·bᵀ, κ of any sign, to z: to the blocks if all but one body is the world, else as terms. A modified split keeps
// negativeKept·|κ| of a negative term between bodies.
func (s *System) addTerm(z *split, t *term) {
	switch {
	case t.k == 0:
	case t.far == nil && (t.body[0] < 0 || t.body[1] < 0):
		for e, b := range t.body {
			if b >= 0 {
				addOuter(&z.block[b], t.k, t.b[6*e:6*e+6])
			}
		}
	case t.k > 0 || z.modified:
		// A negative term keeps a small part, so that the pattern does not depend on signs.
		kept := *t
		kept.k, kept.full = max(t.k, -negativeKept*t.k), math.Abs(t.k)
		z.terms = append(z.terms, kept)
	case t.far != nil:
		s.addNegativeMulti(z, t)
	default:
		s.addNegative(z, t, 1)
	}
}

// addNegativeMulti adds a negative term over more than two bodies to z, as addNegative for each pair of them.
func (s *System) addNegativeMulti(z *split, t *term) {
	list, v := t.far.bodies, t.far.v
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			pair := term{body: [2]int32{list[i], list[j]}, k: t.k}
			copy(pair.b[:6], v[6*i:])
			copy(pair.b[6:], v[6*j:6*j+6])
			s.addNegative(z, &pair, 1/float64(len(list)-1))
		}
	}
}

// addNegative adds a negative term over two bodies to z: its coupling as a positive term with the sign of q changed, and
// negative blocks of both bodies. share is the part of the term's own blocks p·pᵀ and q·qᵀ that is added; the pairs of
// addNegativeMulti share them.
func (s *System) addNegative(z *split, t *term, share float64) {
	// This α² makes the negative blocks of both bodies equally large in the metric of the inertias.
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
	positive := term{body: t.body, k: -t.k}
	for i := range 6 {
		positive.b[i], positive.b[6+i] = alpha*t.b[i], -t.b[6+i]/alpha
	}
	z.terms = append(z.terms, positive)
}

// addOuter adds k·v·vᵀ to a 6×6 block, for the six entries of v.
func addOuter(block *[36]float64, k float64, v []float64) {
	for r := range 6 {
		for c := range 6 {
			block[6*r+c] += k * v[r] * v[c]
		}
	}
}

// inverseNorm returns bᵀ·M⁻¹·b for the six entries b of one body, with M the body's inertia alone.
func (s *System) inverseNorm(body int32, b []float64) float64 {
	var inv spatial.Sym3
	B := &s.mech.Bodies[body]
	B.InvWorldInertiaTo(&inv, &s.y.Kin.Bodies[body].E)
	m, f := spatial.Vec3(b[:3]), spatial.Vec3(b[3:6])
	return m.Dot(inv.MulVec(m)) + f.Dot(f)/B.Mass
}

// pairDrop is the eigenvalue of a pair, relative to the largest, up to which it counts as rounding.
const pairDrop = 1e-13

// addPair adds to z aK times the symmetric part of a pair, projected on the directions that its
// joint allows: in coordinates in which M is the unit matrix, with N an orthonormal
// basis of the null space of the joint's rows, N·(NᵀKN)·Nᵀ, as one term for each eigenvector. It returns the error of an eigenvalue problem
// or inverse.
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

// pairRoot returns the 12×12 matrix C with CᵀMC = 1, M the inertia of the two bodies of p: xᵀMx = zᵀz for x = C·z. The world has a unit
// block.
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

// freeTol is the singular value of the rows of joints, scaled to unit length, up to which it counts as zero.
const freeTol = 1e-9

// pairFree returns an orthonormal basis, in columns, of the coordinates z for which the displacement C·z satisfies the rows of the pair's
// joint and does not move the world; nil and no error if there are none.
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

// identity returns the unit matrix of order n.
func identity(n int) *mat.Dense {
	I := mat.NewDense(n, n, nil)
	for i := range n {
		I.Set(i, i, 1)
	}
	return I
}

// nullSpace returns an orthonormal basis, in columns, of the null space of A, whose rows are
// scaled to unit length first, up to freeTol. Zero rows stay. It returns nil and no error if the null space is zero,
// and ErrNotFinite if A is not finite.
func nullSpace(A *mat.Dense) (*mat.Dense, error) {
	rows, n := A.Dims()
	W := mat.NewDense(rows, n, nil)
	for i := range rows {
		v := A.RawRowView(i)
		if norm := floats.Norm(v, 2); norm != 0 { // numbers that are not finite give NaN, which Singular refuses
			for k, x := range v {
				W.Set(i, k, x/norm)
			}
		}
	}
	return nullOf(W, freeTol)
}

// nullOf returns an orthonormal basis, in columns, of the right singular vectors of A with singular values up to cut; nil and no error if
// there are none.
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

// leastShift returns the least s ≥ 0, 1/s², for which the blocks of z + s·M are positive
// semidefinite. Negative eigenvalues at rounding level do not count.
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
		if i%16 == 15 && s.over() { // often, as each block takes an eigenvalue problem
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
		// full.Symmetric computes vectors, too: without vectors, gonum fails on tiny numbers.
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
