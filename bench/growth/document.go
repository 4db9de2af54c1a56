package growth

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Document has all measurements of Measure and the fits to them: the document of rung bench --json (docs/cli.md).
type Document struct {
	Records     []Record     `json:"records"`
	Fits        []Fit        `json:"fits"`        // of the time, for each family and method
	Crossovers  []Crossover  `json:"crossovers"`  // of the sparse method with each other method
	Comparisons []Comparison `json:"comparisons"` // of the methods on single models
}

// WriteJSON writes the document with a line for each record and fit.
//
// It returns the error of w, and an error for a number that is not finite.
func (d *Document) WriteJSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "{")
	err := errors.Join(
		jsonMember(b, "records", d.Records),
		jsonMember(b, "fits", d.Fits),
	)
	if len(d.Crossovers) > 0 { // there are some only with several methods
		err = errors.Join(err, jsonMember(b, "crossovers", d.Crossovers))
	}
	if len(d.Comparisons) > 0 {
		err = errors.Join(err, jsonMember(b, "comparisons", d.Comparisons))
	}
	fmt.Fprint(b, "\n}\n")
	return errors.Join(err, b.Flush())
}

// jsonMember writes a member of the document whose value is a list, a line for each element. The member "records" is the first
// one; the others begin with a comma.
func jsonMember[T any](w io.Writer, name string, list []T) error {
	sep := ","
	if name == "records" {
		sep = ""
	}
	fmt.Fprintf(w, "%s\n %q: [", sep, name)
	if err := jsonLines(w, list); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "]")
	return err
}

// jsonLines writes the elements of a list, one on a line. It returns only errors of encoding; an error of w shows when w is
// flushed.
func jsonLines[T any](w io.Writer, list []T) error {
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return err
		}
		sep := ",\n  "
		if i == 0 {
			sep = "\n  "
		}
		fmt.Fprintf(w, "%s%s", sep, line)
	}
	if len(list) > 0 {
		fmt.Fprint(w, "\n ")
	}
	return nil
}

// WriteCSV writes the records as comma-separated values, under a line with the names of the JSON fields. It returns the error of w.
func (d *Document) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	err := c.Write([]string{
		"family", "bodies", "joints", "unknowns", "method", "ordering", "threads",
		"analyze_ns", "assemble_ns", "factor_ns", "solve_ns", "total_ns",
		"factor_nonzeros", "factor_flops", "peak_bytes", "residual", "solve_once_ns",
		"wall_ns", "cpu_ns", "waited_ns", "others", "busy",
	})
	for i := range d.Records {
		if err != nil {
			return err
		}
		r := &d.Records[i]
		line := []string{r.Family, strconv.Itoa(r.Bodies), strconv.Itoa(r.Joints), strconv.Itoa(r.Unknowns),
			r.Method, r.Ordering, strconv.Itoa(r.Threads)}
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
