package batch

// CloseJoints closes the joints of all states, each with its own parameters: it finds the
// nearest closed pose, and the nearest velocities that the joints allow, as closing.Closer does. States have
// to be closed after lengths have changed (States.SetFrames).
//
// States are closed one by one. A state that cannot be closed stays as it is, and has its error in out (closing.ErrCannotClose). All
// counts of steps in out become zero.
// Cost: O(states·bodies), some solves each. It panics if s or out is not of b, or if their numbers of states differ.
func (b *Batch) CloseJoints(s *States, out *Outcome) {
	if s == nil || out == nil || s.of != b.setup || len(out.steps) != s.n {
		panic("batch: foreign states or outcome")
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	out.clear()
	b.rolling = rolling{states: s, out: out}
	b.team.Run(groups(s.n), (*closeTasks)(b))
	b.rolling = rolling{}
}

// closeTasks is the job of CloseJoints.
type closeTasks Batch

// Do closes the states of one group.
func (t *closeTasks) Do(worker, task int) {
	w, s := t.workers[worker], t.rolling.states
	for i := task * lanes; i < min((task+1)*lanes, s.n); i++ {
		t.out.errs[i] = w.closeOne(s, i)
	}
}

// closeOne closes state i, or returns an error and leaves the state as it is.
func (w *worker) closeOne(s *States, i int) error {
	s.to(w.st, i)
	if err := w.setInputs(s, i); err != nil {
		return err
	}
	closer := w.alone().closer
	if err := closer.ClosePositions(w.st); err != nil {
		return err
	}
	if err := closer.ProjectVelocities(w.st); err != nil {
		return err
	}
	s.set(i, w.st)
	return nil
}
