package dist_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// threadTime returns the processor time of the thread.
func threadTime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// timedRoot is a Root that notes its processor time.
type timedRoot struct {
	dist.Root
	time *time.Duration
}

func (r timedRoot) Factorize(share, own, scale []float64, eps float64, policy factor.Policy) (factor.Tally, error) {
	t0 := threadTime()
	defer func() { *r.time += threadTime() - t0 }()
	return r.Root.Factorize(share, own, scale, eps, policy)
}

func (r timedRoot) SolveTo(x, b []float64) error {
	t0 := threadTime()
	defer func() { *r.time += threadTime() - t0 }()
	return r.Root.SolveTo(x, b)
}

// TestWork measures what the pieces cost: RUNG_DIST="ladder:100000:2 grid:300:4" takes family, size and ranks of each
// measurement. Times are those of processors, least of some evaluations.
func TestWork(t *testing.T) {
	list := os.Getenv("RUNG_DIST")
	if list == "" {
		t.Skip("a measurement: RUNG_DIST=family:size:ranks")
	}
	for _, line := range strings.Fields(list) {
		var n, ranks int
		family, rest, _ := strings.Cut(line, ":")
		_, err := fmt.Sscanf(rest, "%d:%d", &n, &ranks)
		require.NoError(t, err, line)
		m, err := bench.Generate(family, n, 1)
		require.NoError(t, err)
		const rounds = 100 // the least of as many settles: with 25 the ratio of two ranks wanders between 1.02 and 1.09
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		whole, wholeState := kkt.NewPlan(mech, kkt.Options{}).NewSolver(), mech.Initial()
		best := make([]time.Duration, ranks)
		alone, root, wall, wallAlone := time.Hour, time.Hour, time.Hour, time.Hour
		sent := make([]int64, ranks)
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
			runtime.LockOSThread()
			inRoot := time.Duration(0)
			p, err := dist.NewPlan(c, m, dist.Options{Root: func(c dist.Comm, h *dist.Held) (dist.Root, error) {
				r, err := dist.NewSparseRoot(c, h)
				return timedRoot{r, &inRoot}, err
			}})
			if err != nil {
				return err
			}
			s, err := p.NewSolver()
			if err != nil {
				return err
			}
			st := p.Mechanism().Initial()
			r := c.Rank()
			best[r] = time.Hour
			for range rounds {
				if r == 0 { // by turns, so that both have the same machine
					t0, w0 := threadTime(), time.Now()
					if err := whole.Solve(wholeState); err != nil {
						return err
					}
					alone, wallAlone = min(alone, threadTime()-t0), min(wallAlone, time.Since(w0))
				}
				if err := dist.Agree(c, nil); err != nil {
					return err
				}
				inRoot = 0
				t0, w0 := threadTime(), time.Now()
				if err := s.Solve(st); err != nil {
					return err
				}
				best[r] = min(best[r], threadTime()-t0-inRoot)
				if r == 0 {
					root = min(root, inRoot)
				}
				if err := dist.Agree(c, nil); err != nil {
					return err
				}
				if r == 0 {
					wall = min(wall, time.Since(w0))
				}
			}
			sent[r] = s.Sent()
			return nil
		}))
		slowest := slices.Max(best)
		t.Logf("%-18s alone %8.3f ms, slowest piece %8.3f ms, times ranks %.3f of it; root %.3f ms; wall of %d threads %.3f; %d bytes a rank",
			line, ms(alone), ms(slowest), float64(slowest)*float64(ranks)/float64(alone), ms(root), min(ranks, runtime.GOMAXPROCS(0)),
			float64(wall)/float64(wallAlone), slices.Max(sent[min(1, ranks-1):]))
	}
}

func ms(d time.Duration) float64 { return 1e3 * d.Seconds() }
