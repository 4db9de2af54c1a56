package sim

import "github.com/rung-mbd/rung/mechanism"

// Coefficients returns the coefficients of the method.
func (k *GeneralizedAlpha) Coefficients() Alphas { return k.c }

// Projects reports whether the velocities of a step are brought back to the joints.
func (k *GeneralizedAlpha) Projects() bool { return !k.o.RawVelocities }

// AlphaEnd is where a step of GeneralizedAlpha has ended, for who differentiates it. All is the stepper's own.
type AlphaEnd struct {
	State         *mechanism.State // nil for the state of the run
	Accelerations []float64        // u, six numbers a body
	Offset        []float64        // of the method's velocities from the velocities of the state, six numbers a body
	Multipliers   []float64        // as ImplicitDynamics has them
	Step          float64          // s
	Began         bool             // the step has begun without history, theory.md (54), (55)
	// Matrix is the state for which the matrix last factored was made, of a Trial.
	Matrix *mechanism.State
}

// LastEnd returns the end of the last accepted step; without one, or after Restart, it has a Step of 0.
func (k *GeneralizedAlpha) LastEnd() AlphaEnd {
	e := AlphaEnd{Accelerations: k.kept.u, Offset: k.kept.offset, Multipliers: k.kept.lambda}
	if k.kept.valid {
		e.Step, e.Began = k.kept.head[headStep], k.kept.head[headChanged] == changedAnew
	}
	return e
}

// Trial does the step by which Try finds where a and the offset start at a state without history: from a = u without
// offset, to the time t.
//
// Cost: as a step. Errors and panics: as Try.
func (k *GeneralizedAlpha) Trial(st *mechanism.State, t float64) (AlphaEnd, error) {
	k.Restart()
	if err := k.depart(st, t); err != nil {
		return AlphaEnd{}, err
	}
	if err := k.try(st); err != nil {
		return AlphaEnd{}, err
	}
	return AlphaEnd{
		State: &k.end, Accelerations: k.to.u, Offset: k.to.w, Multipliers: k.to.lambda, Step: k.h, Began: true, Matrix: &k.newton.lin,
	}, nil
}
