package derive

import "github.com/rung-mbd/rung/internal/fault"

// Options choose how derivatives are taken. The zero value is the default.
type Options struct {
	// Untried leaves out the trial whether joints close with a changed geometry, where rows are redundant: for those who know. Without
	// reactions it also leaves out whether the pose is singular.
	Untried bool
	// NoReactions leaves wrenches out.
	NoReactions bool
	// BodiesOnly leaves out all that joints have, coordinates too: a direction then takes one sweep less.
	BodiesOnly bool
	// AsGiven takes directions that do not follow as they are, whether the joints allow them or not: the transpose of AdjointTo without
	// follow. Stages of a run are off the joints by their errors, and so are their tangents. Rows that contradict others are left out.
	AsGiven bool
}

const (
	// loadPart is that of loadSize.
	loadPart = 1e-2
	// openTol is the residual of a row, relative to its terms, above which a direction opens a loop.
	openTol = 1e-9
	// allowedTol is how far a direction may open a row, relative to its size, and count as allowed: directions come from files, with 12
	// digits.
	allowedTol = 1e-9
	// roundTol is the same for what rounding opens, which closes nothing.
	roundTol = 1e-14
	// goneTol is what following leaves of a direction that the joints take back as a whole, relative to its size: rounding of two solves.
	goneTol = 1e-12
	// settleTol is the relative change of reactions at which those that friction depends on are found, and roughTol the one up to which
	// they are where steps get no smaller, by rounding of the solves. settleSteps bounds the steps.
	settleTol, roughTol, settleSteps = 1e-14, 1e-9, 200
)

// DirectionError names the direction that has no derivative.
type DirectionError struct {
	Direction int
	Name      string
	Err       error
}

// Error returns the name and the reason.
func (e *DirectionError) Error() string {
	return fault.Errorf("derive: direction %s: %w", fault.Name(e.Name), e.Err).Error()
}

// Unwrap returns Err.
func (e *DirectionError) Unwrap() error { return e.Err }
