package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	native = "native" // build with -O3 -march=native
	plain  = "o2"     // build with -O2
)

// readingSeconds is the time, s, that a peer may take to read the largest matrix, on top of its evaluations.
const readingSeconds = 60

// process is a program that is timed. Peers run on one thread, Rung also on more.
type process struct {
	program string
	threads int
	core    string        // kernels that OpenBLAS must use; "": its own choice
	limit   time.Duration // wall time after which the process is ended
	seen    int           // set by call: largest number of threads at a time, 0 if the system does not tell
}

// environment returns the environment of the process. It bounds the threads: CHOLMOD asks OpenMP for four whatever OMP_NUM_THREADS
// says, but OMP_THREAD_LIMIT refuses them. It also turns on large pages for memory that programs in C allocate, which halves the
// time of first touch; Go does not use this setting.
func (p *process) environment() []string {
	env := append(os.Environ(), "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "SCOTCH_PTHREAD_NUMBER=1",
		"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "GOMAXPROCS="+strconv.Itoa(p.threads))
	if p.core != "" {
		env = append(env, "OPENBLAS_CORETYPE="+p.core)
	}
	return env
}

// errLimit is the error of a process that was ended after its limit.
var errLimit = errors.New("over the limit of time")

// call runs the program and decodes the JSON document that it prints into out. It returns errLimit after the limit, and an error if
// the program fails or its document has a field error.
func (p *process) call(out any, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Env = p.environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if err == nil {
		ended := make(chan struct{})
		counted := make(chan int)
		go func() { counted <- mostThreads(cmd.Process.Pid, ended) }()
		err = cmd.Wait()
		close(ended)
		p.seen = <-counted
	}
	if ctx.Err() != nil {
		return errLimit
	}
	var failure struct{ Error string }
	if json.Unmarshal(stdout.Bytes(), &failure) == nil && failure.Error != "" {
		return errors.New(failure.Error)
	}
	if err != nil {
		return fmt.Errorf("%s: %w %s", filepath.Base(p.program), err, oneLine(stderr.String()))
	}
	return json.Unmarshal(stdout.Bytes(), out)
}

// oneLine joins the lines of a message.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
}

// peer returns a program of the peers in a build, with the limit of time that the options give.
func (o *options) peer(build, program string) *process {
	// The time is for the analysis, an evaluation to find the proximal term, one that warms up, and one that counts.
	limit := time.Duration((4*o.maxSeconds + readingSeconds) * float64(time.Second))
	return &process{program: filepath.Join(o.bin, build, program), threads: 1, limit: limit}
}

// order runs the program order, which makes orders and counts their work.
func (o *options) order(build string, out *work, args ...string) error {
	return o.peer(build, "order").call(out, append(args, "--max-gib", fmt.Sprint(o.maxGib))...)
}

// timed runs a solver or an engine, with at most so many seconds for its evaluations. It returns an error if the process has used more
// than one thread, as its times could not be compared with Rung's.
func (o *options) timed(p *process, seconds float64, out *result, args ...string) error {
	if err := p.call(out, append(slices.Clone(args), "--max-gib", fmt.Sprint(o.maxGib), "--max-seconds", fmt.Sprint(seconds))...); err != nil {
		return err
	}
	if out.Threads = max(out.Threads, p.seen); out.Threads > 1 {
		return fmt.Errorf("ran on %d threads", out.Threads)
	}
	return nil
}

// matrix is the size of a system.
type matrix struct {
	Unknowns, Bodies, Joints int
	Nonzeros                 int64
}

// prepare writes the matrix K and the right side b of a model in Rung's elimination order, and converts them to the binary file bin for
// the solvers.
func (s *session) prepare(j job) (m matrix, bin string, err error) {
	mtx, rhs := s.file(j, ".mtx"), s.file(j, ".rhs.mtx")
	defer os.Remove(mtx)
	defer os.Remove(rhs)
	generate := exec.Command(s.rung, "generate", j.Family, strconv.Itoa(j.N), "-o", "-")
	write := exec.Command(s.rung, "matrix", "-", "--permuted", "-o", mtx)
	if err := pipe(generate, write); err != nil {
		return m, "", err
	}
	bin = s.file(j, ".bin")
	build := s.builds("convert", native, plain)
	if len(build) == 0 {
		return m, "", errors.New("the program convert is not built")
	}
	convert := process{program: filepath.Join(s.bin, build[0], "convert"), threads: 1, limit: time.Hour}
	return m, bin, convert.call(&m, mtx, rhs, bin)
}

// pipe runs two commands, the second one reading what the first one writes.
func pipe(from, to *exec.Cmd) error {
	var said [2]bytes.Buffer
	from.Stderr, to.Stderr = &said[0], &said[1]
	r, err := from.StdoutPipe()
	if err != nil {
		return err
	}
	to.Stdin = r
	if err := from.Start(); err != nil {
		return err
	}
	second := to.Run()
	r.Close()
	first := from.Wait()
	switch {
	case second != nil:
		return fmt.Errorf("%v: %w %s", to.Args[:2], second, oneLine(said[1].String()))
	case first != nil:
		return fmt.Errorf("%v: %w %s", from.Args[:2], first, oneLine(said[0].String()))
	}
	return nil
}

// rungRecord is a record of rung bench --json.
type rungRecord struct {
	Method, Ordering string
	Bodies           int
	AnalyzeNs        float64 `json:"analyze_ns"`
	AssembleNs       float64 `json:"assemble_ns"`
	FactorNs         float64 `json:"factor_ns"`
	SolveNs          float64 `json:"solve_ns"`
	SolveOnceNs      float64 `json:"solve_once_ns"`
	TotalNs          float64 `json:"total_ns"`
	FactorNonzeros   float64 `json:"factor_nonzeros"`
	FactorFlops      float64 `json:"factor_flops"`
	PeakBytes        float64 `json:"peak_bytes"`
	Residual         float64
	WallNs           float64 `json:"wall_ns"`
	CPUNs            float64 `json:"cpu_ns"`
	WaitedNs         float64 `json:"waited_ns"`
}

// bench runs rung bench on one size of a family, on one thread.
func (s *session) bench(family string, bodies int, methods string) ([]rungRecord, error) {
	return s.rungBench(1, "--family", family, "--sizes", strconv.Itoa(bodies), "--method", methods)
}

// rungBench runs rung bench with the arguments on a number of threads. It returns an error if there are no records.
func (s *session) rungBench(threads int, args ...string) ([]rungRecord, error) {
	var doc struct{ Records []rungRecord }
	limit := time.Duration((8*s.maxSeconds + 10*readingSeconds) * float64(time.Second))
	args = append([]string{"bench", "--threads", strconv.Itoa(threads), "--max-seconds", fmt.Sprint(s.maxSeconds), "--json"}, args...)
	p := process{program: s.rung, threads: threads, limit: limit}
	err := p.call(&doc, args...)
	if err == nil && len(doc.Records) == 0 {
		err = errors.New("rung bench measured nothing")
	}
	return doc.Records, err
}
