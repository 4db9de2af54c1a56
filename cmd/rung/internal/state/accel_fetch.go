package state

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// The requests of rank 0 to the other ranks.
const (
	noMore = iota
	bodiesWanted
	jointsWanted
)

// entriesAtOnce is the largest number of entries that rank 0 asks for, and holds, at a time.
const entriesAtOnce = 1 << 13

// numbered is an entry with its number in the whole model, as it is sent to rank 0.
type numbered[T any] struct {
	Number int64
	Entry  T
}

// entries returns, on rank 0, the entries of all bodies and joints of the whole model. Going through them asks the other ranks,
// which must be in serve.
func (x *pieces) entries() entries {
	return entries{
		int(x.view.Bodies), int(x.view.Joints),
		fetched(x, bodiesWanted, x.view.Bodies, x.ownBodies), fetched(x, jointsWanted, x.view.Joints, x.ownJoints),
	}
}

// fetched returns an iterator over n entries in the order of their numbers. It sends the request to the ranks for one range of
// numbers after the other; own returns the entries of rank 0 itself in a range.
func fetched[T any](x *pieces, request int, n int64, own func(lo, hi int64) []numbered[T]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for lo := int64(0); lo < n; lo += entriesAtOnce {
			hi := min(lo+entriesAtOnce, n)
			x.rank.Share([]float64{float64(request), float64(lo), float64(hi)})
			list := own(lo, hi)
			for _, more := range ranks.Gather(x.rank, []numbered[T](nil))[1:] {
				list = append(list, more...)
			}
			slices.SortFunc(list, func(a, b numbered[T]) int { return cmp.Compare(a.Number, b.Number) })
			for i := range list {
				if !yield(&list[i].Entry) {
					return
				}
			}
		}
	}
}

// serve answers the requests of rank 0 for entries of this rank until rank 0 calls end.
func (x *pieces) serve() {
	for {
		switch q := x.rank.Share(nil); int(q[0]) {
		case noMore:
			return
		case bodiesWanted:
			ranks.Gather(x.rank, x.ownBodies(int64(q[1]), int64(q[2])))
		case jointsWanted:
			ranks.Gather(x.rank, x.ownJoints(int64(q[1]), int64(q[2])))
		}
	}
}

// end makes serve return on the other ranks. Rank 0 calls it.
func (x *pieces) end() { x.rank.Share([]float64{noMore}) }

// ownBodies returns the entries of the rank's own bodies with numbers from lo to hi−1.
func (x *pieces) ownBodies(lo, hi int64) (list []numbered[results.Body]) {
	piece, m := x.plan.Piece(), x.plan.Mechanism()
	own := piece.Body[:piece.Own]
	from, _ := slices.BinarySearch(own, lo)
	for i := from; i < len(own) && own[i] < hi; i++ {
		a := x.a[6*i : 6*i+6]
		list = append(list, numbered[results.Body]{own[i], results.Body{
			Name: m.BodyName(i), ComAcceleration: spatial.Vec3(a[3:]), AngularAcceleration: spatial.Vec3(a[:3]),
		}})
	}
	return list
}

// ownJoints returns the entries of the joints with numbers from lo to hi−1 that count on this rank (a joint between pieces counts
// on one rank only), with reactions if no constraint is redundant.
func (x *pieces) ownJoints(lo, hi int64) (list []numbered[results.Joint]) {
	piece, m := x.plan.Piece(), x.plan.Mechanism()
	re := x.solver.Reactions()
	from, _ := slices.BinarySearch(piece.Joint, lo)
	for j := from; j < len(piece.Joint) && piece.Joint[j] < hi; j++ {
		if !x.plan.JointCounts(j) {
			continue
		}
		out := results.Joint{Name: m.JointName(j)}
		out.PositionResidual, out.VelocityResidual = m.Residuals(j, x.kin, x.state)
		if x.solver.Redundant() == 0 {
			out.ConstraintWrench, out.TotalWrench = results.NewWrench(re.ConstraintWrench(j)), results.NewWrench(re.TotalWrench(j))
			out.WrenchUnique = true
			if jt := &m.Joints[j]; jt.Armature != nil {
				var f [6]float64
				re.ArmatureForceTo(&f, j)
				out.ArmatureForce = slices.Clone(f[:jt.Kind.Freedoms()])
			}
		}
		list = append(list, numbered[results.Joint]{piece.Joint[j], out})
	}
	return list
}
