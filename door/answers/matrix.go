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

// WriteMatrix writes the lower triangle of the matrix K of sys (RBDA eq. 8.64) as a MatrixMarket file, in elimination order if permuted.
// Comments name the body or joint of each row. It returns the errors of w, and sparse.ErrNotFinite. Cost: O(entries).
func WriteMatrix(w io.Writer, p *kkt.Plan, sys *assemble.System, permuted bool) error {
	perm := permutation(p, permuted)
	return sys.Matrix.View(perm).WriteMatrixMarket(w, comment(p, permuted, "matrix K"), rowComment(p.Layout(), perm))
}

// WriteRight writes the right side b of sys as WriteMatrix writes K.
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

// titleWidth is the length to which the name of a model is cut in a comment.
const titleWidth = 60

// comment returns the comment at the head of a file, which begins with the name of the matrix or vector.
func comment(p *kkt.Plan, permuted bool, name string) string {
	title := p.Mechanism().Name
	if title == "" {
		title = "model"
	}
	s := fmt.Sprintf("%s of K x = b (RBDA eq. 8.64) for %s, SI units, world axes\n"+
		"x: angular acceleration and acceleration of the centre of mass of each body, minus the multipliers of each joint",
		name, fault.Text(title, titleWidth))
	if permuted {
		s += "\nin elimination order " + p.Ordering().String()
	}
	return s
}

// rowComment returns a line for each body and joint with the numbers of its rows. perm is the order of the nodes, nil for the natural
// one.
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
