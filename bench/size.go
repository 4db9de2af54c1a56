package bench

import (
	"errors"
	"fmt"
)

// MaxBodies is the largest number of bodies of a generated model.
const MaxBodies = 10_000_000

var (
	// ErrFamily is the error of a name that no family has.
	ErrFamily = errors.New("bench: unknown family")
	// ErrSize is the error of an n below 1 or with more than MaxBodies bodies.
	ErrSize = errors.New("bench: size out of range")
)

// sizes has the number of bodies of each family as a function of n, in 64 bits, as n² may overflow an int of 32 bits.
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

// same returns n.
func same(n int64) int64 { return n }

// square returns n².
func square(n int64) int64 { return n * n }

// times returns the function k·n.
func times(k int64) func(n int64) int64 { return func(n int64) int64 { return k * n } }

// Bodies returns the number of bodies of the model of a family with size n.
//
// It returns ErrFamily or ErrSize.
func Bodies(name string, n int) (int, error) {
	size := sizes[name]
	if size == nil {
		return 0, fmt.Errorf("%w %q", ErrFamily, name)
	}
	// n is checked first, as int64 holds the square of MaxBodies, but not of every int.
	if n < 1 || n > MaxBodies || size(int64(n)) > MaxBodies {
		return 0, fmt.Errorf("%w: %s %d", ErrSize, name, n)
	}
	return int(size(int64(n))), nil
}
