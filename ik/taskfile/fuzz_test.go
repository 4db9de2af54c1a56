package taskfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
)

// FuzzRead: no document makes the reader or the rules panic. What is read is written, and reads back as the same.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(everything)
	f.Add(several)
	f.Add(`{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "l2", "point": [1, 0, 0], "position": [1, 1, 0]}]}`)
	f.Add(`{"format": "rung-ik/1", "targets": [], "fik": {"P": [[1], [2, 3]]}, "path": {"times": [0, 0], "x": {"value": [1]}}}`)
	plan := plantest.New(f, modeltest.Arm(3), order.Auto)
	f.Fuzz(func(t *testing.T, text string) {
		task, err := Read(strings.NewReader(text), "f")
		if err != nil && !errors.As(err, new(*model.Problems)) {
			t.Fatalf("%v is no problem of the document", err)
		}
		if task == nil {
			return
		}
		_, wrong := ik.NewProblem(plan, task)
		if err != nil {
			require.Error(t, wrong)
			return
		}
		var b bytes.Buffer
		if Write(&b, task) != nil {
			return // names that are no UTF-8 are read as they can be, and numbers are finite
		}
		again, err := Read(&b, "f")
		require.NoError(t, err)
		var c bytes.Buffer
		require.NoError(t, Write(&c, again))
		b.Reset()
		require.NoError(t, Write(&b, task))
		require.Equal(t, b.String(), c.String())
	})
}
