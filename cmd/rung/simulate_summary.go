package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
)

// simulation is what rung simulate --json prints. Steps, drift and passages are
// those of the whole run, the others those since it was resumed.
type simulation struct {
	Format      string           `json:"format"`
	Name        string           `json:"name"`
	Integrator  string           `json:"integrator"`
	Step        float64          `json:"step,omitempty"`                // s, of fixed steps
	Tolerance   float64          `json:"tolerance,omitempty"`           // of chosen steps
	Least       float64          `json:"tolerance_in_effect,omitempty"` // where rounding does not allow Tolerance
	Start       float64          `json:"start"`                         // s; after resuming, where that was
	End         float64          `json:"end"`
	Until       float64          `json:"until"`
	Resumed     bool             `json:"resumed"`
	Finished    bool             `json:"finished"`
	Rows        int64            `json:"rows"`
	Steps       int64            `json:"steps"`
	Rejected    int64            `json:"rejected"`
	Careful     int64            `json:"careful"`
	Singular    int64            `json:"singular"` // steps next to singular poses
	Undecided   *undecidedBranch `json:"undecided,omitempty"`
	Projections int64            `json:"projections"`
	Evaluations int64            `json:"evaluations"`
	CPU         float64          `json:"cpu_seconds"`
	Wall        float64          `json:"wall_seconds"`
	Closed      *simulationFit   `json:"closed,omitempty"`
	Energy      simulationEnergy `json:"energy"`
	Drift       simulationDrift  `json:"drift"`
	Projected   simulationDrift  `json:"drift_before_projection"`
}

// undecidedBranch says that the motion may have gone on along a branch that the data do not decide.
type undecidedBranch struct {
	Steps int64   `json:"steps"`
	First float64 `json:"first"` // s
	Error float64 `json:"error"` // the largest, in units of the tolerance; 0 if the motion was too slow
}

// simulationFit is how the state was closed at the start.
type simulationFit struct {
	Position *closingResult `json:"position"`
	Velocity *closingResult `json:"velocity"`
}

// simulationEnergy is about the total energy of the rows, J.
type simulationEnergy struct {
	Start        float64 `json:"start"`
	End          float64 `json:"end"`
	Change       float64 `json:"largest_change"`
	Kinetic      float64 `json:"largest_kinetic"`
	Conservative bool    `json:"conservative"` // nothing does work that the energy leaves out
}

// simulationDrift is the largest error of a joint's row.
type simulationDrift struct {
	Position float64 `json:"position"`
	Velocity float64 `json:"velocity"`
}

func (r *runner) summary() *simulation {
	n, w, end := r.sim.Stats(), r.watch, r.sim.State().Time
	s := &simulation{
		Format: "rung-simulation/1", Name: r.mech.Name, Integrator: r.f.integrator, Step: r.f.step,
		Start: r.from, End: end, Until: r.f.until, Resumed: r.f.resume, Finished: end >= r.f.until,
		Rows: w.rows, Steps: n.Steps, Rejected: n.Rejected, Careful: n.Careful, Singular: n.Singular, Projections: n.Projections,
		Evaluations: r.stepper.Evaluations(), CPU: r.worked.Seconds(), Wall: r.took.Seconds(),
		Energy:    simulationEnergy{w.first, w.last, w.change, w.kinetic, w.conservative},
		Drift:     newSimulationDrift(w.drift),
		Projected: newSimulationDrift(n.Worst),
	}
	if !r.f.stepSet {
		s.Tolerance = r.f.tol
		if k, ok := r.stepper.(interface{ Relative() float64 }); ok && k.Relative() > r.f.tol {
			s.Least = k.Relative()
		}
	}
	if n.Undecided > 0 {
		s.Undecided = &undecidedBranch{n.Undecided, n.UndecidedAt, n.Doubt}
	}
	if r.fit != nil {
		s.Closed = &simulationFit{newClosingResult(r.mech, r.fit.position), newClosingResult(r.mech, r.fit.velocity)}
	}
	return s
}

func newSimulationDrift(d sim.Drift) simulationDrift { return simulationDrift{d.Position, d.Velocity} }

func writeJSON(stdout io.Writer, v any) error {
	return writeFile(stdio, stdout, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// printSimulation writes s for people.
func printSimulation(w io.Writer, s *simulation) {
	if s.Resumed && s.Finished && s.Evaluations == 0 {
		item(w, "simulated", modelTitle(s.Name)+" to "+short(s.End)+" s already; nothing was left to do")
		return
	}
	since := ""
	if s.Resumed {
		since = " since resuming"
	}
	how := "tolerance " + short(s.Tolerance)
	if s.Least > 0 {
		how += ", in effect " + digits2(s.Least) + " by rounding"
	}
	if s.Step > 0 {
		how = "step " + short(s.Step) + " s"
	}
	item(w, "simulated", fmt.Sprintf("%s from %s to %s s with %s, %s; %s%s",
		modelTitle(s.Name), short(s.Start), short(s.End), s.Integrator, how, plural(int(s.Rows), "row"), since))
	if c := s.Closed; c != nil {
		item(w, "closed first", fmt.Sprintf("joints were off by %s (m or rad) and %s (m/s or rad/s); %s; %s",
			short(c.Position.Before), short(c.Velocity.Before),
			moved("moved by", c.Position, "m", "rad"), moved("velocities changed by", c.Velocity, "m/s", "rad/s")))
	}
	item(w, "steps", fmt.Sprintf("%d, %d rejected, %s%s", s.Steps, s.Rejected, plural(int(s.Evaluations), "evaluation"), since))
	if s.Careful > 0 {
		item(w, "", plural(int(s.Careful), "step")+" failed and repeated with closed stages, as it happens near singular poses")
	}
	if s.Singular > 0 {
		item(w, "", plural(int(s.Singular), "step")+" next to singular poses, led over them between two stages")
	}
	if u := s.Undecided; u != nil {
		item(w, "undecided", undecidedText(u))
	}
	item(w, "time", fmt.Sprintf("%s s of the processor, %s s in all, %s", digits3(s.CPU), digits3(s.Wall), ratio(s.End-s.Start, s.Wall)))
	item(w, "energy", energyText(&s.Energy)+since)
	item(w, "drift", fmt.Sprintf("at most %.2g m or rad, %.2g m/s or rad/s in the rows; %.2g and %.2g before projection",
		s.Drift.Position, s.Drift.Velocity, s.Projected.Position, s.Projected.Velocity))
}

// undecidedText says why and when the branch of the motion is not sure.
func undecidedText(u *undecidedBranch) string {
	text := "which branch the motion goes on along at a singular pose, first at t = " + short(u.First) + " s: "
	if u.Error > 0 {
		return text + "rounding there is up to " + digits2(u.Error) + " times the tolerance"
	}
	return text + "it is there too slowly to tell"
}

// moved says how far c has gone.
func moved(what string, c *closingResult, length, angle string) string {
	if c.Travel.Value == 0 && c.Turn.Value == 0 {
		return what + " nothing"
	}
	return fmt.Sprintf("%s up to %s %s (%s) and %s %s (%s)", what,
		short(c.Travel.Value), length, fault.Text(c.Travel.Body, nameWidth), short(c.Turn.Value), angle, fault.Text(c.Turn.Body, nameWidth))
}

// energyText says how well the energy holds, where it should.
func energyText(e *simulationEnergy) string {
	if !e.Conservative {
		return fmt.Sprintf("%s J to %s J; motions, loads or dampers do work, so it is not conserved", short(e.Start), short(e.End))
	}
	text := fmt.Sprintf("drift at most %.2g J", e.Change)
	if e.Kinetic > 0 {
		text += fmt.Sprintf(", %.2g of the largest kinetic energy", e.Change/e.Kinetic)
	}
	return text
}

// digits3 returns x with three digits.
func digits3(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// ratio says how fast the time of the model passes.
func ratio(modelTime, wall float64) string {
	if wall <= 0 {
		return "at once"
	}
	return digits3(modelTime/wall) + " × real time"
}
