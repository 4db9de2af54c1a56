//go:build !small

package look

import (
	"context"
	"io"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/mcap"
)

const noMCAP = ""

// writeMCAP writes the scene as MCAP: at st, or all rows of run unless it is nil.
func writeMCAP(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, run *recording) error {
	if run == nil {
		return mcap.Write(ctx, w, s, st, nil)
	}
	return mcap.Write(ctx, w, s, st, run)
}
