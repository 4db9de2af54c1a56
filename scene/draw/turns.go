package draw

import "container/heap"

// turns returns the order in which bodies are drawn, as the turn of each body. A facet is drawn wrong if a body that hides
// it is drawn before it. Where bodies hide each other in a circle, some facets always are; the order makes them few. The
// next body is a body that hides nothing of the bodies still to be drawn or, if there is none, the body that hides the fewest
// of their facets (as in Eades, Lin & Smyth 1993). Of equal ones the farthest comes next.
//
// Cost: O(pairs of bodies that hide each other, times a logarithm).
func turns(bodies []body, all []seen) []int32 {
	q := &queue{bodies: bodies, weight: make([]int32, len(bodies)), turn: make([]int32, len(bodies))}
	hiders := make([][]int32, len(bodies)) // of each body the bodies that hide a facet of it, once for each facet
	for i := range all {
		s := &all[i]
		hiders[s.body] = append(hiders[s.body], s.by...)
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
		for _, j := range hiders[i] { // i is drawn: its facets no longer count in their weights
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
	weight []int32 // of each body the number of facets still to be drawn of which it hides a part
	list   []int32 // the heap
	place  []int32 // of each body in the list; −1: it has been drawn
	turn   []int32 // of each body
}

func (q *queue) Len() int { return len(q.list) }

// Less implements heap.Interface: bodies with less weight first, then those farther from the eye, then by number.
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
