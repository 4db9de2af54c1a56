package fik

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// OptionError names an option of feedback inverse kinematics that breaks a rule.
type OptionError struct {
	Field  string // such as "P[1][0]"
	Value  string // empty if there is none
	Reason string // the broken rule, to follow the value in a sentence
}

// Error implements error.
func (e *OptionError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("ik/fik: option %s: %s", e.Field, e.Reason)
	}
	return fmt.Sprintf("ik/fik: option %s: %s %s", e.Field, e.Value, e.Reason)
}

// badOptions is a list of OptionErrors.
type badOptions []error

// when adds an OptionError if broken is true.
func (b *badOptions) when(broken bool, field string, value any, reason string) {
	if broken {
		*b = append(*b, &OptionError{field, fmt.Sprint(value), reason})
	}
}

// positive adds errors unless v has 1 or n numbers, all positive and finite.
func (b *badOptions) positive(field string, v []float64, n int) {
	b.when(len(v) != 1 && len(v) != n, field, len(v), fmt.Sprintf("numbers, not 1 or %d", n))
	for i, x := range v {
		b.when(!(x > 0) || math.IsInf(x, 1), fault.Entry(field, i, len(v)), x, "is not positive")
	}
}

// err returns all errors joined, or nil if there are none.
func (b badOptions) err() error { return errors.Join(b...) }

// errZeroJacobian returns an error that wraps ErrRank.
func errZeroJacobian() error { return fault.Errorf("%w: it is zero", ErrRank) }

var (
	// ErrRank is wrapped by the error for a Jacobian that is not of full rank.
	ErrRank = errors.New("ik/fik: the Jacobian of the design is not of full rank")
	// ErrNoDesign is wrapped by the error of a design that finds no P.
	ErrNoDesign = errors.New("ik/fik: the Riccati equation has no stabilizing positive definite solution")
)
