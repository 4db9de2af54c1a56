package state

import (
	"iter"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/results"
)

// entries are the bodies and joints of a document, in their order.
type entries struct {
	numBodies, numJoints int
	bodies               iter.Seq[*results.Body]
	joints               iter.Seq[*results.Joint]
}

// entriesOf returns those of a document that has them.
func entriesOf(r *rung.Result) entries {
	return entries{len(r.Bodies), len(r.Joints), each(r.Bodies), each(r.Joints)}
}

// each goes through a list.
func each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
