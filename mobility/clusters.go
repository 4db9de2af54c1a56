package mobility

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// Cluster is a minimal loop cluster (RBDA §8.9): loops that share joints with each
// other and with no other loop, so that its counts are its own.
type Cluster struct {
	Joints    []string `json:"joints"`    // names, in the order of the mechanism
	Bodies    []string `json:"bodies"`    // the world left out
	Loops     int      `json:"loops"`     // independent ones
	Mobility  int      `json:"mobility"`  // of its bodies against each other, and against the world if it is in the cluster
	Redundant int      `json:"redundant"` // rows of its joints
}

// Clusters names the loop clusters of mech and counts what is in them. All redundancy is within loops.
//
// Shapes: redundant has the redundant rows of each joint (kkt.Report.RedundantRows), and perhaps those of couplings, which are in no cluster.
// Cost: near-linear in bodies and joints. It returns the errors of tree.NewPlan.
func Clusters(mech *mechanism.Mechanism, redundant []int) ([]Cluster, error) {
	if n := len(redundant); n != mech.NumJoints() && n != mech.NumConstraints() {
		panic("mobility: length mismatch")
	}
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	list := []Cluster{}
	for _, c := range plan.Clusters() {
		k := Cluster{Joints: []string{}, Bodies: []string{}, Loops: c.Loops, Mobility: 6 * (len(c.Bodies) - 1)}
		if c.Ground {
			k.Mobility += 6
		}
		for _, j := range c.Joints {
			k.Joints = append(k.Joints, mech.JointName(int(j)))
			k.Redundant += redundant[j]
			k.Mobility += redundant[j] - int(mech.Joints[j].Rows)
		}
		for _, b := range c.Bodies {
			k.Bodies = append(k.Bodies, mech.BodyName(int(b)))
		}
		list = append(list, k)
	}
	return list, nil
}
