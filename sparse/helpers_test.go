package sparse_test

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// ladder is the pattern of a ladder of the given levels with revolute joints
// and an order that goes up level by level, L l R m r: level k has the bodies
// L and R, l and m join them to those of the level before, r to each other.
func ladder(levels int) (p *sparse.Pattern, perm []int32) {
	nb, nj := 2*levels, 3*levels
	size, sign := make([]int8, nb+nj), make([]int8, nb+nj)
	ptr, ind := make([]int32, nb+nj+1), []int32{}
	for i := range size {
		size[i], sign[i] = 6, 1
		if i >= nb {
			size[i], sign[i] = 5, -1
		}
	}
	for k := range levels {
		L, R, joint := int32(2*k), int32(2*k+1), int32(nb+3*k)
		for j, cols := range [3][]int32{{L - 2, L}, {R - 2, R}, {L, R}} {
			for _, c := range cols {
				if c >= 0 {
					ind = append(ind, c)
				}
			}
			ptr[int(joint)+j+1] = int32(len(ind))
		}
		perm = append(perm, L, joint, R, joint+1, joint+2)
	}
	return sparse.NewPattern(size, sign, ptr, ind), perm
}

// factorBlocks eliminates the reordered pattern node by node and returns the
// blocks of L, diagonal left out.
func factorBlocks(p *sparse.Pattern, perm []int32) (blocks [][2]int32) {
	inv := make([]int32, len(perm))
	for c, u := range perm {
		inv[u] = int32(c)
	}
	below := make([]map[int32]bool, len(perm))
	for c := range below {
		below[c] = map[int32]bool{}
	}
	for i := range perm {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a, b := inv[i], inv[j]
			below[min(a, b)][max(a, b)] = true
		}
	}
	for c := range below {
		rows := []int32{}
		for r := range below[c] {
			rows = append(rows, r)
		}
		slices.Sort(rows)
		for k, r := range rows {
			blocks = append(blocks, [2]int32{r, int32(c)})
			for _, q := range rows[k+1:] {
				below[r][q] = true
			}
		}
	}
	return blocks
}
