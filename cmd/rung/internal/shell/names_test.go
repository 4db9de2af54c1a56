//rung:race
package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoName: what is not there is named, and what there is; the shell leaves no quotes around a name with a comma.
func TestNoName(t *testing.T) {
	names := []string{"crank,1", "rod"}
	at := func(i int) string { return names[i] }
	assert.EqualError(t, noName("--bodies", "body", "rd", 2, at), `--bodies: no body "rd"; there are "crank,1", "rod"`)
	assert.ErrorContains(t, noName("--bodies", "body", "crank", 2, at), "a name with a comma is in double quotes")
}
