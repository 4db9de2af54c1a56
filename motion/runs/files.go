package runs

import (
	"time"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

const (
	// checkpointInterval is the time between two checkpoints if none is given. checkpointShare is the least time between two relative to the
	// time for writing one.
	checkpointInterval = 5 * time.Second
	checkpointShare    = 20
)

// NextCheckpoint returns the time at which the next checkpoint is due, if the writing of the last one began at begun and has just ended.
// between is the time between two checkpoints; 0 stands for 5 s. It is longer if writing would take more than a twentieth of the time of
// a run.
func NextCheckpoint(begun time.Time, between time.Duration) time.Time {
	if between == 0 {
		between = checkpointInterval
	}
	now := time.Now()
	return now.Add(max(between, checkpointShare*now.Sub(begun)))
}

// checkpointName returns the name, in messages, of the checkpoint from which the run continues.
func (o *Options) checkpointName() string {
	if o.Resume != nil {
		return "Resume"
	}
	return o.Files.Checkpoint
}

// findCheckpoint stores in s.check the checkpoint from which the run continues, and checks the times of the options with it. It returns an
// *OptionError, and errors of reading the checkpoint.
func (s *Simulation) findCheckpoint() (err error) {
	c := s.o.Resume
	if c == nil {
		if c, err = sim.ReadCheckpoint(s.o.Files.Checkpoint); err != nil {
			return fault.Errorf("motion/runs: %w", err)
		}
	}
	if s.o.Until != 0 && c.Time > s.o.Until {
		return wrong("Until", "%s: the run is at %v s already, after {Until} %v", s.o.checkpointName(), c.Time, s.o.Until)
	}
	s.check = c
	return s.o.Span(c.Start)
}

// Open creates the files, or, if the run continues from a checkpoint, opens the existing ones; Run calls Open if it has not been called.
// Open writes a checkpoint, so that the trajectory is never beside the checkpoint of another run. It changes no file before it holds the
// file of the checkpoint, which no other process can then write.
//
// It returns the errors of Record.Open, and the same error again in later calls.
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

// open is Open without its check for earlier calls.
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
	return s.writeCheckpoint()
}

// writeCheckpoint writes a checkpoint to its file, if there is one, and sets the time of the next one.
func (s *Simulation) writeCheckpoint() error {
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

// Checkpoint returns a checkpoint of the present state of the run, for programs that store it themselves and give it to Options.Resume.
func (s *Simulation) Checkpoint() (*sim.Checkpoint, error) {
	c, err := s.sim.Checkpoint()
	if err == nil {
		err = s.record.MarkLines(c)
	}
	return c, err
}

// Close writes the last checkpoint and closes the files.
//
// After a Run without an error, Close writes the row at the end, if Every does not divide the time, and the new files replace the old ones.
// After a Run with an error, or without a Run, the new files replace the old ones if there is a checkpoint from which the run can continue.
// Otherwise the old files stay, and Left names the files with the rows. After a panic in Run the old files always stay, and so does the
// checkpoint that was written before the panic.
//
// It returns the first error, a *FileError if a file could not be written. A second Close does nothing.
func (s *Simulation) Close() error {
	if s.closed || !s.opened {
		s.Release()
		return nil
	}
	s.closed = true
	var err error
	if !s.running {
		err = s.writeCheckpoint()
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

// Left returns, for each new file that has not replaced the old one, a text with the names of both.
func (s *Simulation) Left() []string { return s.record.left }

// Release gives the files free for other writers, without closing them properly: they stay as if the process had been killed. Close calls
// Release.
func (s *Simulation) Release() {
	s.closed = true
	s.record.Release()
	if s.marks != nil {
		_ = s.marks.Release()
		s.marks = nil
	}
}
