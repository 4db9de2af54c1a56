package modeltest

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// Arm returns a planar arm along x without gravity: bodies l0, l1 … of length 1 m on hinges j0, j1 …
func Arm(links int) *model.Model {
	m := model.New("arm")
	m.Gravity = [3]float64{}
	before := model.World
	for i := range links {
		name := string(rune('0' + i))
		m.Bodies = append(m.Bodies, model.Body{
			Name: "l" + name, Mass: 1, Com: [3]float64{0.5}, Inertia: model.Inertia{XX: 0.01, YY: 0.1, ZZ: 0.1},
			Pose: model.Pose{Position: [3]float64{float64(i)}, Orientation: [4]float64{1}},
		})
		j := model.Joint{Name: "j" + name, Type: joints.Revolute, Predecessor: before, Successor: "l" + name}
		if i > 0 {
			j.PredecessorFrame.Position = [3]float64{1}
		}
		m.Joints = append(m.Joints, j)
		before = "l" + name
	}
	return m
}
