// Package mobility finds how a mechanism can move at one pose and at those next to it (RBDA §8.9, §8.10).
//
// Compare finds mechanisms of variable mobility: those whose constraints have another rank at a pose than nearby.
// Clusters finds the loops that share joints, with their own counts. FindReleases finds joints of an over-constrained
// mechanism that a looser type can take the place of. Independent chooses freedoms that can serve as minimal coordinates at a pose, with
// the condition of the choice and the basis of velocities that belongs to them.
//
// Frame: world axes. Units: SI.
package mobility
