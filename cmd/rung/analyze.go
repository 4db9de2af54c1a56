package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/spf13/cobra"
)

// analyzeFlags are the flags of rung analyze.
type analyzeFlags struct {
	method   methodFlag
	ordering orderingFlag
	json     bool
}

func newAnalyze() *cobra.Command {
	f := &analyzeFlags{}
	cmd := &cobra.Command{
		Use:   "analyze MODEL",
		Short: "What a mechanism is like: loops, mobility, redundancy, orderings",
		Long: `Describes the mechanism of MODEL ("-": standard input) at its state:

  clusters     loops that share joints with each other and with no other loop;
               the mobility of one is that of its bodies against each other
  constraints  rank, mobility, redundant rows, distance to a singular pose
  variable     whether the rank is less here than at closed poses next to this
  mobility     one, and which joints move in the motions that only this pose has
  release      joints whose type can be replaced by a looser one, so that
               redundant rows vanish and the mobility stays; checked by the rank
               of the released mechanism (at a pose nearby if mobility varies),
               one choice of several. A joint keeps its frames unless it says
               how they have to be turned; --json has the frames then
  orderings    fill and work of the factorization in every elimination order

With a tree method the counts of the constraints and the joints with redundant
rows are those of the tree side.`,
		Example: `  rung analyze four-bar.json
  rung generate nfourbar 3 --theta 1.5707963267948966 -o - | rung analyze -`,
		Args:              arguments("MODEL"),
		ValidArgsFunction: completeModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAnalyze(cmd, args[0], f) },
	}
	f.method.add(cmd)
	f.ordering.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	return cmd
}

// analysis is what rung analyze --json prints.
type analysis struct {
	Format           string                 `json:"format"`
	Name             string                 `json:"name"`
	Bodies           int                    `json:"bodies"`
	Joints           int                    `json:"joints"`
	Loops            int                    `json:"loops"`
	Components       int                    `json:"components"`
	Clusters         []cluster              `json:"clusters"`
	Constraints      rung.ConstraintsResult `json:"constraints"`
	VariableMobility variableMobility       `json:"variable_mobility"`
	Release          []release              `json:"release"`
	Released         releasedCounts         `json:"released"`
	Orderings        []orderingCost         `json:"orderings"`
}

// variableMobility compares the rank with that at closed states nearby.
type variableMobility struct {
	RankHere     int      `json:"rank_here"`
	RankNearby   int      `json:"rank_nearby"`
	Varies       bool     `json:"varies"`
	NearSingular bool     `json:"near_singular"`
	Joints       []string `json:"joints"` // that move in the motions of this pose only
}

// orderingCost is the factorization in one elimination order.
type orderingCost struct {
	Name           string `json:"name"`
	FactorNonzeros int64  `json:"factor_nonzeros"`
	FactorFlops    int64  `json:"factor_flops"`
	BlockBandwidth int    `json:"block_bandwidth"`
	Chosen         bool   `json:"chosen"`
}

func runAnalyze(cmd *cobra.Command, path string, f *analyzeFlags) error {
	stdin, stdout, stderr := streams(cmd)
	p := newProgress(stderr)
	defer p.end()
	m, err := readModel(path, stdin, p)
	if err != nil {
		return err
	}
	a, err := analyze(m, f, p)
	if err != nil {
		return failed(modelFile(path), err)
	}
	p.end()
	return writeFile(stdio, stdout, func(w io.Writer) error {
		if f.json {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(a)
		}
		return printAnalysis(w, a)
	})
}

// analyze describes m.
func analyze(m *model.Model, f *analyzeFlags, p *progress) (*analysis, error) {
	p.stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	g := mech.Graph()
	a := &analysis{
		Format: "rung-analysis/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(),
		Loops: g.Loops, Components: g.Components, Orderings: orderingCosts(plan),
	}
	p.stage("finding clusters", 0)
	if a.Clusters, err = clustersOf(mech); err != nil {
		return nil, err
	}
	p.stage("explaining", 0)
	if a.Constraints, err = constraintsOf(m, plan, string(f.method)); err != nil {
		return nil, err
	}
	countClusters(a.Clusters, a.Constraints.RedundantJoints)
	p.stage("comparing with poses nearby", 0)
	n, err := mobility.Compare(plan, plan.Initial())
	if err != nil {
		return nil, err
	}
	a.VariableMobility = mobilityAround(mech, n, a.Constraints.NearSingular)
	p.stage("releasing joints", 0)
	r, err := findReleases(m, n.At)
	if err != nil {
		return nil, err
	}
	a.Release, a.Released = r.list, r.counts
	return a, nil
}

// constraintsOf explains the constraints at the state of m. Where the motion
// there contradicts them, as it may at a singular pose, they are explained at
// rest.
func constraintsOf(m *model.Model, plan *rung.Plan, method string) (rung.ConstraintsResult, error) {
	if method != sparseMethod {
		r, err := accelerateByTree(m, method, rung.Options{Ordering: plan.Ordering()})
		if err != nil {
			return rung.ConstraintsResult{}, err
		}
		return r.Constraints, nil
	}
	s, st := plan.NewSolver(), plan.Initial()
	if s.Solve(st) != nil {
		for i := range st.Bodies {
			st.Bodies[i].Velocity, st.Bodies[i].Omega = spatial.Vec3{}, spatial.Vec3{}
		}
		if err := s.Solve(st); err != nil {
			return rung.ConstraintsResult{}, err
		}
	}
	r, err := rung.NewResult(s)
	if err != nil {
		return rung.ConstraintsResult{}, err
	}
	return r.Constraints, nil
}

// mobilityAround puts the comparison n in the document's form.
func mobilityAround(mech *mechanism.Mechanism, n *mobility.Nearby, nearSingular bool) variableMobility {
	v := variableMobility{
		RankHere: n.Rank, RankNearby: n.Around, Varies: n.Around != n.Rank, NearSingular: nearSingular, Joints: []string{},
	}
	for _, f := range n.Appearing {
		v.Joints = append(v.Joints, mech.JointName(f.Joint))
	}
	v.Joints = slices.Compact(v.Joints) // freedoms come joint by joint
	return v
}

// orderingCosts returns the work of all orderings.
func orderingCosts(plan *rung.Plan) []orderingCost {
	var list []orderingCost
	pattern := plan.Layout().Pattern
	for _, o := range order.All() {
		c := factor.CountOrder(pattern, order.Of(pattern, o))
		list = append(list, orderingCost{
			Name: o.String(), FactorNonzeros: c.NonZeros, FactorFlops: c.Flops,
			BlockBandwidth: c.Bandwidth, Chosen: o == plan.Ordering(),
		})
	}
	return list
}

// named is how many names a line for people lists.
const named = 12

// printAnalysis writes a for people.
func printAnalysis(w io.Writer, a *analysis) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s, %s, %s, %s\n\n", modelTitle(a.Name), plural(a.Bodies, "body"), plural(a.Joints, "joint"),
		plural(a.Loops, "loop"), plural(a.Components, "component"))
	item(b, "clusters", clusterText(a))
	c := &a.Constraints
	item(b, "constraints", fmt.Sprintf("%s, rank %d, mobility %d", plural(c.Rows, "row"), c.Rank, c.Mobility))
	item(b, "redundant", redundancy(c))
	item(b, "singularity", singularity(c))
	item(b, "variable", variableText(&a.VariableMobility))
	item(b, "release", releaseText(a))
	printClusters(b, a.Clusters)
	fmt.Fprintf(b, "\n%-20s%18s%16s%12s\n", "ordering", "factor nonzeros", "factor flops", "bandwidth")
	for _, o := range a.Orderings {
		mark := ""
		if o.Chosen {
			mark = "  chosen"
		}
		fmt.Fprintf(b, "%-20s%18s%16s%12d%s\n", o.Name, count(o.FactorNonzeros), count(o.FactorFlops), o.BlockBandwidth, mark)
	}
	return b.Flush()
}

func variableText(v *variableMobility) string {
	if !v.Varies {
		return "no: the same rank at poses nearby"
	}
	names := make([]string, len(v.Joints))
	for i, n := range v.Joints {
		names[i] = fault.Text(n, textWidth)
	}
	text := fmt.Sprintf("YES: rank %d here, %d at poses nearby", v.RankHere, v.RankNearby)
	if len(names) == 0 {
		return text + "; only joints without a scalar freedom move in the motion that appears"
	}
	return text + "; in the motion that appears move " + enumerate(names, ", ")
}

func releaseText(a *analysis) string {
	left := a.Released.Redundant
	stay := plural(left, "row") + " stay"
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
		names[i] = fmt.Sprintf("%s from %s to %s%s", fault.Text(r.Joint, textWidth), r.Type, r.Suggest, turnText(r.turns))
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
	return enumerate(names, ", ") + ": " + then + where
}

// enumerate joins the first names of a list.
func enumerate(list []string, sep string) string {
	text := ""
	for i, s := range list {
		if i == named {
			return text + fmt.Sprintf("%sand %d more", sep, len(list)-i)
		}
		if i > 0 {
			text += sep
		}
		text += s
	}
	return text
}
