package bench

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// MaxBodies is the largest model that is generated.
const MaxBodies = 10_000_000

var (
	// ErrFamily says that no family has the name.
	ErrFamily = errors.New("bench: unknown family")
	// ErrSize says that n is below 1 or gives more than MaxBodies bodies.
	ErrSize = errors.New("bench: size out of range")
)

// family is one row of the list of families.
type family struct {
	name   string
	bodies func(n int64) int64 // for size n; n² may be more than an int of 32 bits holds
	build  func(n int, seed uint64) (*model.Model, error)
}

// families lists the families in the order of the package comment.
func families() []family {
	same := func(n int64) int64 { return n }
	times := func(k int64) func(int64) int64 { return func(n int64) int64 { return k * n } }
	square := func(n int64) int64 { return n * n }
	return []family{
		{"ladder", same, Ladder},
		{"nfourbar", func(n int64) int64 { return 2*n + 1 }, nFourBarDefault},
		{"scissor", times(2), Scissor},
		{"chain", same, Chain},
		{"tree", same, Tree},
		{"grid", square, Grid},
		{"ball-net", square, BallNet},
		{"revolute-net", func(n int64) int64 { return n * (2*n + 1) }, RevoluteNet},
		{"stewart", times(13), Stewart},
		{"random", same, Random},
		{"rover", func(n int64) int64 { return 7*n - 1 }, Rover},
		{"rocker-bogie", func(n int64) int64 { return 15*n - 1 }, RockerBogie},
		{"road-train", times(9), RoadTrain},
		{"tracked", func(n int64) int64 { return 4*n + 5 }, Tracked},
		{"gear-train", same, GearTrain},
		{"belt", same, Belt},
		{"valve-train", times(3), valveTrain},
		{"cam-train", times(3), camTrain},
		{"trailers", times(3), trailers},
		{"bicycle", times(4), bicycles},
		{"rolling-disc", same, rollingDiscs},
		{"snakeboard", times(4), snakeboards},
		{"hoberman", func(n int64) int64 { return 2*n + 4 }, Hoberman},
		{"hoberman-sphere", func(n int64) int64 { return 24*n + 12 }, HobermanSphere},
		{"miura", func(n int64) int64 { return (n + 1) * (n + 1) }, Miura},
		{"jansen", func(n int64) int64 { return 12*n + 1 }, Jansen},
		{"delta", func(n int64) int64 { return 3*n + 7 }, Delta},
		{"excavator", func(n int64) int64 { return 3*n + 9 }, Excavator},
		{"biped", times(23), bipeds},
	}
}

// Families returns the names Generate takes.
func Families() []string {
	var names []string
	for _, f := range families() {
		names = append(names, f.name)
	}
	return names
}

// familyOf returns the family with a name, or ErrFamily.
func familyOf(name string) (family, error) {
	for _, f := range families() {
		if f.name == name {
			return f, nil
		}
	}
	return family{}, fmt.Errorf("%w %q", ErrFamily, name)
}

// Bodies returns how many bodies the model of a family has.
//
// It returns ErrFamily or ErrSize.
func Bodies(name string, n int) (int, error) {
	f, err := familyOf(name)
	if err != nil {
		return 0, err
	}
	// First n alone: int64 holds the square of MaxBodies, and not of every int.
	if n < 1 || n > MaxBodies || f.bodies(int64(n)) > MaxBodies {
		return 0, fmt.Errorf("%w: %s %d", ErrSize, name, n)
	}
	return int(f.bodies(int64(n))), nil
}

// Generate returns the model of a family with size n; what n counts is in the
// family's own function. The angle of nfourbar is DefaultAngle.
//
// Cost: O(bodies).
// It returns ErrFamily or ErrSize.
func Generate(name string, n int, seed uint64) (*model.Model, error) {
	f, err := familyOf(name)
	if err != nil {
		return nil, err
	}
	return f.build(n, seed)
}
