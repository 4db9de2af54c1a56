package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// writeTable writes v as Markdown.
func (v *validation) writeTable(w io.Writer) {
	rows := [][]string{{"model", "integrator", "accelerations", "joints held by", "steps", "CPU, s", "error", "limit", "energy", "position", "velocity"}}
	for i := range v.Runs {
		rows = append(rows, v.Runs[i].cells(i > 0 && v.Runs[i-1].Model == v.Runs[i].Model))
	}
	writeMarkdown(w, rows, 4)
	if v.Cost == nil {
		return
	}
	io.WriteString(w, "\n")
	rows = [][]string{{"windows of A02", "bodies", "projections a step", "µs a step", "ns a step and body"}}
	for i := range v.Cost.Sizes {
		s := &v.Cost.Sizes[i]
		rows = append(rows, []string{
			strconv.Itoa(s.Windows), strconv.Itoa(s.Bodies), digits3(s.Projections), digits3(s.Step * 1e6), digits3(s.Step * 1e9 / float64(s.Bodies)),
		})
	}
	writeMarkdown(w, rows, 0)
	fmt.Fprintf(w, "\nThe time of a step and body grows by a factor of %.2f.\n", v.Cost.Ratio)
}

// cells returns the cells of a run; the model's name only where it is new.
func (r *validatedRun) cells(again bool) []string {
	how := "h = " + short(r.Step) + " s"
	if r.Tolerance > 0 {
		how = "tol " + short(r.Tolerance)
	}
	name, limit := r.Model, short(r.Limit)
	if again {
		name = ""
	}
	if !r.Published {
		limit = "(" + limit + ")"
	}
	steps := strconv.FormatInt(r.Steps, 10)
	if r.Rejected > 0 {
		steps += fmt.Sprintf(" + %d", r.Rejected)
	}
	result := digits2(r.Error)
	switch {
	case r.Failure != "":
		result += ", ended early"
	case !r.Met:
		result += ", missed"
	}
	return []string{
		name, r.Integrator + ", " + how, r.Method, r.Stabilise, steps, digits2(r.CPU),
		result, limit, digits2(r.Energy), digits2(r.Position), digits2(r.Velocity),
	}
}

func digits2(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }

// writeMarkdown writes a table whose first row is its head, columns as wide as they
// need, those from the given one on to the right.
func writeMarkdown(w io.Writer, rows [][]string, right int) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for k, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i >= right {
				cell = pad + cell
			} else {
				cell += pad
			}
			fmt.Fprintf(w, "| %s ", cell)
		}
		io.WriteString(w, "|\n")
		if k > 0 {
			continue
		}
		for i := range width {
			if i >= right {
				fmt.Fprintf(w, "|%s:", strings.Repeat("-", width[i]+1))
			} else {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", width[i]+2))
			}
		}
		io.WriteString(w, "|\n")
	}
}

// stepCost compares the time of a step between sizes of A02.
type stepCost struct {
	Sizes []sizeCost `json:"sizes"`
	Ratio float64    `json:"ratio"` // of the time a step and body, largest to smallest mechanism
}

type sizeCost struct {
	Windows     int     `json:"windows"`
	Bodies      int     `json:"bodies"`
	Projections float64 `json:"projections"` // a step
	Step        float64 `json:"step_seconds"`

	mech  *mechanism.Mechanism
	dyn   *motion.Dynamics
	start *mechanism.State
	times []time.Duration // of the processor, by block
}

const (
	costStep   = 0.02 // s, of rk4: so long that every step is projected
	costSteps  = 20   // of a block
	costBlocks = 7    // of each size, in turn; the fastest counts
)

// measureStepCost measures sizes of A02 that pass through the same motion. Short
// of time, the large one is smaller.
func measureStepCost(short bool) (*stepCost, error) {
	large := 4000
	if short {
		large = 400
	}
	c := &stepCost{}
	for _, n := range [...]int{40, large} {
		s, err := newSizeCost(n)
		if err != nil {
			return nil, err
		}
		c.Sizes = append(c.Sizes, *s)
	}
	for block := range costBlocks + 1 { // the first one warms up
		for i := range c.Sizes {
			if err := c.Sizes[i].measure(block > 0); err != nil {
				return nil, err
			}
		}
	}
	for i := range c.Sizes {
		s := &c.Sizes[i]
		s.Step = slices.Min(s.times).Seconds() / costSteps
	}
	a, b := &c.Sizes[0], &c.Sizes[1]
	c.Ratio = b.Step / float64(b.Bodies) / (a.Step / float64(a.Bodies))
	return c, nil
}

// newSizeCost prepares A02 with n windows: upright, the tops at 1 m/s.
func newSizeCost(n int) (*sizeCost, error) {
	m, err := bench.NFourBar(n, 0, 1)
	if err != nil {
		return nil, err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, err
	}
	mech, st := plan.Mechanism(), plan.Initial()
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Velocity, b.Omega = spatial.Vec3{1, 0, 0}, spatial.Vec3{}
		if strings.HasPrefix(mech.BodyName(i), "rod") {
			b.Velocity, b.Omega = spatial.Vec3{}, spatial.Vec3{0, 0, -1}
		}
	}
	return &sizeCost{Windows: n, Bodies: mech.NumBodies(), mech: mech, dyn: motion.NewDynamics(plan), start: st}, nil
}

// measure does a block of steps from the start.
func (s *sizeCost) measure(counts bool) error {
	run := sim.New(s.mech, sim.NewRungeKutta(s.mech, s.dyn, sim.RungeKutta4(), sim.Tolerance{}), s.start, sim.Options{Step: costStep, Projector: s.dyn})
	begun := processorTime()
	if err := run.Run(costSteps * costStep); err != nil {
		return err
	}
	if counts {
		s.times = append(s.times, processorTime()-begun)
	}
	s.Projections = float64(run.Stats().Projections) / costSteps
	return nil
}
