package batch

import "github.com/rung-mbd/rung/internal/fault"

// Holds returns nil if state i satisfies the joints with its own parameters (mechanism.Mechanism.Holds), else an error that wraps a
// *mechanism.ViolationError with the name of the joint. Solve takes every state as it is; Rollout refuses a state that violates the joints.
//
// Cost: O(bodies + joints). It panics if s is not of b or i is out of range.
func (b *Batch) Holds(s *States, i int) error {
	if s == nil || s.of != b.setup {
		panic("batch: foreign states")
	}
	s.mustHave(i)
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	if err := b.workers[0].holds(s, i); err != nil {
		return fault.Errorf("batch: %w", err)
	}
	return nil
}
