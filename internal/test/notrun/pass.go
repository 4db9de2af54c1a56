package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is an event in the output of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// line is a line printed by a test, or by its package if test is empty.
type line struct{ test, text string }

// pack is a package whose tests are running.
type pack struct {
	lines  []line            // printed so far
	done   map[string]bool   // tests that passed or were skipped
	reason map[string]string // by test: the last line that it logged
}

// pass prints the lines that go test prints without -json, and returns the lines for the file. If go test has been killed, the tests of
// some packages have not ended at the end of the stream. Their lines are printed as if they had failed, and pass returns an error with
// their names.
func pass(in io.Reader, out io.Writer, verbose bool) ([]byte, error) {
	var record bytes.Buffer
	packs, failed := map[string]*pack{}, false
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	for {
		text, err := r.ReadBytes('\n')
		var e event
		switch {
		case len(text) == 0:
		case text[0] != '{' || json.Unmarshal(text, &e) != nil:
			_, _ = w.Write(text)
		case e.Action == "build-output":
			_, _ = w.WriteString(e.Output)
		case e.Package != "":
			p := packs[e.Package]
			if p == nil {
				p = &pack{done: map[string]bool{}, reason: map[string]string{}}
				packs[e.Package] = p
			}
			if p.take(&e, &record, w, verbose) {
				delete(packs, e.Package)
				failed = failed || e.Action == "fail"
			}
		}
		if err == io.EOF && failed {
			_, _ = w.WriteString("FAIL\n")
		}
		if r.Buffered() == 0 || err != nil {
			if e := w.Flush(); e != nil {
				return nil, e
			}
		}
		if err == io.EOF {
			return record.Bytes(), unended(packs, w)
		} else if err != nil {
			return nil, err
		}
	}
}

// unended prints the lines of the packages whose tests have not ended, and returns an error if there are any.
func unended(packs map[string]*pack, w *bufio.Writer) error {
	if len(packs) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(packs))
	for _, n := range names {
		packs[n].print(w, true)
	}
	return errors.Join(w.Flush(), fmt.Errorf("notrun: the tests of %s have not ended", strings.Join(names, ", ")))
}

// logged matches a line of t.Log, t.Skip and similar methods. Its group is the text.
var logged = regexp.MustCompile(`^\s*[^\s:]+\.go:\d+: (.*\S)`)

// take handles an event of the package: it stores or prints its output, and adds a line to record for a test that was skipped or passed. It
// reports whether the event is the last one of the package.
func (p *pack) take(e *event, record *bytes.Buffer, w *bufio.Writer, verbose bool) bool {
	switch e.Action {
	case "output":
		if m := logged.FindStringSubmatch(e.Output); m != nil {
			p.reason[e.Test] = m[1]
		}
		if verbose {
			_, _ = w.WriteString(e.Output)
		} else if !strings.HasPrefix(e.Output, "=== ") {
			p.lines = append(p.lines, line{e.Test, e.Output})
		}
	case "pass", "skip":
		if e.Test == "" {
			p.print(w, false)
			return true
		}
		p.done[e.Test] = true
		switch {
		case e.Action == "skip":
			fmt.Fprintf(record, "skip\t%s\t%s\t%s\n", e.Package, e.Test, strings.ReplaceAll(p.reason[e.Test], "\t", " "))
		case !strings.Contains(e.Test, "/seed#"): // the thousands of inputs of a walk are left out
			fmt.Fprintf(record, "pass\t%s\t%s\t\n", e.Package, e.Test)
		}
		delete(p.reason, e.Test)
	case "fail":
		if e.Test == "" {
			p.print(w, true)
			return true
		}
	}
	return false
}

// print prints the summary of a package. If the package has failed, it first prints the lines of the tests that did not pass.
func (p *pack) print(w *bufio.Writer, failed bool) {
	var order []string
	byRoot := map[string][]string{}
	for _, l := range p.lines {
		root, _, _ := strings.Cut(l.test, "/")
		switch {
		case l.test == "" && !failed && !summary(l.text):
			continue
		case l.test != "" && (!failed || p.done[l.test]):
			continue
		}
		if _, ok := byRoot[root]; !ok && root != "" {
			order = append(order, root)
		}
		byRoot[root] = append(byRoot[root], l.text)
	}
	for _, root := range append(order, "") {
		for _, text := range byRoot[root] {
			_, _ = w.WriteString(text)
		}
	}
}

// summary reports whether a line is the summary of a package.
func summary(text string) bool {
	return strings.HasPrefix(text, "ok  \t") || strings.HasPrefix(text, "?   \t") || strings.HasPrefix(text, "\t")
}
