package tree

import (
	"slices"
	"sort"

	"github.com/rung-mbd/rung/mechanism"
)

// linkOfDof returns the link that has entry d of q̇.
func (p *Plan) linkOfDof(d int) *Link {
	i := sort.Search(len(p.Links), func(i int) bool { return int(p.Links[i].Dof+p.Links[i].NumDof) > d })
	return &p.Links[i]
}

// loopOf returns the loop of joint j, or nil if j is not in Plan.Loops.
func (p *Plan) loopOf(j int) *Loop {
	if i := p.loopIndex(j); i >= 0 {
		return &p.Loops[i]
	}
	return nil
}

// loopIndex returns the number of joint j in Plan.Loops, or −1.
func (p *Plan) loopIndex(j int) int {
	i, ok := slices.BinarySearchFunc(p.Loops, j, func(l Loop, j int) int { return int(l.Joint) - j })
	if !ok {
		return -1
	}
	return i
}

// linkOf returns the link whose joint to the parent is j, or −1.
func (p *Plan) linkOf(j int) int {
	jt := &p.mech.Joints[j]
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b != mechanism.World && int(p.Links[p.LinkOf[b]].Joint) == j {
			return int(p.LinkOf[b])
		}
	}
	return -1
}
