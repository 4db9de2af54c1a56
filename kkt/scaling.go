package kkt

import (
	"fmt"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/algebra"
)

// IllScaled is a body or joint where a mechanism is badly scaled, or a body whose acceleration double precision
// or the data do not determine.
type IllScaled struct {
	Body, Joint int    // one of them is −1
	Text        string // a sentence about the body or joint, without its name
}

// spread is the largest ratio of inertias that meet in one row.
type spread struct {
	ratio       float64
	excess      float64 // ratio over its limit: doubles are enough up to 1
	body, joint int     // the body or joint of the ratio; the other is −1
	text        string  // format of a sentence with the ratio
}

// wide reports whether doubles are not enough for the ratio.
func (s *spread) wide() bool { return s.excess >= 1 }

// measure is the memory of the search for a spread. By body it has the trace of I, which is at most 3 times the largest moment of inertia,
// and the reciprocal of the trace of I⁻¹, which is at least a third of the least one.
type measure struct{ most, least []float64 }

// of returns the ratio that is largest relative to its limit. Within a body it is m·ℓ² over the least moment of inertia, with ℓ its
// length; across a joint it is the ratio of the masses, or of the largest and the least moment of inertia of different bodies.
//
// Cost: O(bodies + joints), no allocation but for the first.
func (a *measure) of(l *assemble.Layout, length []float64) spread {
	m := l.Mech
	out := spread{body: -1, joint: -1}
	if a.most == nil {
		a.most, a.least = make([]float64, len(length)), make([]float64, len(length))
	}
	most, least := a.most, a.least
	take := func(ratio, limit float64, body, joint int, text string) {
		if ratio/limit > out.excess*(1+algebra.Alike) {
			out = spread{ratio, ratio / limit, body, joint, text}
		}
	}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		inverse := 0.0
		for _, x := range b.Weight().Inertia {
			inverse += x * x
		}
		most[i], least[i] = b.Inertia[0]+b.Inertia[1]+b.Inertia[2], 1/inverse
		take(b.Mass*length[i]*length[i]*inverse, inertiaSpread, i, -1, "its mass at the distance of its joints has %.0e times its least moment of inertia")
	}
	for j := range m.Joints {
		p, s := m.Joints[j].Pred, m.Joints[j].Succ
		if p < 0 || s < 0 || l.JointNode(j) < 0 {
			continue
		}
		mp, ms := m.Bodies[p].Mass, m.Bodies[s].Mass
		take(max(mp/ms, ms/mp), massSpread, -1, j, "the masses of its bodies are in a ratio of %.0e")
		take(max(most[p]/least[s], most[s]/least[p]), inertiaSpread, -1, j, "the moments of inertia of its bodies are in a ratio of %.0e")
	}
	return out
}

// IllScaledIn returns the body or joint at which inertias differ so much that Solver.Solve takes twice the digits, if the
// mechanism is not too large for that; nil if there is no such place.
//
// Cost: O(bodies + joints).
func IllScaledIn(l *assemble.Layout) *IllScaled {
	length := make([]float64, l.Mech.NumBodies())
	l.LengthsTo(length)
	if s := new(measure).of(l, length); s.wide() {
		return s.describe()
	}
	return nil
}

// describe returns the place for a Report.
func (s *spread) describe() *IllScaled {
	return &IllScaled{Body: s.body, Joint: s.joint, Text: fmt.Sprintf(s.text, s.ratio)}
}
