package sim

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Bearer is a Dynamics that knows the reactions in joints whose friction grows with them.
type Bearer interface {
	// BearingsTo stores them in dst (mechanism.State.Bearings), at st.
	BearingsTo(dst []float64, st *mechanism.State) error
}

// ErrNoBearer is wrapped by the error, with the name of a joint, where the power of a friction is asked for
// that grows with a reaction, and the dynamics of the run are no Bearer.
var ErrNoBearer = errors.New("sim: the dynamics do not tell reactions")

// bearings stores in st, which has room for them, its reactions.
func (s *Simulation) bearings(st *mechanism.State) error {
	n := s.mech.NumBearings()
	if n == 0 {
		return nil
	}
	if len(st.Bearings) != n {
		st.Bearings = make([]float64, n)
	}
	var b Bearer
	if k, ok := s.stepper.(interface{ dynamics() any }); ok {
		b, _ = k.dynamics().(Bearer)
	}
	if b == nil {
		return s.mech.AtJoint(s.mech.Bearing(0), -1, ErrNoBearer)
	}
	if err := b.BearingsTo(st.Bearings, st); err != nil {
		return fault.Errorf("sim: reactions at t = %v: %w", st.Time, err)
	}
	return nil
}

// BearingsTo implements Bearer, if the dynamics do.
func (b *Baumgarte) BearingsTo(dst []float64, st *mechanism.State) error {
	if d, ok := b.Dynamics.(Bearer); ok {
		return d.BearingsTo(dst, st)
	}
	return ErrNoBearer
}

func (k *RungeKutta) dynamics() any { return k.dyn }

func (k *GeneralizedAlpha) dynamics() any { return k.dyn }
