package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
)

// print writes all tables as Markdown.
func (s *session) print(w io.Writer) error {
	fmt.Fprint(w, "# Rung beside other solvers\n\n")
	if err := s.printFacts(w); err != nil {
		return err
	}
	if len(s.promise) > 0 {
		fmt.Fprint(w, "## Figures and their bounds\n\n")
		s.printFigures(w)
	}
	if groups := s.byModel("solver"); len(groups) > 0 {
		s.printRatios(w, groups)
		for _, g := range groups {
			s.printSolvers(w, g)
		}
	}
	if groups := s.byModel("engine"); len(groups) > 0 {
		s.printEngines(w, groups)
	}
	if len(s.counts) > 0 {
		s.printOrders(w)
	}
	return nil
}

// printFacts writes the facts about the machine, and the versions of the measured libraries.
func (s *session) printFacts(w io.Writer) error {
	if err := s.copyFacts(w); err != nil {
		return err
	}
	s.printVersions(w)
	return nil
}

// copyFacts writes the file of facts about the machine and the builds, if there is one.
func (s *session) copyFacts(w io.Writer) error {
	if s.facts == "" {
		return nil
	}
	text, err := os.ReadFile(s.facts)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", text)
	}
	return err
}

// printVersions writes the versions that the libraries report, and the number of rounds.
func (s *session) printVersions(w io.Writer) {
	var list []string
	add := func(v string) {
		if v != "" && v != ours && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for _, r := range s.records {
		add(r.result().Version)
	}
	for i := range s.counts {
		for _, o := range s.counts[i].works {
			add(o.Version)
		}
	}
	fmt.Fprintf(w, "Libraries measured: ")
	for i, v := range list {
		if i > 0 {
			fmt.Fprint(w, "; ")
		}
		fmt.Fprint(w, v)
	}
	if s.rounds == 1 {
		fmt.Fprint(w, ". One round, in which all peers run one after another.\n\n")
		return
	}
	fmt.Fprintf(w, ". Medians of %d rounds, in each of which all peers run one after another.\n\n", s.rounds)
}

// ratio returns Rung's time over a peer's; 0 if one is missing. The time is of the factorization and one plain solution or, if refined,
// of the factorization and a solution that is checked and refined.
func (s *session) ratio(r *record, refined bool) float64 {
	own := s.rungOf(r)
	if own == nil || len(own.rounds) == 0 || len(r.rounds) == 0 {
		return 0
	}
	if r == own {
		return 1
	}
	a, b := own.result(), r.result()
	if refined {
		return (a.FactorNs + a.RefinedNs) / (b.FactorNs + b.RefinedNs)
	}
	return (a.FactorNs + a.SolveNs) / (b.FactorNs + b.SolveNs)
}

// printRatios prints both ratios, plain and refined.
func (s *session) printRatios(w io.Writer, groups [][]*record) {
	fmt.Fprint(w, "## Ratios\n\nRung's time over the peer's, below 1: Rung is faster.\n\n")
	s.printRatio(w, groups, false, "Plain: factorization and one solution, no residual and no refinement on either side; the peer: numeric factorization and one solution.")
	s.printRatio(w, groups, true, "Refined: factorization and solution with the residual of all rows, which Rung refines where it has to; the peer: "+
		"numeric factorization, one solution, the residual and one correction.")
}

// printRatio prints a table of one of the ratios, below a text, with a line for each peer and a column for each model.
func (s *session) printRatio(w io.Writer, groups [][]*record, refined bool, text string) {
	fmt.Fprintf(w, "%s\n\n| solver | order | build |", text)
	for _, g := range groups {
		fmt.Fprintf(w, " %v |", g[0].job)
	}
	fmt.Fprint(w, "\n|---|---|---|")
	for range groups {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	var keys []string
	for _, g := range groups {
		for _, r := range g {
			if key := line(r); r.name != ours && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	for _, key := range keys {
		fmt.Fprint(w, key)
		for _, g := range groups {
			i := slices.IndexFunc(g, func(r *record) bool { return line(r) == key })
			switch {
			case i < 0:
				fmt.Fprint(w, " – |")
			case g[i].failed != "":
				fmt.Fprint(w, " failed |")
			default:
				fmt.Fprintf(w, " %s |", number(s.ratio(g[i], refined)))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| fastest | | |")
	for _, g := range groups {
		if r := s.fastest(g, refined); r != nil {
			fmt.Fprintf(w, " %s: %s, %s |", number(s.ratio(r, refined)), r.name, r.order)
		} else {
			fmt.Fprint(w, " – |")
		}
	}
	fmt.Fprint(w, "\n\n")
}

// fastest returns the peer with the largest ratio; nil if there is none.
func (s *session) fastest(g []*record, refined bool) (best *record) {
	for _, r := range g {
		if x := s.ratio(r, refined); r.name != ours && x > 0 && (best == nil || x > s.ratio(best, refined)) {
			best = r
		}
	}
	return best
}

// line returns the first cells in the line of a peer.
func line(r *record) string { return "| " + r.name + " | " + r.order + " | " + r.build + " |" }

// printSolvers prints the table of all solvers on one model.
func (s *session) printSolvers(w io.Writer, g []*record) {
	m := g[0]
	n := float64(m.Bodies)
	fmt.Fprintf(w, "## %v: %d bodies, %d joints, %d unknowns, %d nonzeros in the lower triangle\n\n", m.job, m.Bodies, m.Joints, m.Unknowns, m.Nonzeros)
	fmt.Fprint(w, "Times in ns a body. Residuals: max \\|b − K x\\| with K free of proximal terms, after one solution and after one step of "+
		"refinement; in brackets over ‖K‖₁ max\\|x\\| + max\\|b\\|. ε: proximal term on the joint rows, times their diagonal of S, where needed.\n\n")
	fmt.Fprintln(w, "| solver | order | build | analysis | factor | solve | refined solve | plain ratio | refined ratio | residual | refined | ε | nonzeros of factor | Mflop | peak MB | kernels | threads | faults | processor | note |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range g {
		fmt.Fprint(w, line(r))
		if r.failed != "" {
			fmt.Fprintf(w, " | | | | | | | | | | | | | | | | %s |\n", r.failed)
			continue
		}
		x := r.result()
		fmt.Fprintf(w, " %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			number(x.AnalyzeNs/n), number(x.FactorNs/n), number(x.SolveNs/n), number(x.RefinedNs/n), number(s.ratio(r, false)), number(s.ratio(r, true)),
			residual(x.Residual, x.Relative), residual(x.ResidualRefined, x.RelativeRefined), number(x.Eps),
			number(x.FactorNonzeros), number(x.FactorFlops/1e6), number(x.PeakBytes/1e6), fairness(r), x.Note)
	}
	fmt.Fprintln(w)
}

// fairness returns cells that show whether a peer was measured fairly: kernels of BLAS, threads, page faults and the share of a
// processor.
func fairness(r *record) string {
	x := r.result()
	if r.build == "go" {
		return " | | | " + part(share(1, x.WallNs, x.CPUNs, x.WaitedNs))
	}
	return fmt.Sprintf("%s | %d | %.0f | %s", x.Kernels, x.Threads, x.Faults, part(share(1, x.WallNs, x.CPUNs, x.WaitedNs)))
}

// residual returns the cell of a residual, with the relative one in brackets; "" if there is none.
func residual(plain, relative float64) string {
	switch {
	case relative == 0:
		return ""
	case plain == 0: // rung bench has only the relative one
		return fmt.Sprintf("(%.1e)", relative)
	}
	return fmt.Sprintf("%.1e (%.1e)", plain, relative)
}

// printEngines prints the table of engines: whole evaluations, from state to accelerations.
func (s *session) printEngines(w io.Writer, groups [][]*record) {
	fmt.Fprint(w, "## Engines: from state to accelerations\n\nns a body; ratio: Rung's sparse evaluation over the engine's; error: largest difference "+
		"of the accelerations from those of `rung accel`, over the largest acceleration.\n\n")
	fmt.Fprintln(w, "| model | engine | bodies | evaluation | ratio | error | set-up | kernels | threads | faults | processor | note |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, g := range groups {
		for _, r := range g {
			fmt.Fprintf(w, "| %v | %s | %d |", r.job, r.name, r.Bodies)
			if r.failed != "" {
				fmt.Fprintf(w, " | | | | | | | | %s |\n", r.failed)
				continue
			}
			x, n := r.result(), float64(r.Bodies)
			fmt.Fprintf(w, " %s | %s | %s | %s | %s | %s |\n", number(x.TotalNs/n), number(s.engineRatio(r)), errorOf(r, x.Error), number(x.AnalyzeNs/n), fairness(r), x.Note)
		}
	}
	fmt.Fprintln(w)
}

// engineRatio returns the time of Rung's evaluation over an engine's; 0 if one is missing.
func (s *session) engineRatio(r *record) float64 {
	own := s.rungOf(r)
	if own == nil || len(own.rounds) == 0 || len(r.rounds) == 0 {
		return 0
	}
	return own.result().TotalNs / r.result().TotalNs
}

// errorOf returns the cell of an error; "" for Rung itself.
func errorOf(r *record, e float64) string {
	if r.build == "go" {
		return ""
	}
	return fmt.Sprintf("%.1e", e)
}

// printOrders prints the table of flops and fill of the orders.
func (s *session) printOrders(w io.Writer) {
	fmt.Fprint(w, "## Flops and fill of orders\n\nOne measure for all: a pivot with s rows below it costs s (s + 2). K, blocks: every block of K taken as full; "+
		"K, scalars: the entries of K one by one; S: the factor of S = J M⁻¹ Jᵀ alone; Rung's own: what rung bench reports of its numeric factorization. "+
		"joint-metis, joint-amd: order of the graph of joints (weights: rows), each body just before its first joint; kkt-metis: "+
		"of the graph of bodies and joints, whose pivots may vanish.\n\n")
	fmt.Fprintln(w, "| model | bodies | order | K, blocks: Mflop | fill | K, scalars: Mflop | fill | S: Mflop | fill | Rung / this: K, blocks | S | order made in ms | Rung's own: Mflop | fill |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for i := range s.counts {
		c := &s.counts[i]
		for _, o := range c.works {
			own := c.works[0]
			made, counted := number(o.AnalyzeNs/1e6), " | "
			if o.Method == "rung" {
				made = ""
				if c.own != nil {
					counted = number(c.own.FactorFlops/1e6) + " | " + number(c.own.FactorNonzeros)
				}
			}
			fmt.Fprintf(w, "| %v | %d | %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f | %s | %s |\n", c.job, c.Bodies, o.Method,
				number(o.Blocks.Flops/1e6), number(o.Blocks.Fill), number(o.Scalars.Flops/1e6), number(o.Scalars.Fill),
				number(o.Schur.Flops/1e6), number(o.Schur.Fill), own.Blocks.Flops/o.Blocks.Flops, own.Schur.Flops/o.Schur.Flops, made, counted)
		}
	}
	fmt.Fprintln(w)
}

// number returns x with three digits, without decimals from 100 to 10⁷; "" for 0.
func number(x float64) string {
	switch {
	case x == 0:
		return ""
	case x >= 100 && x < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// writeCSV writes all records to a file, times in ns: a line for each peer and model, then a line for each count of flops.
func (s *session) writeCSV(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.Write([]string{"kind", "family", "n", "bodies", "joints", "unknowns", "name", "order", "build", "version", "rounds", "analyze_ns", "factor_ns",
		"solve_ns", "refined_ns", "total_ns", "ratio_refined", "ratio_plain", "residual", "relative", "residual_refined", "relative_refined", "eps",
		"factor_nonzeros", "factor_flops", "schur_nonzeros", "schur_flops", "peak_bytes", "acceleration_error", "wall_ns", "cpu_ns", "waited_ns", "faults", "threads", "kernels", "failed", "note"})
	for _, r := range s.records {
		x := r.result()
		refined, plain := s.ratio(r, true), s.ratio(r, false)
		if r.kind == "engine" {
			refined, plain = s.engineRatio(r), 0
		}
		w.Write(append(r.head(r.kind, r.name, r.order, r.build, x.Version, len(r.rounds)), append(cells(x.AnalyzeNs, x.FactorNs, x.SolveNs, x.RefinedNs,
			x.TotalNs, refined, plain, x.Residual, x.Relative, x.ResidualRefined, x.RelativeRefined, x.Eps, x.FactorNonzeros,
			x.FactorFlops, 0, 0, x.PeakBytes, x.Error, x.WallNs, x.CPUNs, x.WaitedNs, x.Faults, float64(x.Threads)), x.Kernels, r.failed, x.Note)...))
	}
	for i := range s.counts {
		c := &s.counts[i]
		r := &record{job: c.job, matrix: c.matrix}
		for _, o := range c.works {
			for _, k := range []struct {
				name string
				count
			}{{"blocks", o.Blocks}, {"scalars", o.Scalars}} {
				w.Write(append(r.head("flops", k.name, o.Method, "", o.Version, 0), append(cells(o.AnalyzeNs, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					k.Fill, k.Flops, o.Schur.Fill, o.Schur.Flops, 0, 0, 0, 0, 0, 0, 0), "", "", "")...))
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// head returns the first cells of a line of the CSV file.
func (r *record) head(kind, name, order, build, version string, rounds int) []string {
	return []string{
		kind, r.Family, strconv.Itoa(r.N), strconv.Itoa(r.Bodies), strconv.Itoa(r.Joints), strconv.Itoa(r.Unknowns),
		name, order, build, version, strconv.Itoa(rounds),
	}
}

// cells returns numbers as text; "" for 0, which stands for numbers that were not measured.
func cells(v ...float64) []string {
	out := make([]string, len(v))
	for i, x := range v {
		if x != 0 {
			out[i] = strconv.FormatFloat(x, 'g', 6, 64)
		}
	}
	return out
}
