package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/study/sweep"
	sweeptable "github.com/rung-mbd/rung/study/table"
)

// TestSweepFromGo: a Go program and the command write the same files for a study, whole and in shares, and each goes on with the parts
// that the other has left.
func TestSweepFromGo(t *testing.T) {
	check.Long(t)
	dir := sweepFolder(t, 40)
	at := func(name string) string { return filepath.Join(dir, name) }
	s, err := sweep.Open(at("s.json"))
	require.NoError(t, err)
	options := func(name string) sweeptable.Options {
		return sweeptable.Options{Runs: at(name + ".parquet"), Trajectories: at(name + "-paths.parquet"), Threads: 2}
	}
	same := func(a, b string) {
		t.Helper()
		sameBytes(t, at(a+".parquet"), at(b+".parquet"))
		sameBytes(t, at(a+"-paths.parquet"), at(b+"-paths.parquet"))
	}
	ok(t, sweepArgs(dir, "rung", "--quiet")...)
	ok(t, sweepArgs(dir, "rung-share", "--quiet", "--index", "1", "--of", "2")...)
	_, err = sweeptable.Run(context.Background(), s, options("go"))
	require.NoError(t, err)
	same("rung", "go")
	share := options("go-share")
	share.Index, share.Of = 1, 2
	_, err = sweeptable.Run(context.Background(), s, share)
	require.NoError(t, err)
	same("rung-share", "go-share")

	// Stopped in Go after a part, and copied for both.
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	o, n := options("parts"), 0
	o.Threads, o.Add = 1, func(k int) {
		if n += k; n == 40 {
			cancel(stop)
		}
	}
	_, err = sweeptable.Run(ctx, s, o)
	require.ErrorIs(t, err, stop)
	for _, name := range []string{"by-rung", "by-go"} {
		for _, ending := range []string{".parquet.parts", "-paths.parquet.parts"} {
			require.NoError(t, os.CopyFS(at(name+ending), os.DirFS(at("parts"+ending))))
		}
	}
	r := rungRun(sweepArgs(dir, "by-rung", "--resume")...)
	require.Contains(t, r.Err, "80 of 80 runs, from number 0 on: 48 computed now")
	same("rung", "by-rung")
	o = options("by-go")
	o.Resume = true
	counts, err := sweeptable.Run(context.Background(), s, o)
	require.NoError(t, err)
	require.Equal(t, 48, counts.Computed)
	same("rung", "by-go")
}
