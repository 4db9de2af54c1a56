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

// Articulated is the method of articulated bodies, for mechanisms without loops, besides those of motion.Methods. Its inertias and
// accelerations are computed in the same passes, so that its parts are not timed apart.
const Articulated = "tree-aba"

// sparseMethod is the name of the sparse method.
var sparseMethod = motion.Sparse.String()

// Methods returns the names of all methods: those of motion.Methods, and Articulated.
func Methods() (names []string) {
	for _, m := range motion.Methods() {
		names = append(names, m.String())
	}
	return append(names, Articulated)
}

// Options say how families are measured. The zero value measures the sparse method on one thread.
type Options struct {
	Methods []string    // of Methods(); none: the sparse one
	Sparse  kkt.Options // of the sparse method

	// MinTime is the least time of the evaluations behind a median, together; 0 stands for 0.1 s.
	MinTime time.Duration
	// MaxTime bounds an evaluation: larger sizes of a family are left out once one has taken longer, or is sure to. 0: no bound.
	MaxTime time.Duration

	// OnStage is called as a stage begins, such as "analysing ladder, size 1000, sparse", with the sum of the sizes that are done.
	OnStage func(stage string, done int64)
	// OnRecord is called with each record as it comes. An error that it returns ends Measure.
	OnRecord func(*Record) error
	// OnMissing is called for a size that could not be measured, and for the first of those that are left out, whose error wraps
	// ErrTooLong, ErrLoops or tree.ErrMemory. An error that it returns ends Measure. Nil: sizes are left out without a word, and
	// any other error ends Measure.
	OnMissing func(*SizeError) error
}

// defaultMinTime is the least time behind a median.
const defaultMinTime = 100 * time.Millisecond

// SizeError says why a size of a family could not be measured by a method.
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
	// ErrTooLong says that an evaluation takes longer than Options.MaxTime.
	ErrTooLong = errors.New("bench/growth: an evaluation takes too long")
	// ErrLoops says that articulated bodies were asked for a mechanism with loops.
	ErrLoops = errors.New("bench/growth: there are loops")
)

// withDefaults returns the options without zeros that stand for defaults.
//
// It returns an error if a method has no such name.
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
