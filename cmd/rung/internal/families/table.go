package families

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
)

// RanksRecord is the cost of a model in pieces on ranks.
type RanksRecord struct {
	Model       string        `json:"model"`
	Bodies      int64         `json:"bodies"`
	Ranks       int           `json:"ranks"`
	Root        string        `json:"root"`
	Held        int           `json:"separator_rows"` // rows of joints between pieces
	Redundant   int           `json:"redundant"`      // redundant rows; −1: not counted, as the solution keeps all rows
	ByRanges    bool          `json:"by_ranges"`      // each rank has generated or read only its part
	Evaluations int           `json:"evaluations"`
	AnalyzeNs   int64         `json:"analyze_ns"` // of the slowest rank
	TotalNs     int64         `json:"total_ns"`   // wall time of an evaluation on the slowest rank, the median
	Pieces      []PieceRecord `json:"pieces"`
}

// PieceRecord is the piece of one rank and the work in it.
type PieceRecord struct {
	Rank      int   `json:"rank"`
	Bodies    int64 `json:"bodies"` // of its own
	Halo      int64 `json:"halo"`
	HeldRows  int64 `json:"held_rows"`
	NonZeros  int64 `json:"factor_nonzeros"`
	Flops     int64 `json:"factor_flops"`
	WorkNs    int64 `json:"work_ns"` // median time of an evaluation without waiting
	WaitNs    int64 `json:"wait_ns"` // median waiting time in an evaluation
	BytesSent int64 `json:"bytes_sent"`
	PeakBytes int64 `json:"peak_bytes"` // of the process; 0 if ranks share a process
}

// printBusy prints, below the tables, that the machine was busy, or that this is not known; nothing if it was not busy.
func printBusy(p *sheet.Page, records []growth.Record) {
	if text := busyText(records); text != "" {
		p.Blank()
		p.Line("%s", text)
	}
}

// busyText says how many records were disturbed by other processes, by how much at worst, and how many processors those used; "" if none
// was disturbed.
func busyText(records []growth.Record) string {
	busy, unknown, least := 0, 0, 1.0
	var wall, others float64
	for i := range records {
		r := &records[i]
		switch {
		case r.Busy == nil:
			unknown++
		case *r.Busy:
			busy++
			least = math.Min(least, r.Share())
			if r.Others != nil {
				wall, others = wall+float64(r.WallNs), others+float64(r.WallNs)**r.Others
			}
		}
	}
	switch {
	case busy > 0:
		text := fmt.Sprintf("the machine was busy: %d of %d measurements had less than %.0f %% of a processor, %.0f %% at worst", busy, len(records), 100*growth.EnoughShare, 100*least)
		if wall > 0 {
			text += fmt.Sprintf(", while others used %.1f of %d processors", others/wall, runtime.NumCPU())
		}
		return text
	case unknown > 0:
		return "whether the machine was busy is not known on this system"
	}
	return ""
}

// tablePrinter returns a function that prints records as rows of a
// table as they come; one table for families, one for models.
func tablePrinter(stdout io.Writer) func(*growth.Record) error {
	p := sheet.NewPage(stdout, shell.Columns(stdout))
	tables := map[bool]*sheet.Table{}
	return func(r *growth.Record) error {
		single := !isFamily(r.Family)
		if tables[single] == nil {
			if len(tables) > 0 {
				p.Blank()
			}
			groups := familyGroups
			if single {
				groups = modelGroups
			}
			tables[single] = p.Table(groups...)
		}
		if single {
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
func familyCells(r *growth.Record) []string {
	n := int64(r.Bodies)
	return []string{
		fault.Text(r.Family, sheet.TextWidth), strconv.Itoa(r.Bodies), "", how(r),
		share(r.AssembleNs, n), share(r.FactorNs, n), share(r.SolveNs, n), share(r.TotalNs, n), sheet.Count(r.PeakBytes / n),
	}
}

// share returns the time per body of n bodies, ns, in at most seven characters, and "" if
// it is 0, as for a part that was not timed.
func share(ns, n int64) string {
	switch ns /= n; {
	case ns == 0:
		return ""
	case ns < 1e6:
		return strconv.FormatInt(ns, 10)
	}
	return sheet.Count(ns)
}

// printFits prints, below a table of families, a line for each family and method: the growth, the time per body at
// the largest size, and the sizes at which the sparse method is faster.
func printFits(p *sheet.Page, doc *growth.Document) {
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
				where = crossoverText(c)
			}
		}
		t.Row(fault.Text(f.Family, sheet.TextWidth), "", f.Method, growth, share(int64(math.Round(f.PerBody)), 1), "", where)
	}
}

// crossoverText returns the size from which the sparse method is faster, in words.
func crossoverText(c *growth.Crossover) string {
	switch {
	case c.Bodies == nil:
		return "not at the largest size"
	case c.Always:
		return fmt.Sprintf("at all sizes from %.0f", *c.Bodies)
	}
	return fmt.Sprintf("from about %.0f bodies", *c.Bodies)
}

// how returns the elimination order for a record of the sparse method, and the name of any other method.
func how(r *growth.Record) string {
	if r.Method == sparseMethod {
		return r.Ordering
	}
	return r.Method
}
