package main

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"
)

// samplePeriod is how often the threads of a process are counted.
const samplePeriod = 20 * time.Millisecond

// mostThreads returns the most threads that a process has at a time until it ends, 0 if the system does not say.
func mostThreads(pid int, ended <-chan struct{}) (most int) {
	file := "/proc/" + strconv.Itoa(pid) + "/status"
	tick := time.NewTicker(samplePeriod)
	defer tick.Stop()
	for {
		status, err := os.ReadFile(file)
		if err == nil {
			most = max(most, threadsOf(status))
		}
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}

// threadsOf reads the number of threads from /proc/PID/status, 0 if it is not there.
func threadsOf(status []byte) int {
	for line := range bytes.Lines(status) {
		if f := bytes.Fields(line); len(f) == 2 && string(f[0]) == "Threads:" {
			n, _ := strconv.Atoi(string(f[1]))
			return n
		}
	}
	return 0
}

// enough is the share of a processor below which the machine counts as busy.
const enough = 0.95

// share returns the part of the time that a process on one thread was measured for which it had
// a processor, NaN if that is not known. On several threads it is a part of the time for which
// they wanted one: Linux counts the time that they waited for a processor.
func share(threads int, wallNs, cpuNs, waitedNs float64) float64 {
	switch {
	case !(wallNs > 0 && cpuNs > 0):
		return math.NaN()
	case threads > 1 && waitedNs > 0:
		return cpuNs / (cpuNs + waitedNs)
	case threads > 1:
		return math.NaN()
	}
	return math.Min(1, cpuNs/wallNs)
}

// machine is the time that all processors have worked, and that the hypervisor took from them, since the machine started.
type machine struct {
	at             time.Time
	worked, stolen time.Duration
	own            time.Duration // for this process and those it has waited for
	known          bool
}

// ticksPerSecond is the unit of /proc/stat, the same on all Linux systems that Go runs on.
const ticksPerSecond = 100

// readMachine reads the machine's times, not known if it is not Linux.
func readMachine() machine {
	m := machine{at: time.Now(), own: ownTime()}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	f := bytes.Fields(line) // cpu user nice system idle iowait irq softirq steal
	if len(f) < 9 || string(f[0]) != "cpu" {
		return m
	}
	for i, field := range f[1:9] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return m
		}
		d := time.Duration(n) * time.Second / ticksPerSecond
		switch i {
		case 3, 4: // idle
		case 7:
			m.stolen = d
		default:
			m.worked += d
		}
	}
	m.known = true
	return m
}

// since says what others used of the machine from m to now.
func (m machine) since(now machine) string {
	if !m.known || !now.known {
		return "What others used of the machine meanwhile is not known."
	}
	wall := now.at.Sub(m.at).Seconds()
	others := math.Max(0, ((now.worked-m.worked)-(now.own-m.own)).Seconds()/wall)
	stolen := (now.stolen - m.stolen).Seconds() / wall
	return "Meanwhile other processes used " + strconv.FormatFloat(others, 'f', 2, 64) + " of " + strconv.Itoa(runtime.NumCPU()) +
		" processors on average, and the hypervisor took " + strconv.FormatFloat(stolen, 'f', 2, 64) + "."
}
