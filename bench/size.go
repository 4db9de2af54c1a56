package bench

import (
	"errors"
	"fmt"
)

// MaxBodies is the largest model that is generated.
const MaxBodies = 10_000_000

// ErrSize says that n is below 1 or gives more than MaxBodies bodies.
var ErrSize = errors.New("bench: size out of range")

// count checks n and returns bodies(n), which may be more than an int of 32 bits holds.
func count(name string, n int, bodies func(n int64) int64) (int, error) {
	if n < 1 || n > MaxBodies || bodies(int64(n)) > MaxBodies {
		return 0, fmt.Errorf("%w: %s %d", ErrSize, name, n)
	}
	return int(bodies(int64(n))), nil
}
