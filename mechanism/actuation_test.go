package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
)

func TestActuationNames(t *testing.T) {
	var names []string
	for a := mechanism.ActuationUnsolved; a <= mechanism.ActuationUnder+1; a++ {
		names = append(names, a.String())
	}
	require.Equal(t, []string{"unsolved", "proper", "redundant", "under", "Actuation(4)"}, names)
}

// TestUnderactuatedError names what moves, if that has names.
func TestUnderactuatedError(t *testing.T) {
	e := &mechanism.UnderactuatedError{Mobility: 3, Controlled: 1, Freedoms: []string{"elbow.0", "wrist.0"}}
	require.EqualError(t, e, "actuators control 1 of 3 freedoms; not controlled: elbow.0, wrist.0")
	e.Freedoms = nil
	require.ErrorContains(t, e, "ball joints")
}
