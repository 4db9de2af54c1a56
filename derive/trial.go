package derive

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// trialStep is the change of the geometry for a trial, relative to unitOf. Openings of second order are then some 1e-6 of a length, a
// thousand times what closing leaves.
const trialStep = 1e-3

// try closes the model with the geometry changed along a direction, to either side. It is needed where rows are redundant: a direction may
// open no row to first order, and yet the joints cannot be closed at any finite change.
//
// It returns ErrBreaksLoop with the joint.
func (d *Derivatives) try(given *direction, o Options) error {
	if o.Untried || d.dynamics.Redundant() == 0 {
		return nil
	}
	step := math.Inf(1)
	for _, c := range given.changes {
		if c.p.geometry && c.x != 0 {
			step = min(step, trialStep*d.unitOf(c.p)/math.Abs(c.x))
		}
	}
	if math.IsInf(step, 1) {
		return nil
	}
	for _, sign := range [2]float64{1, -1} {
		if err := d.closes(given, sign*step); err != nil {
			return err
		}
	}
	return nil
}

// unitOf returns the unit of changes of a parameter in a trial: the length of the smaller body of its joint, the length of an axis as it is
// written, or 1 for angles and couplings.
func (d *Derivatives) unitOf(p *Parameter) float64 {
	coupled := strings.HasPrefix(strings.TrimPrefix(p.path, "$."), "couplings")
	switch {
	case coupled || strings.Contains(p.path, ".orientation"):
		return 1
	case strings.Contains(p.path, ".axis["):
		a := d.doc.Joints[p.place[0]].Axes[p.place[1]].Axis
		return math.Hypot(math.Hypot(a[0], a[1]), a[2])
	}
	squares := make([]float64, d.mech.NumBodies())
	d.mech.SquareLengthsTo(squares)
	jt := &d.mech.Joints[p.place[0]]
	l := math.Inf(1)
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 {
			l = min(l, math.Sqrt(squares[b]))
		}
	}
	return l
}

// closes returns an error that wraps ErrBreaksLoop if the model cannot be closed with the geometry changed by h times the direction.
func (d *Derivatives) closes(given *direction, h float64) error {
	m := cloneGeometry(d.doc)
	for _, c := range given.changes {
		if c.p.geometry {
			*c.p.field.at(m, c.p.place) += h * c.x
		}
	}
	for j := range m.Joints {
		for _, q := range [2]*[4]float64{&m.Joints[j].PredecessorFrame.Orientation, &m.Joints[j].SuccessorFrame.Orientation} {
			if *q != ([4]float64{}) {
				*q = spatial.Quat(*q).Normalize()
			}
		}
	}
	mech, err := mechanism.New(m)
	if err == nil {
		st := d.st.Clone()
		err = closing.NewCloser(kkt.NewPlan(mech, kkt.Options{}), closing.Options{}).ClosePositions(st)
	}
	if err == nil {
		return nil
	}
	place := given.changes[0].p.place[0]
	if e := new(mechanism.Error); errors.As(err, &e) && e.JointIndex >= 0 {
		place = e.JointIndex
	}
	return d.mech.AtJoint(place, -1, fault.Errorf("%w: at second order, with the geometry changed by %.3g units: %w", ErrBreaksLoop, h, err))
}

// cloneGeometry returns a copy of m whose numbers of joints and couplings are its own.
func cloneGeometry(m *model.Model) *model.Model {
	out := *m
	out.Joints, out.Couplings = slices.Clone(m.Joints), slices.Clone(m.Couplings)
	for j := range out.Joints {
		out.Joints[j].Axes = slices.Clone(out.Joints[j].Axes)
	}
	for i := range out.Couplings {
		c := &out.Couplings[i]
		c.Terms = slices.Clone(c.Terms)
		if c.Polynomial != nil {
			p := *c.Polynomial
			p.Coefficients = slices.Clone(p.Coefficients)
			c.Polynomial = &p
		}
		if c.Law != nil {
			l := *c.Law
			l.Law = *c.Law.Law.Clone()
			c.Law = &l
		}
	}
	return &out
}
