package dist

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// agreement has two numbers of a rank by which rank 0 finds out whether the states of all ranks agree.
type agreement struct {
	time float64
	sum  float64 // signed sum of fingerprints of shared bodies, modulo digestBits+1; over all ranks it is zero if the states agree
}

// agreementOf returns the agreement of this rank. Both ranks of a link compute the fingerprint of the same bodies; one of them adds
// it and the other subtracts it.
func (p *Plan) agreementOf(st *mechanism.State) agreement {
	sum := uint64(0)
	for i := range p.links {
		h := newDigest()
		p.shared(&p.links[i], func(b int32) { h.body(&st.Bodies[b]) })
		if p.links[i].rank < p.comm.Rank() {
			h.sum = -h.sum
		}
		sum += h.sum
	}
	return agreement{st.Time, float64(sum & digestBits)}
}

// shared visits the bodies that are on this rank and on the other one of a link, in the same order on both.
func (p *Plan) shared(l *link, visit func(body int32)) {
	first, second := l.send, l.receive
	if l.rank < p.comm.Rank() {
		first, second = second, first
	}
	for _, b := range first {
		visit(b)
	}
	for _, b := range second {
		visit(b)
	}
}

// agree reports whether the states of all ranks agree. The third and the fourth number of a message are the agreement of the rank.
func agree(from [][]float64) bool {
	sum := uint64(0)
	for _, m := range from {
		if math.Float64bits(m[2]) != math.Float64bits(from[0][2]) {
			return false
		}
		sum += uint64(m[3])
	}
	return sum&digestBits == 0
}

// whoDiffers returns an error on all ranks that says which states do not agree: the time, or a body and two ranks. All ranks call it
// together.
func (s *Solver) whoDiffers(st *mechanism.State) error {
	p := s.plan
	if err := AgreeOn(s.comm, Fact{"the time, s,", fmt.Sprint(st.Time)}); err != nil {
		return err
	}
	var list []float64 // for each link: the rank, the number of bodies, and their fingerprints
	for i := range p.links {
		l := &p.links[i]
		list = append(list, float64(l.rank), float64(len(l.send)+len(l.receive)))
		p.shared(l, func(b int32) {
			h := newDigest()
			h.body(&st.Bodies[b])
			list = append(list, float64(h.sum&digestBits))
		})
	}
	at := same(s.comm, unlike(gatherLists(s.comm, list))) // two ranks, and the number of the body among the shared ones
	if at[1] < 0 {
		return errors.New("dist: the states of the ranks do not agree")
	}
	var own error
	if int(at[1]) == s.comm.Rank() {
		for i := range p.links {
			if l := &p.links[i]; l.rank == int(at[0]) {
				k := 0
				p.shared(l, func(b int32) {
					if k == int(at[2]) {
						own = fault.Errorf("dist: %w", p.mech.AtBody(int(b), fmt.Errorf("its pose or velocity is not the one on rank %d", l.rank)))
					}
					k++
				})
			}
		}
	}
	return Agree(s.comm, own)
}

// unlike finds the first body whose states differ in the lists of whoDiffers. It returns the two ranks and the number of the body among
// the bodies that they share, or −1 three times.
func unlike(lists [][]float64) []float64 {
	byLink := make(map[[2]int][]float64)
	for r, l := range lists {
		for len(l) > 0 {
			other, n := int(l[0]), int(l[1])
			if mine := l[2 : 2+n]; r < other {
				byLink[[2]int{r, other}] = mine
			} else {
				for k, x := range byLink[[2]int{other, r}] {
					if x != mine[k] {
						return []float64{float64(other), float64(r), float64(k)}
					}
				}
			}
			l = l[2+n:]
		}
	}
	return []float64{-1, -1, -1}
}
