package growth

import (
	"math"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
)

// EnoughShare is the share of the time below which a process that wanted a processor and had none was disturbed: the
// system's own work takes some percent.
const EnoughShare = 0.95

// Usage is what the process used of the machine while evaluations were timed. What the system does not tell is nil.
type Usage struct {
	WallNs   int64    `json:"wall_ns"`   // the time that passed
	CPUNs    *int64   `json:"cpu_ns"`    // what processors worked for the process
	WaitedNs *int64   `json:"waited_ns"` // what its threads were ready to run and had no processor
	Others   *float64 `json:"others"`    // processors that others used on average, the hypervisor included
	Busy     *bool    `json:"busy"`      // whether the process was kept waiting

	wall  time.Duration // all so far
	spent machine.Clocks
}

// begin starts to count. The function that it returns ends the counting, and adds what was used
// so far to what is counted.
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

// enter sets the fields from what was spent.
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

// share returns the part of the time for which the process had a processor. A process on one
// thread never waits for anything else, so this is a part of all the time. Several threads also
// wait for each other, so it is a part of the time for which they wanted a processor. NaN if
// that is not known.
func (u *Usage) share(threads int) float64 {
	switch {
	case u.CPUNs == nil || u.WallNs <= 0 || threads > 1 && u.WaitedNs == nil:
		return math.NaN()
	case threads > 1:
		return float64(*u.CPUNs) / math.Max(1, float64(*u.CPUNs+*u.WaitedNs))
	}
	return math.Min(1, float64(*u.CPUNs)/float64(u.WallNs))
}

// Share returns the part of the time for which the process had a processor, NaN if the system does not tell: on one
// thread of all the time, on several of the time for which they wanted one.
func (r *Record) Share() float64 { return r.share(r.Threads) }

// cells are the fields in a line of CSV, empty where they are not known.
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
