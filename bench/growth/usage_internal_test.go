package growth

import (
	"encoding/json"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/stretchr/testify/require"
)

// spin works until some wall time has passed.
func spin(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

// sleepShare is far above what a process that sleeps uses of a processor, and far below EnoughShare.
const sleepShare = 0.5

// TestUsageOfSleep has a process that was without a processor most of the time.
func TestUsageOfSleep(t *testing.T) {
	if !machine.ProcessorTimeKnown {
		t.Skip("the time of processors is not known here")
	}
	var u Usage
	end := u.begin(1)
	time.Sleep(50 * time.Millisecond)
	end()
	require.Less(t, u.share(1), sleepShare)
	require.True(t, *u.Busy)
	require.GreaterOrEqual(t, u.WallNs, (50 * time.Millisecond).Nanoseconds())
	require.GreaterOrEqual(t, u.WallNs, *u.CPUNs)

	before := u.WallNs
	end = u.begin(1) // a second part counts with the first
	spin(10 * time.Millisecond)
	end()
	require.Greater(t, u.WallNs, before)
	require.Positive(t, *u.CPUNs)
}

// TestUsageOfWaiting has more threads that want a processor than there are processors.
//
//rung:norace it measures time and is a test of whole runs
func TestUsageOfWaiting(t *testing.T) {
	check.Long(t)
	if machine.WaitedTime() < 0 {
		t.Skip("the kernel does not tell how long threads wait")
	}
	n := 2 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	var u Usage
	end := u.begin(n)
	var all sync.WaitGroup
	var stop atomic.Bool
	for range n {
		all.Go(func() {
			for !stop.Load() {
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	stop.Store(true)
	all.Wait()
	end()
	require.Positive(t, *u.WaitedNs)
	require.Less(t, u.share(n), EnoughShare)
	require.True(t, *u.Busy)
}

func TestUsageShare(t *testing.T) {
	const ms = int64(time.Millisecond)
	known := func(ns int64) *int64 { return &ns }
	for name, c := range map[string]struct {
		u       Usage
		threads int
		want    float64
	}{
		"one thread":              {Usage{WallNs: 100 * ms, CPUNs: known(90 * ms)}, 1, 0.9},
		"more than wall time":     {Usage{WallNs: 100 * ms, CPUNs: known(110 * ms), WaitedNs: known(0)}, 1, 1},
		"two threads":             {Usage{WallNs: 100 * ms, CPUNs: known(90 * ms), WaitedNs: known(30 * ms)}, 2, 0.75},
		"two, waiting unknown":    {Usage{WallNs: 100 * ms, CPUNs: known(190 * ms)}, 2, math.NaN()},
		"processor not known":     {Usage{WallNs: 100 * ms, WaitedNs: known(0)}, 1, math.NaN()},
		"nothing was measured":    {Usage{}, 1, math.NaN()},
		"two threads, all theirs": {Usage{WallNs: 100 * ms, CPUNs: known(200 * ms), WaitedNs: known(0)}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&Record{Usage: c.u, Threads: c.threads}).Share(); math.IsNaN(c.want) {
				require.True(t, math.IsNaN(got))
			} else {
				require.Equal(t, c.want, got)
			}
		})
	}
}

// TestUsageIsWritten: what the system does not tell is null, or an empty cell.
func TestUsageIsWritten(t *testing.T) {
	made := func(cpu time.Duration) *Usage {
		u := &Usage{wall: time.Second, spent: machine.Clocks{CPU: cpu, Waited: machine.NotKnown, Machine: 1500 * time.Millisecond}}
		u.enter(1)
		return u
	}
	busy, unknown := made(time.Second/2), made(machine.NotKnown)
	b, err := json.Marshal(unknown)
	require.NoError(t, err)
	require.Contains(t, string(b), `"wall_ns":1000000000,"cpu_ns":null,"waited_ns":null,"others":null,"busy":null`)
	require.Equal(t, []string{"1000000000", "", "", "", ""}, unknown.cells())
	require.Equal(t, []string{"1000000000", "500000000", "", "1", "true"}, busy.cells())
	require.False(t, *made(time.Second).Busy)
}
