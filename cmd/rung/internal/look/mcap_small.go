//go:build small

package look

import (
	"context"
	"errors"
	"io"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// noMCAP is the reason why this build writes no MCAP; "" if it does.
const noMCAP = "this rung writes no MCAP, as it was built with the tag small"

func writeMCAP(context.Context, io.Writer, *scene.Scene, *mechanism.State, *recording) error {
	return errors.New(noMCAP)
}
