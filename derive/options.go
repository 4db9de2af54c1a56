package derive

import "github.com/rung-mbd/rung/internal/fault"

// Options choose what is computed. The zero value is the default.
type Options struct {
	// Untried leaves out the check that joints still close with a changed geometry where rows are redundant, for callers who know that they
	// do. With NoReactions it also leaves out the check for a singular pose.
	Untried bool
	// NoReactions leaves out wrenches.
	NoReactions bool
	// BodiesOnly leaves out all results of joints, coordinates too: a direction then takes one sweep less.
	BodiesOnly bool
	// AsGiven takes directions that do not follow as they are, even if the joints do not allow them: the transpose of AdjointTo without
	// Follow. Stages of a run, and so their tangents, are off the joints by the errors of the stages. Rows that contradict others are
	// ignored.
	AsGiven bool
	// Follow is for AdjointTo: the gradient is along all directions, with a state that follows them, theory.md (D3), (D4). ForwardTo takes
	// this from each direction (Directions.SetFollow).
	Follow bool
}

// mustBeForward panics for an option that functions of directions do not take.
func (o Options) mustBeForward() {
	if o.Follow {
		panic("derive: directions follow by SetFollow")
	}
}

const (
	// loadPart is the factor of loadSize.
	loadPart = 1e-2
	// openTol is the residual of a row, relative to its terms, above which a direction opens a loop.
	openTol = 1e-9
	// allowedTol is the largest opening of a row by an allowed direction, relative to its size: directions come from files with 12 digits.
	allowedTol = 1e-9
	// roundTol is the largest opening of a row, relative to the size of the direction, that counts as rounding and is not closed.
	roundTol = 1e-14
	// goneTol is the size of a direction after following, relative to its size before, up to which it counts as zero: the joints cancel it,
	// but for rounding of two solves.
	goneTol = 1e-12
	// settleTol is the relative change of reactions at which the iteration for friction has converged, and roughTol the one at which it has
	// if changes get no smaller, by rounding of the solves. settleSteps is the largest number of iterations.
	settleTol, roughTol, settleSteps = 1e-14, 1e-9, 200
)

// DirectionError says which direction has no derivative, and why.
type DirectionError struct {
	Direction int // its index
	Name      string
	Err       error
}

// Error returns the name and the reason.
func (e *DirectionError) Error() string {
	return fault.Errorf("derive: direction %s: %w", fault.Name(e.Name), e.Err).Error()
}

// Unwrap returns Err.
func (e *DirectionError) Unwrap() error { return e.Err }
