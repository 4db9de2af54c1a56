package runfields

import (
	"slices"

	"github.com/rung-mbd/rung/internal/document"
)

// Run holds the fields of a run in a document. Names are among those of Names. A field that the document does not have is "" or 0.
type Run struct {
	Until      float64 // s
	Every      float64 // s
	Integrator string
	Step       float64 // s
	Tolerance  float64
	Method     string
	Stabilize  string
	Rho        float64
	RhoGiven   bool // the document has the field rho
}

// Names of fields in documents.
const (
	integrator = "integrator"
	step       = "step"
	tolerance  = "tolerance"
	method     = "method"
	stabilize  = "stabilize"
)

// Fields returns the names of the fields in documents, in the order of Run.
func Fields() []string {
	return []string{"until", "every", integrator, step, tolerance, method, stabilize, "rho"}
}

// Named returns the name in documents of a field of runs.Options. It returns other names unchanged.
func Named(option string) string {
	switch option {
	case "Until", "Every", "Step", "Tolerance", "Rho", "Integrator", "Method", "Columns", "Bodies", "Wrenches", "Multipliers":
		return string(option[0]|0x20) + option[1:]
	case "Stabilization":
		return stabilize
	}
	return option
}

// Names are the values that fields with names may have.
type Names struct {
	Integrators, Methods, Stabilizations []string
	NeedsStep                            func(integrator string) bool // the integrator has no error control
}

// Read reads the value of a field. If the field is none of Run, it reads nothing and returns false.
func (r *Run) Read(d *document.Reader, field string, n *Names) bool {
	switch field {
	case "until":
		d.Number(&r.Until)
	case "every":
		positive(d, &r.Every)
	case integrator:
		r.Integrator = n.Integrators[d.Choice(n.Integrators...)]
	case step:
		positive(d, &r.Step)
	case tolerance:
		positive(d, &r.Tolerance)
	case method:
		r.Method = n.Methods[d.Choice(n.Methods...)]
	case stabilize:
		r.Stabilize = n.Stabilizations[d.Choice(n.Stabilizations...)]
	case "rho":
		r.RhoGiven = d.Number(&r.Rho)
	default:
		return false
	}
	return true
}

// Check reports the broken rules between several fields of a run. The object that was just read has the given fields.
func (r *Run) Check(d *document.Reader, fields []string, n *Names) {
	switch {
	case r.Step > 0 && r.Tolerance > 0:
		at, value := slices.Index(fields, tolerance), document.Number(r.Tolerance)
		d.ProblemAt(fields, at, value, "excludes step: steps are fixed or chosen by their error")
	case r.Step == 0 && n.NeedsStep(r.Integrator):
		d.ProblemAt(fields, slices.Index(fields, step), "", document.RuleMissing+": "+r.Integrator+" has no error control")
	}
}

// positive reads a number into x, and reports a problem unless it is positive.
func positive(d *document.Reader, x *float64) {
	if d.Number(x) && !(*x > 0) {
		d.Problem(document.Number(*x), "is not above 0")
	}
}
