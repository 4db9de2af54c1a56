package sim

import "github.com/rung-mbd/rung/mechanism"

// Coefficients returns the coefficients of the method.
func (k *GeneralizedAlpha) Coefficients() Alphas { return k.c }

// Projects reports whether the velocities of a step are projected on the joints.
func (k *GeneralizedAlpha) Projects() bool { return !k.o.RawVelocities }

// AlphaEnd is the end of a step of GeneralizedAlpha, for code that differentiates steps. All lists belong to the stepper.
type AlphaEnd struct {
	State         *mechanism.State // nil for the state of the run
	Accelerations []float64        // u, six numbers for each body
	Offset        []float64        // velocities of the method less the velocities of the state, six numbers for each body
	Multipliers   []float64        // as in ImplicitDynamics
	Step          float64          // length of the step, s
	Began         bool             // the step has started without history, theory.md (54), (55)
	// Matrix is the state at which the last matrix was factored, of a Trial; else nil.
	Matrix *mechanism.State
}

// LastEnd returns the end of the last accepted step. Its Step is 0 if there is none since the start or the last Restart.
func (k *GeneralizedAlpha) LastEnd() AlphaEnd {
	e := AlphaEnd{Accelerations: k.kept.u, Offset: k.kept.offset, Multipliers: k.kept.lambda}
	if k.kept.valid {
		e.Step, e.Began = k.kept.head[headStep], k.kept.head[headChanged] == changedAnew
	}
	return e
}

// Trial does the step by which Try computes the start of a and of the offset at a state without history: from st with a = u and without
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
