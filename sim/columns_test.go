package sim_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

var errWrenches = errors.New("no wrenches")

// wrenches are made up; from a time on there are none.
type wrenches struct {
	sim.Reactions
	until float64
}

func (w wrenches) ConstraintWrenches(dst []spatial.Force, st *mechanism.State, joints []int) error {
	if st.Time > w.until {
		return errWrenches
	}
	for i, j := range joints {
		for k := range 6 {
			dst[i][k] = float64(10*j + k)
		}
	}
	return nil
}

// TestWrenches: the columns come last, force before moment, in the order asked for.
func TestWrenches(t *testing.T) {
	r := golden(t, "four-bar")
	c := sim.NewColumns(r.mech, []int{1})
	c.AddWrenches(wrenches{until: 0.15}, []int{3, 0})
	names := c.Names()
	require.Len(t, names, c.Len())
	j3, j0 := r.mech.JointName(3), r.mech.JointName(0)
	assert.Equal(t, []string{"drift.velocity", j3 + ".force.x", j3 + ".force.y", j3 + ".force.z", j3 + ".moment.x", j3 + ".moment.y", j3 + ".moment.z", j0 + ".force.x"}, names[17:25])

	var out bytes.Buffer
	rec, err := sim.NewCSV(&out, c)
	require.NoError(t, err)
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: sim.NoProjector, Recorder: rec, Every: 0.1})
	require.ErrorIs(t, s.Run(1), errWrenches)
	require.NoError(t, rec.Flush())
	lines := strings.Split(out.String(), "\n")
	require.Len(t, lines, 4, "header, two rows, end")
	assert.True(t, strings.HasSuffix(lines[2], ",33,34,35,30,31,32,3,4,5,0,1,2"), lines[2])
}

// failing gives no accelerations but at the start.
type failing struct{ calls int }

func (f *failing) Accelerations(a []float64, st *mechanism.State) error {
	if f.calls++; st.Time > 0 {
		return errBlownUp
	}
	clear(a)
	return nil
}

// TestFailingStart ends a run that cannot begin, at a time whose rounding is next to nothing.
func TestFailingStart(t *testing.T) {
	r := newRig(t, freeTop())
	d := &failing{}
	s := sim.New(r.mech, sim.NewRungeKutta(r.mech, d, sim.DormandPrince(), sim.Tolerance{}), r.mech.Initial(), sim.Options{Projector: sim.NoProjector})
	err := s.Run(1)
	require.ErrorIs(t, err, sim.ErrStepTooSmall)
	require.ErrorIs(t, err, errBlownUp)
	assert.Zero(t, s.State().Time)
	assert.Less(t, d.calls, 100)
}
