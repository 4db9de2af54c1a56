package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/fault"
)

func TestOtherNames(t *testing.T) {
	for _, c := range []struct {
		got, want []string
		says      string
	}{
		{[]string{"time", "a"}, []string{"time", "b"}, `its columns lack "b" and have "a"`},
		{[]string{"time"}, []string{"time", "a", "b", "c", "d", "e"}, `its columns lack "a", "b", "c" and 2 more`},
		{[]string{"time", "a"}, []string{"time"}, `its columns have "a" besides`},
		{[]string{"time", "a", "b"}, []string{"time", "b", "a"}, `its columns are in another order: "a" where "b" is wanted`},
		{[]string{"time", "a", "a"}, []string{"time", "a"}, "it has 3 columns, not 2"},
	} {
		assert.Equal(t, c.says, fault.OtherNames("columns", c.got, c.want))
	}
}
