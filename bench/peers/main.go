package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// options are the values of the flags.
type options struct {
	rung       string   // the command rung
	bin        string   // folder of the peers, with a folder of programs for each build
	work       string   // folder for matrices
	csv        string   // file of all records
	facts      string   // file of facts about the machine and the builds, printed above the tables
	cases      []job    // sizes at which solvers are timed
	engines    []job    // sizes at which engines are timed
	flops      []job    // sizes at which orders are counted
	into       string   // file into which the table of the figures or of the rollouts goes; "": none
	figures    parts    // parts of the figures that are measured in place of cases, engines and flops
	reference  string   // folder of the reference models
	cores      []string // kernels of OpenBLAS to try
	only       string   // parts of the names of the peers that run, with commas between them; "": all run
	reach      int      // number of poses of inverse kinematics, measured in place of everything else; 0: none
	rollouts   bool     // measure steps beside MuJoCo, in place of everything else
	rounds     int      // number of rounds, in each of which all peers run by turns
	maxSeconds float64  // limit of one evaluation, s
	maxGib     float64  // limit of the address space of a peer, GiB
}

// job is one model: rung generate Family N.
type job struct {
	Family string
	N      int
}

func (j job) String() string { return j.Family + " " + strconv.Itoa(j.N) }

// jobs is a flag such as "ladder:1e3,1e4 chain:1e3".
type jobs []job

// String implements flag.Value; there is no default to show.
func (l *jobs) String() string { return "" }

// Set implements flag.Value: it reads families with their sizes, such as "ladder:1e3,1e4 chain:100".
func (l *jobs) Set(text string) error {
	*l = nil
	for group := range strings.FieldsSeq(text) {
		family, sizes, ok := strings.Cut(group, ":")
		if !ok {
			return fmt.Errorf("%q is not FAMILY:N,N", group)
		}
		for s := range strings.SplitSeq(sizes, ",") {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil || n < 1 || n != float64(int(n)) {
				return fmt.Errorf("%q is not a size", s)
			}
			*l = append(*l, job{family, int(n)})
		}
	}
	return nil
}

// main runs the command (see the package comment).
func main() {
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// parse reads the flags. It returns an error for flags that do not go together, or for a page without its lines, before anything is
// measured.
func parse(args []string) (*options, error) {
	o := &options{}
	cases, _ := list("ladder:1e3,1e4,1e5 chain:1e3,1e4,1e5 grid:10,30,100")
	engines, _ := list("ladder:90,180,900 chain:100,300,1e3")
	flops, _ := list("grid:10,30,100,200,300 ball-net:10,30,100,200,300")
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.StringVar(&o.rung, "rung", "", "the command rung")
	f.StringVar(&o.bin, "bin", "", "folder of the built peers")
	f.StringVar(&o.work, "work", "", "folder for matrices; a temporary one, removed at the end, if empty")
	f.StringVar(&o.csv, "csv", "peers.csv", "file of all records")
	f.StringVar(&o.into, "into", "", "markdown `file` into which the tables of -figures go, between the lines "+figuresRegion.begin()+" and "+figuresRegion.end()+", or those of -rollouts in the same way")
	f.StringVar(&o.facts, "facts", "", "file that is printed above the tables")
	f.Var(&cases, "cases", "`families and sizes` for the direct solvers, N as in rung generate")
	f.Var(&engines, "engines", "`families and sizes` for the engines: chain and ladder")
	f.Var(&flops, "flops", "`families and sizes` for the count of flops by METIS and AMD")
	f.Var(&o.figures, "figures", "`parts` to measure, instead of cases, engines and flops, of what docs/benchmarks.md gives bounds for: all, or of evaluations, solvers, errors")
	f.StringVar(&o.reference, "reference", "", "folder of the reference models, for the figures")
	f.StringVar(&o.only, "only", "", "run only peers whose name and order, as in the tables, contain one of `parts`, such as \"LDL rung,CHOLMOD\"")
	kernels := f.String("cores", "", "`kernels` of OpenBLAS to try, by commas, such as Haswell,SkylakeX; if empty, all that the processor can run")
	f.IntVar(&o.reach, "reach", 0, "measure inverse kinematics at that many random `poses` of arms beside KDL, instead of cases, engines and flops")
	f.BoolVar(&o.rollouts, "rollouts", false, "measure steps of small mechanisms, many states at once, beside MuJoCo, instead of cases, engines and flops")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of all peers; the table has medians over them")
	f.Float64Var(&o.maxSeconds, "max-seconds", 20, "limit of one evaluation; a peer that exceeds it is left out at larger sizes")
	f.Float64Var(&o.maxGib, "max-gib", 16, "limit of a peer's memory, GiB")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.rung == "" || o.bin == "" || f.NArg() > 0 || o.rounds < 1 {
		return nil, fmt.Errorf("use: peers -rung FILE -bin FOLDER [flags]; run.sh does")
	}
	if len(o.figures) > 0 && o.reference == "" {
		return nil, fmt.Errorf("-figures needs -reference; run.sh gives it")
	}
	if o.into != "" {
		r := figuresRegion
		if o.rollouts {
			r = rolloutsRegion
		} else if len(o.figures) == 0 {
			return nil, fmt.Errorf("-into needs -figures or -rollouts")
		}
		if _, _, err := r.around(o.into); err != nil { // before anything is measured
			return nil, err
		}
	}
	o.cases, o.engines, o.flops, o.cores = cases, engines, flops, cores()
	if *kernels != "" {
		o.cores = strings.Split(*kernels, ",")
	}
	return o, nil
}

// list parses jobs.
func list(text string) (l jobs, err error) {
	err = l.Set(text)
	return l, err
}

// run measures what the options say, prints the tables and writes the records. It returns an error if figures do not hold.
func run(o *options) error {
	remove, err := workFolder(o)
	if err != nil {
		return err
	}
	defer remove()
	s := &session{options: o, over: map[string]bool{}, begun: readMachine()}
	if o.reach > 0 {
		if err := s.printFacts(os.Stdout); err != nil {
			return err
		}
		return s.measureReach(os.Stdout, o.reach)
	}
	if o.rollouts {
		if o.reference == "" {
			return fmt.Errorf("-rollouts needs -reference; run.sh gives it")
		}
		if err := s.copyFacts(os.Stdout); err != nil {
			return err
		}
		return s.measureRollouts(os.Stdout)
	}
	if len(o.figures) > 0 {
		o.cases, o.engines, o.flops = nil, nil, nil
		s.measureFigures()
	}
	for _, j := range o.cases {
		if err := s.solvers(j); err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
	}
	for _, j := range o.engines {
		if err := s.engines(j); err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
	}
	for _, j := range o.flops {
		if err := s.orders(j); err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
	}
	if err := s.print(os.Stdout); err != nil {
		return err
	}
	if err := s.writeCSV(o.csv); err != nil {
		return err
	}
	if o.into != "" {
		if err := s.printInto(o.into); err != nil {
			return err
		}
	}
	if n := s.missed(); n > 0 {
		return fmt.Errorf("%d figures out of bounds", n)
	}
	return nil
}

// workFolder makes the folder for matrices and returns a function that removes it, if it is a temporary one. An interrupt removes it
// too and ends the process.
func workFolder(o *options) (remove func(), err error) {
	if o.work != "" {
		return func() {}, os.MkdirAll(o.work, 0o755)
	}
	if o.work, err = os.MkdirTemp("", "rung-peers-"); err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(o.work) }
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		<-stop
		remove()
		os.Exit(1)
	}()
	return remove, nil
}

// file returns the name of a file of a job in the folder for matrices.
func (o *options) file(j job, ending string) string {
	return filepath.Join(o.work, j.Family+"-"+strconv.Itoa(j.N)+ending)
}

// builds returns the wanted builds in which the program exists.
func (o *options) builds(program string, wanted ...string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(b string) bool {
		_, err := os.Stat(filepath.Join(o.bin, b, program))
		return err != nil
	})
}
