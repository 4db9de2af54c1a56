package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
)

// wasm is the name of the program for WebAssembly.
const wasm = "rung.wasm"

// The notes of Go in a program are between these texts. Package debug/buildinfo does not read programs for WebAssembly.
const (
	noteBegins = "0w\xaf\f\x92t\b\x02A\xe1\xc1\a\xe6\xd6\x18\xe6"
	noteEnds   = "\xf92C1\x86\x18 r\x00\x82B\x10A\x16\xd8\xf2"
)

// infoOf returns the notes of Go in a program. For a program for WebAssembly the version of Go is empty.
func infoOf(path string) (*buildinfo.BuildInfo, error) {
	if filepath.Base(path) != wasm {
		return buildinfo.ReadFile(path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return noted(b)
}

// noted returns the notes of Go in a program for WebAssembly.
func noted(program []byte) (*buildinfo.BuildInfo, error) {
	for {
		_, rest, ok := bytes.Cut(program, []byte(noteBegins))
		if !ok {
			return nil, errors.New("no note of Go is in it")
		}
		text, _, closed := bytes.Cut(rest, []byte(noteEnds))
		if info, err := debug.ParseBuildInfo(string(text)); closed && err == nil && info.Path != "" {
			return info, nil
		}
		program = rest // no notes: a constant of the program, such as noteBegins
	}
}
