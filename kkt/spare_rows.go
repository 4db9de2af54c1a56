package kkt

import (
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// spareRows says where the blocks of spare rows are.
type spareRows struct {
	row    []int32        // by spare row: its scalar in the whole system
	ends   []spareNode    // nodes with spare rows
	blocks []kernel.Block // by body: rows that are next to each other in the whole matrix
	body   []int32        // where the blocks of a body begin
}

// spareNode are the spare rows of a node.
type spareNode struct {
	of     int32    // node of the whole system
	hi     int32    // where its rows end
	bodies [2]int32 // that it couples; the number of bodies stands for none
}

// newSpareRows finds the blocks of the spare rows of rows.
func newSpareRows(rows *sparse.Rows) (l spareRows) {
	p := rows.Of
	list := make([][]kernel.Block, p.Positive())
	for i := range rows.Spare {
		node := &rows.Spare[i]
		first := len(l.row)
		for _, row := range node.Rows[:node.N] {
			l.row = append(l.row, p.Off[node.Of]+int32(row))
		}
		end := spareNode{of: node.Of, hi: int32(len(l.row)), bodies: [2]int32{int32(len(list)), int32(len(list))}}
		copy(end.bodies[:], p.Ind[p.Ptr[node.Of]:p.Ptr[node.Of+1]])
		l.ends = append(l.ends, end)
		for k := p.Ptr[node.Of]; k < p.Ptr[node.Of+1]; k++ {
			to := &list[p.Ind[k]]
			for a, n := 0, 0; a < int(node.N); a += n {
				row := int64(node.Rows[a])
				for n = 1; a+n < int(node.N) && int64(node.Rows[a+n]) == row+int64(n); n++ {
				}
				*to = append(*to, kernel.Block{W: p.Pos[k] + 6*row, Res: int32(first + a), N: int32(n)})
			}
		}
	}
	l.body = make([]int32, 1, len(list)+1)
	for _, blocks := range list {
		l.blocks = append(l.blocks, blocks...)
		l.body = append(l.body, int32(len(l.blocks)))
	}
	return l
}

// residualTo stores in r the residuals of the spare rows of m, for a right side b and accelerations that begin x.
func (l *spareRows) residualTo(r, b []float64, m *sparse.Matrix, x []float64) {
	for i, row := range l.row {
		r[i] = b[row]
	}
	for i, lo := range l.body[:len(l.body)-1] {
		if hi := l.body[i+1]; lo < hi {
			kernel.SubBlocks(r, m.Val, x[6*i:6*i+6], l.blocks[lo:hi])
		}
	}
}
