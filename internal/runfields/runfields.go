package runfields

import (
	"slices"

	"github.com/rung-mbd/rung/internal/document"
)

// Run is what a document says about a run. Names are among those of Names; "" and 0 are what a document does not have.
type Run struct {
	Until      float64 // s
	Every      float64 // s
	Integrator string
	Step       float64 // s
	Tolerance  float64
	Method     string
	Stabilize  string
	Rho        float64
	RhoGiven   bool
}

const (
	integrator = "integrator"
	step       = "step"
	tolerance  = "tolerance"
	method     = "method"
	stabilize  = "stabilize"
)

// Fields are those of a document, in the order of Run.
func Fields() []string {
	return []string{"until", "every", integrator, step, tolerance, method, stabilize, "rho"}
}

// Named returns the field of a document for one of runs.Options.
func Named(option string) string {
	switch option {
	case "Until", "Every", "Step", "Tolerance", "Rho", "Integrator", "Method", "Columns", "Bodies", "Wrenches", "Multipliers":
		return string(option[0]|0x20) + option[1:]
	case "Stabilization":
		return stabilize
	}
	return option
}

// Names are the names that fields may have.
type Names struct {
	Integrators, Methods, Stabilizations []string
	NeedsStep                            func(integrator string) bool
}

// Read reads the value of a field. It reports false, and reads nothing, if that is not one of a run.
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

// Check notes what is wrong between the fields of the object that was just read, which has these fields.
func (r *Run) Check(d *document.Reader, fields []string, n *Names) {
	switch {
	case r.Step > 0 && r.Tolerance > 0:
		at, value := slices.Index(fields, tolerance), document.Number(r.Tolerance)
		d.ProblemAt(fields, at, value, "excludes step: steps are fixed or chosen by their error")
	case r.Step == 0 && n.NeedsStep(r.Integrator):
		d.ProblemAt(fields, slices.Index(fields, step), "", document.RuleMissing+": "+r.Integrator+" has no error control")
	}
}

func positive(d *document.Reader, x *float64) {
	if d.Number(x) && !(*x > 0) {
		d.Problem(document.Number(*x), "is not above 0")
	}
}
