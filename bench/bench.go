package bench

import (
	"fmt"

	"github.com/rung-mbd/rung/model"
)

// family builds the models with a name.
type family struct {
	name  string
	build func(n int, seed uint64) (*model.Model, error)
}

// families lists the families in the order of the package comment.
func families() []family {
	return []family{
		{"ladder", Ladder},
		{"nfourbar", nFourBarDefault},
		{"scissor", Scissor},
		{"chain", Chain},
		{"tree", Tree},
		{"grid", Grid},
		{"ball-net", BallNet},
		{"revolute-net", RevoluteNet},
		{"stewart", Stewart},
		{"random", Random},
		{"rover", Rover},
		{"rocker-bogie", RockerBogie},
		{"road-train", RoadTrain},
		{"tracked", Tracked},
		{"gear-train", GearTrain},
		{"belt", Belt},
		{"valve-train", valveTrain},
		{"cam-train", camTrain},
		{"trailers", trailers},
		{"bicycle", bicycles},
		{"rolling-disc", rollingDiscs},
		{"snakeboard", snakeboards},
		{"hoberman", Hoberman},
		{"hoberman-sphere", HobermanSphere},
		{"miura", Miura},
		{"jansen", Jansen},
		{"delta", Delta},
		{"excavator", Excavator},
		{"biped", bipeds},
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
