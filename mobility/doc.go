// Package mobility finds how a mechanism can move at one pose and at poses next to it (RBDA §8.9, §8.10).
//
// [Compare] detects variable mobility: the rank of the constraints at a pose differs from the rank nearby.
// [Clusters] finds loops that share joints, with the counts of each cluster. [FindReleases] finds joints of an over-constrained
// mechanism that can be replaced by looser types. [Independent] chooses freedoms that can serve as minimal coordinates at a pose, with
// the condition number of the choice and the basis of velocities that belongs to them.
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
