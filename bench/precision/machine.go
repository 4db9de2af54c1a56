package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
)

// newMachine says where this runs.
func newMachine(root string) host {
	m := host{Processor: "not known", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	m.Commit = "not known"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.Processor = strings.TrimSpace(value)
				break
			}
		}
	}
	if out, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
	}
	m.LoadBefore = load()
	return m
}

// load returns the averages of 1, 5 and 15 minutes, empty if they are not known.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return ""
}

// watch is a measurement that goes on.
type watch struct {
	begun  time.Time
	clocks machine.Clocks
	peers  time.Duration // that programs of peers worked
}

func newWatch() *watch { return &watch{begun: time.Now(), clocks: machine.ReadClocks()} }

// end stores what passed meanwhile.
func (w *watch) end(m *host) {
	now := machine.ReadClocks()
	m.Took = time.Since(w.begun).Seconds()
	m.LoadAfter = load()
	if now.Machine < 0 || w.clocks.Machine < 0 || now.CPU < 0 || m.Took == 0 {
		return
	}
	others := max(0, ((now.Machine-w.clocks.Machine)-(now.CPU-w.clocks.CPU)-w.peers).Seconds()/m.Took)
	m.Others = &others
}
