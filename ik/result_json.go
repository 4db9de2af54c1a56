package ik

import (
	"encoding/json"

	"github.com/rung-mbd/rung/internal/algebra"
)

// resultFormat is the value of the "format" field of a Result as JSON.
const resultFormat = "rung-ik-result/1"

type resultJSON struct {
	Format         string       `json:"format"`
	Name           string       `json:"name"`
	Status         string       `json:"status"`
	Method         string       `json:"method"`
	Engine         string       `json:"engine"`
	Steps          int          `json:"steps"`
	Restarts       int          `json:"restarts"`
	Targets        []targetJSON `json:"targets"`
	Driven         []drivenJSON `json:"driven"`
	Outside        []string     `json:"outside_at_start,omitempty"`
	Following      []drivenJSON `json:"following,omitempty"`
	SingularValues []float64    `json:"singular_values"`
	Manipulability *float64     `json:"manipulability"`
	Rank           *int         `json:"rank"`
	NullMotions    *int         `json:"null_motions"`
	Conflicts      []conflictOf `json:"conflicts"`
	Closing        closingJSON  `json:"closing"`
	Seconds        float64      `json:"seconds"`
	Path           *pathJSON    `json:"path,omitempty"`
	Solutions      [][]float64  `json:"solutions,omitempty"`
	FIK            *filterJSON  `json:"fik,omitempty"`
}

type filterJSON struct {
	Form   string    `json:"form"`
	Design string    `json:"design"`
	P      []float64 `json:"P"`
	A      []float64 `json:"A"`
	H      float64   `json:"h"`
}

type targetJSON struct {
	Name     string  `json:"name"`
	Priority int     `json:"priority"`
	Linear   float64 `json:"linear"`
	Angular  float64 `json:"angular"`
	Reached  bool    `json:"reached"`
}

type pathJSON struct {
	Samples  int          `json:"samples"`
	End      float64      `json:"end"`
	Missed   int          `json:"missed"`
	Largest  []targetJSON `json:"largest"`
	SigmaMin *float64     `json:"sigma_min"`
}

type drivenJSON struct {
	Joint   string  `json:"joint"`
	Freedom int     `json:"freedom"`
	Value   float64 `json:"value"`
	Rate    float64 `json:"rate"`
	Limit   *string `json:"limit"`
}

type conflictOf struct {
	Target   string  `json:"target"`
	Row      int     `json:"row"`
	Residual float64 `json:"residual"`
}

type closingJSON struct {
	Position float64 `json:"position"`
}

// MarshalJSON returns r as a document of rung-ik-result/1 (docs/cli.md).
func (r Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		Format: resultFormat, Name: r.Name, Status: r.Status.String(), Method: r.Method.String(), Engine: r.Engine.String(),
		Steps: r.Steps, Restarts: r.Restarts, Targets: []targetJSON{}, Driven: []drivenJSON{}, Conflicts: []conflictOf{},
		Closing: closingJSON{r.ClosingError}, Seconds: r.Elapsed.Seconds(), Solutions: r.Solutions, Outside: r.Outside,
	}
	if r.Rank != NotComputed {
		out.SingularValues = append([]float64{}, r.SingularValues...)
		out.Rank, out.NullMotions = &r.Rank, &r.NullMotions
		if algebra.Finite(r.Manipulability) {
			out.Manipulability = &r.Manipulability
		}
	}
	if f := r.Filter; f != nil {
		out.FIK = &filterJSON{f.Form.String(), f.Design.String(), f.P, f.A, f.H}
	}
	for _, t := range r.Targets {
		out.Targets = append(out.Targets, targetJSON(t))
	}
	if p := r.Path; p != nil {
		out.Path = &pathJSON{p.Samples, p.End, p.Missed, []targetJSON{}, nil}
		if algebra.Finite(p.SigmaMin) {
			out.Path.SigmaMin = &p.SigmaMin
		}
		for _, t := range p.Largest {
			out.Path.Largest = append(out.Path.Largest, targetJSON(t))
		}
	}
	for _, d := range r.Driven {
		out.Driven = append(out.Driven, drivenJSON{d.Joint, d.Freedom, d.Value, d.Rate, limitName(d.Limit)})
	}
	for _, d := range r.Following {
		out.Following = append(out.Following, drivenJSON{d.Joint, d.Freedom, d.Value, d.Rate, limitName(d.Limit)})
	}
	for _, c := range r.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictOf(c))
	}
	return json.Marshal(out)
}

// limitName returns the name of the limit at which a freedom is, nil if it is at none.
func limitName(side int8) *string {
	name := "upper"
	switch {
	case side == 0:
		return nil
	case side < 0:
		name = "lower"
	}
	return &name
}
