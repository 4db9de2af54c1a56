package objective

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// Slopes returns a function for the gradients of runs with the options o, the sweep.Slopes of package study/sweep. text is a model; the
// function takes models that differ from it in numbers only. It returns the derivatives of each column by each path, one column after the
// other, and text about the limits of these gradients: one side of corners, exponential growth. takes says final, min or max for each
// column of a trajectory. The function belongs to one goroutine.
//
// Cost: as NewProblem; a call costs as Problem.Gradient. Slopes returns *model.Problems with $.terms[i] for column i, .take there for
// another take, $.parameters[k] for path k, and $.run.integrator or $.run.stabilize for a method without gradients. A call returns the
// errors of NewProblem and Gradient.
func Slopes(text []byte, folder fs.FS, o runs.Options, columns, takes, paths []string) (
	func(ctx context.Context, text []byte) (gradients []float64, doubts string, err error), error,
) {
	for i, x := range takes {
		if !slices.Contains([]string{Final.String(), Min.String(), Max.String()}, x) {
			return nil, &model.Problems{List: []*model.Problem{{Path: document.Entry("$.terms", i) + ".take", Value: fault.Name(x),
				Rule: "has no gradients; final, min and max have"}}}
		}
	}
	of := &Objective{At: AtRun, Run: runs.Options{
		Until: o.Until, Every: o.Every, Integrator: o.Integrator, Step: o.Step, Tolerance: o.Tolerance,
		Rho: o.Rho, Annihilate: o.Annihilate, Stabilization: o.Stabilization,
	}}
	for i, c := range columns {
		of.Terms = append(of.Terms, Term{Name: c, Column: c, Take: Take(slices.Index(takeNames, takes[i])), Weight: 1, Power: 1})
	}
	for _, p := range paths {
		of.Parameters = append(of.Parameters, Parameter{Name: p, Paths: []string{p}})
	}
	g, err := NewProblem(of, "", Source{Text: text, Name: "model", Folder: folder})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, text []byte) ([]float64, string, error) {
		p, err := g.withModel(text)
		if err != nil {
			return nil, "", err
		}
		r, err := p.Gradient(ctx)
		if err != nil {
			return nil, "", err
		}
		list := make([]float64, 0, len(columns)*len(paths))
		for i := range columns {
			for k := range paths {
				list = append(list, r.Parameters[k].Terms[i])
			}
		}
		return list, r.Run.doubts(), nil
	}, nil
}

// doubts returns text about the limits of the gradients of a run; "" if there are none.
func (r *RunResult) doubts() string {
	var list []string
	if r.TooLong() {
		list = append(list, fmt.Sprintf("steps are too long, and make gradients %.3g-fold larger where the motion makes them smaller",
			r.Unstable))
	}
	if r.Exponential() {
		list = append(list, fmt.Sprintf("gradients grow exponentially, %.3g-fold over the first half of the run", r.Growth))
	}
	var smooth, rough []string
	for _, x := range r.Kinks {
		if x.Rough {
			rough = append(rough, x.Name)
		} else {
			smooth = append(smooth, x.Name)
		}
	}
	if len(smooth) > 0 {
		list = append(list, "gradients are of one side at corners of "+fault.List(smooth))
	}
	if len(rough) > 0 {
		list = append(list, "gradients are of the steps over corners, and may be far from the motion's, at "+fault.List(rough))
	}
	return strings.Join(list, "; ")
}
