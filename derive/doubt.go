package derive

import (
	"errors"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// ErrDoubt is for derivatives that may be far from right, though accelerations are not. Masses may be so different, or a singular pose so
// near, that they consist of rounding (ForwardTo, AdjointTo). Or a state violates its joints where geometry alone makes their rows
// redundant, as in the Bricard linkage (Doubt): rows contradict each other there, or count as independent. Accelerations are near those of
// the nearest state on the joints, and their derivatives along directions that open the joints are those of no motion.
var ErrDoubt = errors.New("derive: derivatives are in doubt")

const (
	// doubtTol is the contradiction between rows, relative to their terms, that is rounding whatever the first state is.
	doubtTol = 1e-12
	// doubtRise is by how much contradictions that a model has on its joints, as one with axes of seven digits, may grow as it moves.
	doubtRise = 100
)

// Redundancy is how many rows of the joints count as redundant at a state, all where none is left out as none is sure to be, and the
// largest contradiction between them, relative to their terms.
type Redundancy struct {
	Rows  int
	Ratio float64
}

// Redundancy returns that at the state of At. It panics without At.
func (d *Derivatives) Redundancy() Redundancy {
	d.mustBeReady()
	return Redundancy{d.dynamics.Redundant(), d.dynamics.Misfit().Ratio}
}

// Doubt returns ErrDoubt, with the joint of the row, if derivatives at the state of At along directions that open the joints are in doubt,
// where on is the redundancy at a state on the joints. Where no row is redundant there is no doubt.
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

// rounded reports whether the right sides of all rows in r are rounding of a direction, by which redundant rows may contradict each
// other. They are then zero.
func (d *Derivatives) rounded(r []float64, u *direction) bool {
	first := int(d.layout.Pattern.Off[d.layout.FirstJoint()])
	size := d.sizeOf(u, ofVelocities)*(1+d.sizes.rate) + d.sizeOf(u, ofPositions)*d.sizes.second
	if algebra.MaxAbs(r[first:]) > openTol*size {
		return false
	}
	clear(r[first:])
	return true
}

// opened returns ErrBreaksLoop at the row that does not hold. err is what solving has ended with, nil for an answer that does not fit.
func (d *Derivatives) opened(fit kkt.Misfit, err error) error {
	if err != nil && !errors.Is(err, kkt.ErrInconsistent) {
		return err
	}
	if fit.Constraint < 0 {
		return ErrBreaksLoop
	}
	return d.atRow(fit.Constraint, fit.Row, fault.Errorf("%w: a row is open by %.3g of its terms", ErrBreaksLoop, fit.Ratio))
}

// atRow returns err with the joint or coupling of a row, if there is one.
func (d *Derivatives) atRow(constraint, row int, err error) error {
	switch {
	case constraint < 0:
		return err
	case constraint >= d.mech.NumJoints() || row >= int(d.mech.Joints[constraint].Rows):
		row = -1
	}
	return d.mech.AtConstraint(constraint, row, err)
}
