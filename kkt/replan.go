package kkt

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Replan analyses mech, which has the bodies of p's mechanism and other joints:
// some released, added or of another type. The elimination order is revised and not chosen anew
// (order.Revise): a joint takes the place of the joint of p with the same name between the same bodies. The options are those of
// p. After many changes a fresh plan may take less work; compare Counts.
//
// Cost: near-linear in bodies and joints, about half of NewPlan on ladders.
// It panics if mech has other bodies.
func (p *Plan) Replan(mech *mechanism.Mechanism) *Plan {
	p.mustBe()
	if mech == nil {
		panic("kkt: no mechanism")
	}
	if mech.NumBodies() != p.mech.NumBodies() {
		panic("kkt: other bodies")
	}
	q, _ := newPlan(context.Background(), mech, p.epsilon, p.threads)
	q.ordering = p.ordering
	sequence := p.symbolic.Order()
	was := make([]int32, len(sequence)) // place of each node of p
	for k, v := range sequence {
		was[v] = int32(k)
	}
	place := make([]int32, q.layout.Pattern.Len())
	for i := range mech.NumBodies() {
		if mech.BodyName(i) != p.mech.BodyName(i) {
			panic("kkt: other bodies")
		}
		place[i] = was[i]
	}
	former := namesakes(p.mech, mech)
	for i := mech.NumBodies(); i < len(place); i++ {
		place[i] = -1
		if j := former[q.layout.NodeConstraint(i)]; j >= 0 {
			if v := p.layout.ConstraintNode(int(j)); v >= 0 {
				place[i] = was[v]
			}
		}
	}
	perm := order.Revise(q.layout.Pattern, place, len(sequence))
	q.symbolic = factor.Analyze(q.layout.Pattern, perm)
	if p.own != nil {
		q.own = perm
	}
	_ = q.analyse(context.Background())
	q.candidates = []factor.Candidate{{Ordering: q.ordering, Counts: q.symbolic.Counts}}
	_ = q.analyseGeared(context.Background())
	return q
}

// namesakes returns, for each joint and coupling of b, the number of the one in a that has the same name and couples the same bodies; −1 if
// there is none.
func namesakes(a, b *mechanism.Mechanism) []int32 {
	out := make([]int32, b.NumConstraints())
	sameCouplings(out[b.NumJoints():], a, b)
	var byName map[string]int // made when the lists of names first differ
	next := 0
	for j := range b.NumJoints() {
		name := b.JointName(j)
		i, found := next, next < a.NumJoints() && a.JointName(next) == name
		if !found {
			if byName == nil {
				byName = make(map[string]int, a.NumJoints())
				for k := range a.NumJoints() {
					byName[a.JointName(k)] = k
				}
			}
			i, found = byName[name]
		}
		out[j] = -1
		if !found {
			continue
		}
		if sameBodies(&a.Joints[i], &b.Joints[j]) {
			out[j] = int32(i)
		}
		next = i + 1
	}
	return out
}

// sameCouplings is namesakes for the couplings; out has an entry a coupling of b.
func sameCouplings(out []int32, a, b *mechanism.Mechanism) {
	byName := make(map[string]int, a.NumCouplings())
	for i := range a.NumCouplings() {
		byName[a.CouplingName(i)] = i
	}
	for k := range out {
		out[k] = -1
		if i, found := byName[b.CouplingName(k)]; found && slices.Equal(a.Couplings[i].Bodies, b.Couplings[k].Bodies) {
			out[k] = int32(a.NumJoints() + i)
		}
	}
}

// sameBodies reports whether two joints are between the same bodies.
func sameBodies(a, b *mechanism.Joint) bool {
	return a.Pred == b.Pred && a.Succ == b.Succ || a.Pred == b.Succ && a.Succ == b.Pred
}

// Renumbered returns a copy of m, the model of p, with bodies, joints and couplings in elimination order.
// A solver then reads memory in order. Names stay. Large mechanisms
// that were numbered at random are solved about twice as fast; mechanisms numbered along their shape
// gain nothing.
//
// Cost: O(bodies + joints). Joints without rows come last. Slices within bodies and joints are
// shared with m. It panics if m has other numbers of bodies, joints and couplings.
func (p *Plan) Renumbered(m *model.Model) *model.Model {
	p.mustBe()
	if m == nil {
		panic("kkt: no model")
	}
	nb, nj := p.mech.NumBodies(), p.mech.NumJoints()
	if len(m.Bodies) != nb || len(m.Joints) != nj || len(m.Couplings) != p.mech.NumCouplings() {
		panic("kkt: foreign model")
	}
	out := *m
	out.Bodies, out.Joints = make([]model.Body, 0, nb), make([]model.Joint, 0, nj)
	out.Couplings = nil
	for _, v := range p.symbolic.Order() {
		switch i := p.layout.NodeConstraint(int(v)); {
		case i >= nj:
			out.Couplings = append(out.Couplings, m.Couplings[i-nj])
		case i >= 0:
			out.Joints = append(out.Joints, m.Joints[i])
		default:
			out.Bodies = append(out.Bodies, m.Bodies[v])
		}
	}
	for j := range m.Joints {
		if p.layout.JointNode(j) < 0 {
			out.Joints = append(out.Joints, m.Joints[j])
		}
	}
	return &out
}
