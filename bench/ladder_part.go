package bench

import (
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// Part is a part of a model that is too large for one machine. It has the fields of dist.Piece, to which it converts.
type Part struct {
	Model *model.Model // own bodies, then bodies of other parts that share joints with them; joints of the own bodies
	Own   int          // number of own bodies
	Rank  []int32      // by body from Own on: the part that owns it
	Body  []int64      // by body: its number in the whole model
	Joint []int64      // by joint: its number in the whole model
}

// LadderPart returns one part of Ladder(n, seed), cut into parts of consecutive levels, whose numbers differ by at most one.
// Bodies and joints have the names, numbers and bits that they have in the whole model.
//
// Cost: O(n) time, as each level hangs from those above; O(n/parts) memory. It returns ErrSize, or an error if n is
// odd, there is no such part, or there are more parts than levels.
func LadderPart(n int, seed uint64, part, parts int) (*Part, error) {
	if _, err := Bodies("ladder", n); err != nil {
		return nil, err
	}
	levels := n / 2
	if n%2 != 0 || part < 0 || part >= parts || parts > levels {
		return nil, fmt.Errorf("bench: part %d of %d of a ladder of %d bodies, which are cut between levels of two", part, parts, n)
	}
	from := func(p int) int { return int(int64(p) * int64(levels) / int64(parts)) } // the first level of part p
	lo, hi := from(part), from(part+1)
	room := 2*(hi-lo) + 4
	r := newRig("ladder", n, seed, room, room+(hi-lo)+2)
	left, right := ground, ground
	x, half := origin, ladderHalf
	for k := 0; k < levels && k <= hi; k++ {
		var g level
		g, x, half = r.level(x, half, k)
		wl, wr := r.swing(&g, r.velocity(left, g.a), r.velocity(right, g.b))
		left = r.rail("L", "l", k, left, wl, [3]vec{g.a, g.c, g.e})
		right = r.rail("R", "r", k, right, wr, [3]vec{g.b, g.c, g.f})
		if k < hi {
			r.fit(r.name("m", k), model.Spherical, left, right, at(g.c), at(g.c))
		}
		if k < lo { // of the levels above the part, only the last one is kept, from which the next level hangs
			copy(r.m.Bodies, r.m.Bodies[left:])
			r.m.Bodies, r.m.Joints = r.m.Bodies[:2], r.m.Joints[:0]
			left, right = 0, 1
		}
	}
	p := &Part{Model: r.m, Own: 2 * (hi - lo)}
	for k := lo; k < hi; k++ {
		p.Body = append(p.Body, int64(2*k), int64(2*k+1))
		p.Joint = append(p.Joint, int64(3*k), int64(3*k+1), int64(3*k+2))
	}
	if lo > 0 { // moves the level above behind the own bodies
		above := [2]model.Body{r.m.Bodies[0], r.m.Bodies[1]}
		rest := r.m.Bodies[2:]
		copy(r.m.Bodies, rest[:p.Own])
		copy(r.m.Bodies[p.Own:], above[:])
		p.Rank, p.Body = append(p.Rank, int32(part-1), int32(part-1)), append(p.Body, int64(2*lo-2), int64(2*lo-1))
	}
	if hi < levels {
		p.Rank, p.Body = append(p.Rank, int32(part+1), int32(part+1)), append(p.Body, int64(2*hi), int64(2*hi+1))
		p.Joint = append(p.Joint, int64(3*hi), int64(3*hi+1))
	}
	return p, nil
}
