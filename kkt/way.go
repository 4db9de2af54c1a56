package kkt

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/factor"
)

// Way is a way to solve a system whose rows may depend on each other. The ways are ordered by
// cost and reach. They are tried one after the other until a solution holds.
type Way uint8

// The ways. A Factored has the ways up to KeepAllFirmly; a Solver goes on to Orthogonal and TwiceTheDigits after KeepAll.
const (
	DropWeak       Way = iota // rows with pivots below 1e3·ε count as redundant
	DropWeakest               // rows with pivots below ε count as redundant: for mechanisms whose true pivots are small, such as long, nearly isostatic nets
	KeepAll                   // no row counts as redundant: refinement has to remove the proximal term, or to find the least squares
	KeepAllFirmly             // KeepAll with a hundredth of the proximal term
	Orthogonal                // orthogonal factors of the rows
	TwiceTheDigits            // numbers of 32 digits
)

// ways has the policy and the proximal term of each way that factors with doubles.
var ways = [...]struct {
	policy factor.Policy
	shrink float64 // factor on ε
}{
	DropWeak:      {factor.WhereWeak, 1},
	DropWeakest:   {factor.WhereWeak, 1e-3},
	KeepAll:       {factor.Everywhere, 1},
	KeepAllFirmly: {factor.Everywhere, 1e-2},
}

// Settings returns the policy of a way up to KeepAllFirmly, its proximal term as a factor on Options.Epsilon, and the largest inconsistency
// (Solver.Inconsistency) with which a solution is accepted.
func (w Way) Settings() (policy factor.Policy, shrink, tol float64) {
	return ways[w].policy, ways[w].shrink, w.tol()
}

// tol returns the largest inconsistency with which a solution of a way up to KeepAllFirmly is accepted.
func (w Way) tol() float64 {
	if ways[w].policy == factor.WhereWeak {
		return exactTol
	}
	return consistentTol
}

var wayNames = [...]string{
	"weak rows dropped", "weakest rows dropped", "all rows kept", "all rows kept firmly", "orthogonal", "twice the digits",
}

// String names the way.
func (w Way) String() string {
	if int(w) < len(wayNames) {
		return wayNames[w]
	}
	return fmt.Sprintf("Way(%d)", uint8(w))
}

// ErrLostPivot ends a way in which rounding has moved a pivot beyond the scale of its row. A
// solution with it would be wrong.
var ErrLostPivot = errors.New("kkt: pivot lost to rounding")

// ErrInconsistent is wrapped by the error of a Solve whose constraints
// contradict each other at acceleration level, such as two motions prescribed
// for one freedom.
var ErrInconsistent = errors.New("kkt: constraints contradict each other")

// ErrInaccurate is wrapped by the error of a Solve whose refinement ended far
// from a solution, or whose numbers overflow.
var ErrInaccurate = errors.New("kkt: refinement does not converge")

const (
	// consistentTol is the largest inconsistency (factor.Worst.Ratio) that counts as the violation of an imperfect state, under
	// factor.Everywhere. The accelerations are then those of least squares, and the residual is reported.
	consistentTol = 1e-4
	// exactTol is the largest inconsistency of a solution under factor.WhereWeak. A larger one says that a
	// weak row was not redundant.
	exactTol = 1e-12
	// DoubtTol is the largest pivot, relative to its row's scale, that counts as rounding of a redundant row in a reduced
	// system. A true pivot may be small there: the scales
	// are those of free bodies, while the bodies are held by their trees. And the rows of the
	// trees, which would show the mistake, are not in the system.
	DoubtTol = 1e-12
	// AccurateTol is the largest predicted relative error of the accelerations
	// that is returned as a result.
	AccurateTol = 1e-6
	// NearTol is the pivot of a row relative to its scale, about the square of the distance from a singular pose, rad, below which
	// derivatives of accelerations may have lost digits that accelerations have. At a distance of 3e-3 some 1e-8 of a derivative is rounding.
	NearTol = 1e-5
	// DroppedTol is the pivot of a redundant row, relative to its scale, above which the pivot may be more than rounding of poses, which is up
	// to 1e-13 where a model has many digits. At a distance of 3e-7 and less a pose counts as singular.
	DroppedTol = 2e-13
	// UnevenRatio is the ratio of masses (mechanism.Mechanism.MassRatio) above which derivatives may have lost digits. Below it multipliers
	// leave 1e-8 of a derivative or less.
	UnevenRatio = 1e6
)

// Try calls try with the ways from one to another, until try says that it is done. If it is not done, its error is the reason for the next
// way. Try returns the last error, or why if there is no way from from to last. All loops over ways are this one: callers that only factor
// and callers that also judge a solution differ in try.
func Try(from, last Way, why error, try func(w Way) (done bool, err error)) error {
	for w := from; w <= last; w++ {
		var done bool
		if done, why = try(w); done {
			break
		}
	}
	return why
}
