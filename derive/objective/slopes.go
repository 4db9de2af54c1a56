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

// Slopes returns what differentiates runs with the options o of a model, whose document is text, and of others that have other numbers:
// columns of a trajectory, of which each takes final, min or max (takes), by the numbers at paths. What is returned has the gradients of
// each column by each path, one after the other, and tells what they hold for only: one side of corners, exponential growth. It
// belongs to one goroutine. It is the sweep.Slopes of package study/sweep.
//
// Cost: as NewProblem; a call costs as Problem.Gradient. It returns *model.Problems with $.terms[i] for column i, and .take there for
// another take, $.parameters[k] for path k, and $.run.integrator or $.run.stabilize for one without gradients. A call returns the errors
// of WithModel and Gradient.
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
		p, err := g.WithModel(text)
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

// doubts tells what gradients of a run hold for only.
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
