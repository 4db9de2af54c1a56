package main

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"
)

// samplePeriod is the time between two counts of the threads of a process.
const samplePeriod = 20 * time.Millisecond

// mostThreads returns the largest number of threads that a process has at a time until ended is closed; 0 if the system does not tell.
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

// threadsOf returns the number of threads in the text of /proc/PID/status; 0 if it is not there.
func threadsOf(status []byte) int {
	for line := range bytes.Lines(status) {
		if f := bytes.Fields(line); len(f) == 2 && string(f[0]) == "Threads:" {
			n, _ := strconv.Atoi(string(f[1]))
			return n
		}
	}
	return 0
}

// enough is the least share (share) with which the machine does not count as busy.
const enough = 0.95

// share returns the share of the measured time for which a process on one thread had a processor; NaN if it is not known. On
// several threads it is the share of the time for which these wanted a processor, as Linux counts the time for which they waited.
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

// machine has the times, since the machine started, for which its processors have worked, and for which the hypervisor took them away.
type machine struct {
	at             time.Time
	worked, stolen time.Duration
	own            time.Duration // work for this process and its children that have ended
	known          bool          // worked and stolen are known
}

// ticksPerSecond is the number of units of /proc/stat in a second, the same on all Linux systems on which Go runs.
const ticksPerSecond = 100

// readMachine reads the machine's times from /proc/stat; without it they are not known.
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

// since returns a sentence on the processors that other processes used, and that the hypervisor took, from m to now.
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
