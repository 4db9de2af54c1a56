package tree

// Counts are the size and the work of a factorization, in the convention of factor.Counts. Additions and multiplications count one each, so
// a multiply-add is two flops; a division by a pivot counts one. Roots, comparisons, exchanges and the scaling of rows and columns are
// not counted. So a pivot of a dense symmetric matrix with s rows below it takes s(s + 2) flops.
type Counts struct {
	NonZeros int64 // entries of the factors that a solution reads
	Flops    int64
}

// Counts returns the counts of the last factorization, from H and K to the factors that a
// solution reads. With n freedoms, nᶜ rows of rank r, a_d the number of entries
// of q̇ towards the root from entry d, and W(N, r) = Σ s(s + 2) over the first r
// pivots of N, s = N−1, N−2, …:
//
//   - Direct: NonZeros (n+r)(n+r+1)/2. Flops at most W(n+nᶜ, n+r), and 4s more for
//     each pivot of two rows with s rows below.
//   - Lambda: NonZeros Σ(a_d+1) + nᶜ·n + r(r+1)/2 for L, Y and the factor of A.
//     Flops Σ a_d(a_d+2) for L, 2a_d+1 for each entry of Y that is not zero, 2 for
//     each product of A = Y·Yᵀ, on the root paths of that loop of two which has the
//     shorter ones, and at most W(nᶜ, r) for the factor of A.
//   - Projection: NonZeros Σ r·c over the blocks of K with rank r and c columns,
//     and m(m+1)/2, m = Σ(c−r). Flops of a block with R rows: at most
//     Σ (R−1−k)(2(c−1−k)+1) over the pivots k for the elimination, and r²(c−r) for
//     −G; then for H·G 2n for each entry of G below the identity that is not zero,
//     for each column of GᵀHG Σ 2r(c−r) over the blocks up to its own, and
//     W(m, m) for its factor.
//
// The words "at most" are there where pivots are chosen at each state. Rows without
// an entry in the column of a pivot are then passed over, and only the flops of the
// other rows are counted. Zeros within rows are multiplied and counted.
//
// Cost: O(nᶜ·n + loops²), no allocation. It panics without a factor.
func (s *ClosedSolver) Counts() Counts {
	if s.phase < factored {
		panic("tree: no factor")
	}
	return s.how.counts(s)
}

// denseWork returns W(n, r) of Counts.
func denseWork(n, r int) (flops int64) {
	for k := range r {
		below := int64(n - 1 - k)
		flops += below * (below + 2)
	}
	return flops
}

// triangle returns the number of entries of a triangular matrix with n rows, its diagonal included.
func triangle(n int) int64 { return int64(n) * int64(n+1) / 2 }

func (m *direct) counts(*ClosedSolver) Counts {
	return Counts{triangle(m.ldl.rank), m.ldl.flops}
}

// counts is Counts for Lambda.
func (m *lambdaFirst) counts(s *ClosedSolver) Counts {
	branches := s.plan.BranchCounts()
	c := Counts{
		NonZeros: branches.NonZeros + int64(len(m.Y)) + triangle(m.A.rank),
		Flops:    branches.Flops + m.A.flops,
	}
	for i := range m.rows {
		for d, y := range m.row(i) {
			if y != 0 {
				c.Flops += 2*int64(s.plan.DofDepth[d]) + 1
			}
		}
	}
	for i := range m.groups {
		rows := int64(m.groups[i].rows)
		for j := range i {
			c.Flops += 2 * rows * int64(m.groups[j].rows) * columns(m.sharedSpans(i, j))
		}
		c.Flops += 2 * triangle(int(rows)) * columns(m.spans[i])
	}
	return c
}

// counts is Counts for Projection.
func (m *projection) counts(*ClosedSolver) (c Counts) {
	restricted := int64(0) // flops of a column of GᵀHG
	for _, e := range m.elims {
		r, free := int64(e.rank), int64(e.cols-e.rank)
		c.NonZeros += r * int64(e.cols)
		c.Flops += e.work() + r*r*free
		for k := range e.rank {
			for _, w := range e.row(k)[e.rank:] {
				if w != 0 {
					c.Flops += 2 * int64(m.n)
				}
			}
		}
		restricted += 2 * r * free
		c.Flops += free * restricted
	}
	c.NonZeros += triangle(m.count)
	c.Flops += denseWork(m.count, m.count)
	return c
}

// work returns the flops of factor. An entry of L that is zero has taken none.
func (e *elimination) work() (flops int64) {
	for i := range e.rows {
		for k, l := range e.row(i)[:min(i, e.rank)] {
			if l != 0 {
				flops += 2*int64(e.cols-1-k) + 1
			}
		}
	}
	return flops
}

// BranchCounts returns the number of entries of a BranchMatrix on and below the diagonal, and the flops of FactorLTL or FactorLTDL:
// Σ a(a + 2), with a the number of entries of q̇ towards the root (DofDepth). With the D₁ divisions and D₂ multiply-subtracts of RBDA
// §6.5 that is D₁ + 2·D₂.
//
// Cost: O(NumDof).
func (p *Plan) BranchCounts() (c Counts) {
	c.NonZeros = int64(p.rowPtr[p.nv])
	for _, a := range p.DofDepth {
		c.Flops += int64(a) * int64(a+2)
	}
	return c
}

// Flops of the steps that form H and K.
const (
	addsComposite = 47 // composite inertia of the parent: mass 1, first moment 9, J 37
	timesMomentum = 42 // F = I^c·S, with mass, first moment and J
	timesForce    = 11 // S·F
	shiftsForce   = 12 // r×f added to a moment
)

// FormationFlops returns the flops, in the convention of Counts, that form H and K before a factorization from motion subspaces, inertias
// and T. For H they are 47 for each link that is not at the root, 42 for each freedom, 11 for each entry, and 12 for each freedom and link
// between it and the root (RBDA Table 6.2). For K they are 11 for each entry of a loop joint, and 12 for each of its rows and links on its
// root paths up to their common ancestor. Loads, kinematics and the sizes of K's terms are left out.
//
// The sparse system takes T and the inertias of single bodies as they are. So factor.Counts.Flops are to be compared with Counts and
// FormationFlops together, or with ArticulatedCounts, which include the formation of inertias.
//
// Cost: O(NumDof + rows·links of the loops).
func (p *Plan) FormationFlops() (flops int64) {
	above := make([]int64, len(p.Links)) // links towards the root
	for i := range p.Links {
		l := &p.Links[i]
		if l.Parent != World {
			above[i] = above[l.Parent] + 1
			flops += addsComposite
		}
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			flops += timesMomentum + timesForce*int64(p.DofDepth[d]+1) + shiftsForce*above[i]
		}
	}
	for i := range p.Loops {
		l := &p.Loops[i]
		rows := int64(p.mech.Joints[l.Joint].Rows)
		for _, end := range [2]int32{l.Pred, l.Succ} {
			for at := end; at != l.Common; at = p.Links[at].Parent {
				flops += rows * (timesForce*int64(p.Links[at].NumDof) + shiftsForce)
			}
		}
	}
	return flops
}

// Flops of the steps of the articulated-body algorithm that compute inertias, with symmetric matrices stored as triangles.
const (
	timesInertia   = 66  // U = I·S: 36 multiplications, 30 additions
	timesMotion    = 11  // SᵀU
	subtractsOuter = 42  // I − U·Wᵀ: 21 entries
	addsShifted    = 105 // 36 for H + r×M, 54 for J, 15 to add the other 15 entries
)

// ArticulatedCounts returns the counts of that part of ForwardTo which does not depend on velocities and forces: the articulated-body
// inertias, which are its factor. With f the number of freedoms of a link,
//
//	NonZeros = Σ 6f + f(f+1)/2                     rows of D⁻¹Uᵀ, and D
//	Flops    = Σ 66f + 11f(f+1)/2                  U = I^A·S, D = SᵀU
//	             + (f−1)f(f+1)/2 + 12f(f−1) + 7f   factor of D, D⁻¹Uᵀ
//	             + 42f                             I^a = I^A − U·D⁻¹Uᵀ
//	             + 105                             I^A of the parent, if there is one
//
// Cost: O(links).
func (p *Plan) ArticulatedCounts() (c Counts) {
	for i := range p.Links {
		f := int64(p.Links[i].NumDof)
		c.NonZeros += 6*f + f*(f+1)/2
		c.Flops += timesInertia*f + timesMotion*f*(f+1)/2
		c.Flops += (f-1)*f*(f+1)/2 + 12*f*(f-1) + 7*f
		c.Flops += subtractsOuter * f
		if p.Links[i].Parent != World {
			c.Flops += addsShifted
		}
	}
	return c
}
