package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// tablePrinter returns a function that prints records as lines of a table,
// with the head before the first.
func tablePrinter(w io.Writer) func(*record) error {
	head := false
	return func(r *record) error {
		if !head {
			head = true
			_, err := fmt.Fprintf(w, "%-12s %8s  %-17s%32s%8s\n%-12s %8s  %-17s%8s%8s%8s%8s%8s\n",
				"", "", "", "time a body, ns", "bytes",
				"family", "bodies", "order or method", "assembly", "factor", "solve", "total", "a body")
			if err != nil {
				return err
			}
		}
		n := int64(r.Bodies)
		if r.Method != sparseMethod {
			_, err := fmt.Fprintf(w, "%-12s %8d  %-17s%8s%8s%8s%8d%8s\n",
				r.Family, r.Bodies, r.Method, "", "", "", r.TotalNs/n, count(r.PeakBytes/n))
			return err
		}
		_, err := fmt.Fprintf(w, "%-12s %8d  %-17s%8d%8d%8d%8d%8s\n",
			r.Family, r.Bodies, r.Ordering, r.AssembleNs/n, r.FactorNs/n, r.SolveNs/n, r.TotalNs/n, count(r.PeakBytes/n))
		return err
	}
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

func printFits(w io.Writer, doc *benchDocument) error {
	_, err := fmt.Fprintln(w)
	for _, f := range doc.Fits {
		if err != nil {
			return err
		}
		growth := "one size, so no growth"
		if f.Exponent != nil {
			growth = fmt.Sprintf("time ~ bodies^%.3f", *f.Exponent)
		}
		_, err = fmt.Fprintf(w, "%-12s %s: %s; %.0f ns a body at the largest size\n", f.Family, f.Method, growth, f.NsPerBody)
	}
	for _, c := range doc.Crossovers {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%-12s sparse against %s: %s\n", c.Family, c.Method, c.text())
	}
	return err
}

// writeCSV writes the records with the names of the JSON fields as head.
func writeCSV(w io.Writer, records []record) error {
	c := csv.NewWriter(w)
	err := c.Write([]string{
		"family", "bodies", "joints", "unknowns", "method", "ordering", "threads",
		"analyze_ns", "assemble_ns", "factor_ns", "solve_ns", "total_ns",
		"factor_nonzeros", "factor_flops", "peak_bytes", "residual",
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
		err = c.Write(append(line, strconv.FormatFloat(r.Residual, 'g', -1, 64)))
	}
	c.Flush()
	return c.Error()
}

// text says in words where the sparse method becomes faster.
func (c *crossover) text() string {
	switch {
	case c.Bodies == nil:
		return "not faster at the largest size"
	case c.Always:
		return fmt.Sprintf("faster at all sizes, from %.0f bodies", *c.Bodies)
	}
	return fmt.Sprintf("faster from about %.0f bodies", *c.Bodies)
}
