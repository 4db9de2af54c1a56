package beside

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
)

// Host is where it was measured, and what else it had to do.
type Host struct {
	Processor  string   `json:"processor"`
	Cores      int      `json:"cores"`
	System     string   `json:"system"`
	Go         string   `json:"go"`
	Commit     string   `json:"commit"`
	LoadBefore string   `json:"load_before"` // averages over 1, 5 and 15 minutes; empty if not known
	LoadAfter  string   `json:"load_after"`
	Others     *float64 `json:"others"` // processors that other programs had meanwhile; null if not known
	Took       float64  `json:"took_seconds"`
}

// NewHost says where this runs. root is the folder of the repository.
func NewHost(root string) Host {
	m := Host{Processor: "not known", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
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

// Facts are the lines of a page that say where it was measured, before the engines.
func (m *Host) Facts(t *strings.Builder) {
	fmt.Fprintf(t, "\n- Processor: %s, %d cores, %s; everything on one thread\n", m.Processor, m.Cores, m.System)
	fmt.Fprintf(t, "- Rung: commit %s, %s\n", m.Commit, m.Go)
}

// Busy is the line of a page that says what else the machine had to do.
func (m *Host) Busy(t *strings.Builder) {
	others := "is not known"
	if m.Others != nil {
		others = "was " + strconv.FormatFloat(*m.Others, 'f', 2, 64) + " processors"
	}
	fmt.Fprintf(t, "- What others had of the machine meanwhile %s; ", others)
	fmt.Fprintf(t, "load averages %s before and %s after\n", known(m.LoadBefore), known(m.LoadAfter))
}

func known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// Watch is a measurement that goes on.
type Watch struct {
	begun  time.Time
	clocks machine.Clocks
	Peers  time.Duration // that programs of peers worked
}

// NewWatch begins one.
func NewWatch() *Watch { return &Watch{begun: time.Now(), clocks: machine.ReadClocks()} }

// End stores what passed meanwhile.
func (w *Watch) End(m *Host) {
	now := machine.ReadClocks()
	m.Took = time.Since(w.begun).Seconds()
	m.LoadAfter = load()
	if now.Machine < 0 || w.clocks.Machine < 0 || now.CPU < 0 || m.Took == 0 {
		return
	}
	others := max(0, ((now.Machine-w.clocks.Machine)-(now.CPU-w.clocks.CPU)-w.Peers).Seconds()/m.Took)
	m.Others = &others
}
