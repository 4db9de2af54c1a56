package study

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
)

// Run says how each run is integrated, with the names and meanings of the flags of rung simulate. A field that is zero stands for
// the default.
type Run struct {
	Until      float64 // s
	Every      float64 // s; 0: a hundredth of the run
	Integrator string  // of runs.Integrators, RolloutRungeKutta4 or RolloutSemiImplicit
	Step       float64 // s; 0: by error control
	Tolerance  float64 // relative; 0: the default of the integrator
	Method     string  // of motion.Methods
	Stabilize  string  // of runs.Stabilizations
	Rho        float64 // of runs.GeneralizedAlpha
	RhoGiven   bool    // Rho counts even if it is 0
}

// Integrators of studies in addition to runs.Integrators: fixed steps of package batch, many runs side by side.
const (
	RolloutRungeKutta4  = "rollout-rk4"
	RolloutSemiImplicit = "rollout-semi-implicit"
)

// runNames are the names in the run of a study; the first ones are the defaults.
func runNames() *runfields.Names {
	n := &runfields.Names{NeedsStep: needsStep}
	for _, i := range runs.Integrators() {
		n.Integrators = append(n.Integrators, i.String())
	}
	n.Integrators = append(n.Integrators, rollouts()...)
	for _, m := range motion.Methods() {
		n.Methods = append(n.Methods, m.String())
	}
	for _, s := range runs.Stabilizations() {
		n.Stabilizations = append(n.Stabilizations, s.String())
	}
	return n
}

func rollouts() []string { return []string{RolloutRungeKutta4, RolloutSemiImplicit} }

// IsRollout reports whether an integrator is RolloutRungeKutta4 or RolloutSemiImplicit.
func IsRollout(name string) bool { return slices.Contains(rollouts(), name) }

// needsStep reports whether an integrator has no error control.
func needsStep(name string) bool {
	i, err := runs.ParseIntegrator(name)
	return IsRollout(name) || err == nil && i.NeedsStep()
}

// Options returns r as options of a simulation. A rollout has the options of runs.RungeKutta4, which takes the same times.
//
// It returns *model.Problems of the study, with name in the place of its file, for unknown names and for options that do
// not go together.
func (r *Run) Options(name string) (*runs.Options, error) {
	o := &runs.Options{
		Until: r.Until, Every: r.Every, Step: r.Step, Tolerance: r.Tolerance, Rho: r.Rho, Annihilate: r.RhoGiven && r.Rho == 0,
	}
	refuse := func(field, value, rule string) (*runs.Options, error) {
		return nil, &model.Problems{List: []*model.Problem{{File: name, Path: document.Key("$.run", field), Value: value, Rule: rule}}}
	}
	names := runNames()
	for _, x := range [...]struct {
		field, kind, value string
		list               []string
	}{
		{"integrator", "integrator", r.Integrator, names.Integrators}, {"method", "method", r.Method, names.Methods},
		{"stabilize", "stabilization", r.Stabilize, names.Stabilizations},
	} {
		if x.value != "" && !slices.Contains(x.list, x.value) {
			return refuse(x.field, fault.Name(x.value), fault.NoneOf(x.kind, x.value, x.list))
		}
	}
	if IsRollout(r.Integrator) {
		switch {
		case r.Tolerance > 0:
			return refuse("tolerance", "", r.Integrator+" has no error control")
		case r.Method != "":
			return refuse("method", fault.Name(r.Method), "is not for "+r.Integrator+", which has a method of its own")
		case r.Stabilize != "":
			return refuse("stabilize", fault.Name(r.Stabilize), "is not for "+r.Integrator+", which closes the joints by itself")
		}
		o.Integrator = runs.RungeKutta4
	} else {
		o.Integrator = runs.Integrators()[max(0, slices.Index(names.Integrators, r.Integrator))]
	}
	o.Method = motion.Methods()[max(0, slices.Index(names.Methods, r.Method))]
	o.Stabilization = runs.Stabilizations()[max(0, slices.Index(names.Stabilizations, r.Stabilize))]
	if e := new(runs.OptionError); errors.As(o.Check(), &e) {
		return refuse(runfields.Named(e.Field), "", e.In(runfields.Named))
	}
	return o, nil
}
