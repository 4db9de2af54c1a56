package sparse

import "github.com/rung-mbd/rung/internal/pages"

// MaxBlock is the largest number of rows of one node.
const MaxBlock = 6

// Pattern is the block structure of a symmetric matrix whose nodes are dense
// diagonal blocks of 1 to MaxBlock rows. It is built once and never changes,
// so any number of goroutines may share it.
//
// A node of sign +1 has a positive definite diagonal block (a body). A node of
// sign −1 has a diagonal block that is structurally zero (a joint) and is
// coupled only to nodes of sign +1. All +1 nodes come before all −1 nodes.
type Pattern struct {
	Size []int8  // n: rows of each node
	Sign []int8  // n: +1 or −1
	Off  []int32 // n+1: first scalar row of each node
	Ptr  []int32 // n+1: row pointers into Ind
	Ind  []int32 // Ptr[n]: columns of the strict lower blocks, increasing in a row
	Pos  []int64 // Ptr[n]+1: first value of each off-diagonal block, Size[i]×Size[j] row-major
	Dia  []int64 // n+1: first value of each diagonal block, Size×Size row-major; empty for sign −1
}

// NewPattern builds the pattern of nodes with the given sizes and signs, whose
// strict lower blocks stand in rows ptr, ind (compressed, columns increasing
// in a row). It keeps the four slices.
//
// Cost: O(nodes + blocks). It panics if the arguments are not as Pattern says.
func NewPattern(size, sign []int8, ptr, ind []int32) *Pattern {
	n := len(size)
	if len(sign) != n || len(ptr) != n+1 {
		panic("sparse: length mismatch")
	}
	p := &Pattern{
		Size: size, Sign: sign, Ptr: ptr, Ind: ind,
		Off: pages.Make[int32](n + 1), Pos: pages.Make[int64](len(ind) + 1), Dia: pages.Make[int64](n + 1),
	}
	if ptr[0] != 0 || int(ptr[n]) != len(ind) {
		panic("sparse: row pointers do not match the indices")
	}
	for i := range n {
		s := int64(size[i])
		if s < 1 || s > MaxBlock {
			panic("sparse: block size out of range")
		}
		if sign[i] != 1 && sign[i] != -1 || i > 0 && sign[i] > sign[i-1] {
			panic("sparse: signs must be +1 first, then −1")
		}
		p.Off[i+1] = p.Off[i] + int32(s)
		p.Dia[i+1] = p.Dia[i]
		if sign[i] > 0 {
			p.Dia[i+1] += s * s
		}
		if ptr[i+1] < ptr[i] || int(ptr[i+1]) > len(ind) {
			panic("sparse: row pointers decrease or overshoot")
		}
		for k := ptr[i]; k < ptr[i+1]; k++ {
			j := ind[k]
			if j < 0 || int(j) >= i || k > ptr[i] && ind[k-1] >= j {
				panic("sparse: column indices must increase below the diagonal")
			}
			if sign[i] > 0 || sign[j] < 0 {
				panic("sparse: a block must couple a −1 row with a +1 column")
			}
			p.Pos[k+1] = p.Pos[k] + s*int64(size[j])
		}
	}
	return p
}

// Len returns the number of nodes.
func (p *Pattern) Len() int { return len(p.Size) }

// Dim returns the number of scalar rows.
func (p *Pattern) Dim() int { return int(p.Off[len(p.Size)]) }

// Positive returns the number of nodes of sign +1; they are the first ones.
func (p *Pattern) Positive() int {
	lo, hi := 0, len(p.Sign)
	for lo < hi {
		if mid := (lo + hi) / 2; p.Sign[mid] > 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// NonZeros returns the number of scalars stored in the lower triangle,
// structural zeros inside the blocks included.
func (p *Pattern) NonZeros() int64 {
	nz := p.Pos[len(p.Ind)]
	for i, s := range p.Size {
		if p.Sign[i] > 0 {
			nz += int64(s) * int64(s+1) / 2
		}
	}
	return nz
}

// Matrix holds the values of a symmetric block matrix.
type Matrix struct {
	Pattern *Pattern
	Dia     []float64 // Pattern.Dia[n]: diagonal blocks, both triangles filled; nil stands for unit blocks
	Val     []float64 // Pattern.Pos[last]: strict lower blocks
}

// NewMatrix returns a zero matrix of the pattern, with stored diagonal blocks. It panics if p is nil.
func NewMatrix(p *Pattern) *Matrix {
	if p == nil {
		panic("sparse: no pattern")
	}
	return &Matrix{
		Pattern: p,
		Dia:     pages.Make[float64](p.Dia[p.Len()]),
		Val:     pages.Make[float64](p.Pos[len(p.Ind)]),
	}
}

// NewUnitMatrix returns a matrix of the pattern with unit diagonal blocks, which
// are not stored, and zero blocks elsewhere.
func NewUnitMatrix(p *Pattern) *Matrix {
	return &Matrix{Pattern: p, Val: pages.Make[float64](p.Pos[len(p.Ind)])}
}

// diagonal returns entry (r, c) of the diagonal block of node u, of sign +1.
func (m *Matrix) diagonal(u int32, r, c int) float64 {
	switch {
	case m.Dia != nil:
		return m.Dia[int(m.Pattern.Dia[u])+r*int(m.Pattern.Size[u])+c]
	case r == c:
		return 1
	}
	return 0
}

// At returns the scalar entry (i, j), i and j counted in scalars.
//
// Cost: O(log nodes + blocks of a row); for tests and export, not for loops. It panics if i or j is out of range.
func (m *Matrix) At(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	p := m.Pattern
	if j < 0 || i >= p.Dim() {
		panic("sparse: index out of range")
	}
	a, b := p.node(i), p.node(j)
	ra, rb := i-int(p.Off[a]), j-int(p.Off[b])
	if a == b {
		if p.Sign[a] < 0 {
			return 0
		}
		return m.diagonal(int32(a), ra, rb)
	}
	for k := p.Ptr[a]; k < p.Ptr[a+1]; k++ {
		if int(p.Ind[k]) == b {
			return m.Val[int(p.Pos[k])+ra*int(p.Size[b])+rb]
		}
	}
	return 0
}

// node returns the node of a scalar row.
func (p *Pattern) node(i int) int { return search(p.Off, i) }
