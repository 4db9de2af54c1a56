package draw

import "container/heap"

// turns returns the order in which bodies are drawn, as the turn of each body. A facet is drawn wrong if a body that hides
// it is drawn before it. Where bodies hide each other in a circle, some facets always are; the order makes them few. The
// next body is one that hides nothing of the bodies still to be drawn or, if there is none, the one that hides the fewest
// of their facets (as in Eades, Lin & Smyth 1993). Of equal ones the farthest comes next.
//
// Cost: O(pairs of bodies that hide each other, times a logarithm).
func turns(bodies []body, all []seen) []int32 {
	q := &queue{bodies: bodies, weight: make([]int32, len(bodies)), turn: make([]int32, len(bodies))}
	hides := make([][]int32, len(bodies)) // bodies that hide a facet of this one, once a facet
	for i := range all {
		s := &all[i]
		hides[s.body] = append(hides[s.body], s.by...)
		for _, j := range s.by {
			q.weight[j]++
		}
	}
	q.place = make([]int32, len(bodies))
	for i := range bodies {
		q.list, q.place[i] = append(q.list, int32(i)), int32(i)
	}
	heap.Init(q)
	for n := range bodies {
		i := heap.Pop(q).(int32)
		q.turn[i] = int32(n)
		for _, j := range hides[i] { // what they hide of i counts no more
			if q.place[j] >= 0 {
				q.weight[j]--
				heap.Fix(q, int(q.place[j]))
			}
		}
	}
	return q.turn
}

// queue is a heap of bodies still to be drawn.
type queue struct {
	bodies []body
	weight []int32 // facets still to be drawn that a body hides some of
	list   []int32
	place  []int32 // of a body in the list; −1: it has been drawn
	turn   []int32
}

func (q *queue) Len() int { return len(q.list) }

// Less implements heap.Interface: lighter bodies first, then nearer ones, then by number.
func (q *queue) Less(a, b int) bool {
	i, j := q.list[a], q.list[b]
	switch {
	case q.weight[i] != q.weight[j]:
		return q.weight[i] < q.weight[j]
	case q.bodies[i].middle != q.bodies[j].middle:
		return q.bodies[i].middle < q.bodies[j].middle
	}
	return i < j
}

func (q *queue) Swap(a, b int) {
	q.list[a], q.list[b] = q.list[b], q.list[a]
	q.place[q.list[a]], q.place[q.list[b]] = int32(a), int32(b)
}

// Push is not used: all bodies are there from the start.
func (q *queue) Push(any) { panic("draw: nothing is added") }

func (q *queue) Pop() any {
	last := len(q.list) - 1
	i := q.list[last]
	q.list, q.place[i] = q.list[:last], -1
	return i
}
