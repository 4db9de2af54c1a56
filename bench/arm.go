package bench

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/model"
)

// armJoint is a revolute joint of an arm that stands upright when all angles are zero.
type armJoint struct {
	z     float64 // m, height
	axis  byte    // 'z', 'y', or 'Y' for −y
	limit float64 // rad, to both sides
}

// arms are the arms by their number of joints: six with a spherical wrist, like industrial robots, or seven, like many robots that
// work beside people.
var arms = map[int][]armJoint{
	6: {{0.3, 'z', 2.9}, {0.4, 'y', 1.9}, {0.85, 'y', 2.4}, {1.05, 'z', 3.1}, {1.27, 'y', 2.1}, {1.35, 'z', 3.1}},
	7: {{0.15, 'z', 2.96}, {0.34, 'y', 2.09}, {0.54, 'z', 2.96}, {0.74, 'Y', 2.09}, {0.94, 'z', 2.96}, {1.14, 'y', 2.09}, {1.2, 'z', 3.05}},
}

// Links of an arm. A link of the length l, m, has the moments of inertia l·(l² + armRound) across and l·armRound along, kg m², about
// its middle.
const (
	armTool    = 0.1  // m, from the joint of the last link to its end
	armDensity = 10   // kg/m
	armRound   = 0.02 // m²
)

// Arm is an arm of 6 or 7 revolutes "j1", … with limits, and links "link1", …, upright, at rest, in the middle of its
// limits. The frame of a link is at its joint, along the world's axes; the tool is 0.1 m along z of the last link's frame.
//
// It returns ErrSize for another number of joints.
func Arm(joints int) (*model.Model, error) {
	list := arms[joints]
	if list == nil {
		return nil, fmt.Errorf("arm: %w", ErrSize)
	}
	m := model.New(fmt.Sprintf("arm-%d", joints))
	up, below := model.World, 0.0
	for i, j := range list {
		top := j.z + armTool
		if i+1 < joints {
			top = list[i+1].z
		}
		l, name := top-j.z, fmt.Sprint("link", i+1)
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: armDensity * l, Com: [3]float64{2: l / 2},
			Inertia: model.Inertia{XX: l * (l*l + armRound), YY: l * (l*l + armRound), ZZ: armRound * l},
			Pose:    model.Pose{Position: [3]float64{2: j.z}, Orientation: [4]float64{1}},
		})
		q := [4]float64{1}
		if s := math.Sqrt(0.5); j.axis == 'y' {
			q = [4]float64{s, -s}
		} else if j.axis == 'Y' {
			q = [4]float64{s, s}
		}
		m.Joints = append(m.Joints, model.Joint{
			Name: fmt.Sprint("j", i+1), Type: model.Revolute, Predecessor: up, Successor: name,
			PredecessorFrame: model.Pose{Position: [3]float64{2: j.z - below}, Orientation: q}, SuccessorFrame: model.Pose{Orientation: q},
			Limits: []*model.Limit{{Lower: -j.limit, Upper: j.limit}},
		})
		up, below = name, j.z
	}
	return m, nil
}
