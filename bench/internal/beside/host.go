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

// Host tells on which machine a measurement ran, and how busy the machine was otherwise.
type Host struct {
	Processor  string   `json:"processor"`
	Cores      int      `json:"cores"`
	System     string   `json:"system"`
	Go         string   `json:"go"`
	Commit     string   `json:"commit"`      // of the repository, from git describe
	LoadBefore string   `json:"load_before"` // load averages over 1, 5 and 15 minutes; "" if not known
	LoadAfter  string   `json:"load_after"`
	Others     *float64 `json:"others"` // processors that other programs used on average; null if not known
	Took       float64  `json:"took_seconds"`
}

// NewHost describes this machine and the commit of the repository in the folder root. Unknown values are "not known".
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

// load returns the load averages over 1, 5 and 15 minutes with spaces between them; "" if they are not known.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return ""
}

// Facts writes the lines of a page that tell the machine, the commit and the version of Go.
func (m *Host) Facts(t *strings.Builder) {
	fmt.Fprintf(t, "\n- Processor: %s, %d cores, %s; everything on one thread\n", m.Processor, m.Cores, m.System)
	fmt.Fprintf(t, "- Rung: commit %s, %s\n", m.Commit, m.Go)
}

// Busy writes the line of a page that tells how busy the machine was otherwise.
func (m *Host) Busy(t *strings.Builder) {
	others := "is not known"
	if m.Others != nil {
		others = "was " + strconv.FormatFloat(*m.Others, 'f', 2, 64) + " processors"
	}
	fmt.Fprintf(t, "- What others had of the machine meanwhile %s; ", others)
	fmt.Fprintf(t, "load averages %s before and %s after\n", known(m.LoadBefore), known(m.LoadAfter))
}

// known returns text, or "unknown" if it is empty.
func known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// Watch measures how busy the machine is from NewWatch to End.
type Watch struct {
	begun  time.Time
	clocks machine.Clocks // at begun
	Peers  time.Duration  // processor time of the peers' programs, which the caller adds up
}

// NewWatch starts a Watch.
func NewWatch() *Watch { return &Watch{begun: time.Now(), clocks: machine.ReadClocks()} }

// End stores the time since NewWatch, the present load, and the processors that programs other than this one and the peers used.
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
