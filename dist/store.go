package dist

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/rung-mbd/rung/sim"
)

// Store keeps the checkpoints of a run on many ranks. Each rank has two files, such as BASE.rank3.0 and BASE.rank3.1,
// one older than the other. A run may be killed while some ranks have written a checkpoint and others have not. As no
// rank is ever more than one checkpoint ahead, all ranks have one of the same time.
type Store struct {
	comm Comm
	base string
	next int // file that is written next
}

// NewStore returns the store with the given path and beginning of file names. It writes nothing.
func NewStore(c Comm, base string) *Store { return &Store{comm: c, base: base} }

// file returns the name of file i, 0 or 1, of this rank.
func (s *Store) file(i int) string { return fmt.Sprintf("%s.rank%d.%d", s.base, s.comm.Rank(), i) }

// Clear removes the checkpoints of this rank, left by an earlier run.
func (s *Store) Clear() error {
	for i := range 2 {
		if err := os.Remove(s.file(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("dist: %w", err)
		}
	}
	return nil
}

// Save writes a checkpoint of this rank in place of the older one. All ranks save after the same steps, without waiting for
// each other.
func (s *Store) Save(c *sim.Checkpoint) error {
	if err := sim.WriteCheckpoint(s.file(s.next), c); err != nil {
		return err
	}
	s.next = 1 - s.next
	return nil
}

// Latest returns the checkpoint of this rank at the latest time at which all ranks have one, or nil if there is no such
// time. All ranks call it together.
//
// If a file of any rank exists and cannot be read, it returns the error on all ranks.
func (s *Store) Latest() (*sim.Checkpoint, error) {
	var have [2]*sim.Checkpoint
	times := []float64{math.NaN(), math.NaN()}
	var failed error
	for i := range have {
		c, err := sim.ReadCheckpoint(s.file(i))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			failed = err
		default:
			have[i], times[i] = c, c.Time
		}
	}
	if err := Agree(s.comm, failed); err != nil {
		return nil, err
	}
	lists := gatherLists(s.comm, times)
	common := []float64{math.NaN()}
	for _, t := range times { // only the result of rank 0 counts
		all := true
		for _, l := range lists {
			all = all && (l[0] == t || l[1] == t)
		}
		if all && !(common[0] >= t) {
			common[0] = t
		}
	}
	common = same(s.comm, common)
	for i, c := range have {
		if c != nil && c.Time == common[0] {
			s.next = 1 - i
			return c, nil
		}
	}
	return nil, nil
}
