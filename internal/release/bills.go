package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bills writes a bill of materials for each program, as CycloneDX, and compares it with the modules that Go notes in the program.
func (r *release) bills() error {
	if r.sbom == "" {
		r.missing = append(r.missing, "bills of materials: -sbom names no cyclonedx-gomod")
		return nil
	}
	for _, p := range platforms {
		for _, program := range [][2]string{{"rung", p.exe()}, {"librung", p.library()}} {
			if !r.has(p, program[1]) {
				continue
			}
			name := fmt.Sprintf("%s_%s_%s.cdx.json", program[0], r.version, p)
			args := []string{"bin", "-version", r.version.tag(), r.built(p, program[1])}
			if err := r.bill(r.work, nil, args, r.built(p, program[1]), name); err != nil {
				return err
			}
		}
	}
	// The tool cannot read the notes in a program for WebAssembly, so it lists the modules of the package.
	args := []string{"app", "-main", "cmd/rungwasm", r.source}
	env := []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}
	return r.bill(r.source, env, args, filepath.Join(r.work, "playground", wasm), fmt.Sprintf("playground_%s.cdx.json", r.version))
}

// bill writes the bill of a program to a file with a name, by the tool in the folder dir, with env added to its environment. args are the
// subcommand of the tool and its arguments.
func (r *release) bill(dir string, env, args []string, program, name string) error {
	to := filepath.Join(r.out, name)
	args = append([]string{args[0], "-json", "-noserial", "-notimestamp", "-std", "-output", to}, args[1:]...)
	if _, err := output(r.command(dir, env, r.sbom, args...)); err != nil {
		return err
	}
	b, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	info, err := infoOf(program)
	if err != nil {
		return err
	}
	if info.GoVersion == "" {
		if info.GoVersion, err = output(r.command(r.source, nil, "go", "env", "GOVERSION")); err != nil {
			return err
		}
	}
	return compareBill(b, program, info)
}

// compareBill compares the bill b with info, the notes of Go in the program. It returns an error if their modules differ.
func compareBill(b []byte, program string, info *buildinfo.BuildInfo) error {
	var bill struct {
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(b, &bill); err != nil {
		return err
	}
	have, want := map[string]bool{}, map[string]bool{"std@" + info.GoVersion: true}
	for _, c := range bill.Components {
		have[c.Name+"@"+c.Version] = true
	}
	for _, m := range info.Deps {
		want[m.Path+"@"+m.Version] = true
	}
	if !maps.Equal(have, want) {
		return fmt.Errorf("the bill of %s has %v, and the program %v", program, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
	return nil
}

// sumsFile is the name of the file of digests.
const sumsFile = "SHA256SUMS"

// sums writes the digests of all files of the release, in the form that sha256sum -c reads.
func (r *release) sums() error {
	list, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.write(sumsFile, b.Bytes())
}

// same compares the digests of two folders, and returns an error that names the files that differ.
func same(a, b string) error {
	first, err := os.ReadFile(filepath.Join(a, sumsFile))
	if err != nil {
		return err
	}
	second, err := os.ReadFile(filepath.Join(b, sumsFile))
	if err != nil {
		return err
	}
	if bytes.Equal(first, second) {
		fmt.Printf("equal bytes twice: %d files\n", bytes.Count(first, []byte("\n")))
		return nil
	}
	var other []string
	for _, pair := range [][2][]byte{{first, second}, {second, first}} {
		there := strings.Split(string(pair[1]), "\n")
		for line := range strings.Lines(string(pair[0])) {
			line = strings.TrimSpace(line)
			if _, name, _ := strings.Cut(line, "  "); !slices.Contains(there, line) && !slices.Contains(other, name) {
				other = append(other, name)
			}
		}
	}
	return fmt.Errorf("made again in another folder, not the same: %s", strings.Join(other, ", "))
}
