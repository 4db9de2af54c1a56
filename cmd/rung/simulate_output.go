package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// The endings of the trajectories that are written.
const (
	csvEnding     = ".csv"
	parquetEnding = ".parquet"
)

// trajectory is a file that is written, or standard output.
type trajectory interface {
	sim.Recorder
	// Close leaves it complete.
	Close() error
}

// openTrajectory opens the trajectory of f with these columns, which exists already
// if position is that of a checkpoint, and not negative.
func (f *simulateFlags) openTrajectory(columns *sim.Columns, position int64, stdout io.Writer) (trajectory, error) {
	if strings.EqualFold(filepath.Ext(f.output), parquetEnding) {
		t, err := openParquet(f.output, columns, position)
		if err != nil {
			return nil, plainSim(inputError(f.output, err))
		}
		return t, nil
	}
	if position < 0 {
		return newCSV(f.output, columns, stdout)
	}
	file, err := os.OpenFile(f.output, os.O_RDWR, 0)
	if err != nil {
		return nil, inputError(f.output, err)
	}
	t, err := sim.ResumeCSV(file, columns, position)
	if err != nil {
		return nil, errors.Join(plainSim(err), file.Close())
	}
	return &csvFile{t, file}, nil
}

func openParquet(path string, columns *sim.Columns, position int64) (*parquet.Recorder, error) {
	if position < 0 {
		return parquet.New(path, columns, parquet.Options{})
	}
	return parquet.Resume(path, columns, position, parquet.Options{})
}

// newCSV begins a file, or takes stdout. It is a failure if the header cannot be written.
func newCSV(path string, columns *sim.Columns, stdout io.Writer) (*csvFile, error) {
	t := &csvFile{}
	if path != stdio {
		var err error
		if t.file, err = os.Create(path); err != nil {
			return nil, inputError(path, err)
		}
		stdout = t.file
	}
	var err error
	if t.CSV, err = sim.NewCSV(stdout, columns); err != nil {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
		}
		return nil, failed("", inputError(path, err))
	}
	return t, nil
}

// csvFile is a trajectory of comma-separated values.
type csvFile struct {
	*sim.CSV
	file *os.File // nil for standard output
}

// Close implements trajectory.
func (t *csvFile) Close() error {
	err := t.Flush()
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
	}
	return err
}

// chosenJoints returns the numbers of the joints of --wrenches.
func (f *simulateFlags) chosenJoints(mech *mechanism.Mechanism) ([]int, error) {
	var chosen []int
	seen := map[int]bool{}
	for _, name := range f.wrenches {
		j, err := mech.JointIndex(name)
		if err != nil {
			return nil, useErrorf("--wrenches: no joint %s", fault.Name(name))
		}
		if seen[j] {
			return nil, useErrorf("--wrenches: joint %s is given twice", fault.Name(name))
		}
		seen[j] = true
		chosen = append(chosen, j)
	}
	return chosen, nil
}
