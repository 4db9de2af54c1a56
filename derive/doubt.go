package derive

import (
	"errors"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// ErrDoubt is the error for derivatives that may be far from right although accelerations are not. There are two reasons. Masses are so
// different, or a singular pose is so near, that the derivatives consist of rounding (ForwardTo, AdjointTo). Or a state violates joints
// whose rows only geometry makes redundant, as in the Bricard linkage (Doubt): off the joints the rows contradict each other, or count as
// independent. Accelerations are then near those of the nearest state on the joints, but their derivatives along directions that open the
// joints belong to no motion.
var ErrDoubt = errors.New("derive: derivatives are in doubt")

const (
	// doubtTol is the contradiction between rows, relative to their terms, that counts as rounding at every state.
	doubtTol = 1e-12
	// doubtRise is the factor by which the contradictions of a model on its joints, such as one with axes of seven digits, may grow as it
	// moves.
	doubtRise = 100
)

// Redundancy is the number of rows of the joints that count as redundant at a state, and the largest contradiction between them, relative
// to their terms. Where no row is surely redundant, none is left out, and Rows is the number of all rows.
type Redundancy struct {
	Rows  int
	Ratio float64
}

// Redundancy returns the redundancy at the state of At. It panics without At.
func (d *Derivatives) Redundancy() Redundancy {
	d.mustBeReady()
	return Redundancy{d.dynamics.Redundant(), d.dynamics.Misfit().Ratio}
}

// Doubt returns ErrDoubt, with the joint of the row, if derivatives at the state of At along directions that open the joints are in doubt.
// on is the redundancy at a state on the joints. If no row is redundant there, there is no doubt.
//
// Cost: O(1). It panics without At.
func (d *Derivatives) Doubt(on Redundancy) error {
	now, fit := d.Redundancy(), d.dynamics.Misfit()
	switch {
	case on.Rows == 0:
		return nil
	case now.Rows != on.Rows:
		at, row, _, _ := d.dynamics.Weakest()
		return d.atRow(at, row, fault.Errorf("%w: other rows count as redundant than on the joints", ErrDoubt))
	case now.Ratio <= max(doubtTol, doubtRise*on.Ratio):
		return nil
	}
	return d.atRow(fit.Constraint, fit.Row,
		fault.Errorf("%w: rows that geometry alone makes redundant contradict each other by %.2g of their terms", ErrDoubt, now.Ratio))
}

// rounded reports whether the right sides of all rows in r are nothing but rounding of the direction u, which could make redundant rows
// contradict each other. If so, it sets them to zero.
func (d *Derivatives) rounded(r []float64, u *direction) bool {
	first := int(d.layout.Pattern.Off[d.layout.FirstJoint()])
	size := d.sizeOf(u, ofVelocities)*(1+d.sizes.rate) + d.sizeOf(u, ofPositions)*d.sizes.second
	if algebra.MaxAbs(r[first:]) > openTol*size {
		return false
	}
	clear(r[first:])
	return true
}

// opened returns ErrBreaksLoop at the row fit that the answer leaves open. err is the error of the solve, nil if only the answer does not
// fit; errors other than kkt.ErrInconsistent are returned as they are.
func (d *Derivatives) opened(fit kkt.Misfit, err error) error {
	if err != nil && !errors.Is(err, kkt.ErrInconsistent) {
		return err
	}
	if fit.Constraint < 0 {
		return ErrBreaksLoop
	}
	return d.atRow(fit.Constraint, fit.Row, fault.Errorf("%w: a row is open by %.3g of its terms", ErrBreaksLoop, fit.Ratio))
}

// atRow returns err with the joint or coupling of a row; err itself if constraint is negative.
func (d *Derivatives) atRow(constraint, row int, err error) error {
	switch {
	case constraint < 0:
		return err
	case constraint >= d.mech.NumJoints() || row >= int(d.mech.Joints[constraint].Rows):
		row = -1
	}
	return d.mech.AtConstraint(constraint, row, err)
}
