package sweep

import (
	"context"
	"errors"
	"io/fs"
	"regexp"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
)

// Slopes returns a function that differentiates runs with the options o, of a model and of models with other numbers. It differentiates
// the final, least or largest values (takes: "final", "min" or "max") of columns by the numbers at paths. text is the document of the
// model, and folder has its files.
//
// It returns *model.Problems, with $.terms[i] for column i, $.parameters[k] for path k, and $.run.integrator for runs without gradients.
type Slopes = func(text []byte, folder fs.FS, o runs.Options, columns, takes, paths []string) (Differentiated, error)

// Differentiated returns the gradients of one run of the model in text: for column i and path k the entry i·(number of paths) + k. Doubts
// names the limits of their validity, "" if there are none. It belongs to one goroutine.
type Differentiated = func(ctx context.Context, text []byte) (gradients []float64, doubts string, err error)

// newSlopes returns the Differentiated of Source.Slopes for the outputs and gradients of the study, nil if the study asks for no
// gradients. It returns an error if the run has no derivatives. In problems of Source.Slopes it replaces $.terms by $.outputs and
// $.parameters by $.gradients.
func (s *Sweep) newSlopes() (Differentiated, error) {
	if len(s.study.Gradients) == 0 {
		return nil, nil
	}
	of := &s.study.Run
	switch {
	case study.IsRollout(of.Integrator):
		return nil, s.refuse("$.run.integrator", fault.Name(of.Integrator), "has no gradients; rk4 has")
	case s.options.Method != motion.Sparse:
		return nil, s.refuse("$.run.method", fault.Name(of.Method), "has no gradients; "+motion.Sparse.String()+" has")
	case len(s.study.Outputs) == 0:
		return nil, s.refuse("$.gradients", "", "are of outputs, and there are none")
	case s.source.Slopes == nil:
		return nil, s.refuse("$.gradients", "", "need Source.Slopes")
	}
	o := s.options
	o.Every, o.Columns = 0, nil // final values need no rows between
	var columns, takes, paths []string
	for i := range s.study.Outputs {
		x := &s.study.Outputs[i]
		columns, takes = append(columns, x.Column), append(takes, x.Take.String())
		if x.Take != study.Final {
			o.Every = s.options.Every
		}
	}
	for k := range s.study.Gradients {
		paths = append(paths, s.study.GradientPath(k))
	}
	d, err := s.source.Slopes(s.source.Text, s.source.Folder, o, columns, takes, paths)
	if bad := new(model.Problems); errors.As(err, &bad) {
		for _, p := range bad.List {
			p.File = s.name
			p.Path = slopesPlace.ReplaceAllStringFunc(p.Path, func(at string) string { return studyPlaces[at] })
		}
	}
	return d, err
}

var (
	slopesPlace = regexp.MustCompile(`^\$\.(terms|parameters)`)
	studyPlaces = map[string]string{"$.terms": "$.outputs", "$.parameters": "$.gradients"}
)

// differentiate stores the gradients of the run of the model in text in k.
func (w *single) differentiate(ctx context.Context, text []byte, k *kept) {
	k.Gradients, k.Doubts, k.GradientErr = w.slopes(ctx, text)
}
