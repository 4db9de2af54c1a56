package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// give takes the figures that a program has printed as a JSON object.
func (b *bench) give(text string) error {
	var list map[string]float64
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("no figures: %w", err)
	}
	return b.found.take(list)
}

// measurePython runs a part of the program measure.py with the package of the wheel, and takes the figures that it prints.
func (b *bench) measurePython(part string, args ...string) error {
	env := []string{"PYTHONPATH=" + b.packages, "RUNG_LIBRARY=", "RUNG_THREADS=", "PYTHONDONTWRITEBYTECODE="}
	text, err := b.output(env, b.python, append([]string{"bench/doors/measure.py", part, b.fourBar, b.ladder, b.rocker}, args...)...)
	if err != nil {
		return err
	}
	return b.give(text)
}

// versions stores the versions of Python, NumPy and Node in the record. Without Node its version is empty.
func (b *bench) versions(r *record) error {
	text, err := b.output(nil, b.python, "-c", "import platform, numpy; print(platform.python_version(), numpy.__version__)")
	if err != nil {
		return err
	}
	if n, err := fmt.Sscan(text, &r.Python, &r.NumPy); n != 2 {
		return fmt.Errorf("%q: %w", text, err)
	}
	if _, err := exec.LookPath(b.node); err == nil {
		if text, err = b.output(nil, b.node, "--version"); err != nil {
			return err
		}
		r.Node = strings.TrimPrefix(strings.TrimSpace(text), "v")
	}
	return nil
}

// calls measures Go, C and Python by turns, and counts the numbers in which their accelerations differ.
func (b *bench) calls() error {
	o, err := newOwn(b.paths)
	if err != nil {
		return err
	}
	want, err := o.accelerations()
	if err != nil {
		return err
	}
	fromC, fromPython := filepath.Join(b.work, "c.bin"), filepath.Join(b.work, "python.bin")
	for round := range b.Rounds {
		b.Say("round %d of %d", round+1, b.Rounds)
		list, err := o.figures()
		if err != nil {
			return err
		}
		if err := b.found.take(list); err != nil {
			return err
		}
		text, err := b.output(nil, b.paths.calls, b.library, b.fourBar, b.ladder, fromC)
		if err != nil {
			return err
		}
		if err := b.give(text); err != nil {
			return err
		}
		if err := b.measurePython("calls", filepath.Join(b.unit, "resources"), fromPython); err != nil {
			return err
		}
		bits := 0
		for _, path := range []string{fromC, fromPython} {
			got, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			bits += differing(want, got)
		}
		if err := b.found.take(map[string]float64{"bits": float64(bits)}); err != nil {
			return err
		}
	}
	return b.found.take(map[string]float64{"ladder.more": b.found.values["ladder.python"] / b.found.values["ladder.go"]})
}

// once measures the figures that need no rounds: the end of calls, forks, loading, threads and memory.
func (b *bench) once() error { return b.measurePython("once") }

// units loads a unit 60 times and counts the threads.
func (b *bench) units() error {
	token, err := b.token()
	if err != nil {
		return err
	}
	so, err := filepath.Glob(filepath.Join(b.unit, "binaries", "*", "rung.so"))
	if err != nil || len(so) != 1 {
		return fmt.Errorf("%d stubs in %s", len(so), b.unit)
	}
	text, err := b.output(nil, b.load, so[0], filepath.Join(b.unit, "resources"), token, "none", "live")
	if err != nil {
		return err
	}
	var loads, threads int
	if _, err := fmt.Sscanf(text, "FMI 3.0: %d loads, %d threads", &loads, &threads); err != nil || loads != 60 {
		return fmt.Errorf("%q: %w", text, err)
	}
	return b.found.take(map[string]float64{"threads.unit": float64(threads)})
}

// Patterns of the lines that cmd/rungwasm/nodetest/check.js prints.
var (
	nodeStart = regexp.MustCompile(`compiled in (\S+) ms, started in (\S+) ms`)
	nodeCall  = regexp.MustCompile(`four-bar: 3 bodies, (\S+) µs an evaluation`)
)

// wasm makes and measures rung.wasm. Without Node its figures are missing.
func (b *bench) wasm() error {
	if _, err := exec.LookPath(b.node); err != nil {
		b.found.miss(errors.New("no Node"), "wasm", "wasm.gzip", "wasm.compile", "wasm.start", "wasm.four-bar")
		return nil
	}
	if _, err := b.output(nil, "make", "--no-print-directory", "playground", "PLAYGROUND="+b.playground); err != nil {
		return err
	}
	list := map[string]float64{}
	if err := sizes(list, filepath.Join(b.playground, "rung.wasm"), "wasm", "wasm.gzip"); err != nil {
		return err
	}
	text, err := b.output(nil, b.node, "cmd/rungwasm/nodetest/check.js", b.playground)
	if err != nil {
		return err
	}
	start, call := nodeStart.FindStringSubmatch(text), nodeCall.FindStringSubmatch(text)
	if start == nil || call == nil {
		return fmt.Errorf("no figures in %q", text)
	}
	for name, number := range map[string]string{"wasm.compile": start[1], "wasm.start": start[2], "wasm.four-bar": call[1]} {
		if list[name], err = strconv.ParseFloat(number, 64); err != nil {
			return err
		}
	}
	return b.found.take(list)
}
