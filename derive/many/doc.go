// Package many computes gradients of accelerations at thousands of states of one mechanism: eight states at a time (package batch) if the
// mechanism allows it, and else one by one by package derive.
//
//	b, err := many.New(plan, m, batch.Options{Threads: 2}) // m: the model of the plan
//	states, g := b.NewStates(1024), b.NewGradients(1024)
//	for i := range states.Len() {
//		states.Set(i, st)
//		g.SetWeights(i, body, angular, com) // of its accelerations, in one number of the state
//	}
//	b.AdjointTo(g, states)
//	g.MotionTo(x, 17) // derivatives of that number by poses and velocities; see also Load and Force
//	alone := g.OneByOne()
//
// It also computes gradients of losses of rollouts, by the forces over each step and by the states at the beginning:
//
//	record := b.NewRecord(1024, 200)
//	err = b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 200, Record: record}, out)
//	err = b.BackTo(g, record, func(step, first, n int) {
//		for i := first; i < first+n; i++ {
//			g.AddMotion(i, x) // derivatives of the loss by state i at that step; see also Force and Load
//		}
//	})
//
// Gradients of accelerations that are computed one by one are correct, too: batch.Batch.AdjointOneByOne gives the reason if all states are,
// and batch.Gradients.OneByOne lists the states that are. Gradients are as by derive.Derivatives.AdjointTo without follow: equal in all
// numbers if no rows are redundant, and else the products with directions that the joints allow.
//
// Cost: see batch.Batch.AdjointTo; [docs/derivatives.md] has figures. A state that is computed alone takes as long as with package derive.
//
// Errors: as batch.New. A state may have an error of derive.Derivatives.At and AdjointTo, or of batch.Batch.BackTo.
//
// Frame: world axes, derivatives by the motion of centres of mass. Units: SI. The equations are (D2), (D8), (D11), (D12), (V4) and (V6) of
// [docs/theory.md].
//
// [docs/derivatives.md]: https://github.com/rung-mbd/rung/blob/main/docs/derivatives.md#many-states-at-once
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#derivatives-of-one-state
package many
