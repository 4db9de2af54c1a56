package state

import (
	"iter"
	"math"
	"strings"

	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// row is one line of a table: a name and two vectors. Bit i of mark adds an asterisk to number i of the six.
type row struct {
	name string
	v    [2]spatial.Vec3
	mark uint8
}

// jointDigest has the numbers of the joints that are printed.
type jointDigest struct {
	rows  []row      // of the first joints: force and moment
	scale [2]float64 // largest magnitude of a component of forces, N, and of moments, N m, over all joints
	n     int        // count of all joints
	open  int        // count of joints whose reactions are undetermined

	position, velocity     float64 // largest residuals
	positionOf, velocityOf string  // the joints that have them
}

// newJointDigest goes through all joints, and keeps the rows of the first ones, as many as rows.
func newJointDigest(joints iter.Seq[*results.Joint], rows int) *jointDigest {
	d := &jointDigest{}
	for j := range joints {
		v := [2]spatial.Vec3{j.TotalWrench.Force, j.TotalWrench.Moment}
		enlarge(&d.scale, &v)
		if d.n++; d.n <= rows {
			d.rows = append(d.rows, row{name: j.Name, v: v, mark: marks(j.Undetermined)})
		}
		if !j.WrenchUnique {
			d.open++
		}
		if j.PositionResidual > d.position {
			d.position, d.positionOf = j.PositionResidual, j.Name
		}
		if j.VelocityResidual > d.velocity {
			d.velocity, d.velocityOf = j.VelocityResidual, j.Name
		}
	}
	return d
}

// marks returns the bits of the undetermined components, such as "force.x": bits 0–2 for the force, 3–5 for the moment.
func marks(components []string) (bits uint8) {
	for _, name := range components {
		bit := 0
		if strings.HasPrefix(name, "moment") {
			bit = 3
		}
		bits |= 1 << (bit + int(name[len(name)-1]-'x'))
	}
	return bits
}

// enlarge raises each scale to the largest magnitude of a component in its vector.
func enlarge(scale *[2]float64, v *[2]spatial.Vec3) {
	for i := range v {
		for _, x := range v[i] {
			scale[i] = max(scale[i], math.Abs(x))
		}
	}
}
