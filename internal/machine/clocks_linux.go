package machine

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// WaitedTime returns the time that threads of this process were ready to run and had no processor, summed over the threads. It
// returns NotKnown if the kernel does not record it.
func WaitedTime() time.Duration {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return NotKnown
	}
	sum, found := time.Duration(0), false
	for _, task := range tasks {
		stat, err := os.ReadFile("/proc/self/task/" + task.Name() + "/schedstat")
		if err != nil {
			continue // it has ended
		}
		f := bytes.Fields(stat) // ns on a processor, ns waiting for one, times it had one
		if len(f) < 2 {
			continue
		}
		if ns, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
			sum, found = sum+time.Duration(ns), true
		}
	}
	if !found {
		return NotKnown
	}
	return sum
}

// tick is the unit of /proc/stat, the same on all systems.
const tick = time.Second / 100

// machineTime returns the time that the processors have worked for any program since the machine's start, summed over the
// processors. The time taken by the hypervisor counts too. It returns NotKnown if /proc/stat cannot be read.
func machineTime() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return NotKnown
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	f := bytes.Fields(line) // cpu user nice system idle iowait irq softirq steal
	if len(f) < 9 || string(f[0]) != "cpu" {
		return NotKnown
	}
	sum := time.Duration(0)
	for i, field := range f[1:9] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return NotKnown
		}
		if i != 3 && i != 4 { // neither idle nor idle while a disk works
			sum += time.Duration(n) * tick
		}
	}
	return sum
}
