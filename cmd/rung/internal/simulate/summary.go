package simulate

import (
	"fmt"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Simulation is the document of rung simulate --json. After resuming, counts of steps and drifts are of the whole run; the
// other numbers are of the part since resuming.
type Simulation struct {
	Format     string  `json:"format"`
	Name       string  `json:"name"`
	Integrator string  `json:"integrator"`
	Step       float64 `json:"step,omitempty"`                // s, of fixed steps
	Tolerance  float64 `json:"tolerance,omitempty"`           // of steps by error control
	Least      float64 `json:"tolerance_in_effect,omitempty"` // the least that rounding allows, if Tolerance is below it
	Start      float64 `json:"start"`                         // s; after resuming, the time of the checkpoint
	End        float64 `json:"end"`                           // s
	Until      float64 `json:"until"`                         // s
	Resumed    bool    `json:"resumed"`
	Finished   bool    `json:"finished"`
	Rows       int64   `json:"rows"`
	lastRow    float64 // time of the last row, s
	stepCounts
	Stiff     *stiffSteps      `json:"stiff,omitempty"`
	Undecided *undecidedBranch `json:"undecided,omitempty"`
	effort
	Closed    *simulationFit  `json:"closed,omitempty"`
	Energy    runs.Energy     `json:"energy"`
	Impacts   int64           `json:"impacts,omitempty"` // impulses at stops of joints
	Creep     *runs.Creep     `json:"creep,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
	Drift     simulationDrift `json:"drift"`
	Projected simulationDrift `json:"drift_before_projection"`
	Ranks     *RanksResult    `json:"ranks,omitempty"` // nil unless the model was cut into pieces
}

// stepCounts are counts of steps by their kind (sim.Stats).
type stepCounts struct {
	Steps    int64 `json:"steps"`
	Rejected int64 `json:"rejected"`
	Careful  int64 `json:"careful"`
	Singular int64 `json:"singular"` // steps next to singular poses
	helped   int64 // careful steps that passed once their stages were closed onto the constraints
}

// effort is the cost of the run.
type effort struct {
	Projections int64   `json:"projections"`
	Evaluations int64   `json:"evaluations"`
	CPU         float64 `json:"cpu_seconds"`
	Wall        float64 `json:"wall_seconds"`
}

// RanksResult says how the model of a run was cut into pieces, and how much the ranks sent.
type RanksResult struct {
	Ranks int    `json:"ranks"`
	Root  string `json:"root"`
	Held  int    `json:"separator_rows"` // rows of joints between pieces
	Bytes int64  `json:"bytes_sent"`     // in one evaluation, by the rank that sends most
}

// undecidedBranch tells of singular poses at which rounding, or too slow a motion, left open along which branch the motion goes
// on.
type undecidedBranch struct {
	Steps int64   `json:"steps"`
	First float64 `json:"first"` // time of the first such step, s
	Error float64 `json:"error"` // largest error by rounding, in units of the tolerance; 0 if the motion was too slow
}

// stiffSteps tells that most steps are short to be stable, not to be accurate.
type stiffSteps struct {
	Share      float64 `json:"share"`           // of the steps that are short for stability
	Rate       float64 `json:"rate"`            // of the fastest motion, 1/s
	Body       string  `json:"body"`            // that moves fastest
	Force      string  `json:"force,omitempty"` // name of the force element that holds the body
	Integrator string  `json:"integrator"`      // name of an integrator that takes longer steps
}

// newStiffSteps returns the part of the document on stiffness; nil if the steps are not limited by it.
func newStiffSteps(t *sim.Stiffness) *stiffSteps {
	if t == nil {
		return nil
	}
	return &stiffSteps{t.Share, t.Rate, t.Body, t.Force, runs.GeneralizedAlpha.String()}
}

// text returns the line of the summary: the motion that limits the steps, and the advice.
func (t *stiffSteps) text() string {
	mover := "body " + fault.Text(t.Body, sheet.NameWidth)
	if t.Force != "" {
		mover += ", held by " + fault.Text(t.Force, sheet.NameWidth)
	}
	return fmt.Sprintf("%.0f%% of the steps are short to be stable, not to be accurate: a motion of %s/s is too fast to follow (%s); --integrator %s takes longer steps",
		100*t.Share, sheet.Digits2(t.Rate), mover, t.Integrator)
}

// simulationFit tells how the state was closed onto the joints at the start: positions, then velocities.
type simulationFit struct {
	Position *answers.Closing `json:"position"`
	Velocity *answers.Closing `json:"velocity"`
}

// simulationDrift is the largest violation of a joint's row.
type simulationDrift struct {
	Position float64 `json:"position"` // m or rad
	Velocity float64 `json:"velocity"` // m/s or rad/s
}

// summary returns the document on the run up to its present time.
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

// add sets the fields that come from the statistics of the steps and from the record of the rows.
func (s *Simulation) add(n *sim.Stats, told *runs.Told) {
	s.Rows, s.lastRow, s.Energy, s.Drift, s.Projected = told.Rows, told.Last, told.Energy, newSimulationDrift(told.Drift), newSimulationDrift(n.Worst)
	s.Steps, s.Rejected, s.Careful, s.Singular, s.Projections = n.Steps, n.Rejected, n.Careful, n.Singular, n.Projections
	if n.Undecided > 0 {
		s.Undecided = &undecidedBranch{n.Undecided, n.UndecidedAt, n.Doubt}
	}
}

// newSimulationDrift returns d for the document.
func newSimulationDrift(d sim.Drift) simulationDrift { return simulationDrift{d.Position, d.Velocity} }

// printSimulation writes s as the lines of the summary.
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

// undecidedText returns the line of the summary on a branch that is not sure: when, and why.
func undecidedText(u *undecidedBranch) string {
	text := "which branch the motion goes on along at a singular pose, first at t = " + sheet.Short(u.First) + " s: "
	if u.Error > 0 {
		return text + "rounding there is up to " + sheet.Digits2(u.Error) + " times the tolerance"
	}
	return text + "it is there too slowly to tell"
}

// moved returns the largest movements of bodies, or changes of velocities, by the closing c, after the verb: "moved by up to 0.1 m
// (rod) and 0.2 rad (crank)". length and angle are the units.
func moved(verb string, c *answers.Closing, length, angle string) string {
	if c.Travel.Value == 0 && c.Turn.Value == 0 {
		return verb + " nothing"
	}
	return fmt.Sprintf("%s up to %s %s (%s) and %s %s (%s)", verb,
		sheet.Short(c.Travel.Value), length, fault.Text(c.Travel.Body, sheet.NameWidth), sheet.Short(c.Turn.Value), angle, fault.Text(c.Turn.Body, sheet.NameWidth))
}

// takenText returns the energy that contacts, and stops and friction of joints, have dissipated; "" if the model has neither.
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

// energyText returns the line of the summary on energy: its drift where it is conserved, else its values at start and end, with
// the dissipated energy and, where nothing else does work, the rest of the balance.
func energyText(e *runs.Energy) string {
	if took := takenText(e); took != "" && !e.Conservative {
		text := fmt.Sprintf("%s J to %s J; %s", sheet.Short(e.Start), sheet.Short(e.End), took)
		if e.Balance != nil {
			return fmt.Sprintf("%s, all but %.2g J of the change", text, *e.Balance)
		}
		return text + ", and motions, loads or dampers do work, so it is not conserved"
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
