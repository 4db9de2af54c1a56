package look

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim/replay"
)

// Endings of trajectories.
const (
	csvEnding     = ".csv"
	parquetEnding = ".parquet"
)

// recording is a trajectory in an open file.
type recording struct {
	*replay.Replay
	file *os.File
}

// close closes the file.
func (r *recording) close() error { return r.file.Close() }

// openRun opens the trajectory of m at path. Its errors are of bad input.
func openRun(ctx context.Context, m *mechanism.Mechanism, path string) (*recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	r, err := newReplay(ctx, m, f, path)
	if err != nil {
		if err = fault.Plain(err); !strings.HasPrefix(err.Error(), path) { // tables name their file
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, errors.Join(err, f.Close())
	}
	return &recording{r, f}, nil
}

// newReplay returns the trajectory in an open file, by the ending of its path: a CSV or a Parquet file.
func newReplay(ctx context.Context, m *mechanism.Mechanism, f *os.File, path string) (*replay.Replay, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var source replay.Source
	switch strings.ToLower(filepath.Ext(path)) {
	case csvEnding:
		source, err = replay.NewCSV(ctx, f, info.Size(), path)
	case parquetEnding:
		source, err = newParquet(f, info.Size(), path)
	default:
		return nil, fmt.Errorf("a trajectory ends in %s or %s", csvEnding, parquetEnding)
	}
	if err != nil {
		return nil, err
	}
	return replay.New(m, source)
}
