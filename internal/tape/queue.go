package tape

// queue is a binary heap of instructions. The first one comes before all others.
type queue struct {
	list   []int32
	before func(i, j int32) bool
}

// push adds an instruction.
func (q *queue) push(i int32) {
	q.list = append(q.list, i)
	k := len(q.list) - 1
	for k > 0 && q.before(i, q.list[(k-1)/2]) {
		q.list[k] = q.list[(k-1)/2]
		k = (k - 1) / 2
	}
	q.list[k] = i
}

// pop removes and returns the first instruction. The queue is not empty.
func (q *queue) pop() int32 {
	first, n := q.list[0], len(q.list)-1
	i := q.list[n]
	q.list = q.list[:n]
	k := 0
	for kid := 1; kid < n; kid = 2*k + 1 {
		if kid+1 < n && q.before(q.list[kid+1], q.list[kid]) {
			kid++
		}
		if q.before(i, q.list[kid]) {
			break
		}
		q.list[k] = q.list[kid]
		k = kid
	}
	if n > 0 {
		q.list[k] = i
	}
	return first
}
