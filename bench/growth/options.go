package growth

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/motion"
)

// Articulated is the name of the articulated-body algorithm, a method for mechanisms without loops, in addition to motion.Methods.
// It computes inertias and accelerations in the same passes, so that its parts are not timed separately.
const Articulated = "tree-aba"

// sparseMethod is the name of the sparse method.
var sparseMethod = motion.Sparse.String()

// Methods returns the names of all methods: the methods of motion.Methods, and Articulated.
func Methods() (names []string) {
	for _, m := range motion.Methods() {
		names = append(names, m.String())
	}
	return append(names, Articulated)
}

// Options say how families are measured. The zero value measures the sparse method on one thread.
type Options struct {
	Methods []string    // names among Methods(); none: the sparse method
	Sparse  kkt.Options // for the sparse method
	// MinTime is the least total time of the evaluations from which a median is taken; 0 stands for 0.1 s.
	MinTime time.Duration
	// MaxTime bounds the time of an evaluation: once a size of a family has taken longer, or is predicted to take much longer,
	// this and larger sizes are left out. 0: no bound.
	MaxTime time.Duration
	// OnStage is called as a stage begins, such as "analysing ladder, size 1000, sparse", with the sum of the sizes that are done.
	OnStage func(stage string, done int64)
	// OnRecord is called with each record once it is measured. An error that it returns ends Measure.
	OnRecord func(*Record) error
	// OnMissing is called for a size that could not be measured, and for the first size that is left out, whose error wraps
	// ErrTooLong, ErrLoops or tree.ErrMemory. An error that it returns ends Measure. Nil: sizes are left out silently, and
	// any other error ends Measure.
	OnMissing func(*SizeError) error
}

// defaultMinTime stands for Options.MinTime 0.
const defaultMinTime = 100 * time.Millisecond

// SizeError tells why a size of a family could not be measured by a method.
type SizeError struct {
	Family, Method string
	Size           int
	Err            error
}

// Error names family, method and size.
func (e *SizeError) Error() string {
	return fmt.Sprintf("bench/growth: %s, %s, size %d: %v", fault.Name(e.Family), e.Method, e.Size, fault.Plain(e.Err))
}

// Unwrap returns the reason.
func (e *SizeError) Unwrap() error { return e.Err }

var (
	// ErrTooLong is the error of a size whose evaluation takes longer than Options.MaxTime.
	ErrTooLong = errors.New("bench/growth: an evaluation takes too long")
	// ErrLoops is the error of a mechanism with loops by the method Articulated.
	ErrLoops = errors.New("bench/growth: there are loops")
)

// withDefaults returns the options with defaults in place of zeros. It returns an error for an unknown method.
func (o Options) withDefaults() (Options, error) {
	if len(o.Methods) == 0 {
		o.Methods = []string{sparseMethod}
	}
	for _, name := range o.Methods {
		if !slices.Contains(Methods(), name) {
			return o, errors.New("bench/growth: " + fault.NoneOf("method", name, Methods()))
		}
	}
	if o.MinTime == 0 {
		o.MinTime = defaultMinTime
	}
	return o, nil
}
