package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// tablePrinter returns a function that prints records as lines of a table,
// with the head before the first; one table for families, one for models.
func tablePrinter(w io.Writer) func(*record) error {
	heads := map[bool]bool{}
	return func(r *record) error {
		line, head := familyLine, familyHead
		if r.file {
			line, head = modelLine, modelHead
		}
		text := line(r)
		if !heads[r.file] {
			if text = head + text; len(heads) > 0 {
				text = "\n" + text
			}
			heads[r.file] = true
		}
		_, err := io.WriteString(w, text)
		return err
	}
}

var familyHead = fmt.Sprintf("%-12s %8s  %-17s%32s%8s\n%-12s %8s  %-17s%8s%8s%8s%8s%8s\n",
	"", "", "", "time a body, ns", "bytes",
	"family", "bodies", "order or method", "assembly", "factor", "solve", "total", "a body")

// familyLine returns the line of a size of a family.
func familyLine(r *record) string {
	n := int64(r.Bodies)
	return fmt.Sprintf("%-12s %8d  %-17s%8s%8s%8s%8s%8s\n", fault.Text(r.Family, textWidth), r.Bodies, r.how(),
		share(r.AssembleNs, n), share(r.FactorNs, n), share(r.SolveNs, n), share(r.TotalNs, n), count(r.PeakBytes/n))
}

// how returns the order of the sparse method, or another method's name.
func (r *record) how() string {
	if r.Method == sparseMethod {
		return r.Ordering
	}
	return r.Method
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
	return count(ns)
}

// duration returns ns with three digits and a unit.
func duration(ns int64) string {
	x := float64(ns)
	for _, unit := range [...]string{"ns", "µs", "ms"} {
		if x < 999.5 {
			return strconv.FormatFloat(x, 'g', 3, 64) + " " + unit
		}
		x /= 1e3
	}
	return strconv.FormatFloat(x, 'g', max(3, len(strconv.Itoa(int(x)))), 64) + " s"
}

// printFits prints, below a table of families, a line for each family and method: growth, time of a body at
// the largest size, and where the sparse method is faster.
func printFits(w io.Writer, doc *benchDocument) error {
	line := func(family, method, growth, ns, where string) string {
		return strings.TrimRight(fmt.Sprintf("%-12s %-16s%-14s%9s   %s", family, method, growth, ns, where), " ") + "\n"
	}
	head := ""
	if len(doc.Crossovers) > 0 {
		head = "sparse is faster"
	}
	if len(doc.Fits) == 0 {
		return nil
	}
	text := "\n" + line("family", "method", "growth", "ns a body", head)
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
		text += line(fault.Text(f.Family, textWidth), f.Method, growth, share(int64(math.Round(f.NsPerBody)), 1), where)
	}
	_, err := io.WriteString(w, text)
	return err
}

// writeCSV writes the records with the names of the JSON fields as head.
func writeCSV(w io.Writer, records []record) error {
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
func (c *crossover) text() string {
	switch {
	case c.Bodies == nil:
		return "not at the largest size"
	case c.Always:
		return fmt.Sprintf("at all sizes from %.0f", *c.Bodies)
	}
	return fmt.Sprintf("from about %.0f bodies", *c.Bodies)
}
