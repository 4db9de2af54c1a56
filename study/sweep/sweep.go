package sweep

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
)

// Source is the model of a study.
type Source struct {
	Text   []byte // the document, rung-model/1
	Name   string // of its file, in messages
	Folder fs.FS  // of the files that it names; nil: it names none

	// Slopes differentiates runs, for a study with gradients: objective.Slopes of package derive/objective, which this package does not
	// import.
	Slopes Slopes
}

// Sweep is a study with its model, both checked. Runs share it and do not change it, and any number of goroutines may use it
// at a time.
type Sweep struct {
	study   *study.Study
	name    string // of the study's file
	source  Source
	draws   *study.Draws
	columns *study.Columns
	options runs.Options // of each run
	model   *model.Model
	plan    *kkt.Plan
	rollout *rollout // nil: runs are simulated one at a time
}

// Open reads the study at path, a document of rung-study/1, and its model, one of rung-model/1, and prepares them.
//
// It returns the errors of reading them, and the errors of New.
func Open(path string) (*Sweep, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Errorf("study/sweep: %w", err)
	}
	s, err := study.Read(bytes.NewReader(text), path)
	if err != nil {
		return nil, err
	}
	at := s.Model
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(path), at)
	}
	if text, err = os.ReadFile(at); err != nil {
		return nil, fault.Errorf("study/sweep: %w", err)
	}
	return New(s, path, Source{Text: text, Name: at, Folder: model.Folder(filepath.Dir(at))})
}

// New prepares a study of a model, without a run. name stands for the study in messages. The study must not be changed afterwards.
//
// Cost: as rung.NewPlan, and a few rollouts' steps where the study asks for rollouts. It returns the problems of the model,
// *model.Problems with the faults of the study for this model, and the errors of rung.NewPlan. It panics as Study.NewDraws does.
func New(s *study.Study, name string, source Source) (*Sweep, error) {
	w := &Sweep{study: s, name: name, source: source}
	var err error
	if w.model, err = w.read(source.Text, source.Name); err != nil {
		return nil, err
	}
	if _, err := s.NewBase(source.Text, name); err != nil {
		return nil, err
	}
	if w.plan, err = newPlan(w.model); err != nil {
		return nil, &ModelError{source.Name, err}
	}
	all, err := runs.Catalogue(w.plan.Mechanism(), w.model)
	if err != nil {
		return nil, err
	}
	if w.columns, err = s.Columns(all, name); err != nil {
		return nil, err
	}
	if err := w.setOptions(); err != nil {
		return nil, err
	}
	if study.IsRollout(s.Run.Integrator) {
		if w.rollout, err = newRollout(w); err != nil {
			return nil, err
		}
	}
	if err := w.checkEnd(); err != nil {
		return nil, err
	}
	if _, err := w.newSlopes(); err != nil { // shows before the runs that gradients cannot be computed
		return nil, err
	}
	w.draws = s.NewDraws()
	return w, nil
}

// newPlan does what rung.NewPlan does, which this package cannot import.
func newPlan(m *model.Model) (*kkt.Plan, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, err
	}
	return kkt.NewPlanContext(context.Background(), mech, kkt.Options{MaxNonZeros: kkt.DefaultMaxNonZeros})
}

// ModelError says why the model of a study has no plan.
type ModelError struct {
	Name string // of its file
	Err  error
}

// Error returns the name and the error.
func (e *ModelError) Error() string {
	return fault.Errorf("study/sweep: %s: %w", e.Name, e.Err).Error()
}

// Unwrap returns Err.
func (e *ModelError) Unwrap() error { return e.Err }

// read reads a document of the model.
func (s *Sweep) read(text []byte, name string) (*model.Model, error) {
	return model.ReadIn(context.Background(), bytes.NewReader(text), name, s.source.Folder)
}

// refuse returns a problem of the study.
func (s *Sweep) refuse(path, value, rule string) error {
	return &model.Problems{List: []*model.Problem{{File: s.name, Path: path, Value: value, Rule: rule}}}
}

// Study returns the study.
func (s *Sweep) Study() *study.Study { return s.study }

// Model returns the model, with its own numbers.
func (s *Sweep) Model() *model.Model { return s.model }

// Draws returns the values of the parameters of all runs.
func (s *Sweep) Draws() *study.Draws { return s.draws }

// Columns returns the columns that the runs record.
func (s *Sweep) Columns() *study.Columns { return s.columns }

// Every returns the time between the rows of a run, s.
func (s *Sweep) Every() float64 { return s.options.Every }

// Span returns the time that a run of the model takes, s.
func (s *Sweep) Span() float64 { return s.options.Until - s.plan.Initial().Time }

// Alone returns the reason why the rollouts of a study are stepped one by one and not in lanes; "" if they are in lanes, or if
// the study has none.
func (s *Sweep) Alone() string {
	if s.rollout == nil {
		return ""
	}
	return s.rollout.alone
}
