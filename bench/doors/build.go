package main

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	problems "github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/model"
)

// paths are the files and folders of a measurement, most of them in a temporary folder.
type paths struct {
	work, libraries, library, wheel, packages string // packages: folder with the unpacked wheel
	fourBar, ladder, rocker                   string // models
	fmu, unit                                 string // the unit for simulation tools as a file, and unpacked as a folder
	playground                                string // folder of rung.wasm
	calls, load                               string // programs in C
}

// newPaths returns the paths in the repository at root and in the temporary folder work, except for the wheel, which build sets.
func newPaths(root, work string) *paths {
	libraries := filepath.Join(work, "lib")
	return &paths{
		work: work, libraries: libraries, library: filepath.Join(libraries, "librung.so"), packages: filepath.Join(work, "packages"),
		fourBar: filepath.Join(root, "docs", "four-bar.model.json"), ladder: filepath.Join(work, "ladder.model.json"),
		rocker: filepath.Join(root, "bench", "doors", "crank-rocker.model.json"),
		fmu:    filepath.Join(work, "rocker.fmu"), unit: filepath.Join(work, "unit"), playground: filepath.Join(work, "playground"),
		calls: filepath.Join(work, "calls"), load: filepath.Join(work, "load"),
	}
}

// bench is a measurement: its options and files, and the figures found so far.
type bench struct {
	*options
	*paths
	found *figures
	spent *time.Duration // processor time of all programs
}

// patience is the wall time after which a program is ended.
const patience = 20 * time.Minute

// output runs a program in the root of the repository, with env added to the environment, and returns its standard output. An error
// has both outputs of the program.
func (b *bench) output(env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = b.Root, append(os.Environ(), env...)
	var out, said strings.Builder
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	if c.ProcessState != nil {
		*b.spent += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", filepath.Base(name), err, strings.TrimSpace(said.String()+out.String()))
	}
	return out.String(), nil
}

// build makes the model of the ladder, the library, the wheel, a unit and the programs in C, and unpacks wheel and unit.
func (b *bench) build() error {
	doc, err := problems.Ladder(1000, 1)
	if err != nil {
		return err
	}
	if err := model.WriteFile(b.ladder, doc); err != nil {
		return err
	}
	command := filepath.Join(b.work, "rung")
	cc := cmp.Or(os.Getenv("CC"), "cc")
	for _, line := range [][]string{
		{"make", "--no-print-directory", "library", "fmu-stub", "wheel", "LIBDIR=" + b.libraries, "PYTHON=" + b.python},
		{"go", "build", "-o", command, "./cmd/rung"},
		{command, "export", b.rocker, "-o", b.fmu, "--fmi", "3", "--libraries", b.libraries},
		{cc, "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Icmd/librung", "-o", b.paths.calls, "bench/doors/c/calls.c", "-ldl"},
		{cc, "-std=c99", "-D_GNU_SOURCE", "-DFMI=3", "-o", b.load, "cmd/librung/fmi/check/load.c", "-ldl", "-lm"},
	} {
		if _, err := b.output(nil, line[0], line[1:]...); err != nil {
			return err
		}
	}
	wheels, err := filepath.Glob(filepath.Join(b.libraries, "rung-*.whl"))
	if err != nil || len(wheels) != 1 {
		return fmt.Errorf("%d wheels in %s", len(wheels), b.libraries)
	}
	b.wheel = wheels[0]
	if err := unpack(b.wheel, b.packages); err != nil {
		return err
	}
	return unpack(b.fmu, b.unit)
}

// unpack unpacks a zip file into a folder. The file must be one of our own: names in it are not checked.
func unpack(path, folder string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		from, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o755)
		}
		from.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// tokenPattern finds the token in the description of a unit.
var tokenPattern = regexp.MustCompile(`instantiationToken="([^"]*)"`)

// token returns the instantiation token of the unit (FMI), which calls of its functions need.
func (b *bench) token() (string, error) {
	text, err := os.ReadFile(filepath.Join(b.unit, "modelDescription.xml"))
	if err != nil {
		return "", err
	}
	m := tokenPattern.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("the description has no token")
	}
	return string(m[1]), nil
}
