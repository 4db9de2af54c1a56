package answers

import (
	"fmt"
	"io"
	"strings"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sparse"
)

// WriteMatrix writes the lower triangle of K of RBDA eq. 8.64 as a MatrixMarket file, in elimination order if permuted. Comments tell
// which rows belong to which body or joint. It returns the errors of w, and sparse.ErrNotFinite. Cost: O(entries).
func WriteMatrix(w io.Writer, p *kkt.Plan, sys *assemble.System, permuted bool) error {
	perm := permutation(p, permuted)
	return sys.Matrix.View(perm).WriteMatrixMarket(w, comment(p, permuted, "matrix K"), rowComment(p.Layout(), perm))
}

// WriteRight is WriteMatrix of the right side b.
func WriteRight(w io.Writer, p *kkt.Plan, sys *assemble.System, permuted bool) error {
	b := make([]float64, len(sys.Right))
	sys.Matrix.View(permutation(p, permuted)).VecTo(b, sys.Right)
	return sparse.WriteVector(w, b, comment(p, permuted, "right side b"))
}

// permutation returns the order of the nodes, nil for the natural one.
func permutation(p *kkt.Plan, permuted bool) []int32 {
	if permuted {
		return p.Order()
	}
	return nil
}

// titleWidth is how much of the name of a model stands in a comment, columns.
const titleWidth = 60

// comment describes a file.
func comment(p *kkt.Plan, permuted bool, what string) string {
	title := p.Mechanism().Name
	if title == "" {
		title = "model"
	}
	s := fmt.Sprintf("%s of K x = b (RBDA eq. 8.64) for %s, SI units, world axes\n"+
		"x: angular acceleration and acceleration of the centre of mass of each body, minus the multipliers of each joint",
		what, fault.Text(title, titleWidth))
	if permuted {
		s += "\nin elimination order " + p.Ordering().String()
	}
	return s
}

// rowComment tells which rows belong to which body or joint, a line for each.
func rowComment(l *assemble.Layout, perm []int32) string {
	var b strings.Builder
	row := 1
	for i := range l.Pattern.Len() {
		node := i
		if perm != nil {
			node = int(perm[i])
		}
		last := row + int(l.Pattern.Size[node]) - 1
		fmt.Fprintf(&b, "rows %d-%d %s\n", row, last, l.NodeName(node))
		row = last + 1
	}
	return b.String()
}
