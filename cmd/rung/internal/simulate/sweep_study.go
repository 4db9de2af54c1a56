//go:build !small

package simulate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

// sweep is a study with what its runs share.
type sweep struct {
	f       *sweepFlags
	path    string // of the study
	study   *study.Study
	text    []byte // of the model
	name    string // of the model
	folder  fs.FS  // of the files of the model
	draws   *study.Draws
	columns *study.Columns
	options runs.Options // of each run
	every   float64      // s, between rows
	model   *model.Model
	plan    *rung.Plan
	rollout *rollout // nil: runs are simulated one at a time

	first, last int               // runs of the share
	part        int               // runs of a part
	warn        func(line string) // writes a line beside the output, also of a quiet sweep
	runs        *table.Table
	paths       *table.Table // nil: none
	p           *shell.Progress

	made, failed atomic.Int64 // runs of this process
}

// refuse returns a problem of the study.
func (s *sweep) refuse(path, value, rule string) error {
	return &model.Problems{List: []*model.Problem{{File: s.path, Path: path, Value: value, Rule: rule}}}
}

// read reads the study and its model, and returns the checksum of what the rows depend on.
func (s *sweep) read() (sum string, err error) {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return "", shell.InputError(s.path, err)
	}
	if s.study, err = study.Read(bytes.NewReader(text), s.path); err != nil {
		return "", err
	}
	at := s.study.Model
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(s.path), at)
	}
	if !shell.IsModel(at) {
		return "", s.refuse("$.model", s.study.Model, "is no file of a model: those end in "+strings.Join(shell.Endings(true), ", "))
	}
	for _, out := range [...]string{s.f.output, s.f.trajectories, s.f.plot} {
		if err := shell.Apart(out, "the file would replace the model", at); err != nil {
			return "", err
		}
	}
	if s.text, err = shell.ReadDocument(at, s.p); err != nil {
		return "", err
	}
	s.folder = model.Folder(filepath.Dir(at))
	if s.model, err = model.ReadIn(context.Background(), bytes.NewReader(s.text), at, s.folder); err != nil {
		return "", err
	}
	if _, err := s.study.NewBase(s.text, s.path); err != nil {
		return "", err
	}
	s.name = s.model.Name
	if s.plan, err = rung.NewPlan(s.model, rung.Options{}); err != nil {
		return "", shell.Failed(at, err)
	}
	all, err := runs.Catalogue(s.plan.Mechanism(), s.model)
	if err != nil {
		return "", err
	}
	if s.columns, err = s.study.Columns(all, s.path); err != nil {
		return "", err
	}
	if place, value, err := s.setOptions(); err != nil {
		return "", s.refuse("$.run."+place, value, err.Error())
	}
	o, start := s.options, s.plan.Initial().Time
	for _, err := range []error{o.Check(), checkUntil(o.Until, start), o.Span(start)} {
		if err != nil {
			return "", s.refuse("$.run", "", inFlags(err).Error())
		}
	}
	s.every = o.Every
	if (len(s.study.Trajectories) > 0) != (s.f.trajectories != "") && len(s.f.from) == 0 {
		if s.f.trajectories == "" {
			return "", shell.UseErrorf("the study keeps trajectories: give --trajectories a file")
		}
		return "", shell.UseErrorf("--trajectories: the study keeps none")
	}
	s.draws = s.study.NewDraws()
	s.first, s.last = s.study.Share(s.f.index, s.f.of)
	kept := s.every
	if len(s.study.Trajectories) == 0 {
		kept = 0
	}
	if err := priceShare(float64(s.last-s.first), o.Until-start, kept, o.Step, s.refuse); err != nil {
		return "", err
	}
	least := leastPartRuns
	if study.IsRollout(s.study.Run.Integrator) {
		least = rolloutPartRuns
	}
	s.part = max(least, (s.last-s.first)/mostParts+1)
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %d\n", s.f.index, s.f.of, len(text), len(s.text))
	h.Write(text)
	h.Write(s.text)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// rowSlack is the part of an output interval by which the last row may be before the end of a run.
const rowSlack = 1e-6

// checkEnd refuses rows of which the last is not at the end of a run: final values would be of an earlier time.
func (s *sweep) checkEnd() error {
	start := s.plan.Initial().Time
	rows := (s.options.Until - start) / s.every
	if math.Abs(rows-math.Round(rows)) <= rowSlack && rows > rowSlack {
		return nil
	}
	return s.refuse("$.run.every", document.Number(s.every), fmt.Sprintf("does not go into the run of %v s without remainder: the last row would not be at its end", s.options.Until-start))
}

const (
	leastPartRuns   = 32  // runs of a part
	rolloutPartRuns = 512 // of rollouts, which take less time
	mostParts       = 1 << 16
)

// setOptions sets those of the runs. It returns the field that is wrong.
func (s *sweep) setOptions() (field, value string, err error) {
	r := &s.study.Run
	s.options = runs.Options{
		Until: r.Until, Every: r.Every, Step: r.Step, Tolerance: r.Tolerance, Rho: r.Rho, Annihilate: r.RhoGiven && r.Rho == 0, Start: sim.Close, Columns: s.columns.Names,
	}
	if r.Method != "" {
		var method shell.MethodFlag
		if err := method.Set(r.Method); err != nil {
			return "method", fault.Name(r.Method), err
		}
		s.options.Method = method.Method
	}
	if r.Stabilize != "" {
		var stabilize stabilizeFlag
		if err := stabilize.Set(r.Stabilize); err != nil {
			return "stabilize", fault.Name(r.Stabilize), err
		}
		s.options.Stabilization = stabilize.Stabilization
	}
	if !study.IsRollout(r.Integrator) {
		s.options.Integrator, err = runs.ParseIntegrator(r.Integrator)
		return "integrator", fault.Name(r.Integrator), err
	}
	switch {
	case r.Tolerance > 0:
		return "tolerance", "", errors.New(r.Integrator + " has no error control")
	case r.Method != "":
		return "method", fault.Name(r.Method), errors.New("is not for " + r.Integrator + ", which has a method of its own")
	case r.Stabilize != "":
		return "stabilize", fault.Name(r.Stabilize), errors.New("is not for " + r.Integrator + ", which closes the joints by itself")
	}
	s.options.Integrator = runs.RungeKutta4 // which takes the same times
	return "", "", nil
}
