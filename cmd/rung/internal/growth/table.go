package growth

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
)

// BenchDocument is what rung bench --json prints.
type BenchDocument struct {
	Records     []Record     `json:"records"`
	Fits        []Fit        `json:"fits"`
	Crossovers  []Crossover  `json:"crossovers"`
	Comparisons []comparison `json:"comparisons"`

	Ranks *RanksRecord `json:"ranks"` // with --ranks
}

// RanksRecord is what a model in pieces costs.
type RanksRecord struct {
	Model       string        `json:"model"`
	Bodies      int64         `json:"bodies"`
	Ranks       int           `json:"ranks"`
	Root        string        `json:"root"`
	Held        int           `json:"separator_rows"` // rows of joints between pieces
	Redundant   int           `json:"redundant"`      // rows; −1 if the way that solved the system keeps all
	ByRanges    bool          `json:"by_ranges"`      // each rank has generated its part only
	Evaluations int           `json:"evaluations"`
	AnalyzeNs   int64         `json:"analyze_ns"` // of the slowest rank
	TotalNs     int64         `json:"total_ns"`   // wall time of an evaluation on the slowest rank, the median
	Pieces      []PieceRecord `json:"pieces"`
}

// PieceRecord is what one rank has and does.
type PieceRecord struct {
	Rank      int   `json:"rank"`
	Bodies    int64 `json:"bodies"` // of its own
	Halo      int64 `json:"halo"`
	HeldRows  int64 `json:"held_rows"`
	NonZeros  int64 `json:"factor_nonzeros"`
	Flops     int64 `json:"factor_flops"`
	WorkNs    int64 `json:"work_ns"` // of an evaluation, the median, less what it waits
	WaitNs    int64 `json:"wait_ns"`
	BytesSent int64 `json:"bytes_sent"`
	PeakBytes int64 `json:"peak_bytes"` // of the process; 0 where ranks share one
}

// printBusy prints, below the tables, whether the machine was busy: nothing if it was not.
func printBusy(p *sheet.Page, records []Record) {
	if text := busyText(records); text != "" {
		p.Blank()
		p.Line("%s", text)
	}
}

// busyText says how many records were disturbed, how much at worst and what others used then; empty if none.
func busyText(records []Record) string {
	busy, unknown, least := 0, 0, 1.0
	var wall, others time.Duration
	for i := range records {
		r := &records[i]
		switch {
		case r.Busy == nil:
			unknown++
		case *r.Busy:
			busy++
			least = math.Min(least, r.share(r.Threads))
			if r.Others != nil {
				wall, others = wall+r.wall, others+r.spent.Machine-r.spent.CPU
			}
		}
	}
	switch {
	case busy > 0:
		text := fmt.Sprintf("the machine was busy: %d of %d measurements had less than %.0f %% of a processor, %.0f %% at worst", busy, len(records), 100*enoughShare, 100*least)
		if wall > 0 {
			text += fmt.Sprintf(", while others used %.1f of %d processors", max(0, others.Seconds()/wall.Seconds()), runtime.NumCPU())
		}
		return text
	case unknown > 0:
		return "whether the machine was busy is not known on this system"
	}
	return ""
}

// ofFamilies returns the records of families, which grow.
func ofFamilies(records []Record) []Record {
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.file })
}

// tablePrinter returns a function that prints records as rows of a
// table as they come; one table for families, one for models.
func tablePrinter(stdout io.Writer) func(*Record) error {
	p := sheet.NewPage(stdout, shell.Columns(stdout))
	tables := map[bool]*sheet.Table{}
	return func(r *Record) error {
		if tables[r.file] == nil {
			if len(tables) > 0 {
				p.Blank()
			}
			groups := familyGroups
			if r.file {
				groups = modelGroups
			}
			tables[r.file] = p.Table(groups...)
		}
		if r.file {
			tables[true].Row(modelCells(r)...)
		} else {
			tables[false].Row(familyCells(r)...)
		}
		return p.Flush()
	}
}

var familyGroups = []sheet.Group{
	{Columns: []sheet.Column{{Head: "family", Width: 12, Left: true}, {Head: "bodies", Width: 9}, {Width: 2}, {Head: "order or method", Width: 17, Left: true}}},
	{Title: "time a body, ns", Columns: []sheet.Column{{Head: "assembly", Width: 8}, {Head: "factor", Width: 8}, {Head: "solve", Width: 8}, {Head: "total", Width: 8}}},
	{Title: "bytes", Columns: []sheet.Column{{Head: "a body", Width: 8}}},
}

// familyCells returns the row of a size of a family.
func familyCells(r *Record) []string {
	n := int64(r.Bodies)
	return []string{
		fault.Text(r.Family, sheet.TextWidth), strconv.Itoa(r.Bodies), "", r.how(),
		share(r.AssembleNs, n), share(r.FactorNs, n), share(r.SolveNs, n), share(r.TotalNs, n), sheet.Count(r.PeakBytes / n),
	}
}

// share returns the time of one of n bodies in at most seven characters; nothing
// for what was not timed.
func share(ns, n int64) string {
	switch ns /= n; {
	case ns == 0:
		return ""
	case ns < 1e6:
		return strconv.FormatInt(ns, 10)
	}
	return sheet.Count(ns)
}

// printFits prints, below a table of families, a line for each family and method: growth, time of a body at
// the largest size, and where the sparse method is faster.
func printFits(p *sheet.Page, doc *BenchDocument) {
	if len(doc.Fits) == 0 {
		return
	}
	head := ""
	if len(doc.Crossovers) > 0 {
		head = "sparse is faster"
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "family", Width: 12, Left: true}, {Width: 1}, {Head: "method", Width: 16, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Head: "growth", Width: 14, Left: true}, {Head: "ns a body", Width: 9}}},
		sheet.Group{Columns: []sheet.Column{{Width: 3}, {Head: head, Width: 24, Left: true}}},
	)
	for _, f := range doc.Fits {
		growth := "one size only"
		if f.Exponent != nil {
			growth = fmt.Sprintf("bodies^%.3f", *f.Exponent)
		}
		where := ""
		for i := range doc.Crossovers {
			if c := &doc.Crossovers[i]; c.Family == f.Family && c.Method == f.Method {
				where = c.text()
			}
		}
		t.Row(fault.Text(f.Family, sheet.TextWidth), "", f.Method, growth, share(int64(math.Round(f.NsPerBody)), 1), "", where)
	}
}

// writeCSV writes the records with the names of the JSON fields as head.
func writeCSV(w io.Writer, records []Record) error {
	c := csv.NewWriter(w)
	err := c.Write([]string{
		"family", "bodies", "joints", "unknowns", "method", "ordering", "threads",
		"analyze_ns", "assemble_ns", "factor_ns", "solve_ns", "total_ns",
		"factor_nonzeros", "factor_flops", "peak_bytes", "residual", "solve_once_ns", "wall_ns", "cpu_ns", "waited_ns", "others", "busy",
	})
	for i := range records {
		if err != nil {
			return err
		}
		r := &records[i]
		line := []string{r.Family, strconv.Itoa(r.Bodies), strconv.Itoa(r.Joints), strconv.Itoa(r.Unknowns), r.Method, r.Ordering, strconv.Itoa(r.Threads)}
		for _, n := range [...]int64{
			r.AnalyzeNs, r.AssembleNs, r.FactorNs, r.SolveNs, r.TotalNs,
			r.FactorNonzeros, r.FactorFlops, r.PeakBytes,
		} {
			line = append(line, strconv.FormatInt(n, 10))
		}
		line = append(line, strconv.FormatFloat(r.Residual, 'g', -1, 64), strconv.FormatInt(r.SolveOnceNs, 10))
		err = c.Write(append(line, r.cells()...))
	}
	c.Flush()
	return c.Error()
}

// text says in words where the sparse method becomes faster.
func (c *Crossover) text() string {
	switch {
	case c.Bodies == nil:
		return "not at the largest size"
	case c.Always:
		return fmt.Sprintf("at all sizes from %.0f", *c.Bodies)
	}
	return fmt.Sprintf("from about %.0f bodies", *c.Bodies)
}
