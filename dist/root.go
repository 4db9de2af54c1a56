package dist

import (
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// Root solves the system of the held rows, −S·y = b with S = Σ Sᵢ, from the shares of the ranks. Ranks call its
// methods together.
type Root interface {
	// Factorize factors the sum of the shares (factor.Factor.ShareTo) of all ranks. own has the scales of the rows of
	// this rank's share. On rank 0 scale has the scales of all rows of the root. A pivot that is too small for
	// policy and eps gets its proximal term as in factor.Factor.Factorize.
	//
	// On rank 0 it returns the tally of the pivots, and an error of the root; other ranks return zero and nil.
	Factorize(share, own, scale []float64, eps float64, policy factor.Policy) (factor.Tally, error)
	// SolveTo solves with the last factor. Rank 0 passes x and b, which do not overlap; other ranks pass nil.
	SolveTo(x, b []float64) error
	// PivotsTo stores the pivots of the rows in dst and returns true, or returns false if they are not known. Rank 0
	// alone calls it.
	PivotsTo(dst []float64) bool
	// WeakRows calls visit for the rows that count as redundant, on rank 0 alone. It returns false if they are not known.
	WeakRows(visit func(row int)) bool
	// Close frees the resources of the root. No method is called afterwards.
	Close() error
}

// RootMaker makes a Root for held rows. All ranks call it together.
type RootMaker func(c Comm, h *Held) (Root, error)

// NewSparseRoot returns a Root in pure Go. Rank 0 gathers the shares and factors them like a mechanism whose bodies are the pieces, in an
// order of its own, with fronts as wide as the rows between pieces. All work is on rank 0, in the order of the
// ranks, so its results have the same bits each time.
//
// Memory on rank 0: the shares of all ranks, and the factor. It is suited to ladders and trees cut into any number of
// pieces, and to nets as long as the rows between pieces fit in the memory of one rank.
func NewSparseRoot(c Comm, h *Held) (Root, error) {
	s := &sparseRoot{comm: c, held: h}
	if c.Rank() > 0 {
		return s, nil
	}
	pat := h.Symbolic.Pattern
	s.factor = h.Symbolic.NewFactor()
	s.factor.TrackWeak()
	s.matrix = sparse.NewUnitMatrix(pat)
	s.scale, s.x, s.b = make([]float64, pat.Dim()), make([]float64, pat.Dim()), make([]float64, pat.Dim())
	s.shares = make([][]float64, c.Size())
	for r, rows := range h.lists {
		if len(rows) > 0 {
			s.shares[r] = make([]float64, factor.ShareSize(len(rows)))
		}
	}
	s.factor.SetShares(s.shares)
	return s, nil
}

// sparseRoot is the Root of NewSparseRoot.
type sparseRoot struct {
	comm   Comm
	held   *Held
	factor *factor.Factor
	matrix *sparse.Matrix // all its blocks are zero, as the shares have all numbers
	shares [][]float64
	scale  []float64
	x, b   []float64
}

// Factorize implements Root: rank 0 factors the sum of all shares, the others send theirs.
func (s *sparseRoot) Factorize(share, _, scale []float64, eps float64, policy factor.Policy) (factor.Tally, error) {
	if s.comm.Rank() > 0 {
		if len(share) > 0 {
			s.comm.Send(0, share)
		}
		return factor.Tally{}, nil
	}
	copy(s.shares[0], share)
	for r := 1; r < s.comm.Size(); r++ {
		if len(s.shares[r]) > 0 {
			s.comm.Recv(r, s.shares[r])
		}
	}
	copy(s.scale[s.held.first:], scale)
	err := s.factor.Factorize(s.matrix, s.scale, eps, policy)
	return s.factor.Tally, err
}

// SolveTo implements Root, on rank 0; the others leave x as it is.
func (s *sparseRoot) SolveTo(x, b []float64) error {
	if s.comm.Rank() > 0 {
		return nil
	}
	copy(s.b[s.held.first:], b)
	s.factor.SolveTo(s.x, s.b)
	copy(x, s.x[s.held.first:])
	return nil
}

// PivotsTo implements Root.
func (s *sparseRoot) PivotsTo(dst []float64) bool {
	s.factor.PivotsTo(s.x)
	copy(dst, s.x[s.held.first:])
	return true
}

// WeakRows implements Root.
func (s *sparseRoot) WeakRows(visit func(row int)) bool {
	off := s.held.Symbolic.Pattern.Off
	s.factor.WeakRows(func(node, row int) { visit(int(off[node]-s.held.first) + row) })
	return true
}

// Close implements Root; there is nothing to free.
func (s *sparseRoot) Close() error { return nil }
