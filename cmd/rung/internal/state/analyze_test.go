package state

import (
	"testing"

	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/mobility"
	"github.com/stretchr/testify/assert"
)

func TestReleaseText(t *testing.T) {
	turned := []mobility.Release{{Joint: "b", Type: "spherical", Suggest: "point_on_plane", PredecessorFrame: &mobility.Frame{}, Turns: 1}}
	one := []mobility.Release{{Joint: "a", Type: "fixed", Suggest: "revolute"}}
	for _, c := range []struct {
		list []mobility.Release
		left int
		vary bool
		want string
	}{
		{nil, 0, false, "nothing to release"},
		{nil, 1, false, "no joint found that can be released; 1 row stays redundant"},
		{nil, 2, false, "no joint found that can be released; 2 rows stay redundant"},
		{one, 0, false, "a from fixed to revolute: nothing is redundant then"},
		{turned, 0, false, "b from spherical to point_on_plane (in both its frames x where z was, y where x was, z where y was): nothing is redundant then; --json has the turned frames"},
		{one, 1, false, "a from fixed to revolute: 1 row stays redundant then"},
		{one, 3, true, "a from fixed to revolute: 3 rows stay redundant then at poses nearby"},
	} {
		a := &answers.Analysis{Release: c.list, Released: mobility.Counts{Redundant: c.left}, VariableMobility: answers.VariableMobility{Varies: c.vary}}
		assert.Equal(t, c.want, releaseText(a))
	}
}
