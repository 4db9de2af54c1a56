package tree

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
)

// MaxBytes is the size, in bytes, of the largest matrix that CheckMemory allows.
const MaxBytes = 4 << 30

// ErrMemory is wrapped by the error of CheckMemory.
var ErrMemory = errors.New("tree: too much memory")

// CheckMemory returns an error that wraps ErrMemory if the matrix of a ClosedSolver or an Inverse would be larger than
// MaxBytes: it has a row for each freedom of the tree and each constraint of the loops.
func (p *Plan) CheckMemory() error {
	const number = 8 // bytes
	if n := float64(p.NumDof() + p.NumRows()); number*n*n > MaxBytes {
		return fault.Errorf("tree: %w for %d bodies: the matrix %s", ErrMemory, p.mech.NumBodies(), fault.TooDear(number*n*n, MaxBytes, "B", "take the sparse method"))
	}
	return nil
}
