package tree

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// content is the kind of matrix that a BranchMatrix holds.
type content uint8

const (
	symmetric content = iota // a symmetric matrix
	factorLTL                // L of LᵀL
	factorLDL                // L and D of LᵀDL
)

// BranchMatrix is a symmetric n×n matrix with the branch-induced sparsity of the
// joint-space inertia matrix (RBDA §6.4), or its factor, which has the same
// pattern: entry (i, j) is zero unless one of i, j is on the root path of the
// other.
//
// Row k holds the entries of the root path of k, from the root to the diagonal. The root path of an ancestor of k is the beginning of the
// root path of k, so a factorization works on contiguous pieces of rows.
type BranchMatrix struct {
	plan  *Plan
	val   []float64
	what  content
	watch *team.Watch // of a ClosedSolver
}

// PivotError says that a matrix that should be positive definite has a pivot that is not
// positive. The pivot is the inertia of one freedom, with everything beyond it free.
type PivotError struct {
	Dof   int // entry of q̇
	Value float64
}

// Error implements error.
func (e *PivotError) Error() string {
	return fmt.Sprintf("tree: pivot of freedom %d is %.3g, not positive", e.Dof, e.Value)
}

// pivotError returns a *PivotError for entry d of q̇, with its joint or body.
func (p *Plan) pivotError(d int, value float64) error {
	return p.atDof(d, &PivotError{Dof: d, Value: value})
}

// mustBeFinite returns an error for the first entry of list that is not finite, with its joint and freedom; list has a number called what
// for each freedom of the tree, or is nil.
func (p *Plan) mustBeFinite(what string, list []float64) error {
	for d, x := range list {
		if !algebra.Finite(x) {
			first := int(p.linkOfDof(d).Dof)
			return p.atDof(d, fault.Errorf("%w: %s %v of freedom %d is not finite", mechanism.ErrInput, what, x, d-first))
		}
	}
	return nil
}

// What mustBeFinite is asked for.
const (
	givenForce        = "generalized force"
	givenAcceleration = "acceleration"
)

// atDof returns err as an error at the joint of an entry of q̇, or at the body with a floating
// base (mechanism.Error).
func (p *Plan) atDof(d int, err error) error {
	l := p.linkOfDof(d)
	if l.Joint >= 0 {
		return fault.Errorf("tree: %w", p.mech.AtJoint(int(l.Joint), -1, err))
	}
	return fault.Errorf("tree: %w", p.mech.AtBody(int(l.Body), err))
}

// NewBranchMatrix allocates a zero matrix with the pattern of p.
//
// Cost: O(sum of the lengths of the root paths): n² ⁄ 2 for a chain.
func (p *Plan) NewBranchMatrix() *BranchMatrix {
	n := 0
	if p.nv > 0 {
		n = p.rowPtr[p.nv]
	}
	return &BranchMatrix{plan: p, val: pages.Make[float64](n)}
}

// Row returns row k: entries of the root path of k from the root to the
// diagonal. It is not a copy.
func (b *BranchMatrix) Row(k int) []float64 {
	return b.val[b.plan.rowPtr[k]:b.plan.rowPtr[k+1]]
}

// Dims returns NumDof twice.
func (b *BranchMatrix) Dims() (r, c int) { return b.plan.nv, b.plan.nv }

// At returns entry (i, j).
//
// Cost: O(1). It panics if b is factored or an index is out of range.
func (b *BranchMatrix) At(i, j int) float64 {
	b.mustHold(symmetric)
	if i < j {
		i, j = j, i
	}
	p := b.plan
	if j < 0 || i >= p.nv {
		panic("tree: index out of range")
	}
	if i >= int(p.DofEnd[j]) {
		return 0
	}
	return b.val[p.rowPtr[i]+int(p.DofDepth[j])]
}

// CopyTo stores b in dst, factored or not.
//
// It panics if dst is of another plan.
func (b *BranchMatrix) CopyTo(dst *BranchMatrix) {
	if dst.plan != b.plan {
		panic("tree: foreign matrix")
	}
	copy(dst.val, b.val)
	dst.what = b.what
}

// MulVecTo stores b·x in dst.
//
// Shapes: dst and x have NumDof entries and do not overlap.
// Cost: O(entries of H), no allocation.
// It panics if b is factored or on a length mismatch.
func (b *BranchMatrix) MulVecTo(dst, x []float64) {
	b.mustHold(symmetric)
	p := b.plan
	if len(dst) != p.nv || len(x) != p.nv {
		panic("tree: length mismatch")
	}
	clear(dst)
	for k := 0; k < p.nv && !b.watch.Every(k); k++ {
		row := b.Row(k)
		e := len(row) - 1
		sum := row[e] * x[k]
		for i := p.DofParent[k]; i >= 0; i = p.DofParent[i] {
			e--
			sum += row[e] * x[i]
			dst[i] += row[e] * x[k]
		}
		dst[k] += sum
	}
}

// mustHold panics unless b holds a matrix of the given kind.
func (b *BranchMatrix) mustHold(what content) {
	if b.what != what {
		panic("tree: matrix in the wrong state")
	}
}
