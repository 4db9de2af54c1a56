package sim

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Bearer is a Dynamics that knows the reactions in joints whose friction grows with them.
type Bearer interface {
	// BearingsTo stores in dst these reactions at st, N (mechanism.State.Bearings).
	BearingsTo(dst []float64, st *mechanism.State) error
}

// errNoBearer is wrapped by an error that names a joint: its friction grows with a reaction, the reaction is needed, and the
// dynamics of the run are no Bearer.
var errNoBearer = errors.New("sim: the dynamics do not tell reactions")

// bearAt stores in st.Bearings the reactions at st, by the dynamics of the stepper.
func bearAt(m *mechanism.Mechanism, stepper Stepper, st *mechanism.State) error {
	n := m.NumBearings()
	if n == 0 {
		return nil
	}
	if len(st.Bearings) != n {
		st.Bearings = make([]float64, n)
	}
	var b Bearer
	if k, ok := stepper.(interface{ dynamics() any }); ok {
		b, _ = k.dynamics().(Bearer)
	}
	if b == nil {
		return m.AtJoint(m.Bearing(0), -1, errNoBearer)
	}
	if err := b.BearingsTo(st.Bearings, st); err != nil {
		return fault.Errorf("sim: reactions at t = %v: %w", st.Time, err)
	}
	return nil
}
