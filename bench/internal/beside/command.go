package beside

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Command is a program that measures, keeps a record, and publishes it in a page.
type Command struct {
	Name, In   string // folder of the program in bench; page in docs
	Begin, End string // lines of the page between which the tables stand

	// Values of the flags that all such programs have.
	Root   string // folder of the repository
	Record string // file
	Page   string // file; "-": none
	Draw   bool   // measure nothing, publish the record that is there
	Rounds int
	Quiet  bool // Say prints nothing
}

// Flags returns a set with the flags that all such programs have, to which a program adds its own. Errors and help go to w.
func (c *Command) Flags(w io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	f.SetOutput(w)
	f.StringVar(&c.Root, "root", ".", "`folder` of the repository")
	f.StringVar(&c.Record, "record", "", "`file` of the record; bench/"+c.Name+"/record.json of the repository if empty")
	f.StringVar(&c.Page, "page", "", "markdown `file` that gets the tables, and the pictures beside it if there are any; "+
		"docs/"+c.In+" if empty, none if -")
	f.BoolVar(&c.Draw, "draw", false, "measure nothing: publish the record that is there")
	f.IntVar(&c.Rounds, "rounds", c.Rounds, "rounds of all that is measured; the least times count")
	return f
}

// Parse reads the arguments into the flags, and sets the defaults of Record and Page, which depend on Root.
func (c *Command) Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%q is no flag", f.Arg(0))
	case c.Rounds < 1:
		return fmt.Errorf("-rounds %d: at least 1", c.Rounds)
	}
	if c.Record == "" {
		c.Record = filepath.Join(c.Root, "bench", c.Name, "record.json")
	}
	if c.Page == "" {
		c.Page = filepath.Join(c.Root, "docs", c.In)
	}
	return nil
}

// Run calls measure and writes the record that it returns, except with -draw. Then it reads the record back and publishes it in the
// page, except with -page -. A page without the lines Begin and End is an error before anything is measured.
func Run[R any](c *Command, measure func() (*R, error), read func(path string) (*R, error), publish func(r *R, page string) error) error {
	if c.Page != "-" {
		if _, _, err := Around(c.Page, c.Begin, c.End); err != nil {
			return err
		}
	}
	if !c.Draw {
		r, err := measure()
		if err != nil {
			return err
		}
		if err := WriteRecord(c.Record, r); err != nil {
			return err
		}
	}
	r, err := read(c.Record)
	if err != nil || c.Page == "-" {
		return err
	}
	return publish(r, c.Page)
}

// Say writes a line of progress to standard error, unless c is quiet.
func (c *Command) Say(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// Main runs a program, with Go code on one processor at a time and the arguments of the process, and ends the process with status
// 1 if it fails.
func Main(name string, run func(args []string, w io.Writer) error) {
	runtime.GOMAXPROCS(1)
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}
