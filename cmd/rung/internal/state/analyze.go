package state

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
)

// analyzeFlags are the flags of rung analyze.
type analyzeFlags struct {
	method   shell.MethodFlag
	ordering shell.OrderingFlag
	json     bool
}

// newAnalyze returns the command rung analyze with its flags and their defaults.
func newAnalyze() *cobra.Command {
	f := &analyzeFlags{}
	cmd := &cobra.Command{
		Use:   "analyze MODEL",
		Short: "What a mechanism is like: loops, mobility, redundancy, orderings",
		Long: `Describes the mechanism of MODEL ("-": standard input) at its state:

  clusters     loops that share joints with each other and with no other loop;
               the mobility of a cluster is how its bodies can move
               relative to each other
  constraints  rank, mobility, redundant rows, distance to a singular pose
  variable     whether the rank is less here than at closed poses next to this
  mobility     one, and which joints move in the motions that only this pose has
  release      joints whose type can be replaced by a looser one, so that
               redundant rows vanish and the mobility stays; checked by the rank
               of the released mechanism (at a pose nearby if mobility varies),
               one choice of several. A joint keeps its frames unless it says
               how they have to be turned; --json has the frames then
  orderings    fill and work of the factorization in every elimination order

With a tree method, this method counts the constraints and finds the joints with
redundant rows.`,
		Example: `  rung analyze four-bar.json
  rung generate nfourbar 3 --theta 1.5707963267948966 -o - | rung analyze -`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAnalyze(cmd, args[0], f) },
	}
	f.method.Add(cmd)
	f.ordering.Add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	return cmd
}

// runAnalyze prints the analysis of the model at path, as tables or as a document.
func runAnalyze(cmd *cobra.Command, path string, f *analyzeFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	a, err := answers.Analyze(cmd.Context(), m, answers.AnalysisOptions{
		Plan: rung.Options{Ordering: f.ordering.Ordering}, Method: f.method.Method, Stage: func(name string) { p.Stage(name, 0) },
	})
	if err != nil {
		return shell.Failed(shell.ModelFile(path), err)
	}
	p.End()
	if f.json {
		return shell.WriteJSON(stdout, a)
	}
	return shell.Print(stdout, func(p *sheet.Page) { printAnalysis(p, a) })
}

// printAnalysis writes a as lines and tables.
func printAnalysis(p *sheet.Page, a *answers.Analysis) {
	p.Line("%s: %s, %s, %s, %s", sheet.ModelTitle(a.Name), sheet.Plural(a.Bodies, "body"), sheet.Plural(a.Joints, "joint"),
		sheet.Plural(a.Loops, "loop"), sheet.Plural(a.Components, "component"))
	p.Blank()
	p.Item("clusters", clusterText(a))
	c := &a.Constraints
	p.Item("constraints", fmt.Sprintf("%s, rank %d, %s", sheet.Plural(c.Rows, "row"), c.Rank, moves(c)))
	p.Item("redundant", redundancy(c))
	printDependent(p, c.DependentRows)
	p.Item("singularity", singularity(c))
	p.Item("variable", variableText(&a.VariableMobility))
	printLimits(p, a.BeyondLimits)
	p.Item("release", releaseText(a))
	printClusters(p, a.Clusters)
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "ordering", Width: 20, Left: true}, {Head: "factor nonzeros", Width: 18}}},
		sheet.Group{Columns: []sheet.Column{{Head: "factor flops", Width: 16}, {Head: "bandwidth", Width: 12}, {Width: 8}}},
	)
	for _, o := range a.Orderings {
		mark := ""
		if o.Chosen {
			mark = "chosen"
		}
		t.Row(o.Name, sheet.Count(o.FactorNonzeros), sheet.Count(o.FactorFlops), strconv.Itoa(o.BlockBandwidth), mark)
	}
	if m := a.Tree; m != nil {
		t.Row(m.Name, sheet.Count(m.FactorNonzeros), sheet.Count(m.FactorFlops), "", "")
		t.Row(m.Name+", H and K", "", sheet.Count(m.FormationFlops), "", "")
	}
}

// variableText returns the line that tells whether the rank changes at poses nearby, and the joints that move in the motion that
// only this pose allows.
func variableText(v *answers.VariableMobility) string {
	if !v.Varies {
		return "no: the same rank at poses nearby"
	}
	names := make([]string, len(v.Joints))
	for i, n := range v.Joints {
		names[i] = fault.Text(n, sheet.TextWidth)
	}
	text := fmt.Sprintf("YES: rank %d here, %d at poses nearby", v.RankHere, v.RankNearby)
	if len(names) == 0 {
		return text + "; only joints without a scalar freedom move in the motion that appears"
	}
	return text + "; in the motion that appears move " + sheet.Enumerate(names, ", ")
}

// releaseText returns the line about joints that can be replaced by looser ones, and the rows that stay redundant then.
func releaseText(a *answers.Analysis) string {
	left := a.Released.Redundant
	stay := sheet.Plural(left, "row") + " stay"
	if left == 1 {
		stay += "s"
	}
	switch {
	case len(a.Release) > 0:
	case left == 0:
		return "nothing to release"
	default:
		return fmt.Sprintf("no joint found that can be released; %s redundant", stay)
	}
	names, where := make([]string, len(a.Release)), ""
	for i, r := range a.Release {
		if r.Coupling != "" {
			names[i] = "coupling " + fault.Text(r.Coupling, sheet.TextWidth) + " left out"
			continue
		}
		names[i] = fmt.Sprintf("%s from %s to %s%s", fault.Text(r.Joint, sheet.TextWidth), r.Type, r.Suggest, turnText(r.Turns))
		if r.PredecessorFrame != nil {
			where = "; --json has the turned frames"
		}
	}
	then := "nothing is redundant then"
	if left > 0 {
		then = stay + " redundant then"
	}
	if a.VariableMobility.Varies {
		then += " at poses nearby"
	}
	return sheet.Enumerate(names, ", ") + ": " + then + where
}

// turnText tells how the frames of a released joint are turned: by so many cyclic permutations of the axes; "" for none.
func turnText(turns int) string {
	return [3]string{
		"", " (in both its frames x where z was, y where x was, z where y was)", " (in both its frames x where y was, y where z was, z where x was)",
	}[turns%3]
}

// clusterText returns the line about the number of clusters and loops.
func clusterText(a *answers.Analysis) string {
	if len(a.Clusters) == 0 {
		return "none: no loops"
	}
	return fmt.Sprintf("%d, with %s", len(a.Clusters), sheet.Plural(a.Loops, "loop"))
}
