package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// module is the import path of the module, which is left out of the names of packages.
const module = "github.com/rung-mbd/rung"

// name is the name of a test and its package.
type name struct{ pack, test string }

// list prints the tests of a record that did not run, by their reasons. It returns an error if the record has no test.
func list(out io.Writer, record string) error {
	passed := map[name]bool{}
	skipped := map[string]map[name]bool{} // by reason
	for text := range strings.Lines(record) {
		f := strings.SplitN(strings.TrimSuffix(text, "\n"), "\t", 4)
		if len(f) != 4 {
			return fmt.Errorf("notrun: %q is no line of this program", text)
		}
		n := name{strings.TrimPrefix(strings.TrimPrefix(f[1], module), "/"), f[2]}
		if f[0] == "pass" {
			passed[n] = true
			continue
		}
		if f[3] == "" {
			f[3] = "no reason is given"
		}
		if skipped[f[3]] == nil {
			skipped[f[3]] = map[name]bool{}
		}
		skipped[f[3]][n] = true
	}
	count := 0
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		maps.DeleteFunc(skipped[reason], func(n name, _ bool) bool { return passed[n] })
		if lines := tests(skipped[reason]); len(lines) > 0 {
			count += len(skipped[reason])
			if _, err := fmt.Fprintf(out, "%s\n    %s\n", reason, strings.Join(lines, "\n    ")); err != nil {
				return err
			}
		}
	}
	if len(passed)+len(skipped) == 0 {
		return errors.New("notrun: no test is noted")
	}
	if count == 0 {
		_, err := fmt.Fprintln(out, "nothing; all tests ran")
		return err
	}
	return nil
}

// tests returns a line for each test. If several of its subtests are among the names, the line has only their number.
func tests(names map[name]bool) (lines []string) {
	parts := map[name][]string{} // subtests by their tests
	for n := range names {
		root, part, _ := strings.Cut(n.test, "/")
		of := name{n.pack, root}
		parts[of] = append(parts[of], part)
	}
	for of, list := range parts {
		text := strings.TrimSpace(of.pack + " " + of.test)
		switch {
		case len(list) > 1:
			text += fmt.Sprintf(" (%d parts)", len(list))
		case list[0] != "":
			text += "/" + list[0]
		}
		lines = append(lines, text)
	}
	slices.Sort(lines)
	return lines
}
