package state

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/compare"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
)

// analyzeFlags are the flags of rung analyze.
type analyzeFlags struct {
	method   shell.MethodFlag
	ordering shell.OrderingFlag
	json     bool
}

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

// Analysis is what rung analyze --json prints.
type Analysis struct {
	Format           string                `json:"format"`
	Name             string                `json:"name"`
	Bodies           int                   `json:"bodies"`
	Joints           int                   `json:"joints"`
	Loops            int                   `json:"loops"`
	Components       int                   `json:"components"`
	Clusters         []mobility.Cluster    `json:"clusters"`
	Constraints      results.Constraints   `json:"constraints"`
	VariableMobility VariableMobility      `json:"variable_mobility"`
	Release          []mobility.Release    `json:"release"`
	Released         mobility.Counts       `json:"released"`
	BeyondLimits     []results.BeyondLimit `json:"beyond_limits,omitempty"`
	Orderings        []orderingCost        `json:"orderings"`
	Tree             *treeCost             `json:"tree,omitempty"` // of --method, if that is a tree method
}

// treeCost is the factorization by a tree method, counted as that in an elimination order, and what forms its matrices.
type treeCost struct {
	Name           string `json:"name"`
	FactorNonzeros int64  `json:"factor_nonzeros"`
	FactorFlops    int64  `json:"factor_flops"`
	FormationFlops int64  `json:"formation_flops"`
}

// VariableMobility compares the rank with that at closed states nearby.
type VariableMobility struct {
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
	stdin, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, stdin, p)
	if err != nil {
		return err
	}
	a, err := analyze(m, f, p)
	if err != nil {
		return shell.Failed(shell.ModelFile(path), err)
	}
	p.End()
	if f.json {
		return shell.WriteJSON(stdout, a)
	}
	return shell.Print(stdout, func(p *sheet.Page) { printAnalysis(p, a) })
}

// analyze describes m.
func analyze(m *model.Model, f *analyzeFlags, p *shell.Progress) (*Analysis, error) {
	p.Stage("analysing", 0)
	m = withoutBearings(m)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	g := mech.Graph()
	a := &Analysis{
		Format: "rung-analysis/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(),
		Loops: g.Loops, Components: g.Components, Orderings: orderingCosts(plan),
	}
	st, k := plan.Initial(), mech.NewKinematics()
	if err := mech.KinematicsTo(k, st); err != nil {
		return nil, err
	}
	a.BeyondLimits = results.LimitsAt(mech, k, st)
	p.Stage("explaining", 0)
	r, err := explained(plan, f.method.Method)
	if err != nil {
		return nil, err
	}
	if a.Constraints = r.Constraints; f.method.Method != motion.Sparse {
		a.Tree = &treeCost{r.Method, r.Solve.FactorNonzeros, r.Solve.FactorFlops, r.Solve.FormationFlops}
	}
	p.Stage("finding clusters", 0)
	if a.Clusters, err = clustersOf(mech, &a.Constraints); err != nil {
		return nil, err
	}
	p.Stage("comparing with poses nearby", 0)
	n, err := mobility.Compare(plan, plan.Initial())
	if err != nil {
		return nil, err
	}
	a.VariableMobility = mobilityAround(mech, n, a.Constraints.NearSingular)
	p.Stage("releasing joints", 0)
	relief, err := mobility.FindReleases(m, n.At)
	if err != nil {
		return nil, err
	}
	a.Release, a.Released = relief.Releases, relief.Counts
	return a, nil
}

// withoutBearings returns m without friction of reactions, which has no part in the constraints and may ask for
// reactions that they leave undetermined. That is m itself if it has none.
func withoutBearings(m *model.Model) *model.Model {
	out := m
	for i := range m.Joints {
		if !slices.ContainsFunc(m.Joints[i].Friction, func(f model.Friction) bool { return f.OfReaction() }) {
			continue
		}
		if out == m {
			own := *m
			own.Joints = slices.Clone(m.Joints)
			out = &own
		}
		out.Joints[i].Friction = nil // of a hinge or a ball, which has no other
	}
	return out
}

// explained explains the constraints at the state of the model. Where the motion
// there contradicts them, as it may at a singular pose, the sparse method explains them at
// rest.
func explained(plan *kkt.Plan, m motion.Method) (*rung.Result, error) {
	st := plan.Initial()
	r, err := compare.Accelerate(plan, m, st)
	if err != nil && m == motion.Sparse {
		st.Rest()
		r, err = compare.Accelerate(plan, m, st)
	}
	return r, err
}

// mobilityAround puts the comparison n in the document's form.
func mobilityAround(mech *mechanism.Mechanism, n *mobility.Nearby, nearSingular bool) VariableMobility {
	v := VariableMobility{
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

// printAnalysis writes a for people.
func printAnalysis(p *sheet.Page, a *Analysis) {
	p.Line("%s: %s, %s, %s, %s", sheet.ModelTitle(a.Name), sheet.Plural(a.Bodies, "body"), sheet.Plural(a.Joints, "joint"),
		sheet.Plural(a.Loops, "loop"), sheet.Plural(a.Components, "component"))
	p.Blank()
	p.Item("clusters", clusterText(a))
	c := &a.Constraints
	p.Item("constraints", fmt.Sprintf("%s, rank %d, %s", sheet.Plural(c.Rows, "row"), c.Rank, moves(c)))
	p.Item("redundant", redundancy(c))
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

func variableText(v *VariableMobility) string {
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

func releaseText(a *Analysis) string {
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

// turnText says where the axes of frames are that were turned so often.
func turnText(turns int) string {
	return [3]string{
		"", " (in both its frames x where z was, y where x was, z where y was)", " (in both its frames x where y was, y where z was, z where x was)",
	}[turns%3]
}

func clusterText(a *Analysis) string {
	if len(a.Clusters) == 0 {
		return "none: no loops"
	}
	return fmt.Sprintf("%d, with %s", len(a.Clusters), sheet.Plural(a.Loops, "loop"))
}
