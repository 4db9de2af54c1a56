//go:build !small

package look

import (
	"io"

	"github.com/rung-mbd/rung/sim/parquet"
	"github.com/rung-mbd/rung/sim/replay"
)

func newParquet(r io.ReaderAt, size int64, name string) (replay.Source, error) {
	return parquet.NewSource(r, size, name)
}
