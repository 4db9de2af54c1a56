package beside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Ours is the name of Rung among the engines.
const Ours = "Rung"

// Engine is a program that was to be measured.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"` // why nothing of it was measured
}

// Find looks for a program in a folder, and asks for its version with the one argument "version". Missing says why there is none.
// packageName is that of Debian that has the library, flag the one of bench/peers/run.sh that builds the program.
func (e *Engine) Find(folder, program, packageName, flag string) (path string) {
	if folder == "" {
		e.Missing = "not asked for: bench/peers/run.sh " + flag + " builds it"
		return ""
	}
	path = filepath.Join(folder, program)
	if _, err := os.Stat(path); err != nil {
		e.Missing = "not built, package " + packageName
		return ""
	}
	var a struct{ Version string }
	if _, err := Call(&a, path, "version"); err != nil {
		e.Missing = "does not start: " + err.Error()
		return ""
	}
	e.Version = a.Version
	return path
}

// WallTime is the time after which a program is ended.
const WallTime = 90 * time.Second

// ErrOver says that a run was ended.
var ErrOver = errors.New("over the limit of time")

// Call runs a program on one thread, and decodes what it prints, a JSON document, into a. A member "error" is an error. It returns the
// processor time.
func Call(a any, path string, args ...string) (spent time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), WallTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1", "OPENBLAS_NUM_THREADS=1")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if cmd.ProcessState != nil {
		spent = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if ctx.Err() != nil {
		return spent, ErrOver
	}
	var told struct{ Error string }
	bad := json.Unmarshal(out.Bytes(), &told)
	if bad == nil {
		bad = json.Unmarshal(out.Bytes(), a)
	}
	switch {
	case bad != nil && err == nil:
		err = bad
		fallthrough
	case bad != nil:
		return spent, fmt.Errorf("%s: %w %s", filepath.Base(path), err, strings.TrimSpace(said.String()))
	case told.Error == "over":
		return spent, ErrOver
	case told.Error != "":
		return spent, errors.New(told.Error)
	}
	return spent, err
}
