package state

import (
	"iter"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/results"
)

// entries are the bodies and joints of a document, in the order of the model. They may be computed while one goes through them.
type entries struct {
	numBodies, numJoints int
	bodies               iter.Seq[*results.Body]
	joints               iter.Seq[*results.Joint]
}

// entriesOf returns the bodies and joints that r holds itself.
func entriesOf(r *rung.Result) entries {
	return entries{len(r.Bodies), len(r.Joints), each(r.Bodies), each(r.Joints)}
}

// each returns an iterator over pointers to the elements of a list.
func each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
