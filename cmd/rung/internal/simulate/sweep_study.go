//go:build !small

package simulate

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
	"github.com/rung-mbd/rung/study/table"
)

// sweeper is a sweep with its files.
type sweeper struct {
	*sweep.Sweep
	f       *sweepFlags
	path    string // of the study
	study   *study.Study
	columns *study.Columns

	share       sweep.Options
	first, last int               // runs of the share
	part        int               // runs of a part
	warn        func(line string) // writes a line beside the output, also of a quiet sweep
	runs        *table.Table
	paths       *table.Table // nil: none
	p           *shell.Progress

	made, failed atomic.Int64 // runs of this process
}

// refuse returns a problem of the study.
func (s *sweeper) refuse(path, value, rule string) error {
	return &model.Problems{List: []*model.Problem{{File: s.path, Path: path, Value: value, Rule: rule}}}
}

// read reads the study and its model, and returns the checksum of what the rows depend on.
func (s *sweeper) read() (sum string, err error) {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return "", shell.InputError(s.path, err)
	}
	if s.study, err = study.Read(bytes.NewReader(text), s.path); err != nil {
		return "", err
	}
	source, err := s.source()
	if err != nil {
		return "", err
	}
	if s.Sweep, err = sweep.New(s.study, s.path, source); err != nil {
		if e := new(sweep.ModelError); errors.As(err, &e) {
			return "", shell.Failed(e.Name, e.Err)
		}
		return "", err
	}
	s.columns = s.Columns()
	if (len(s.study.Trajectories) > 0) != (s.f.trajectories != "") && len(s.f.from) == 0 {
		if s.f.trajectories == "" {
			return "", shell.UseErrorf("the study keeps trajectories: give --trajectories a file")
		}
		return "", shell.UseErrorf("--trajectories: the study keeps none")
	}
	s.share = sweep.Options{Index: s.f.index, Of: s.f.of, Threads: int(s.f.threads)}
	s.first, s.last, s.part = s.Share(s.share)
	kept := s.Every()
	if len(s.study.Trajectories) == 0 {
		kept = 0
	}
	if err := priceShare(float64(s.last-s.first), s.Span(), kept, s.study.Run.Step, s.refuse); err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %d\n", s.f.index, s.f.of, len(text), len(source.Text))
	h.Write(text)
	h.Write(source.Text)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// source reads the model.
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
	return sweep.Source{Text: text, Name: at, Folder: model.Folder(filepath.Dir(at))}, err
}

// rowOf returns the row of a run.
func rowOf(r *sweep.Result) []table.Cell {
	row := []table.Cell{{Int: int64(r.Run)}}
	for _, x := range r.Parameters {
		row = append(row, table.Cell{Float: x})
	}
	status, reason := table.Cell{Text: study.Done}, table.Cell{Null: true}
	if r.Err != nil {
		status, reason = table.Cell{Text: study.Failed}, table.Cell{Text: reasonOf(r.Err)}
	}
	row = append(row, status, reason)
	for _, x := range r.Outputs {
		row = append(row, table.Cell{Float: x, Null: r.Err != nil})
	}
	return row
}

// reasonOf says in a line why a run failed.
func reasonOf(err error) string {
	if e := new(runs.StartError); errors.As(err, &e) {
		err = e.Err
	}
	return fault.Line(fault.Plain(err).Error())
}

// pathsOf adds the rows over time of a run to others.
func pathsOf(rows [][]table.Cell, r *sweep.Result) [][]table.Cell {
	for _, values := range r.Rows {
		row := make([]table.Cell, 0, 1+len(values))
		row = append(row, table.Cell{Int: int64(r.Run)})
		for _, x := range values {
			row = append(row, table.Cell{Float: x})
		}
		rows = append(rows, row)
	}
	return rows
}
