package simulate

import (
	"fmt"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Simulation is the document of rung simulate --json. Steps, drift and passages are those of
// the whole run; the other numbers are those since it was resumed.
type Simulation struct {
	Format     string  `json:"format"`
	Name       string  `json:"name"`
	Integrator string  `json:"integrator"`
	Step       float64 `json:"step,omitempty"`                // s, of fixed steps
	Tolerance  float64 `json:"tolerance,omitempty"`           // of chosen steps
	Least      float64 `json:"tolerance_in_effect,omitempty"` // where rounding does not allow Tolerance
	Start      float64 `json:"start"`                         // s; after resuming, where that was
	End        float64 `json:"end"`
	Until      float64 `json:"until"`
	Resumed    bool    `json:"resumed"`
	Finished   bool    `json:"finished"`
	Rows       int64   `json:"rows"`
	lastRow    float64 // s
	stepCounts
	Stiff     *stiffSteps      `json:"stiff,omitempty"`
	Undecided *undecidedBranch `json:"undecided,omitempty"`
	effort
	Closed    *simulationFit  `json:"closed,omitempty"`
	Energy    runs.Energy     `json:"energy"`
	Impacts   int64           `json:"impacts,omitempty"` // impulses at stops
	Creep     *runs.Creep     `json:"creep,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
	Drift     simulationDrift `json:"drift"`
	Projected simulationDrift `json:"drift_before_projection"`
	Ranks     *RanksResult    `json:"ranks,omitempty"` // where the model was cut into pieces
}

// stepCounts are how often steps were made, and how.
type stepCounts struct {
	Steps    int64 `json:"steps"`
	Rejected int64 `json:"rejected"`
	Careful  int64 `json:"careful"`
	Singular int64 `json:"singular"` // steps next to singular poses
	helped   int64 // careful steps that closed stages made good
}

// effort is what the run has cost.
type effort struct {
	Projections int64   `json:"projections"`
	Evaluations int64   `json:"evaluations"`
	CPU         float64 `json:"cpu_seconds"`
	Wall        float64 `json:"wall_seconds"`
}

// RanksResult is how a run was cut into pieces.
type RanksResult struct {
	Ranks int    `json:"ranks"`
	Root  string `json:"root"`
	Held  int    `json:"separator_rows"` // rows of joints between pieces
	Bytes int64  `json:"bytes_sent"`     // by the rank that sends most, in an evaluation
}

// undecidedBranch says that the motion may have gone on along a branch that the data do not decide.
type undecidedBranch struct {
	Steps int64   `json:"steps"`
	First float64 `json:"first"` // s
	Error float64 `json:"error"` // the largest, in units of the tolerance; 0 if the motion was too slow
}

// stiffSteps says that most steps are short to be stable, not to be accurate.
type stiffSteps struct {
	Share      float64 `json:"share"` // of the steps
	Rate       float64 `json:"rate"`  // of the fastest motion, 1/s
	Body       string  `json:"body"`
	Force      string  `json:"force,omitempty"` // that holds the body
	Integrator string  `json:"integrator"`      // that takes longer steps
}

// newStiffSteps returns nil where steps follow all motions.
func newStiffSteps(t *sim.Stiffness) *stiffSteps {
	if t == nil {
		return nil
	}
	return &stiffSteps{t.Share, t.Rate, t.Body, t.Force, runs.GeneralizedAlpha.String()}
}

// text says what limits the steps and what to do.
func (t *stiffSteps) text() string {
	what := "body " + fault.Text(t.Body, sheet.NameWidth)
	if t.Force != "" {
		what += ", held by " + fault.Text(t.Force, sheet.NameWidth)
	}
	return fmt.Sprintf("%.0f%% of the steps are short to be stable, not to be accurate: a motion of %s/s is too fast to follow (%s); --integrator %s takes longer steps",
		100*t.Share, sheet.Digits2(t.Rate), what, t.Integrator)
}

// simulationFit is how the state was closed at the start.
type simulationFit struct {
	Position *answers.Closing `json:"position"`
	Velocity *answers.Closing `json:"velocity"`
}

// simulationDrift is the largest error of a joint's row.
type simulationDrift struct {
	Position float64 `json:"position"`
	Velocity float64 `json:"velocity"`
}

// summary returns the document on the run as far as it has gone.
func (r *runner) summary() *Simulation {
	n, told, end := r.run.Stats(), r.run.Told(), r.run.Time()
	s := &Simulation{
		Format: "rung-simulation/1", Name: r.mech.Name, Integrator: r.f.integrator, Step: r.f.step,
		Start: r.from, End: end, Until: r.f.until, Resumed: r.f.resume, Finished: end >= r.f.until,
		effort:   effort{Evaluations: r.run.Evaluations(), CPU: r.worked.Seconds(), Wall: r.took.Seconds()},
		Impacts:  r.run.Impacts(),
		Creep:    runs.CreepAt(r.run.Mechanism(), r.run.State()),
		Warnings: r.run.Warnings(),
	}
	s.add(&n, &told)
	if tol := r.o.RelativeTolerance(); tol > 0 {
		s.Tolerance = tol
		if least := r.run.Tolerance(); least > tol {
			s.Least = least
		}
	}
	s.helped, s.Stiff = n.Helped, newStiffSteps(r.run.Stiffness())
	if fit := r.run.Fit(); fit != nil {
		s.Closed = &simulationFit{answers.NewClosing(r.mech, fit.Position), answers.NewClosing(r.mech, fit.Velocity)}
	}
	return s
}

// add adds what steps and rows have told.
func (s *Simulation) add(n *sim.Stats, told *runs.Told) {
	s.Rows, s.lastRow, s.Energy, s.Drift, s.Projected = told.Rows, told.Last, told.Energy, newSimulationDrift(told.Drift), newSimulationDrift(n.Worst)
	s.Steps, s.Rejected, s.Careful, s.Singular, s.Projections = n.Steps, n.Rejected, n.Careful, n.Singular, n.Projections
	if n.Undecided > 0 {
		s.Undecided = &undecidedBranch{n.Undecided, n.UndecidedAt, n.Doubt}
	}
}

func newSimulationDrift(d sim.Drift) simulationDrift { return simulationDrift{d.Position, d.Velocity} }

// printSimulation writes s for people.
func printSimulation(p *sheet.Page, s *Simulation) {
	if s.Resumed && s.Finished && s.Evaluations == 0 {
		p.Item("simulated", sheet.ModelTitle(s.Name)+" to "+sheet.Short(s.End)+" s already; nothing was left to do")
		return
	}
	since := ""
	if s.Resumed {
		since = " since resuming"
	}
	how := "tolerance " + sheet.Short(s.Tolerance)
	if s.Least > 0 {
		how += ", in effect " + sheet.Digits2(s.Least) + " by rounding"
	}
	if s.Step > 0 {
		how = "step " + sheet.Short(s.Step) + " s"
	}
	rows := sheet.Plural(int(s.Rows), "row") + since
	if last := sheet.Short(s.lastRow); s.Rows > 0 && last != sheet.Short(s.End) {
		rows += ", the last at " + last + " s"
	}
	p.Item("simulated", fmt.Sprintf("%s from %s to %s s with %s, %s; %s",
		sheet.ModelTitle(s.Name), sheet.Short(s.Start), sheet.Short(s.End), s.Integrator, how, rows))
	if c := s.Closed; c != nil {
		p.Item("closed first", fmt.Sprintf("joints were off by %s (m or rad) and %s (m/s or rad/s); %s; %s",
			sheet.Short(c.Position.Before), sheet.Short(c.Velocity.Before),
			moved("moved by", c.Position, "m", "rad"), moved("velocities changed by", c.Velocity, "m/s", "rad/s")))
	}
	if r := s.Ranks; r != nil {
		p.Item("pieces", fmt.Sprintf("%s, root %s; %s between them; at most %s bytes sent by a rank in an evaluation",
			sheet.Plural(r.Ranks, "rank"), r.Root, sheet.Plural(r.Held, "row"), sheet.Count(r.Bytes)))
	}
	p.Item("steps", fmt.Sprintf("%d, %d rejected, %s%s", s.Steps, s.Rejected, sheet.Plural(int(s.Evaluations), "evaluation"), since))
	if s.Singular > 0 {
		p.Item("", sheet.Plural(int(s.Singular), "step")+" next to singular poses, led over them between two stages")
		if s.helped > 0 {
			p.Item("", sheet.Plural(int(s.helped), "rejected step")+" made good by closing the stages, too")
		}
	}
	if s.Stiff != nil {
		p.Item("stiff", s.Stiff.text())
	}
	if u := s.Undecided; u != nil {
		p.Item("undecided", undecidedText(u))
	}
	p.Item("time", fmt.Sprintf("%s s of the processor, %s s in all, %s", sheet.Digits3(s.CPU), sheet.Digits3(s.Wall), ratio(s.End-s.Start, s.Wall)))
	p.Item("energy", energyText(&s.Energy)+since)
	if c := s.Creep; c != nil {
		p.Item("creep", fmt.Sprintf("%s is at rest by regularised friction, which lets it creep with %s m/s (slip speed %s m/s)",
			fault.Text(c.Contact, sheet.NameWidth), sheet.Digits3(c.Speed), sheet.Short(c.Slip)))
	}
	p.Item("drift", fmt.Sprintf("at most %.2g m or rad, %.2g m/s or rad/s in the rows; %.2g and %.2g before projection",
		s.Drift.Position, s.Drift.Velocity, s.Projected.Position, s.Projected.Velocity))
	for _, w := range s.Warnings {
		p.Item("warning", w)
	}
}

// undecidedText says why and when the branch of the motion is not sure.
func undecidedText(u *undecidedBranch) string {
	text := "which branch the motion goes on along at a singular pose, first at t = " + sheet.Short(u.First) + " s: "
	if u.Error > 0 {
		return text + "rounding there is up to " + sheet.Digits2(u.Error) + " times the tolerance"
	}
	return text + "it is there too slowly to tell"
}

// moved says how far c has gone.
func moved(what string, c *answers.Closing, length, angle string) string {
	if c.Travel.Value == 0 && c.Turn.Value == 0 {
		return what + " nothing"
	}
	return fmt.Sprintf("%s up to %s %s (%s) and %s %s (%s)", what,
		sheet.Short(c.Travel.Value), length, fault.Text(c.Travel.Body, sheet.NameWidth), sheet.Short(c.Turn.Value), angle, fault.Text(c.Turn.Body, sheet.NameWidth))
}

// takenText says what took energy; "" if nothing is known to.
func takenText(e *runs.Energy) string {
	text := ""
	if e.Contacts != nil {
		text = "contacts took " + sheet.Short(*e.Contacts) + " J"
	}
	if e.Joints != nil {
		if text != "" {
			text += ", "
		}
		text += "stops and friction of joints took " + sheet.Short(*e.Joints) + " J"
	}
	return text
}

// energyText says how well the energy holds, where it should.
func energyText(e *runs.Energy) string {
	if took := takenText(e); took != "" && !e.Conservative {
		took = fmt.Sprintf("%s J to %s J; %s", sheet.Short(e.Start), sheet.Short(e.End), took)
		if e.Balance != nil {
			return fmt.Sprintf("%s, all but %.2g J of the change", took, *e.Balance)
		}
		return took + ", and motions, loads or dampers do work, so it is not conserved"
	}
	if !e.Conservative {
		return fmt.Sprintf("%s J to %s J; motions, loads or dampers do work, so it is not conserved", sheet.Short(e.Start), sheet.Short(e.End))
	}
	text := fmt.Sprintf("drift at most %.2g J", e.Change)
	if e.Kinetic > 0 {
		text += fmt.Sprintf(", %.2g of the largest kinetic energy", e.Change/e.Kinetic)
	}
	return text
}
