package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Import paths of the module and of package probe.
const (
	modulePath = "github.com/rung-mbd/rung"
	probePath  = modulePath + "/internal/sabotage/probe"
)

// main runs the command and prints its error.
func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		os.Exit(1)
	}
}

// run finds the guards, chooses the changes of this shard, and tries them or lists them.
func run() error {
	packages := flag.String("packages", "./couplings,./factor,./kkt,./closing,./motion,./batch,./batch/internal/mechanics,./dist",
		"packages whose guards are changed")
	tests := flag.String("tests", "./couplings,./factor,./kkt,./closing,./motion,./batch/...,./dist,.,./linear,./ik,./mobility,./sim/...,./formats/tables,./cmd/rung/...", "packages whose tests have to notice")
	only := flag.String("only", "", "regular expression of the guards to be changed, as -list prints them")
	shard := flag.String("shard", "1/1", "part of the changes: the k-th of n is k/n")
	list := flag.Bool("list", false, "list the guards and end")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	var k, n int
	if _, err := fmt.Sscanf(*shard, "%d/%d", &k, &n); err != nil || k < 1 || k > n {
		return fmt.Errorf("-shard %s: a part is written k/n, 1 ≤ k ≤ n", *shard)
	}
	g, err := find(strings.Split(*packages, ","))
	if err != nil {
		return err
	}
	changes, costs := g.changes(pattern)
	if len(changes)+costs == 0 {
		return fmt.Errorf("-only %s: no guard of %s is like it", *only, *packages)
	}
	if *list {
		for _, c := range changes {
			fmt.Println(c)
		}
		return nil
	}
	fmt.Printf("%d conditions and %d constants: %d changes, and %d that cost time only\n", len(g.conditions), len(g.constants), len(changes), costs)
	var mine []change
	for i, c := range changes {
		if i%n == k-1 {
			mine = append(mine, c)
		}
	}
	return g.try(mine, strings.Split(*tests, ","))
}

// String returns the place and the text of a guard.
func (g guard) String() string { return g.place + ": " + g.text }

// change is one change of one guard.
type change struct {
	guard
	name, value string // for RUNG_SABOTAGE, such as c12 and true, or k7 and 1000
}

// String describes the change.
func (c change) String() string {
	if c.name[0] == 'c' {
		return c.guard.String() + " is always " + c.value
	}
	return c.guard.String() + ", times " + c.value
}

// listed holds the fields of a package in the output of go list.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	DepOnly                 bool
}

// find returns the guards of the packages that match the patterns.
func find(patterns []string) (*guards, error) {
	out, err := output(exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, patterns...)...))
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = append(own, p)
		}
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	g := &guards{edited: map[string][]byte{}}
	for _, p := range own {
		var files []string
		for _, f := range p.GoFiles {
			files = append(files, filepath.Join(p.Dir, f))
		}
		if err := g.collect(p.ImportPath, files, imports); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// changes returns the changes that the pattern matches, and the number of matching changes that are left out because they cost only
// time.
func (g *guards) changes(pattern *regexp.Regexp) (list []change, costs int) {
	add := func(letter string, guards []guard, less, more string) {
		for i, x := range guards {
			for _, v := range []struct {
				value string
				cost  bool
			}{{less, x.cost.less}, {more, x.cost.more}} {
				c := change{guard: x, name: letter + strconv.Itoa(i), value: v.value}
				switch {
				case !pattern.MatchString(c.String()):
				case v.cost:
					costs++
				default:
					list = append(list, c)
				}
			}
		}
	}
	add("c", g.conditions, "false", "true")
	add("k", g.constants, "0.001", "1000")
	return list, costs
}

// output runs a command and returns its standard output. An error has the first words of the command and its standard error.
func output(c *exec.Cmd) (string, error) {
	var fault strings.Builder
	c.Stderr = &fault
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args[:min(len(c.Args), 4)], " "), err, fault.String())
	}
	return string(out), nil
}
