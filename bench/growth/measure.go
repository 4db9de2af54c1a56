package growth

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// sureOver times Options.MaxTime is the predicted time beyond which a size is left out: predictions are not off by so much.
const sureOver = 4

// Measure measures each family by each method, and fits power laws to the times. It measures time and memory of the process and
// sets the pace of the garbage collector, so nothing else should run in the process meanwhile.
//
// It returns an error for an unknown method, the first error that a function of the options returns, the cause for which ctx has
// ended, and, without Options.OnMissing, the first *SizeError other than sizes left out.
func Measure(ctx context.Context, families []Family, o Options) (*Document, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	doc, done := &Document{Records: []Record{}}, int64(0)
	for i := range families {
		for _, method := range o.Methods {
			s := &series{Family: &families[i], o: &o, method: method, done: done}
			if err := s.measureTo(ctx, doc); err != nil {
				return nil, err
			}
			done = s.done
		}
	}
	growing := slices.DeleteFunc(slices.Clone(doc.Records), func(r Record) bool { return r.single })
	doc.Fits, doc.Crossovers, doc.Comparisons = Fits(growing, Time), crossovers(growing), comparisons(doc.Records)
	return doc, nil
}

// series measures the sizes of one family by one method, in increasing order.
type series struct {
	*Family
	o      *Options
	method string
	last   *Record // of the largest size so far; nil before the first
	done   int64   // sum of the sizes that are done, over all series
}

// measureTo measures all sizes and adds their records to doc. After an error that leaves larger sizes out, it only counts these
// as done.
func (s *series) measureTo(ctx context.Context, doc *Document) error {
	over := false
	for _, size := range s.Sizes {
		if over {
			s.done += int64(size)
			continue
		}
		rec, err := s.next(ctx, size)
		s.done += int64(size)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			over = leftOut(err)
			if err := s.missing(size, err, over); err != nil {
				return err
			}
		case rec != nil:
			doc.Records = append(doc.Records, *rec)
			if s.o.OnRecord == nil {
				continue
			}
			if err := s.o.OnRecord(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftOut reports whether err is a reason to leave out larger sizes of the family, too: too long, loops, or too much memory.
func leftOut(err error) bool {
	return errors.Is(err, ErrTooLong) || errors.Is(err, ErrLoops) || errors.Is(err, tree.ErrMemory)
}

// missing treats the error err of a size that has no record: it returns the result of Options.OnMissing, or, if that is nil, the
// error, unless it is an expected one.
func (s *series) missing(size int, err error, expected bool) error {
	e := &SizeError{s.Name, s.method, size, err}
	switch {
	case s.o.OnMissing != nil:
		return s.o.OnMissing(e)
	case expected:
		return nil
	}
	return e
}

// next measures the model for a size. It returns a nil record if that model has been measured already, for a smaller size, and
// ErrTooLong if the record before has exceeded the limit.
func (s *series) next(ctx context.Context, size int) (*Record, error) {
	if s.exceeds(s.last) {
		return nil, ErrTooLong
	}
	n := size
	if s.Bodies != nil {
		n = s.largest(size)
		if nb, err := s.Bodies(n); err != nil || s.last != nil && s.last.Bodies == nb {
			return nil, err
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	mech, base, err := s.prepare(ctx, n, size)
	if err != nil {
		return nil, err
	}
	measure := s.measureSparse
	if s.method != sparseMethod {
		measure = s.measureTree
	}
	rec, err := measure(ctx, mech, base, size)
	if err != nil {
		return nil, err
	}
	s.last = rec
	return rec, nil
}

// exceeds reports whether an evaluation of rec took longer than Options.MaxTime. rec may be nil.
func (s *series) exceeds(rec *Record) bool {
	limit := s.o.MaxTime.Nanoseconds()
	return limit > 0 && rec != nil && rec.TotalNs > limit
}

// newRecord returns a record of a measurement on one thread.
func (s *series) newRecord(mech *mechanism.Mechanism, unknowns int, times timing) *Record {
	return &Record{
		Family: s.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Unknowns: unknowns,
		Method: s.method, Threads: 1, single: s.single,
		AssembleNs: times[0], FactorNs: times[1], SolveNs: times[2], TotalNs: times[3],
	}
}

// prepare makes and compiles the model of size n, and resets the peak of the process's memory. base is the memory, bytes, that
// the process held before.
func (s *series) prepare(ctx context.Context, n, size int) (mech *mechanism.Mechanism, base int64, err error) {
	s.stage("generating", size)
	debug.FreeOSMemory()
	base = machine.ResidentBytes()
	if mech, err = s.mechanism(ctx, n); err != nil {
		return nil, 0, err
	}
	debug.FreeOSMemory()
	machine.ResetPeak()
	s.stage("analysing", size)
	return mech, base, nil
}

// mechanism makes and compiles the model of size n. It keeps no reference to the model.
func (s *series) mechanism(ctx context.Context, n int) (*mechanism.Mechanism, error) {
	m, err := s.Model(n)
	if err != nil {
		return nil, err
	}
	return mechanism.NewContext(ctx, m)
}

// manyBodies is the number of bodies from which on the matrices take some megabytes. Smaller ones do not show in the memory of a
// process.
const manyBodies = 1000

// freeLarge returns garbage to the system at once if the model has manyBodies bodies or more.
func freeLarge(bodies int) {
	if bodies >= manyBodies {
		debug.FreeOSMemory()
	}
}

// nameWidth is the largest width of the name of a family in a stage, in characters.
const nameWidth = 60

// stage tells Options.OnStage that an activity, such as "analysing", begins for a size.
func (s *series) stage(activity string, size int) {
	if s.o.OnStage != nil {
		s.o.OnStage(fmt.Sprintf("%s %s, size %d, %s", activity, fault.Text(s.Name, nameWidth), size, s.method), s.done)
	}
}
