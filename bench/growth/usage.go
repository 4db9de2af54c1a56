package growth

import (
	"math"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
)

// EnoughShare is the least share of the time (Record.Share) for which an undisturbed process has a processor: the system's own
// work takes some percent.
const EnoughShare = 0.95

// Usage tells how the process and others used the machine while evaluations were timed. Values that the system does not tell are
// nil.
type Usage struct {
	WallNs   int64          `json:"wall_ns"`   // the time that passed
	CPUNs    *int64         `json:"cpu_ns"`    // processor time of the process
	WaitedNs *int64         `json:"waited_ns"` // time for which its threads were ready to run and had no processor
	Others   *float64       `json:"others"`    // processors that others used on average, the hypervisor included
	Busy     *bool          `json:"busy"`      // whether the process was kept waiting: its share is below EnoughShare
	wall     time.Duration  // wall time counted so far
	spent    machine.Clocks // differences of the clocks counted so far
}

// begin starts to count on so many threads. The function that it returns ends the count and adds it to the counts before.
func (u *Usage) begin(threads int) (end func()) {
	first, begun := machine.ReadClocks(), time.Now()
	return func() {
		u.wall += time.Since(begun)
		last := machine.ReadClocks()
		passed := func(sum *time.Duration, from, to time.Duration) {
			if *sum < 0 || from < 0 || to < 0 {
				*sum = machine.NotKnown
				return
			}
			*sum += to - from
		}
		passed(&u.spent.CPU, first.CPU, last.CPU)
		passed(&u.spent.Waited, first.Waited, last.Waited)
		passed(&u.spent.Machine, first.Machine, last.Machine)
		u.enter(threads)
	}
}

// enter sets the exported fields from the counts.
func (u *Usage) enter(threads int) {
	known := func(d time.Duration) *int64 {
		if d < 0 {
			return nil
		}
		ns := d.Nanoseconds()
		return &ns
	}
	s := &u.spent
	u.WallNs, u.CPUNs, u.WaitedNs, u.Others, u.Busy = u.wall.Nanoseconds(), known(s.CPU), known(s.Waited), nil, nil
	if s.Machine >= 0 && s.CPU >= 0 && u.wall > 0 {
		others := math.Max(0, (s.Machine-s.CPU).Seconds()/u.wall.Seconds())
		u.Others = &others
	}
	if share := u.share(threads); share == share {
		busy := share < EnoughShare
		u.Busy = &busy
	}
}

// share returns the share of the time for which the process had a processor; NaN if that is not known. On one thread, which never
// waits for anything else, it is the share of the wall time. Several threads also wait for each other, so it is the share of the
// time for which they wanted a processor.
func (u *Usage) share(threads int) float64 {
	switch {
	case u.CPUNs == nil || u.WallNs <= 0 || threads > 1 && u.WaitedNs == nil:
		return math.NaN()
	case threads > 1:
		return float64(*u.CPUNs) / math.Max(1, float64(*u.CPUNs+*u.WaitedNs))
	}
	return math.Min(1, float64(*u.CPUNs)/float64(u.WallNs))
}

// Share returns the share of the time for which the process had a processor: of the wall time on one thread, else of the time for
// which its threads wanted a processor. It is NaN if the system does not tell.
func (r *Record) Share() float64 { return r.share(r.Threads) }

// cells returns the fields for a line of CSV; unknown values are empty.
func (u *Usage) cells() []string {
	text := func(v *int64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	}
	others, busy := "", ""
	if u.Others != nil {
		others = strconv.FormatFloat(*u.Others, 'g', 4, 64)
	}
	if u.Busy != nil {
		busy = strconv.FormatBool(*u.Busy)
	}
	return []string{strconv.FormatInt(u.WallNs, 10), text(u.CPUNs), text(u.WaitedNs), others, busy}
}
