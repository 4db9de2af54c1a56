package dist

import (
	"fmt"
	"math"
	"time"
)

// Comm carries numbers between the ranks of a run. Its methods belong to one goroutine of a rank.
//
// Send and Recv may wait until the other side takes part. Numbers arrive in the order in which
// they were sent, with all their bits. If a call cannot complete because the other rank has ended, the rank that waits is ended, and the
// call does not return. Send and Recv panic unless the other rank is a rank of the run and not the rank itself.
type Comm interface {
	Rank() int
	Size() int
	Send(to int, v []float64)
	Recv(from int, v []float64) // of the length that was sent
}

// meter counts the bytes and messages that a rank sends, and measures the time in which it sends and waits.
type meter struct {
	Comm
	sent, messages int64 // bytes, messages
	waited         time.Duration
}

// Send implements Comm.
func (m *meter) Send(to int, v []float64) {
	m.sent += 8 * int64(len(v))
	m.messages++
	begun := time.Now()
	m.Comm.Send(to, v)
	m.waited += time.Since(begun)
}

// Recv implements Comm.
func (m *meter) Recv(from int, v []float64) {
	begun := time.Now()
	m.Comm.Recv(from, v)
	m.waited += time.Since(begun)
}

// exchange sends out to another rank and receives in from it. Every rank has to make its exchanges in the order of
// the numbers of the other ranks. Then pairs are taken in lexicographic order everywhere, and ranks do not wait for each other in a
// circle.
func exchange(c Comm, with int, out, in []float64) {
	if c.Rank() < with {
		c.Send(with, out)
		c.Recv(with, in)
		return
	}
	c.Recv(with, in)
	c.Send(with, out)
}

// gatherLists brings the lists of all ranks, whose lengths may differ, to rank 0. It returns them by rank there, and nil on other ranks.
func gatherLists(c Comm, own []float64) [][]float64 {
	if c.Rank() > 0 {
		c.Send(0, []float64{float64(len(own))})
		c.Send(0, own)
		return nil
	}
	lists := make([][]float64, c.Size())
	lists[0] = own
	for r := 1; r < c.Size(); r++ {
		n := []float64{0}
		c.Recv(r, n)
		lists[r] = make([]float64, int(n[0]))
		c.Recv(r, lists[r])
	}
	return lists
}

// scatterLists returns on each rank the entry of lists for it; lists is read on rank 0 alone.
func scatterLists(c Comm, lists [][]float64) []float64 {
	if c.Rank() > 0 {
		n := []float64{0}
		c.Recv(0, n)
		own := make([]float64, int(n[0]))
		c.Recv(0, own)
		return own
	}
	for r := 1; r < c.Size(); r++ {
		c.Send(r, []float64{float64(len(lists[r]))})
		c.Send(r, lists[r])
	}
	return lists[0]
}

// same returns the list of rank 0 on all ranks.
func same(c Comm, list []float64) []float64 {
	var lists [][]float64
	if c.Rank() == 0 {
		lists = make([][]float64, c.Size())
		for r := range lists {
			lists[r] = list
		}
	}
	return scatterLists(c, lists)
}

// words packs text into numbers: its length in bytes, then eight bytes in the bits of each number.
func words(text string) []float64 {
	out := make([]float64, 1+(len(text)+7)/8)
	out[0] = float64(len(text))
	for i := range out[1:] {
		var bits uint64
		for k, b := range []byte(text[8*i : min(8*i+8, len(text))]) {
			bits |= uint64(b) << (8 * k)
		}
		out[1+i] = math.Float64frombits(bits)
	}
	return out
}

// text returns the text that words has packed.
func text(w []float64) string {
	out := make([]byte, 0, 8*len(w))
	for _, x := range w[1:] {
		bits := math.Float64bits(x)
		for k := range 8 {
			out = append(out, byte(bits>>(8*k)))
		}
	}
	return string(out[:int(w[0])])
}

// RankError is the error of another rank, as all ranks return it.
type RankError struct {
	Rank int
	Text string
}

// Error names the rank.
func (e *RankError) Error() string { return fmt.Sprintf("dist: rank %d: %s", e.Rank, e.Text) }

// Agree returns nil on all ranks if err is nil on all. Else it returns err on ranks where err is not nil, and on the other
// ranks a *RankError with the error of the lowest rank that has one. All ranks call it together.
func Agree(c Comm, err error) error {
	own := []float64{0}
	if err != nil {
		own = words(err.Error())
		own = append([]float64{1}, own...)
	}
	lists := gatherLists(c, own)
	verdict := []float64{-1}
	for r, l := range lists {
		if l[0] != 0 {
			verdict = append([]float64{float64(r)}, l[1:]...)
			break
		}
	}
	verdict = same(c, verdict)
	if err != nil || verdict[0] < 0 {
		return err
	}
	return &RankError{Rank: int(verdict[0]), Text: text(verdict[1:])}
}
