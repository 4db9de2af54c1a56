//go:build !small

package look

import (
	"io"

	"github.com/rung-mbd/rung/sim/parquet"
	"github.com/rung-mbd/rung/sim/replay"
)

// newParquet opens a trajectory in Parquet of size bytes; name is for messages.
func newParquet(r io.ReaderAt, size int64, name string) (replay.Source, error) {
	return parquet.NewSource(r, size, name)
}
