package bench

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// ErrFamily says that no family has the name.
var ErrFamily = errors.New("bench: unknown family")

// family is one row of the list of families.
type family struct {
	name   string
	bodies func(n int64) int64
	build  func(n int, seed uint64) (*model.Model, error)
}

// families lists the families in the order of the package comment.
func families() []family {
	same := func(n int64) int64 { return n }
	square := func(n int64) int64 { return n * n }
	return []family{
		{"ladder", same, Ladder},
		{"nfourbar", func(n int64) int64 { return 2*n + 1 }, nFourBarDefault},
		{"scissor", func(n int64) int64 { return 2 * n }, Scissor},
		{"chain", same, Chain},
		{"tree", same, Tree},
		{"grid", square, Grid},
		{"ball-net", square, BallNet},
		{"revolute-net", func(n int64) int64 { return n * (2*n + 1) }, RevoluteNet},
		{"stewart", func(n int64) int64 { return 13 * n }, Stewart},
		{"random", same, Random},
		{"rover", roverBodies, Rover},
		{"rocker-bogie", rockerBodies, RockerBogie},
		{"road-train", trainBodies, RoadTrain},
		{"tracked", trackedBodies, Tracked},
		{"gear-train", same, GearTrain},
		{"belt", same, Belt},
		{"valve-train", valveBodies, valveTrain},
		{"cam-train", valveBodies, camTrain},
		{"trailers", trailerBodies, trailers},
		{"bicycle", bicycleBodies, bicycles},
		{"rolling-disc", coinBodies, rollingDiscs},
		{"snakeboard", boardBodies, snakeboards},
		{"hoberman", hobermanBodies, Hoberman},
		{"hoberman-sphere", sphereBodies, HobermanSphere},
		{"miura", miuraBodies, Miura},
		{"jansen", jansenBodies, Jansen},
		{"delta", deltaBodies, Delta},
		{"excavator", diggerBodies, Excavator},
		{"biped", bipedBodies, bipeds},
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

// Bodies returns how many bodies the model of a family has.
//
// It returns ErrFamily or ErrSize.
func Bodies(name string, n int) (int, error) {
	for _, f := range families() {
		if f.name == name {
			return count(name, n, f.bodies)
		}
	}
	return 0, fmt.Errorf("%w %q", ErrFamily, name)
}

// Generate returns the model of a family with size n; what n counts is in the
// family's own function. The angle of nfourbar is DefaultAngle.
//
// Cost: O(bodies).
// It returns ErrFamily or ErrSize.
func Generate(name string, n int, seed uint64) (*model.Model, error) {
	for _, f := range families() {
		if f.name == name {
			return f.build(n, seed)
		}
	}
	return nil, fmt.Errorf("%w %q", ErrFamily, name)
}
