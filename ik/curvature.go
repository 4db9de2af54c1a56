package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/eigen"
)

// curb is what a level that is not reached holds, at one pose.
type curb struct {
	Y      []float64 // rows, orthonormal: the directions in which the merit is curved
	lambda []float64 // by row: how much
	rows   int
	merit  float64 // the least

	normal, near []float64 // rows that the levels before hold, here and at another pose, orthonormal on the free coordinates
	held         int       // their number
	J, e         []float64 // at another pose
	H, q, way, g []float64
	work         []float64
}

// newCurb allocates for n driven freedoms and some rows of targets.
func newCurb(rows, n int) *curb {
	f := make([]float64, (3*rows+4*n+9)*n+rows)
	cut := func(n int) []float64 {
		s := f[:n:n]
		f = f[n:]
		return s
	}
	return &curb{Y: cut(n * n), lambda: cut(n), normal: cut((rows + n) * n), near: cut((rows + n) * n), J: cut(rows * n), e: cut(rows),
		H: cut(n * n), q: cut(n), way: cut(n), g: cut(n), work: cut(4 * n)}
}

// findCurved finds the directions in which H is not zero.
func (c *curb) findCurved(n int, flat float64) bool {
	for i := range n {
		for j := range i {
			x := (c.H[i*n+j] + c.H[j*n+i]) / 2
			c.H[i*n+j], c.H[j*n+i] = x, x
		}
	}
	values := c.g
	if eigen.SymmetricTo(c.H, values, c.work, n) != nil {
		return false
	}
	c.rows = 0
	for i, x := range values {
		if math.Abs(x) <= flat {
			continue
		}
		for k := range n {
			c.Y[c.rows*n+k] = c.H[k*n+i]
		}
		c.lambda[c.rows] = x
		c.rows++
	}
	return true
}
