package factor_test

import (
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// ordWorld stands for the world among the bodies of a joint.
const ordWorld = int32(-1)

// ordJoint is a joint of c rows between bodies.
type ordJoint struct {
	c      int8
	bodies []int32
}

// ordPattern returns the pattern of nb bodies and the given joints.
func ordPattern(nb int, joints []ordJoint) *sparse.Pattern {
	n := nb + len(joints)
	p := &sparse.Pattern{
		Size: make([]int8, n),
		Sign: make([]int8, n),
		Off:  make([]int32, n+1),
		Ptr:  make([]int32, n+1),
		Dia:  make([]int64, n+1),
		Pos:  make([]int64, 1),
	}
	for i := range n {
		p.Size[i], p.Sign[i] = 6, 1
		if i >= nb {
			j := joints[i-nb]
			p.Size[i], p.Sign[i] = j.c, -1
			from := len(p.Ind)
			for _, b := range j.bodies {
				if b != ordWorld && !slices.Contains(p.Ind[from:], b) {
					p.Ind = append(p.Ind, b)
				}
			}
			slices.Sort(p.Ind[from:])
			for _, b := range p.Ind[from:] {
				p.Pos = append(p.Pos, p.Pos[len(p.Pos)-1]+int64(j.c)*int64(p.Size[b]))
			}
		}
		p.Off[i+1] = p.Off[i] + int32(p.Size[i])
		p.Ptr[i+1] = int32(len(p.Ind))
		p.Dia[i+1] = p.Dia[i] + int64(p.Size[i])*int64(p.Size[i])
	}
	return p
}

func ordLink(c int8, bodies ...int32) ordJoint { return ordJoint{c, bodies} }

// ordChain hangs n bodies from the world one below the other; closed adds a
// joint from the last body to the world.
func ordChain(n int, closed bool) *sparse.Pattern {
	var js []ordJoint
	for b := range int32(n) {
		js = append(js, ordLink(5, b-1, b))
	}
	if closed {
		js = append(js, ordLink(5, int32(n-1), ordWorld))
	}
	return ordPattern(n, js)
}

// ordLadder is the ladder of RBDA Fig. 8.4 with n windows: bodies L_k = 2k and
// R_k = 2k+1, joints l_k, m_k, r_k.
func ordLadder(n int) *sparse.Pattern {
	var js []ordJoint
	for k := range int32(n) {
		js = append(js, ordLink(5, max(2*k-2, -1), 2*k), ordLink(5, max(2*k-1, -1), 2*k+1), ordLink(5, 2*k, 2*k+1))
	}
	return ordPattern(2*n, js)
}

// ordGrid is a k×k net of bodies with a joint to the world at one corner.
func ordGrid(k int) *sparse.Pattern {
	js := []ordJoint{ordLink(5, 0, ordWorld)}
	for y := range k {
		for x := range k {
			b := int32(y*k + x)
			if x+1 < k {
				js = append(js, ordLink(5, b, b+1))
			}
			if y+1 < k {
				js = append(js, ordLink(5, b, b+int32(k)))
			}
		}
	}
	return ordPattern(k*k, js)
}

// ordTree is a random tree of n bodies; some of its bodies start a new tree,
// which hangs from the world or floats.
func ordTree(n int, rng *rand.Rand) *sparse.Pattern {
	var js []ordJoint
	for b := range int32(n) {
		switch r := rng.IntN(20); {
		case b > 0 && r > 1:
			js = append(js, ordLink(ordRows(rng), rng.Int32N(b), b))
		case r > 0:
			js = append(js, ordLink(ordRows(rng), ordWorld, b))
		}
	}
	rng.Shuffle(len(js), func(i, k int) { js[i], js[k] = js[k], js[i] })
	return ordPattern(n, js)
}

func ordRows(rng *rand.Rand) int8 { return int8(1 + rng.IntN(6)) }

// ordStar is a hub with n arms of two bodies; every loop-th arm returns to the
// hub, and neighbours among the last ring arms are joined.
func ordStar(n, loop, ring int) *sparse.Pattern {
	js := []ordJoint{ordLink(6, ordWorld, 0)}
	for k := range int32(n) {
		a, b := 2*k+1, 2*k+2
		js = append(js, ordLink(5, 0, a), ordLink(3, a, b))
		if loop > 0 && int(k)%loop == 0 {
			js = append(js, ordLink(4, b, 0))
		}
		if k > 0 && int(k) >= n-ring {
			js = append(js, ordLink(5, b-2, b))
		}
	}
	return ordPattern(2*n+1, js)
}

// ordRandom is a random graph of n bodies and m joints of any number of bodies
// up to most, with parallel joints, islands and joints to the world; near > 0
// keeps the bodies of a joint within that distance.
func ordRandom(n, m, most, near int, rng *rand.Rand) *sparse.Pattern {
	var js []ordJoint
	for range m {
		j := ordJoint{c: ordRows(rng)}
		b := rng.IntN(n)
		for range rng.IntN(most) + 1 {
			j.bodies = append(j.bodies, int32(b))
			if near > 0 {
				b = min(max(b+rng.IntN(2*near+1)-near, 0), n-1)
			} else {
				b = rng.IntN(n)
			}
		}
		if rng.IntN(50) == 0 {
			j.bodies = nil
		}
		js = append(js, j)
	}
	return ordPattern(n, js)
}

// ordCost is what a symbolic elimination of whole nodes counts.
type ordCost struct {
	flops float64
	nnz   int // off-diagonal blocks of L
	width int // largest number of scalar rows below a node
}

// ordSymbolic merges structures along the elimination tree, node by node.
func ordSymbolic(p *sparse.Pattern, perm []int32) ordCost {
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
	var c ordCost
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

// ordIslands is n separate loops of three bodies, every other one hung from the
// world.
func ordIslands(n int) *sparse.Pattern {
	var js []ordJoint
	for k := range int32(n) {
		b := 3 * k
		js = append(js, ordLink(5, b, b+1), ordLink(5, b+1, b+2), ordLink(5, b+2, b))
		if k%2 == 0 {
			js = append(js, ordLink(5, b, ordWorld))
		}
	}
	return ordPattern(3*n, js)
}

// ordShuffle renumbers bodies and joints at random.
func ordShuffle(p *sparse.Pattern, rng *rand.Rand) *sparse.Pattern {
	nb := len(p.Sign) - len(ordJointsOf(p))
	to := rng.Perm(nb)
	js := ordJointsOf(p)
	for _, j := range js {
		for k, b := range j.bodies {
			j.bodies[k] = int32(to[b])
		}
	}
	rng.Shuffle(len(js), func(i, k int) { js[i], js[k] = js[k], js[i] })
	return ordPattern(nb, js)
}

func ordJointsOf(p *sparse.Pattern) []ordJoint {
	var js []ordJoint
	for i, s := range p.Sign {
		if s < 0 {
			js = append(js, ordJoint{p.Size[i], slices.Clone(p.Ind[p.Ptr[i]:p.Ptr[i+1]])})
		}
	}
	return js
}

// ordExactMinDegree orders the joints by exact weighted external degree in the
// explicit graph of joints that share a body, bodies just before their first
// joint.
func ordExactMinDegree(p *sparse.Pattern) []int32 {
	js := ordJointsOf(p)
	nb := len(p.Sign) - len(js)
	near := make([]map[int]bool, len(js))
	for i := range js {
		near[i] = map[int]bool{}
		for k := range js {
			if k != i && slices.ContainsFunc(js[i].bodies, func(b int32) bool { return slices.Contains(js[k].bodies, b) }) {
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
				d += int(js[k].c)
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
		for _, b := range js[pivot].bodies {
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
