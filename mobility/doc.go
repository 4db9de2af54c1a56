// Package mobility finds how a mechanism can move at one pose and at those next to it (RBDA §8.9, §8.10).
//
// [Compare] finds mechanisms of variable mobility: those whose constraints have another rank at a pose than nearby.
// [Clusters] finds the loops that share joints, with their own counts. [FindReleases] finds joints of an over-constrained
// mechanism that a looser type can take the place of. [Independent] chooses freedoms that can serve as minimal coordinates at a pose, with
// the condition of the choice and the basis of velocities that belongs to them.
//
//	near, err := mobility.Compare(plan, plan.Initial()) // plan from rung.NewPlan
//	fmt.Println(near.Rank < near.Around)                // motions that exist at this pose only
//	relief, err := mobility.FindReleases(m, plan.Initial())
//	fmt.Println(relief.Releases, relief.Counts)
//
// Cost: Compare takes some fifty factorizations at most, FindReleases up to 400 plans and ranks.
//
// Frame: world axes. Units: SI.
package mobility
