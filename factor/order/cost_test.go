package order_test

import (
	"slices"

	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// cost holds the counts of a symbolic elimination of whole nodes.
type cost struct {
	flops float64
	nnz   int // off-diagonal blocks of L
	width int // largest number of scalar rows below a node
}

// symbolic merges structures along the elimination tree, node by node.
func symbolic(p *sparse.Pattern, perm []int32) cost {
	n := len(perm)
	inv := make([]int32, n)
	for k, v := range perm {
		inv[v] = int32(k)
	}
	cols := make([][]int32, n)
	for i := range n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a, b := inv[i], inv[j]
			cols[min(a, b)] = append(cols[min(a, b)], max(a, b))
		}
	}
	mark := make([]int32, n)
	kids := make([][]int32, n)
	var c cost
	for k := range int32(n) {
		var s []int32
		mark[k] = k + 1
		add := func(list []int32) {
			for _, v := range list {
				if mark[v] != k+1 {
					mark[v] = k + 1
					s = append(s, v)
				}
			}
		}
		add(cols[k])
		for _, kid := range kids[k] {
			add(cols[kid])
			cols[kid] = nil
		}
		cols[k] = s
		rows := 0
		for _, v := range s {
			rows += int(p.Size[perm[v]])
		}
		for r := rows; r < rows+int(p.Size[perm[k]]); r++ {
			c.flops += float64(r) * float64(r+1)
		}
		c.nnz += len(s)
		c.width = max(c.width, rows)
		if len(s) > 0 {
			up := slices.Min(s)
			kids[up] = append(kids[up], k)
		}
	}
	return c
}

// exactMinDegree orders the joints by exact weighted external degree in the
// explicit graph of joints that share a body, bodies just before their first
// joint.
func exactMinDegree(p *sparse.Pattern) []int32 {
	js := sparsetest.JointsOf(p)
	nb := len(p.Sign) - len(js)
	near := make([]map[int]bool, len(js))
	for i := range js {
		near[i] = map[int]bool{}
		for k := range js {
			if k != i && slices.ContainsFunc(js[i].Bodies, func(b int32) bool { return slices.Contains(js[k].Bodies, b) }) {
				near[i][k] = true
			}
		}
	}
	var perm []int32
	for range js {
		pivot, least := -1, 0
		for i := range js {
			if near[i] == nil {
				continue
			}
			d := 0
			for k := range near[i] {
				d += int(js[k].Rows)
			}
			if pivot < 0 || d < least {
				pivot, least = i, d
			}
		}
		for i := range near[pivot] {
			delete(near[i], pivot)
			for k := range near[pivot] {
				if k != i {
					near[i][k] = true
				}
			}
		}
		near[pivot] = nil
		for _, b := range js[pivot].Bodies {
			if !slices.Contains(perm, b) {
				perm = append(perm, b)
			}
		}
		perm = append(perm, int32(nb+pivot))
	}
	for b := range int32(nb) {
		if !slices.Contains(perm, b) {
			perm = append(perm, b)
		}
	}
	return perm
}
