package families

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// rankProblem is the problem that ranks measure.
type rankProblem struct {
	name   string
	size   int
	family string       // "": a model of the user
	tables string       // path of a model in tables, of which each rank reads its range; "": none
	model  *model.Model // the whole model; nil: each rank reads or generates its part
}

// readRankProblem reads the arguments of rung bench --ranks.
func readRankProblem(cmd *cobra.Command, r *ranks.Rank, args []string, f *benchFlags) (of rankProblem, err error) {
	switch {
	case f.csv != "" || f.plot != "":
		return of, shell.UseErrorf("--csv and --plot are not for --ranks")
	case !slices.Equal(f.methods, []string{sparseMethod}):
		return of, shell.UseErrorf("--ranks needs --method sparse")
	case !f.ordering.IsAuto():
		return of, shell.UseErrorf("--ordering is not for --ranks: each rank finds the order of its piece")
	case cmd.Flags().Changed("family") || cmd.Flags().Changed("sizes"):
		return of, shell.UseErrorf("--ranks measures one model: rung bench --ranks N ladder 1e5")
	case len(args) == 2:
		of.family = args[0]
		if !slices.Contains(bench.Families(), of.family) {
			return of, shell.UseErrorf("%w", errFamily(of.family))
		}
		if of.size, err = parseSize(args[1]); err != nil {
			return of, shell.UseErrorf("%w", err)
		}
		of.name = of.family + " " + strconv.Itoa(of.size)
		if of.family != "ladder" { // of a ladder each rank generates its part
			of.model, err = bench.Generate(of.family, of.size, f.seed)
		} else if of.size%2 > 0 || of.size/2 < r.Size() {
			err = shell.UseErrorf("ladder %d on %s: levels have two bodies, and each rank has one at least", of.size, sheet.Plural(r.Size(), "rank"))
		}
		return of, err
	case len(args) != 1:
		return of, shell.UseErrorf("--ranks measures one model, or a family and a size: rung bench --ranks N ladder 1e5")
	case r.Processes && args[0] == shell.Stdio:
		return of, shell.UseErrorf("--ranks mpi: each process reads the model, so it has to be a file")
	}
	if shell.IsTables(args[0]) {
		file, err := shell.InputOf(cmd).Tables.Open(args[0]) // a check: each rank opens them later
		if err == nil {
			err = file.Close()
		}
		return rankProblem{name: shell.ModelFile(args[0]), tables: args[0]}, err
	}
	p := shell.NewProgress(r.Stderr)
	defer p.End()
	m, err := readModel(args[0], shell.InputOf(cmd), p)
	if err != nil {
		return of, err
	}
	name := m.Name
	if name == "" || isFamily(name) {
		name = shell.ModelFile(args[0])
	}
	return rankProblem{name: name, model: m}, nil
}

// benchOnRanks is runBench with --ranks.
func benchOnRanks(cmd *cobra.Command, args []string, f *benchFlags) error {
	load := func(r *ranks.Rank) (rankProblem, error) { return readRankProblem(cmd, r, args, f) }
	return ranks.Launch(cmd, &f.ranks, load, func(r *ranks.Rank, of rankProblem) error {
		defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
		rec, err := measureRank(r, of, f)
		if err != nil {
			return shell.Failed(of.name, err)
		}
		if !r.Head() {
			return nil
		}
		if f.json {
			return writeRanks(r.Stdout, rec)
		}
		return shell.Print(r.Stdout, func(p *sheet.Page) { printRanks(p, rec) })
	})
}

// writeRanks writes the document of a measurement on ranks, in which other records are empty.
func writeRanks(w io.Writer, rec *RanksRecord) error {
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\n \"records\": [],\n \"fits\": [],\n \"ranks\": %s\n}\n", line)
	return err
}

// planOf returns the plan of the rank's piece: it cuts the model, or reads or generates the piece.
func (of *rankProblem) planOf(r *ranks.Rank, f *benchFlags) (*dist.Plan, error) {
	o := r.Options
	o.Threads = int(f.threads)
	if of.model != nil {
		return dist.NewPlan(r, of.model, o)
	}
	piece, err := of.piece(r, f)
	if err != nil {
		return nil, err
	}
	return dist.NewPlanOf(r, piece, o)
}

// piece reads the rank's piece from tables, or generates that part of a ladder.
func (of *rankProblem) piece(r *ranks.Rank, f *benchFlags) (*dist.Piece, error) {
	if of.tables == "" {
		if err := dist.AgreeOn(r, dist.Fact{Name: "the problem", Value: of.name}); err != nil {
			return nil, err
		}
		part, err := bench.LadderPart(of.size, f.seed, r.Rank(), r.Size())
		if err = dist.Agree(r, err); err != nil {
			return nil, err
		}
		piece := dist.Piece(*part)
		return &piece, nil
	}
	return ranks.ReadTables(r, of.tables)
}

// measureRank measures the analysis and evaluations of the problem. All ranks call it together; the record of rank 0 has
// the numbers of all.
func measureRank(r *ranks.Rank, of rankProblem, f *benchFlags) (*RanksRecord, error) {
	begun := time.Now()
	p, err := of.planOf(r, f)
	if err != nil {
		return nil, err
	}
	s, err := p.NewSolver()
	if err != nil {
		return nil, err
	}
	analysed := time.Since(begun)
	times, err := timeEvaluations(s, p.Mechanism().Initial(), f.least())
	if err != nil {
		return nil, err
	}
	counts, piece := p.Counts(), p.Piece()
	held, all := p.HeldRows()
	own := PieceRecord{
		Bodies: int64(piece.Own), Halo: int64(len(piece.Rank)), HeldRows: int64(held), NonZeros: counts.NonZeros, Flops: counts.Flops,
		WorkNs: median(times.work), WaitNs: median(times.wait), BytesSent: s.Sent(),
	}
	if r.Processes {
		own.PeakBytes = machine.PeakBytes()
	}
	rec := &RanksRecord{
		Model: of.name, Ranks: r.Size(), Root: f.ranks.RootName(), Held: all, Redundant: s.Redundant(), ByRanges: of.model == nil,
		Evaluations: len(times.total), TotalNs: median(times.total),
	}
	rec.gather(r, analysed, &own)
	return rec, s.Close()
}

// leastEvaluations is the least number of evaluations behind a median.
const leastEvaluations = 3

// rankTimes are times of evaluations, ns.
type rankTimes struct {
	total      []int64 // of the slowest rank
	work, wait []int64 // of this rank
}

// add solves at st and appends the times. All ranks call it together.
func (t *rankTimes) add(s *dist.Solver, st *mechanism.State) error {
	begun := time.Now()
	if err := s.Solve(st); err != nil {
		return err
	}
	own, waited := time.Since(begun), s.Waited()
	slowest := []float64{float64(own)}
	s.Largest(slowest)
	t.total = append(t.total, int64(slowest[0]))
	t.work, t.wait = append(t.work, int64(own-waited)), append(t.wait, int64(waited))
	return nil
}

// timeEvaluations solves at st until the times of the slowest rank add up to least, and at least leastEvaluations times. As all ranks
// know the times of the slowest one, they end together.
func timeEvaluations(s *dist.Solver, st *mechanism.State, least time.Duration) (t rankTimes, err error) {
	var first rankTimes // not counted, as it touches memory for the first time
	if err := first.add(s, st); err != nil {
		return t, err
	}
	for spent := time.Duration(0); len(t.total) < leastEvaluations || spent < least; {
		if err := t.add(s, st); err != nil {
			return t, err
		}
		spent += time.Duration(t.total[len(t.total)-1])
	}
	return t, nil
}

// gather collects the times of the analysis and the pieces of all ranks in the record of rank 0. All ranks call it together.
func (rec *RanksRecord) gather(r *ranks.Rank, analysed time.Duration, own *PieceRecord) {
	v := []float64{float64(analysed)}
	for _, x := range own.numbers() {
		v = append(v, float64(*x))
	}
	if !r.Head() {
		r.Send(0, v)
		return
	}
	for other := range r.Size() {
		if other > 0 {
			r.Recv(other, v)
		}
		piece := PieceRecord{Rank: other}
		for i, x := range piece.numbers() {
			*x = int64(v[1+i])
		}
		rec.AnalyzeNs = max(rec.AnalyzeNs, int64(v[0]))
		rec.Bodies += piece.Bodies
		rec.Pieces = append(rec.Pieces, piece)
	}
}

// numbers returns pointers to the fields that a rank sends.
func (x *PieceRecord) numbers() []*int64 {
	return []*int64{
		&x.Bodies, &x.Halo, &x.HeldRows, &x.NonZeros, &x.Flops, &x.WorkNs, &x.WaitNs, &x.BytesSent, &x.PeakBytes,
	}
}

// printRanks writes the record for people.
func printRanks(p *sheet.Page, rec *RanksRecord) {
	how := "cut"
	if rec.ByRanges {
		how = "in ranges"
	}
	p.Line("%s, %s, %s on %s, root %s", fault.Text(rec.Model, sheet.TextWidth), sheet.Plural(int(rec.Bodies), "body"), how, sheet.Plural(rec.Ranks, "rank"), rec.Root)
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "rank", Width: 5}, {Head: "bodies", Width: 9}, {Head: "halo", Width: 7}, {Head: "rows held", Width: 10}}},
		sheet.Group{Title: "an evaluation", Columns: []sheet.Column{{Head: "flops", Width: 8}, {Head: "work, ms", Width: 10}, {Head: "waits, ms", Width: 10}, {Head: "sent, B", Width: 9}}},
		sheet.Group{Columns: []sheet.Column{{Head: "B a body", Width: 10}}},
	)
	ms := func(ns int64) string { return sheet.Digits3(float64(ns) / 1e6) }
	for i := range rec.Pieces {
		x := &rec.Pieces[i]
		memory := "-"
		if x.PeakBytes > 0 && x.Bodies > 0 {
			memory = strconv.FormatInt(x.PeakBytes/x.Bodies, 10)
		}
		t.Row(strconv.Itoa(x.Rank), strconv.FormatInt(x.Bodies, 10), strconv.FormatInt(x.Halo, 10), strconv.FormatInt(x.HeldRows, 10),
			sheet.Count(x.Flops), ms(x.WorkNs), ms(x.WaitNs), strconv.FormatInt(x.BytesSent, 10), memory)
	}
	p.Blank()
	p.Item("evaluation", sheet.Duration(rec.TotalNs)+" on the slowest rank, median of "+strconv.Itoa(rec.Evaluations)+"; cutting and analysis "+sheet.Duration(rec.AnalyzeNs))
	redundant := "not counted, as the way that solved the system keeps all rows"
	if rec.Redundant >= 0 {
		redundant = sheet.Plural(rec.Redundant, "row")
	}
	p.Item("separators", sheet.Plural(rec.Held, "row")+" of joints between pieces")
	p.Item("redundant", redundant)
}

// median returns the lower median of v, which it sorts.
func median(v []int64) int64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}
