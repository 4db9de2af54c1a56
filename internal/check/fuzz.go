package check

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
)

// Fuzz is a fuzz target that can also take a walk. A walk is a sequence of inputs made from the seeds by a seeded generator,
// so a commit always gets the same inputs. Fuzzing by go test -fuzz draws new inputs each time. Environment variables
// ask for a walk:
//
//	RUNG_WALK=20000 go test -run '^Fuzz' ./linear
//	RUNG_WALK=20000 RUNG_WALK_SEED=7 go test -run '^FuzzModes$' ./linear
//
// RUNG_WALK is the number of inputs. Input k does not depend on it. An input that fails is kept in testdata/fuzz, where it is
// a seed from then on.
type Fuzz struct {
	*testing.F
	// Limit bounds the processor time of one input; 0 means no bound. See watch.
	Limit time.Duration
	seeds [][]any
}

// Environment variables of a walk: its number of inputs, and the seed of its generator.
const walkLength, walkSeed = "RUNG_WALK", "RUNG_WALK_SEED"

// NewFuzz returns a fuzz target for f.
func NewFuzz(f *testing.F) *Fuzz { return &Fuzz{F: f} }

// shortSeeds is the stride of the added seeds in a short run, which takes every shortSeeds-th. The seeds of testdata/fuzz, which
// once failed, always run.
const shortSeeds = 3

// Add adds a seed, as [testing.F.Add] does. A short run leaves out most seeds, unless it takes a walk.
func (f *Fuzz) Add(args ...any) {
	f.Helper()
	f.seeds = append(f.seeds, args)
	if testing.Short() && os.Getenv(walkLength) == "" && len(f.seeds)%shortSeeds != 1 {
		return
	}
	f.F.Add(args...)
}

// Fuzz runs the target as [testing.F.Fuzz] does. If a walk is asked for, the inputs of the walk follow the seeds.
func (f *Fuzz) Fuzz(target any) {
	f.Helper()
	if n := f.fromEnvironment(walkLength, 0); n > 0 {
		f.walk(n, f.fromEnvironment(walkSeed, 1))
	}
	fn := reflect.ValueOf(target)
	slowest := time.Duration(0)
	f.F.Fuzz(reflect.MakeFunc(fn.Type(), func(args []reflect.Value) []reflect.Value {
		t := args[0].Interface().(*testing.T)
		if f.Limit > 0 {
			defer watch(f.Limit, func() { keep(t, args[1:]) })()
		}
		ended, begun := false, processorTime()
		defer func() {
			if took := processorTime() - begun; took > slowest {
				slowest = took
				t.Logf("the slowest so far: %v", took)
			}
			if t.Failed() || !ended && !t.Skipped() {
				keep(t, args[1:])
			}
		}()
		fn.Call(args)
		ended = true
		return nil
	}).Interface())
}

// fromEnvironment returns the number in the environment variable name, or usual if the variable is empty.
func (f *Fuzz) fromEnvironment(name string, usual uint64) uint64 {
	f.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		f.Fatalf("%s: %v", name, err)
	}
	return n
}

// walk adds n inputs, made from the seeds that were added and the seeds in the target's folder.
func (f *Fuzz) walk(n, seed uint64) {
	f.Helper()
	seeds := f.seeds
	files, err := filepath.Glob(filepath.Join(folder(f.Name()), "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		args, err := decode(data)
		if err != nil {
			f.Fatalf("%s: %v", file, err)
		}
		seeds = append(seeds, args)
	}
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(f.Name()))
	for k := range n {
		f.F.Add(input(rand.New(rand.NewPCG(seed, h.Sum64()+k)), seeds)...)
	}
}

// input returns random arguments made from the arguments of the seeds.
func input(r *rand.Rand, seeds [][]any) []any {
	base := seeds[r.IntN(len(seeds))]
	args := make([]any, len(base))
	for i := range args {
		args[i] = mutate(r, base[i], seeds[r.IntN(len(seeds))][i])
	}
	return args
}

// folder returns the path of the folder that holds the kept inputs of a target.
func folder(target string) string { return filepath.Join("testdata", "fuzz", target) }

// keep writes the input of test t into the folder of its target, if t is part of a walk. Inputs that come from this
// folder are not written again.
func keep(t *testing.T, args []reflect.Value) {
	if os.Getenv(walkLength) == "" {
		return
	}
	target, file := filepath.Split(t.Name())
	dir := folder(filepath.Clean(target))
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		return
	}
	name := filepath.Join(dir, fmt.Sprintf("walk-%016x", digest(args)))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Log(err)
	} else if err := os.WriteFile(name, encode(args), 0o666); err != nil {
		t.Log(err)
	} else {
		fmt.Fprintln(os.Stderr, "input kept in", name)
	}
}

// digest returns a hash of an input, for the name of its file.
func digest(args []reflect.Value) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(encode(args))
	return h.Sum64()
}

// watch ends the program with a panic if stop is not called in time, since the target may be in an endless loop. Before, it calls
// late. The panic prints the stacks of all goroutines. The limit is a processor time, because the wall time grows when the
// machine does other work. The limit of the wall time is 20 times as long.
func watch(limit time.Duration, late func()) (stop func()) {
	const look, idle = 100 * time.Millisecond, 20
	debug.SetTraceback("all")
	start, cpu, done := time.Now(), processorTime(), make(chan struct{})
	go func() {
		tick := time.NewTicker(look)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if processorTime()-cpu > limit || time.Since(start) > idle*limit {
				late()
				panic("check: a run takes longer than " + limit.String())
			}
		}
	}()
	return func() { close(done) }
}
