package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// slowest bounds the time of a test with a change: slowest times its usual time plus slowest seconds. A test that takes longer has
// noticed the change.
const slowest = 20

// suite is the test binary of one package.
type suite struct {
	path, dir, binary string
	tests             []*test
}

// test is one test function.
type test struct {
	of    *suite
	name  string
	takes time.Duration // without a change
	meets []string      // lines of its record: the guards that it reaches
}

// try makes each change, runs the tests, and prints the result. It returns an error if no test notices some change.
func (g *guards) try(changes []change, packages []string) error {
	dir, err := os.MkdirTemp("", "sabotage")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := g.overlay(dir)
	if err != nil {
		return err
	}
	suites, err := build(dir, overlay, packages)
	if err != nil {
		return err
	}
	byGuard := map[string][]*test{} // by a line of a record, such as "c12=true" or "k7": the tests with this line, the quickest first
	for _, t := range measure(dir, suites) {
		for _, m := range t.meets {
			byGuard[m] = append(byGuard[m], t)
		}
	}
	caught := 0
	lines := make([]string, len(changes))
	parallel(len(changes), func(i int) {
		c := changes[i]
		met := c.name
		if c.name[0] == 'c' { // tests in which the condition has the opposite value without the change
			met += "=" + map[string]string{"true": "false", "false": "true"}[c.value]
		}
		switch by, last, err := noticed(c, byGuard[met]); {
		case err != nil:
			lines[i] = fmt.Sprintf("UNTESTED %v: %v", c, err)
		case by != nil:
			lines[i] = fmt.Sprintf("noticed  %v: by %s %s", c, by.of.path, by.name)
		case last == 0:
			lines[i] = fmt.Sprintf("UNTESTED %v: no test gets there", c)
		default:
			lines[i] = fmt.Sprintf("UNTESTED %v: %d tests pass", c, last)
		}
		fmt.Println(lines[i])
	})
	for _, l := range lines {
		if strings.HasPrefix(l, "noticed") {
			caught++
		}
	}
	fmt.Printf("%d changes, %d noticed by a test\n", len(changes), caught)
	if caught < len(changes) {
		return fmt.Errorf("%d changes that no test notices", len(changes)-caught)
	}
	return nil
}

// parallel calls do for 0 to n−1, two calls at a time.
func parallel(n int, do func(i int)) {
	var w sync.WaitGroup
	next := make(chan int)
	for range 2 {
		w.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	w.Wait()
}

// overlay writes the edited files to dir, and the document that replaces the original files by them (go build -overlay). It returns the
// name of the document.
func (g *guards) overlay(dir string) (name string, err error) {
	replace := map[string]string{}
	for file, text := range g.edited {
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
		replace[file] = to
	}
	doc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, doc, 0o644)
}

// build builds the tests of the packages that have tests, and lists them.
func build(dir, overlay string, packages []string) (list []*suite, err error) {
	out, err := output(exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)...))
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		path, folder, _ := strings.Cut(line, " ")
		s := &suite{path: path, dir: folder, binary: filepath.Join(dir, "tests"+strconv.Itoa(i))}
		if _, err := output(exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary, path)); err != nil {
			return nil, err
		}
		names, err := output(command(context.Background(), s, "-test.list=^Test|^Example"))
		if err != nil {
			return nil, err
		}
		for _, n := range strings.Fields(names) {
			s.tests = append(s.tests, &test{of: s, name: n})
		}
		list = append(list, s)
	}
	return list, nil
}

// command returns a short run of a test binary with more flags.
func command(ctx context.Context, s *suite, flags ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, s.binary, append(flags, "-test.short")...)
	c.Dir, c.WaitDelay = s.dir, time.Second
	return c
}

// measure runs each test alone, stores its time and its record, and returns the tests that pass, the quickest first.
func measure(dir string, suites []*suite) (list []*test) {
	var all []*test
	for _, s := range suites {
		all = append(all, s.tests...)
	}
	passes := make([]bool, len(all))
	parallel(len(all), func(i int) {
		t := all[i]
		record := filepath.Join(dir, "record"+strconv.Itoa(i))
		c := command(context.Background(), t.of, "-test.run=^"+t.name+"$")
		c.Env = append(os.Environ(), "RUNG_SABOTAGE_RECORD="+record)
		begin := time.Now()
		out, err := c.CombinedOutput()
		t.takes = time.Since(begin)
		if passes[i] = err == nil; !passes[i] {
			fmt.Printf("left out: %s of %s fails as it is: %s\n", t.name, t.of.path, out[:min(len(out), 300)])
			return
		}
		met, _ := os.ReadFile(record)
		os.Remove(record)
		t.meets = strings.Fields(string(met))
	})
	for i, t := range all {
		if passes[i] {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *test) int { return cmp.Compare(a.takes, b.takes) })
	return list
}

// noticed returns the first test that fails with the change, or nil if all pass, and the number of tests that passed before. It returns
// an error if a test cannot be run.
func noticed(c change, tests []*test) (by *test, passed int, err error) {
	tests = slices.Clone(tests)
	slices.SortStableFunc(tests, func(a, b *test) int { // tests of the guard's own package first
		return -cmp.Compare(own(c, a), own(c, b))
	})
	for _, t := range tests {
		ctx, end := context.WithTimeout(context.Background(), slowest*t.takes+slowest*time.Second)
		x := command(ctx, t.of, "-test.run=^"+t.name+"$", "-test.failfast")
		x.Env = append(os.Environ(), "RUNG_SABOTAGE="+c.name+"="+c.value)
		failed, err := fails(x)
		end()
		if err != nil {
			return nil, passed, err
		}
		if failed {
			return t, passed, nil
		}
		passed++
	}
	return nil, passed, nil
}

// fails runs a test and reports whether it fails or takes too long. It returns an error if the test cannot be run.
func fails(x *exec.Cmd) (bool, error) {
	err := x.Run()
	if x.Process == nil {
		return false, err
	}
	return err != nil, nil
}

// own returns 1 if the test belongs to the package of the change, and 0 otherwise.
func own(c change, t *test) int {
	if t.of.path == c.pkg {
		return 1
	}
	return 0
}
