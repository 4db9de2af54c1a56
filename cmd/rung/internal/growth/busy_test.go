//rung:race
package growth

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/require"
)

// spin works until some wall time has passed.
func spin(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

// sleepShare is far above what a process that sleeps uses of a processor, and far below enoughShare.
const sleepShare = 0.5

// TestUsageOfSleep has a process that was without a processor most of the time.
func TestUsageOfSleep(t *testing.T) {
	if !machine.ProcessorTimeKnown {
		t.Skip("the time of processors is not known here")
	}
	var u usage
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
func TestUsageOfWaiting(t *testing.T) {
	check.Long(t)
	if machine.WaitedTime() < 0 {
		t.Skip("the kernel does not tell how long threads wait")
	}
	n := 2 * runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	var u usage
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
	require.Less(t, u.share(n), enoughShare)
	require.True(t, *u.Busy)
}

func TestUsageShare(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		u       usage
		threads int
		want    float64
	}{
		"one thread":              {usage{wall: 100 * ms, spent: machine.Clocks{CPU: 90 * ms, Waited: machine.NotKnown, Machine: machine.NotKnown}}, 1, 0.9},
		"more than wall time":     {usage{wall: 100 * ms, spent: machine.Clocks{CPU: 110 * ms, Waited: 0, Machine: 0}}, 1, 1},
		"two threads":             {usage{wall: 100 * ms, spent: machine.Clocks{CPU: 90 * ms, Waited: 30 * ms, Machine: machine.NotKnown}}, 2, 0.75},
		"two, waiting unknown":    {usage{wall: 100 * ms, spent: machine.Clocks{CPU: 190 * ms, Waited: machine.NotKnown, Machine: 0}}, 2, math.NaN()},
		"processor not known":     {usage{wall: 100 * ms, spent: machine.Clocks{CPU: machine.NotKnown, Waited: 0, Machine: 0}}, 1, math.NaN()},
		"nothing was measured":    {usage{}, 1, math.NaN()},
		"two threads, all theirs": {usage{wall: 100 * ms, spent: machine.Clocks{CPU: 200 * ms, Waited: 0, Machine: 0}}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.u.share(c.threads); math.IsNaN(c.want) {
				require.True(t, math.IsNaN(got))
			} else {
				require.Equal(t, c.want, got)
			}
		})
	}
}

func TestBusyText(t *testing.T) {
	made := func(cpu time.Duration) Record {
		r := Record{Family: "ladder", Bodies: 10, Method: sparseMethod, Ordering: "banded", Threads: 1}
		r.wall, r.spent = time.Second, machine.Clocks{CPU: cpu, Waited: machine.NotKnown, Machine: 1500 * time.Millisecond}
		r.enter(1)
		return r
	}
	calm, busy, unknown := made(time.Second), made(time.Second/2), made(machine.NotKnown)
	require.Empty(t, busyText([]Record{calm, calm}))
	text := busyText([]Record{calm, busy})
	require.True(t, strings.HasPrefix(text, "the machine was busy: 1 of 2 measurements"), text)
	require.Contains(t, text, "50 % at worst, while others used 1.0 of ")
	require.Equal(t, "whether the machine was busy is not known on this system", busyText([]Record{calm, unknown}))

	b, err := json.Marshal(&unknown)
	require.NoError(t, err)
	require.Contains(t, string(b), `"wall_ns":1000000000,"cpu_ns":null,"waited_ns":null,"others":null,"busy":null`)
	require.Equal(t, []string{"1000000000", "", "", "", ""}, unknown.cells())
	require.Equal(t, []string{"1000000000", "500000000", "", "1", "true"}, busy.cells())
}
