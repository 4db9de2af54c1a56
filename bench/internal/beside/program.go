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

// Engine is a program that is compared with Rung.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"` // reason for which it was not measured
}

// Find returns the path of the engine's program in a folder, and sets e.Version by calling it with the argument "version". If there
// is no such program, or it does not start, Find returns "" and sets e.Missing. packageName is the Debian package of the engine's
// library, flag the flag of bench/peers/run.sh that builds the program, for the message.
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

// WallTime is the wall time after which Call ends a program.
const WallTime = 90 * time.Second

// ErrOver is the error of a program that was ended after WallTime, or that reports the same by the error "over".
var ErrOver = errors.New("over the limit of time")

// Call runs a program on one thread and decodes the JSON document that it prints into a. It returns the processor time, and an
// error if the program fails, prints no JSON, or prints a member "error" that is not empty.
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
