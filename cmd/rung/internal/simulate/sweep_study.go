//go:build !small

package simulate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// sweeper is one run of rung sweep.
type sweeper struct {
	*sweep.Sweep
	f       *sweepFlags
	path    string // of the study
	study   *study.Study
	columns *study.Columns

	first, last int               // the share has the runs from first to last−1
	warn        func(line string) // writes a warning to stderr, even with --quiet
	p           *shell.Progress
}

// refuse returns an error of input: the value at the path in the study breaks the rule.
func (s *sweeper) refuse(path, value, rule string) error {
	return &model.Problems{List: []*model.Problem{{File: s.path, Path: path, Value: value, Rule: rule}}}
}

// read reads the study and its model, and checks them, the flags on trajectories, and the size of the share.
func (s *sweeper) read() (err error) {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return shell.InputError(s.path, err)
	}
	if s.study, err = study.Read(bytes.NewReader(text), s.path); err != nil {
		return err
	}
	source, err := s.source()
	if err != nil {
		return err
	}
	if s.Sweep, err = sweep.New(s.study, s.path, source); err != nil {
		if e := new(sweep.ModelError); errors.As(err, &e) {
			return shell.Failed(e.Name, e.Err)
		}
		return err
	}
	s.columns = s.Columns()
	if (len(s.study.Trajectories) > 0) != (s.f.trajectories != "") && len(s.f.from) == 0 {
		if s.f.trajectories == "" {
			return shell.UseErrorf("the study keeps trajectories: give --trajectories a file")
		}
		return shell.UseErrorf("--trajectories: the study keeps none")
	}
	s.first, s.last, _ = s.Share(sweep.Options{Index: s.f.index, Of: s.f.of})
	kept := s.Every() // interval of kept rows, s; 0: none are kept
	if len(s.study.Trajectories) == 0 {
		kept = 0
	}
	return priceShare(float64(s.last-s.first), s.Span(), kept, s.study.Run.Step, s.refuse)
}

// source reads the model that the study names; a relative name is taken from the folder of the study.
func (s *sweeper) source() (source sweep.Source, err error) {
	at := s.study.Model
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(s.path), at)
	}
	if !shell.IsModel(at) {
		return source, s.refuse("$.model", s.study.Model, "is no file of a model: those end in "+strings.Join(shell.Endings(true), ", "))
	}
	for _, out := range [...]string{s.f.output, s.f.trajectories, s.f.plot} {
		if err := shell.Apart(out, "the file would replace the model", at); err != nil {
			return source, err
		}
	}
	text, err := shell.ReadDocument(at, s.p)
	return sweep.Source{Text: text, Name: at, Folder: model.Folder(filepath.Dir(at)), Slopes: objective.Slopes}, err
}
