package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
)

// readProblems reads the models that rung bench is given.
func readProblems(paths []string, stdin io.Reader, p *progress) (list []problem, err error) {
	for _, path := range paths {
		if slices.Contains(bench.Families(), path) {
			return nil, useErrorf("%s is no model file; a family is measured by --family %s", fault.Name(path), path)
		}
		m, err := readModel(path, stdin, p)
		if err != nil {
			return nil, err
		}
		if len(m.Bodies) == 0 {
			return nil, fmt.Errorf("%s: there are no bodies", modelFile(path))
		}
		list = append(list, problem{name: m.Name, sizes: []int{len(m.Bodies)}, model: m})
		nameLast(list, path)
	}
	return list, nil
}

// nameLast gives the last problem the name of its file if its own one is empty,
// or taken by a family or another model.
func nameLast(list []problem, path string) {
	last := len(list) - 1
	name := list[last].name
	taken := func(p problem) bool { return p.name == name }
	if name == "" || slices.Contains(bench.Families(), name) || slices.ContainsFunc(list[:last], taken) {
		list[last].name = modelFile(path)
	}
}

// completeModels makes the shell offer model files.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// ofFamilies returns the records of families, which grow.
func ofFamilies(records []record) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.file })
}

// modelWidth is the width of the names of models in tables.
const modelWidth = 23

var modelHead = fmt.Sprintf("%-*s %6s %-17s%32s\n%-*s %6s %-17s%8s%8s%8s%8s\n",
	modelWidth, "", "", "", "time of an evaluation, µs",
	modelWidth, "model", "bodies", "order or method", "assembly", "factor", "solve", "total")

// modelLine returns the line of a model from a file.
func modelLine(r *record) string {
	return fmt.Sprintf("%-*s %6d %-17s%8s%8s%8s%8s\n", modelWidth, fault.Text(r.Family, modelWidth), r.Bodies, r.how(),
		micros(r.AssembleNs), micros(r.FactorNs), micros(r.SolveNs), micros(r.TotalNs))
}

// micros returns a time in microseconds in at most seven characters; nothing for
// what was not timed.
func micros(ns int64) string {
	x := float64(ns) / 1e3
	switch {
	case ns == 0:
		return ""
	case x < 100:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 1e6:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return count(int64(x))
}

// comparison is the sparse method against the fastest other one on a model.
type comparison struct {
	Model  string  `json:"model"`
	Method string  `json:"method"` // the fastest of the others
	Ratio  float64 `json:"ratio"`  // total_ns of the sparse method over its
}

// comparisons compares the methods on every model that was measured by the sparse
// one and another.
func comparisons(records []record) (list []comparison) {
	for i := range records {
		sparse := &records[i]
		if !sparse.file || sparse.Method != sparseMethod {
			continue
		}
		var best *record
		for k := range records {
			r := &records[k]
			if r.file && r.Family == sparse.Family && r.Method != sparseMethod && (best == nil || r.TotalNs < best.TotalNs) {
				best = r
			}
		}
		if best != nil {
			list = append(list, comparison{sparse.Family, best.Method, float64(sparse.TotalNs) / float64(max(best.TotalNs, 1))})
		}
	}
	return list
}

// printComparisons prints, below a table of models, a line for each of them.
func printComparisons(w io.Writer, list []comparison) error {
	if len(list) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-*s %-16s%15s\n", modelWidth, "model", "fastest other", "sparse / other")
	for _, c := range list {
		fmt.Fprintf(&b, "%-*s %-16s%15.2f\n", modelWidth, fault.Text(c.Model, modelWidth), c.Method, c.Ratio)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
