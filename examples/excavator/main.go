// Command excavator finds the forces of the three cylinders of an excavator's arm: under its weight, and as the bucket
// breaks ground. The balance of moments about the pivot of the boom checks the force of the boom's cylinder.
package main

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Points of the arm in its plane, m. The arm turns about the origin.
var (
	pivot       = spatial.Vec3{0, 0}
	chassis     = spatial.Vec3{0.6, -0.5} // foot of the boom's cylinder
	boomEye     = spatial.Vec3{2.3, 2.0}  // head of the boom's cylinder
	elbow       = spatial.Vec3{5.0, 2.6}
	stickFoot   = spatial.Vec3{2.6, 2.9} // foot of the stick's cylinder, on the boom
	stickEye    = spatial.Vec3{5.3, 3.4} // head of the stick's cylinder
	wrist       = spatial.Vec3{5.9, 0.0} // hinge of the bucket
	bucketFoot  = spatial.Vec3{5.6, 2.8} // foot of the bucket's cylinder, on the stick
	rockerPivot = spatial.Vec3{5.9, 0.45}
	rockerEnd   = spatial.Vec3{6.5, 0.55}
	linkEnd     = spatial.Vec3{6.4, 0.05} // on the bucket
	tooth       = spatial.Vec3{5.7, -1.3}
)

// Outlines of the parts that are cut from plates, m.
var (
	boomPlate   = [][2]float64{{-0.2, -0.1}, {0.1, -0.2}, {2.4, 1.4}, {5.1, 2.4}, {5.1, 2.8}, {2.5, 3.0}, {2.0, 2.4}}
	stickPlate  = [][2]float64{{5.2, 3.5}, {4.9, 2.5}, {5.8, -0.1}, {6.0, -0.1}, {6.0, 0.6}, {5.7, 2.9}}
	bucketPlate = [][2]float64{{5.8, 0.1}, {5.7, -1.3}, {6.7, -1.1}, {6.9, -0.4}, {6.5, 0.15}}
)

const (
	gravity = 9.81
	steel   = 7850 // kg/m³
	dig     = 30e3 // N, on the tooth, against the movement of the bucket
)

// build returns the model of the arm and the freedoms of its cylinders. If digs, there is a force on the tooth.
func build(digs bool) (m *model.Model, cylinders [3]mechanism.Freedom, err error) {
	b := rung.NewBuilder("excavator").Gravity(0, -gravity, 0)
	z := spatial.Vec3{0, 0, 1}
	boom := b.Extrude("boom", rung.Place{}, steel, 0.06, boomPlate)
	stick := b.Extrude("stick", rung.Place{}, steel, 0.06, stickPlate)
	bucket := b.Extrude("bucket", rung.Place{}, steel, 0.05, bucketPlate)
	rocker := b.Rod("rocker", 40, 0.05, rockerPivot, rockerEnd)
	link := b.Rod("link", 40, 0.05, rockerEnd, linkEnd)
	b.Revolute("boom pivot", rung.World, boom, pivot, z)
	b.Revolute("elbow", boom, stick, elbow, z)
	b.Revolute("wrist", stick, bucket, wrist, z)
	b.Revolute("rocker pivot", stick, rocker, rockerPivot, z)
	b.Revolute("link head", rocker, link, rockerEnd, z)
	b.Revolute("link foot", link, bucket, linkEnd, z)

	cylinder := func(name string, mass float64, foot, head rung.Body, from, to spatial.Vec3) mechanism.Freedom {
		line := to.Sub(from)
		barrel := b.Rod(name+" barrel", 0.6*mass, 0.08, from, from.Add(line.Scale(0.6)))
		rod := b.Rod(name+" rod", 0.4*mass, 0.05, from.Add(line.Scale(0.4)), to)
		b.Revolute(name+" foot", foot, barrel, from, z)
		b.Revolute(name+" head", rod, head, to, z)
		return mechanism.Freedom{Joint: b.Prismatic(name, barrel, rod, from, line).Index()}
	}
	cylinders[0] = cylinder("boom cylinder", 250, rung.World, boom, chassis, boomEye)
	cylinders[1] = cylinder("stick cylinder", 180, boom, stick, stickFoot, stickEye)
	cylinders[2] = cylinder("bucket cylinder", 120, stick, rocker, bucketFoot, rockerEnd)
	if digs {
		b.Wrench("ground", bucket, tooth, spatial.Vec3{dig, 0.3 * dig}, spatial.Vec3{})
	}
	m, err = b.Model()
	return m, cylinders, err
}

// byHand returns the force of the boom's cylinder, N, by the balance of moments about the pivot of the boom. The moments are of
// the weights, of the force on the tooth, and of the cylinder's force on its head: along its line, and, by its own weight, across it.
func byHand(mech *mechanism.Mechanism, kin *mechanism.Kinematics, st *mechanism.State, digs bool) float64 {
	line := boomEye.Sub(chassis)
	length := line.Norm()
	u := line.Scale(1 / length)
	across := spatial.Vec3{-u[1], u[0]}
	moment := 0.0           // about the pivot, of everything but the cylinder
	var foot, along float64 // moment of the cylinder's weight about its foot; component of the rod's weight along the cylinder
	for i := range mech.Bodies {
		at := st.Bodies[i].Position.Add(kin.Bodies[i].Com)
		weight := spatial.Vec3{0, -gravity * mech.Bodies[i].Mass}
		switch mech.BodyName(i) {
		case "boom cylinder rod":
			along = weight.Dot(u)
			foot += at.Sub(chassis).Cross(weight)[2]
		case "boom cylinder barrel":
			foot += at.Sub(chassis).Cross(weight)[2]
		default:
			moment += at.Sub(pivot).Cross(weight)[2]
		}
	}
	if digs {
		moment += tooth.Sub(pivot).Cross(spatial.Vec3{dig, 0.3 * dig})[2]
	}
	arm := boomEye.Sub(pivot)
	// Balance about the cylinder's foot: its head presses on the boom with foot/length across its line.
	moment += arm.Cross(across)[2] * foot / length
	// Balance about the pivot gives the force on the boom along the line; the cylinder also carries its rod.
	return -moment/arm.Cross(u)[2] - along
}

// run finds the cylinders' forces at rest and while the bucket digs.
func run() error {
	for _, digs := range []bool{false, true} {
		m, cylinders, err := build(digs)
		if err != nil {
			return err
		}
		plan, err := rung.NewPlan(m, rung.Options{})
		if err != nil {
			return err
		}
		if err := statics(plan, cylinders[:], digs); err != nil {
			return err
		}
	}
	return nil
}

// statics prints the forces of the cylinders that hold the arm still.
func statics(plan *rung.Plan, cylinders []mechanism.Freedom, digs bool) error {
	mech, st := plan.Mechanism(), plan.Initial()
	inverse, err := plan.NewInverse(cylinders)
	if err != nil {
		return err
	}
	if err := inverse.Solve(st, nil); err != nil {
		return err
	}
	kin := mech.NewKinematics()
	if err := mech.KinematicsTo(kin, st); err != nil {
		return err
	}
	fmt.Printf("digs: %v, motions without a cylinder: %d\n", digs, inverse.Mobility()-inverse.Controlled())
	for i, f := range inverse.Forces() {
		fmt.Printf("  %-15s %8.2f kN", mech.JointName(cylinders[i].Joint), f/1000)
		if i == 0 {
			fmt.Printf(", by hand %.2f kN", byHand(mech, kin, st, digs)/1000)
		}
		fmt.Println()
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
