package mobility

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// Cluster is a minimal loop cluster (RBDA §8.9): loops that share joints with each
// other and with no loop outside the cluster, so that its loops, mobility and redundancy can be counted by themselves.
type Cluster struct {
	Joints    []string `json:"joints"`    // names, in the order of the mechanism
	Bodies    []string `json:"bodies"`    // names, without the world
	Loops     int      `json:"loops"`     // number of independent loops
	Mobility  int      `json:"mobility"`  // of its bodies relative to each other, and to the world if that is in the cluster
	Redundant int      `json:"redundant"` // number of redundant rows of its joints and couplings

	Couplings []string `json:"couplings,omitempty"` // names; each counts as one of the loops
}

// Clusters returns the loop clusters of mech with their counts; an empty list if there are no loops. All redundant rows are in clusters.
//
// Shapes: redundant has the redundant rows of each joint, then of each coupling (kkt.Report.RedundantRows).
// Cost: near-linear in bodies and joints. It panics without a mechanism or on a length mismatch.
func Clusters(mech *mechanism.Mechanism, redundant []int) []Cluster {
	if mech == nil {
		panic("mobility: no mechanism")
	}
	if len(redundant) != mech.NumConstraints() {
		panic("mobility: length mismatch")
	}
	list := []Cluster{}
	for _, c := range tree.ClustersOf(mech) {
		k := Cluster{Joints: []string{}, Bodies: []string{}, Loops: c.Loops, Mobility: 6 * (len(c.Bodies) - 1)}
		if c.Ground {
			k.Mobility += 6
		}
		for _, j := range c.Joints {
			k.Joints = append(k.Joints, mech.JointName(int(j)))
			k.Redundant += redundant[j]
			k.Mobility += redundant[j] - int(mech.Joints[j].Rows)
		}
		for _, i := range c.Couplings {
			k.Couplings = append(k.Couplings, mech.CouplingName(int(i)))
			k.Redundant += redundant[mech.NumJoints()+int(i)]
			k.Mobility += redundant[mech.NumJoints()+int(i)] - 1
		}
		for _, b := range c.Bodies {
			k.Bodies = append(k.Bodies, mech.BodyName(int(b)))
		}
		list = append(list, k)
	}
	return list
}
