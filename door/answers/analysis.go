package answers

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/results"
)

// Analysis is the document rung-analysis/1.
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
	Orderings        []OrderingCost        `json:"orderings"`
	Tree             *TreeCost             `json:"tree,omitempty"` // of the method, if that is a tree method
}

// TreeCost is the factorization by a tree method, counted as that in an elimination order, and what forms its matrices.
type TreeCost struct {
	Name           string `json:"name"`
	FactorNonzeros int64  `json:"factor_nonzeros"`
	FactorFlops    int64  `json:"factor_flops"`
	FormationFlops int64  `json:"formation_flops"`
}

// VariableMobility compares the rank with the one at closed states nearby.
type VariableMobility struct {
	RankHere     int      `json:"rank_here"`
	RankNearby   int      `json:"rank_nearby"`
	Varies       bool     `json:"varies"`
	NearSingular bool     `json:"near_singular"`
	Joints       []string `json:"joints"` // that move in the motions of this pose only
}

// OrderingCost is the factorization in one elimination order.
type OrderingCost struct {
	Name           string `json:"name"`
	FactorNonzeros int64  `json:"factor_nonzeros"`
	FactorFlops    int64  `json:"factor_flops"`
	BlockBandwidth int    `json:"block_bandwidth"`
	Chosen         bool   `json:"chosen"`
}

// AnalysisOptions say how a model is analysed.
type AnalysisOptions struct {
	Plan   kkt.Options
	Method motion.Method // counts the constraints and names the joints with redundant rows
	Stage  Stage
}

// Analyze describes m at its state, without the friction of reactions, which has no part in the constraints. Where the motion there
// contradicts the constraints, as it may at a singular pose, the sparse method explains them at rest.
//
// It returns the errors of mechanism.New, kkt.NewPlanContext, compare.Accelerate, mobility.CompareContext and
// mobility.FindReleasesContext. Cost: as the same functions.
func Analyze(ctx context.Context, m *model.Model, o AnalysisOptions) (*Analysis, error) {
	o.Stage.begins("analysing")
	m = withoutBearings(m)
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, err
	}
	plan, err := kkt.NewPlanContext(ctx, mech, o.Plan)
	if err != nil {
		return nil, err
	}
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
	o.Stage.begins("explaining")
	r, err := explained(plan, o.Method)
	if err != nil {
		return nil, err
	}
	if a.Constraints = r.Constraints; o.Method != motion.Sparse {
		a.Tree = &TreeCost{r.Method, r.Solve.FactorNonzeros, r.Solve.FactorFlops, r.Solve.FormationFlops}
	}
	o.Stage.begins("finding clusters")
	if a.Clusters, err = clustersOf(mech, &a.Constraints); err != nil {
		return nil, err
	}
	o.Stage.begins("comparing with poses nearby")
	n, err := mobility.CompareContext(ctx, plan, plan.Initial())
	if err != nil {
		return nil, err
	}
	a.VariableMobility = mobilityAround(mech, n, a.Constraints.NearSingular)
	o.Stage.begins("releasing joints")
	relief, err := mobility.FindReleasesContext(ctx, m, n.At)
	if err != nil {
		return nil, err
	}
	a.Release, a.Released = relief.Releases, relief.Counts
	return a, nil
}

// withoutBearings returns m without friction of reactions, which may ask for reactions that the constraints leave undetermined.
// That is m itself if it has none.
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

// explained explains the constraints at the state of the model, or there at rest.
func explained(plan *kkt.Plan, m motion.Method) (*results.Document, error) {
	st := plan.Initial()
	r, err := compare.Accelerate(plan, m, st)
	if err != nil && m == motion.Sparse {
		st.Rest()
		r, err = compare.Accelerate(plan, m, st)
	}
	return r, err
}

// clustersOf counts the clusters with the redundant rows of the named joints and couplings.
func clustersOf(mech *mechanism.Mechanism, c *results.Constraints) ([]mobility.Cluster, error) {
	rows := make([]int, mech.NumConstraints())
	for _, r := range c.RedundantJoints {
		j, err := mech.JointIndex(r.Name)
		if err != nil {
			return nil, err
		}
		rows[j] = r.Rows
	}
	for _, name := range c.RedundantCouplings {
		i, err := mech.CouplingIndex(name)
		if err != nil {
			return nil, err
		}
		rows[mech.NumJoints()+i] = 1
	}
	return mobility.Clusters(mech, rows), nil
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
func orderingCosts(plan *kkt.Plan) []OrderingCost {
	var list []OrderingCost
	pattern := plan.Layout().Pattern
	for _, o := range order.All() {
		c := factor.CountOrder(pattern, order.Of(pattern, o))
		list = append(list, OrderingCost{
			Name: o.String(), FactorNonzeros: c.NonZeros, FactorFlops: c.Flops,
			BlockBandwidth: c.Bandwidth, Chosen: o == plan.Ordering(),
		})
	}
	return list
}
