package bench

import (
	"errors"
	"fmt"
)

// MaxBodies is the largest model that is generated.
const MaxBodies = 10_000_000

var (
	// ErrFamily says that no family has the name.
	ErrFamily = errors.New("bench: unknown family")
	// ErrSize says that n is below 1 or gives more than MaxBodies bodies.
	ErrSize = errors.New("bench: size out of range")
)

// sizes has the number of bodies of each family; n² may be more than an int of 32 bits holds.
var sizes = map[string]func(n int64) int64{
	"ladder":          same,
	"nfourbar":        func(n int64) int64 { return 2*n + 1 },
	"scissor":         times(2),
	"chain":           same,
	"tree":            same,
	"grid":            square,
	"ball-net":        square,
	"revolute-net":    func(n int64) int64 { return n * (2*n + 1) },
	"stewart":         times(13),
	"random":          same,
	"rover":           func(n int64) int64 { return 7*n - 1 },
	"rocker-bogie":    func(n int64) int64 { return 15*n - 1 },
	"road-train":      times(9),
	"tracked":         func(n int64) int64 { return 4*n + 5 },
	"gear-train":      same,
	"belt":            same,
	"valve-train":     times(3),
	"cam-train":       times(3),
	"trailers":        times(3),
	"bicycle":         times(4),
	"rolling-disc":    same,
	"snakeboard":      times(4),
	"hoberman":        func(n int64) int64 { return 2*n + 4 },
	"hoberman-sphere": func(n int64) int64 { return 24*n + 12 },
	"miura":           func(n int64) int64 { return (n + 1) * (n + 1) },
	"jansen":          func(n int64) int64 { return 12*n + 1 },
	"delta":           func(n int64) int64 { return 3*n + 7 },
	"excavator":       func(n int64) int64 { return 3*n + 9 },
	"biped":           times(23),
}

func same(n int64) int64 { return n }

func square(n int64) int64 { return n * n }

// times returns the function k·n.
func times(k int64) func(n int64) int64 { return func(n int64) int64 { return k * n } }

// Bodies returns how many bodies the model of a family has.
//
// It returns ErrFamily or ErrSize.
func Bodies(name string, n int) (int, error) {
	size := sizes[name]
	if size == nil {
		return 0, fmt.Errorf("%w %q", ErrFamily, name)
	}
	// First n alone: int64 holds the square of MaxBodies, and not of every int.
	if n < 1 || n > MaxBodies || size(int64(n)) > MaxBodies {
		return 0, fmt.Errorf("%w: %s %d", ErrSize, name, n)
	}
	return int(size(int64(n))), nil
}
