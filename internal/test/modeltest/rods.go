package modeltest

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// Rods returns n rods on ball joints. Each rod has a disk, whose inertia is the only one about the rod's axis. From rod to rod, the inertia
// of the disk falls from 1e-4 kg m² to least times that. A torque gives each rod 1 rad/s² about its axis. If free is set, the last rod has
// no disk.
func Rods(n int, least float64, free bool) *model.Model {
	m := model.New("rods")
	for k := range n {
		rod, disk, at := fmt.Sprint("rod", k), fmt.Sprint("disk", k), [3]float64{0, float64(k), 0}
		m.Bodies = append(m.Bodies, model.Body{Name: rod, Mass: 1, Inertia: model.Inertia{YY: 0.1, ZZ: 0.1}, Pose: model.Pose{Position: at}})
		m.Joints = append(m.Joints, model.Joint{Name: "ball" + rod, Type: joints.Spherical, Predecessor: model.World, Successor: rod,
			PredecessorFrame: model.Pose{Position: [3]float64{-0.5, at[1], 0}}, SuccessorFrame: model.Pose{Position: [3]float64{-0.5}}})
		if free && k == n-1 {
			break
		}
		I := 1e-4 * math.Pow(least, float64(k)/float64(n-1))
		m.Bodies = append(m.Bodies, model.Body{Name: disk, Mass: 1e-3, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{Position: at}})
		m.Joints = append(m.Joints, model.Joint{Name: "weld" + rod, Type: joints.Fixed, Predecessor: rod, Successor: disk})
		m.Forces = append(m.Forces, model.ForceElement{Name: "turn" + rod, Type: model.Wrench, A: model.Attachment{Body: rod}, Torque: [3]float64{I}})
	}
	return m
}
