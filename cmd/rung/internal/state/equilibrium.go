package state

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/spf13/cobra"
)

// equilibriumFlags are the flags of rung equilibrium.
type equilibriumFlags struct {
	output     string
	stationary bool
	steps      int
	ordering   shell.OrderingFlag
	json       bool
}

func newEquilibrium() *cobra.Command {
	f := &equilibriumFlags{}
	cmd := &cobra.Command{
		Use:   "equilibrium MODEL",
		Short: "Find the equilibrium at rest and write the model in it",
		Long: `Moves the bodies of MODEL ("-": standard input) to where all joints hold and
all forces balance, at rest: gravity, springs, constant forces and the reactions
of the joints, redundant ones too. Prescribed freedoms are held at the values of
their motions at the time of the model; dampers do not matter.

The search goes downhill from the state of the model. So of several equilibria
it finds a stable one near by. A small push along the unstable mode leads away
from an unstable one, such as a pendulum upside down; --stationary stays there.

If no equilibrium is found nothing is written, the exit status is 1, and the
body is named whose forces are farthest from balance.`,
		Example: `  rung equilibrium linkage.json -o settled.json
  rung equilibrium linkage.json --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runEquilibrium(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `file to write, ending in .json; "-" is standard output`)
	flags.BoolVar(&f.stationary, "stationary", false, "end at the first equilibrium, stable or not")
	flags.IntVar(&f.steps, "steps", 500, "largest number of steps")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.Add(cmd)
	return cmd
}

// EquilibriumResult is what rung equilibrium --json prints.
type EquilibriumResult struct {
	Format     string            `json:"format"`
	Name       string            `json:"name"`
	Bodies     int               `json:"bodies"`
	Joints     int               `json:"joints"`
	Found      bool              `json:"found"`
	Steps      int               `json:"steps"`
	Unbalanced *unbalancedResult `json:"unbalanced,omitempty"`
	Unmet      *unmet            `json:"unmet,omitempty"`   // where the joints cannot be closed
	Failure    string            `json:"failure,omitempty"` // why nothing is found

	// Of an equilibrium only.
	Stability string        `json:"stability,omitempty"` // stable, neutral, unstable or immobile
	Lowest    *lowestResult `json:"lowest_mode,omitempty"`
	Left      int           `json:"unstable_left"` // equilibria that were left
	Travel    *bodyChange   `json:"largest_displacement,omitempty"`
	Turn      *bodyChange   `json:"largest_rotation,omitempty"`
	Energy    *energyChange `json:"potential_energy,omitempty"`
}

// unbalancedResult is the force left on the body farthest from balance.
type unbalancedResult struct {
	Body     string       `json:"body"`
	Force    spatial.Vec3 `json:"force"`              // N, world axes
	Moment   spatial.Vec3 `json:"moment"`             // N m, about the centre of mass
	Relative *float64     `json:"relative,omitempty"` // To the largest force on a body
}

// lowestResult tells how stiff an equilibrium is against its weakest motion.
type lowestResult struct {
	Stiffness float64 `json:"stiffness"` // 1/s², negative if it grows
	Frequency float64 `json:"frequency"` // Hz, 0 if it does not vibrate
}

// energyChange is the potential energy of gravity and springs, J.
type energyChange struct {
	Before *float64 `json:"before"` // nil where that of a formula is no number
	After  *float64 `json:"after"`
}

// number returns x, nil if it is not a number.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// shortOr returns x for people, or a dash for nil.
func shortOr(x *float64) string {
	if x == nil {
		return "–"
	}
	return sheet.Short(*x)
}

func runEquilibrium(cmd *cobra.Command, path string, f *equilibriumFlags) error {
	if f.steps < 1 {
		return shell.UseErrorf("--steps %d: there has to be one at least", f.steps)
	}
	c := &shell.StateChange{Path: path, Output: f.output, JSON: f.json}
	return shell.Change(cmd, c, func(m *model.Model, p *shell.Progress) (*EquilibriumResult, error) {
		return settle(m, path, f, p)
	}, printEquilibrium)
}

// settle finds the equilibrium of m, read from path, and stores its state in m. If that
// fails, it returns both a document and an error.
func settle(m *model.Model, path string, f *equilibriumFlags, p *shell.Progress) (*EquilibriumResult, error) {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	r := &EquilibriumResult{Format: "rung-equilibrium/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints()}
	p.Stage("balancing", 0)
	st := plan.Initial()
	e, err := linear.Equilibrate(plan, st, linear.EquilibriumOptions{Stationary: f.stationary, Steps: f.steps})
	if err != nil {
		r.fail(path, err)

		return r, failedIn(path, err)
	}
	r.fill(mech, e)
	rung.SetState(m, st)
	mech.TurnsTo(m, mech.NewKinematics(), st)
	return r, nil
}

// fail stores what is known about err.
func (r *EquilibriumResult) fail(path string, err error) {
	r.Failure = strings.TrimPrefix(failedIn(path, err).Error(), shell.ModelFile(path)+": ")
	if u := new(linear.UnbalancedError); errors.As(err, &u) {
		r.Steps, r.Unbalanced = u.Steps, newUnbalanced(&u.Unbalanced, nil)
	}
	if e := new(closing.CloseError); errors.As(err, &e) {
		r.Unmet = newUnmet(e)
	}
}

// failedIn marks err as the failure of a computation with the model at path.
func failedIn(path string, err error) error {
	return shell.Failed(shell.ModelFile(path), err)
}

func newUnbalanced(u *linear.Unbalanced, relative *float64) *unbalancedResult {
	return &unbalancedResult{Body: u.Body, Force: u.Force, Moment: u.Moment, Relative: relative}
}

func (r *EquilibriumResult) fill(mech *mechanism.Mechanism, e *linear.Equilibrium) {
	change := func(i int, x float64) *bodyChange {
		if i < 0 {
			return &bodyChange{}
		}
		return &bodyChange{mech.BodyName(i), x}
	}
	r.Found, r.Steps, r.Left = true, e.Steps, e.Kicks
	r.Unbalanced = newUnbalanced(&e.Unbalanced, &e.Relative)
	r.Stability = e.Stability.String()
	if e.Stability != linear.Immobile && e.Stability != linear.Unknown {
		r.Lowest = &lowestResult{Stiffness: e.Lowest, Frequency: e.Frequency()}
	}
	r.Travel, r.Turn = change(e.TravelBody, e.Travel), change(e.TurnBody, e.Turn)
	r.Energy = &energyChange{number(e.Before.Potential()), number(e.After.Potential())}
}

// printEquilibrium writes r for people.
func printEquilibrium(p *sheet.Page, r *EquilibriumResult) {
	p.Line("%s: %s, %s, in equilibrium after %s", sheet.ModelTitle(r.Name), sheet.Plural(r.Bodies, "body"), sheet.Plural(r.Joints, "joint"), sheet.Plural(r.Steps, "step"))
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Width: 22, Left: true}, {Width: 12}}},
		sheet.Group{Columns: []sheet.Column{{Width: 1}, {Width: 37, Left: true}}},
	)
	note := ""
	if r.Left > 0 {
		note = fmt.Sprintf("(%d unstable left on the way)", r.Left)
	}
	t.Row("  stability", r.Stability, "", note)
	if r.Lowest != nil {
		if r.Lowest.Stiffness < 0 {
			t.Row("  growth rate", sheet.Short(math.Sqrt(-r.Lowest.Stiffness)), "", "1/s")
		} else {
			t.Row("  lowest frequency", sheet.Short(r.Lowest.Frequency), "", "Hz, undamped")
		}
	}
	t.Row("  potential energy", shortOr(r.Energy.After), "", "J, before "+shortOr(r.Energy.Before))
	t.Row("  unbalanced force", sheet.Short(r.Unbalanced.Force.Norm()), "", "N      "+fault.Text(r.Unbalanced.Body, 30))
	t.Row("  unbalanced moment", sheet.Short(r.Unbalanced.Moment.Norm()), "", "N m")
	t.Row("  relative", sheet.Short(*r.Unbalanced.Relative), "", "")
	printChanges(p, []namedChange{{"displacement", r.Travel, "m"}, {"rotation", r.Turn, "rad"}})
}
