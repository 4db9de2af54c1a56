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
	Tree             *TreeCost             `json:"tree,omitempty"` // nil for the sparse method
}

// TreeCost is the cost of a tree method: the factorization, in the terms of OrderingCost, and the formation of its matrices.
type TreeCost struct {
	Name           string `json:"name"`
	FactorNonzeros int64  `json:"factor_nonzeros"`
	FactorFlops    int64  `json:"factor_flops"`
	FormationFlops int64  `json:"formation_flops"`
}

// VariableMobility compares the rank of the constraints at a state with their rank at closed states nearby.
type VariableMobility struct {
	RankHere     int      `json:"rank_here"`
	RankNearby   int      `json:"rank_nearby"`
	Varies       bool     `json:"varies"`
	NearSingular bool     `json:"near_singular"`
	Joints       []string `json:"joints"` // joints that move in motions that only this pose allows
}

// OrderingCost is the cost of the factorization in one elimination order.
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
	Method motion.Method // the method that counts the constraints and finds joints with redundant rows
	Stage  Stage
}

// Analyze describes m at its state, without the friction of reactions, which has no part in the constraints. If the sparse method has no
// solution there, as the velocities may contradict the constraints at a singular pose, it explains the constraints at rest.
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
	a.Constraints = r.Constraints
	if o.Method != motion.Sparse {
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

// withoutBearings returns a copy of m without friction of reactions, or m itself if it has none. Such friction may depend on reactions
// that the constraints leave undetermined.
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
		out.Joints[i].Friction = nil // all of it: revolute and spherical joints alone have friction of reactions, and then no other
	}
	return out
}

// explained solves at the state of the model, or for the sparse method, if there is no solution, at its pose at rest.
func explained(plan *kkt.Plan, m motion.Method) (*results.Document, error) {
	st := plan.Initial()
	r, err := compare.Accelerate(plan, m, st)
	if err != nil && m == motion.Sparse {
		st.Rest()
		r, err = compare.Accelerate(plan, m, st)
	}
	return r, err
}

// clustersOf returns the clusters of loops with their redundant rows, as c has these by joint and coupling.
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

// orderingCosts returns the cost of the factorization in all orderings.
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
