package runs

import (
	"time"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

const (
	// checkpointInterval is the time between two checkpoints, at least
	// checkpointShare times that of writing one.
	checkpointInterval = 5 * time.Second
	checkpointShare    = 20
)

// NextCheckpoint returns when the next checkpoint is due after one that has been begun and has just been written, where
// two are to be some time apart; 0 stands for 5 s. Writing takes a twentieth of the time of a run at most.
func NextCheckpoint(begun time.Time, between time.Duration) time.Time {
	if between == 0 {
		between = checkpointInterval
	}
	now := time.Now()
	return now.Add(max(between, checkpointShare*now.Sub(begun)))
}

// resumes returns what messages call the checkpoint to go on from.
func (o *Options) resumes() string {
	if o.Resume != nil {
		return "Resume"
	}
	return o.Files.Checkpoint
}

// findCheckpoint finds where to go on.
func (s *Simulation) findCheckpoint() (err error) {
	c := s.o.Resume
	if c == nil {
		if c, err = sim.ReadCheckpoint(s.o.Files.Checkpoint); err != nil {
			return fault.Errorf("motion/runs: %w", err)
		}
	}
	if s.o.Until != 0 && c.Time > s.o.Until {
		return wrong("Until", "%s: the run is at %v s already, after {Until} %v", s.o.resumes(), c.Time, s.o.Until)
	}
	s.check = c
	return s.o.Span(c.Start)
}

// Open opens the files, or, with Files.Resume, those that are there; Run does it where that has not been done. For a new
// run it writes the first checkpoint, so that there is never a checkpoint of another run beside a trajectory. It changes
// no file before it knows that it, and nobody else, can write the checkpoint.
//
// Its errors are those of Record.Open. One that has failed fails again.
func (s *Simulation) Open() error {
	if s.opened || s.failed != nil {
		return s.failed
	}
	if s.failed = s.open(); s.failed != nil {
		s.Release()
	}
	s.opened = true
	return s.failed
}

// open takes the files that the run writes, and writes the first checkpoint.
func (s *Simulation) open() (err error) {
	f := &s.o.Files
	if f.Checkpoint != "" {
		if s.marks, err = outfile.Hold(f.Checkpoint); err != nil {
			return err
		}
	}
	if err := s.record.Open(s.check); err != nil {
		return err
	}
	return s.mark()
}

// mark writes a checkpoint if one is wanted.
func (s *Simulation) mark() error {
	if s.marks == nil {
		return nil
	}
	begun := time.Now()
	c, err := s.sim.Checkpoint()
	if err == nil {
		err = s.record.MarkLines(c)
	}
	if err == nil {
		err = failedWrite(s.marks, s.marks.Replace(c.Write))
	}
	s.next = NextCheckpoint(begun, s.o.Files.Between)
	return err
}

// Checkpoint returns what is needed to go on from here, for programs that keep it themselves and give it to Options.Resume.
func (s *Simulation) Checkpoint() (*sim.Checkpoint, error) {
	c, err := s.sim.Checkpoint()
	if err == nil {
		err = s.record.MarkLines(c)
	}
	return c, err
}

// Close writes the last checkpoint and ends the files.
//
// After a Run without an error Close writes the row at the end, where Every does not divide the time, and the files take their places.
// After a Run with an error, and without a Run, the files take their places if there is a checkpoint to go on from. Else the files that
// were there before stay, and Left says where the rows are. After a panic in Run those files stay in any case, and so does the checkpoint
// that was written before the panic.
//
// It returns the first error, a *FileError if it is one of a file. A second Close does nothing.
func (s *Simulation) Close() error {
	if s.closed || !s.opened {
		s.Release()
		return nil
	}
	s.closed = true
	var err error
	if !s.running {
		err = s.mark()
	}
	if err == nil && s.complete {
		err = s.sim.RecordEnd()
	}
	if err != nil || s.running {
		s.record.broken = true
	}
	if e := s.record.Close(s.complete, s.marks != nil); err == nil {
		err = e
	}
	s.Release()
	return err
}

// Left says where rows and lines are that have not taken their places.
func (s *Simulation) Left() []string { return s.record.left }

// Release lets others write the files, and leaves them as a process that is killed does. Close does it, too.
func (s *Simulation) Release() {
	s.closed = true
	s.record.Release()
	if s.marks != nil {
		_ = s.marks.Release()
		s.marks = nil
	}
}
