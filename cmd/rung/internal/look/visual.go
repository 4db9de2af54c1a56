package look

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
)

// mostFaults is the largest number of warnings about visuals that cannot be drawn.
const mostFaults = 10

// newScene returns the scene of m, the model at path. Files of visuals are relative to its folder, or to the working folder for standard
// input, and must not be outside. Visuals that cannot be drawn are warnings on stderr.
func newScene(m *model.Model, mech *mechanism.Mechanism, path string, o scene.Options, p *shell.Progress, stderr io.Writer) (*scene.Scene, error) {
	o.Visuals = m.Visuals
	if len(o.Visuals) > 0 {
		folder := "."
		if path != shell.Stdio {
			folder = filepath.Dir(path)
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, shell.InputError(folder, err)
		}
		defer root.Close()
		o.Files = root.FS()
	}
	s := scene.New(mech, o)
	p.Aside(func() {
		for i, err := range s.Faults {
			if i == mostFaults {
				fmt.Fprintf(stderr, "rung: warning: %d more visuals cannot be drawn\n", len(s.Faults)-i)
				break
			}
			fmt.Fprintln(stderr, "rung: warning:", fault.Plain(err))
		}
	})
	return s, nil
}
