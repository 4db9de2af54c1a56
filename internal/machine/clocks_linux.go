package machine

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// WaitedTime returns how long threads of this process were ready to run and had no processor, negative if the kernel
// does not keep account of it.
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

// machineTime returns how long all processors have worked for any program since the machine's start, in sum. The time
// that the hypervisor took counts too. It returns NotKnown if the file cannot be read.
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
