//go:build small

package look

import (
	"errors"
	"io"

	"github.com/rung-mbd/rung/sim/replay"
)

// newParquet returns an error, as this build reads no Parquet.
func newParquet(io.ReaderAt, int64, string) (replay.Source, error) {
	return nil, errors.New("this rung reads no Parquet, as it was built with the tag small")
}
