package arch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// noticeHead is the beginning of NOTICE.
const noticeHead = `Rung is licensed under the BSD 3-Clause License (the file LICENSE). The program rung contains the standard library
and the runtime of Go, and the modules below. Their licences follow, each text once. Package rung and the other
libraries contain fewer of them: docs/architecture.md says which package imports what.

This file is made by "make golden" from what is linked on Linux, macOS and Windows.

`

// licences tells a text by its words. That of BSD-2-Clause is part of BSD-3-Clause.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"Apache-2.0 (notice)", "Licensed under the Apache License, Version 2.0"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"FTL", "The FreeType Project LICENSE"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International Public License"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"SunPro", "Permission to use, copy, modify, and distribute this software is freely granted"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
}

// passedOver are files that are no licence of what is linked: what freetype says about the choice between its two
// licences, and the one not chosen; a link to a text that is there too.
var passedOver = []string{
	"github.com/golang/freetype/LICENSE", "github.com/golang/freetype/licenses/gpl.txt", "github.com/ajstarks/svgo/LICENSE-link.txt",
}

// licencePatterns find the licences of a module and notices that go with them. Of the licences of others that gonum
// lists, those of Go and Sun are of its packages for linear algebra; no other of its packages is linked.
var licencePatterns = []string{"LICENSE*", "NOTICE*", "COPYING*", "licenses/*", "THIRD_PARTY_LICENSES/Go-*", "THIRD_PARTY_LICENSES/Sun-*"}

// linked is a module in the program rung.
type linked struct{ path, version, dir string }

// linkedModules returns the modules in the program rung on the systems for which it is built, sorted.
func linkedModules(t *testing.T) []linked {
	t.Helper()
	var list []linked
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/rung")
		cmd.Dir = root(t)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) == 3 {
				list = append(list, linked{f[0], f[1], f[2]})
			}
		}
	}
	slices.SortFunc(list, func(a, b linked) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(list)
}

// goItself is the standard library and the runtime of Go, which are in every program, by the folder of the tools.
func goItself(t *testing.T) linked {
	t.Helper()
	dir, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return linked{path: "Go", version: "(standard library and runtime)", dir: strings.TrimSpace(string(dir))}
}

// licenceFiles returns the files of a module that licencePatterns find.
func (m *linked) licenceFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range licencePatterns {
		names, err := filepath.Glob(filepath.Join(m.dir, pattern))
		require.NoError(t, err)
		for _, name := range names {
			rel, err := filepath.Rel(m.dir, name)
			require.NoError(t, err)
			info, err := os.Stat(name)
			require.NoError(t, err)
			if !info.IsDir() && !slices.Contains(passedOver, path.Join(m.path, filepath.ToSlash(rel))) {
				found = append(found, name)
			}
		}
	}
	require.NotEmpty(t, found, "module %s has no licence", m.path)
	return found
}

// licenceOf returns the names of the licences in a text.
func licenceOf(t *testing.T, file, text string) string {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	var names []string
	for _, l := range licences {
		if strings.Contains(text, l.words) && !(l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause")) {
			names = append(names, l.name)
		}
	}
	require.NotEmpty(t, names, "%s: look at this licence, then add its words to the list of this test", file)
	return strings.Join(names, " + ")
}

// TestNotice compares NOTICE with Go, and with the modules that are in the program rung, their versions and the licences
// that come with them. So it holds the list of these modules. It fails on a licence that is not in the list above.
func TestNotice(t *testing.T) {
	check.Long(t)
	var table, texts strings.Builder
	number := map[string]int{} // of a text
	for _, m := range append([]linked{goItself(t)}, linkedModules(t)...) {
		var names []string
		for _, file := range m.licenceFiles(t) {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
			if number[text] == 0 {
				number[text] = len(number) + 1
				fmt.Fprintf(&texts, "\n%s\n[%d] %s, %s\n\n%s\n", strings.Repeat("-", 80), number[text], m.path, filepath.Base(file), text)
			}
			names = append(names, fmt.Sprintf("%s [%d]", licenceOf(t, file, text), number[text]))
		}
		fmt.Fprintf(&table, "%s %s: %s\n", m.path, m.version, strings.Join(names, ", "))
	}
	check.Golden(t, "../../../NOTICE", []byte(noticeHead+table.String()+texts.String()))
}

// TestTestifyIsOfMCAP: what the tests use is in the program for one reason, which docs/architecture.md gives: a file of the
// library for MCAP imports it that is no test. With the tag small it is not.
func TestTestifyIsOfMCAP(t *testing.T) {
	check.Long(t)
	const testify, mcap = "github.com/stretchr/testify/", "github.com/foxglove/mcap/go/mcap"
	importers := func(tags string) (of []string) {
		cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./cmd/rung")
		cmd.Dir = root(t)
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if !strings.HasPrefix(f[0], testify) && slices.ContainsFunc(f[1:], func(s string) bool { return strings.HasPrefix(s, testify) }) {
				of = append(of, f[0])
			}
		}
		return of
	}
	require.Equal(t, []string{mcap}, importers(""))
	require.Empty(t, importers("small"))
}
