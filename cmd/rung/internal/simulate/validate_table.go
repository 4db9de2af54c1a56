package simulate

import (
	"fmt"
	"io"
	"strconv"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

// Validation is the document of rung validate --json.
type Validation struct {
	Format string         `json:"format"`
	Runs   []ValidatedRun `json:"runs"`
	Cost   *stepCost      `json:"cost,omitempty"`
}

// writeTable writes v as Markdown: a table of the runs and, if it was measured, a table of the cost of a step.
func (v *Validation) writeTable(w io.Writer) {
	rows := [][]string{{"model", "integrator", "accelerations", "joints held by", "steps", "CPU, s", "error", "limit", "energy", "position", "velocity"}}
	for i := range v.Runs {
		rows = append(rows, v.Runs[i].cells(i > 0 && v.Runs[i-1].Model == v.Runs[i].Model))
	}
	const textColumns = 4
	sheet.WriteMarkdown(w, rows, textColumns)
	if v.Cost == nil {
		return
	}
	io.WriteString(w, "\n")
	rows = [][]string{{"windows of A02", "bodies", "projections a step", "µs a step", "ns a step and body"}}
	for i := range v.Cost.Sizes {
		s := &v.Cost.Sizes[i]
		rows = append(rows, []string{
			strconv.Itoa(s.Windows), strconv.Itoa(s.Bodies), sheet.Digits3(s.Projections), sheet.Digits3(s.Step * 1e6), sheet.Digits3(s.Step * 1e9 / float64(s.Bodies)),
		})
	}
	sheet.WriteMarkdown(w, rows, 0)
	fmt.Fprintf(w, "\nThe time of a step and body grows by a factor of %.2f.\n", v.Cost.Ratio)
}

// cells returns the cells of a run in the table. If again, the row before has the same model and the name is left out. Limits
// that are not published are in parentheses.
func (r *ValidatedRun) cells(again bool) []string {
	how := "h = " + sheet.Short(r.Step) + " s"
	if r.Tolerance > 0 {
		how = "tol " + sheet.Short(r.Tolerance)
	}
	name, limit := r.Model, sheet.Short(r.Limit)
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
	result := sheet.Digits2(r.Error)
	switch {
	case r.Failure != "":
		result += ", ended early"
	case !r.Met:
		result += ", missed"
	}
	return []string{
		name, r.Integrator + ", " + how, r.Method, r.Stabilize, steps, sheet.Digits2(r.CPU),
		result, limit, sheet.Digits2(r.Energy), sheet.Digits2(r.Position), sheet.Digits2(r.Velocity),
	}
}
