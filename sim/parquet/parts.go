package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

const (
	partEnding = ".parquet"
	// newPart is the name of the part that is being written. Readers of folders ignore such names.
	newPart = ".rung-new"
)

// folder returns the path of the folder of the parts, and part the path of part g.
func (r *Recorder) folder() string { return r.path + PartsEnding }
func (r *Recorder) part(g int) string {
	return filepath.Join(r.folder(), fmt.Sprintf("%06d"+partEnding, g))
}

// partName reports whether name is the name of a part.
func partName(name string) bool {
	digits, ok := strings.CutSuffix(name, partEnding)
	return ok && len(digits) >= 6 && strings.Trim(digits, "0123456789") == ""
}

// ownFile reports whether the file at path is a trajectory of the format, of any model, or a damaged one.
func ownFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	p, err := pq.OpenFile(f, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		was, err := outfile.Remnant(path, magic)
		return err == nil && was
	}
	if v, _ := p.Lookup(FormatKey); v == Format {
		return true
	}
	v, _ := p.Lookup(sealKey) // the key of the format may be damaged
	return v != "" && outfile.CheckSealOf(path) != nil
}

// ownParts returns the files of the folder that are parts, of this recording and others, and the number all of its files.
// If strict is set, it returns an error for another file with the name of a part.
func (r *Recorder) ownParts(strict bool) (own []string, all int, err error) {
	entries, err := os.ReadDir(r.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		path := filepath.Join(r.folder(), e.Name())
		switch {
		case e.Name() == newPart && e.Type().IsRegular(), partName(e.Name()) && ownFile(path):
			own = append(own, path)
		case partName(e.Name()) && strict:
			return nil, 0, fmt.Errorf("sim/parquet: %s is in the way of a part of the trajectory, but is none", path)
		}
	}
	return own, len(entries), nil
}

// removeParts removes the parts, and their folder if that is then empty. If strict is set and another file has the name of a part, it
// returns an error and removes nothing.
func (r *Recorder) removeParts(strict bool) error {
	own, all, err := r.ownParts(strict)
	if err != nil {
		return err
	}
	for _, path := range own {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return r.removeFolder(all == len(own))
}

// removeFolder removes the folder of the parts if it is empty and not a link.
func (r *Recorder) removeFolder(empty bool) error {
	if info, err := os.Lstat(r.folder()); err != nil || !empty || !info.IsDir() {
		return nil // it is not there or not to be removed
	}
	return os.Remove(r.folder())
}

// resume finds and reads the rows before position. A group is in its part if there is one,
// else in the file. If the file is of an earlier run, all groups have parts. sum is the checksum of the rows, or "".
func (r *Recorder) resume(position int64, sum string) error {
	if _, _, err := r.ownParts(true); err != nil {
		return err
	}
	whole, err := r.format.open(r.path)
	if err != nil && (position == 0 || !r.hasPart(0)) {
		return err
	}
	if err == nil {
		defer whole.Close()
	}
	for r.kept < r.group && !r.hasPart(r.kept) && whole.rows(r.kept) == r.rows {
		r.kept++
	}
	err = r.checkKept(r.kept > 0)
	partial := false
	if err == nil {
		partial, err = r.reread(whole)
	}
	if err != nil {
		return fault.Errorf("sim/parquet: %s and its parts do not have the %d rows at which the checkpoint goes on: %w", r.path, position, err)
	}
	if sum != "" && sum != r.Sum() {
		return fault.Errorf("sim/parquet: %s: %w: the checksum of its first %d rows is %s, that of the rows of the run %s", r.path, sim.ErrCheckpoint, position, r.Sum(), sum)
	}
	r.done = r.kept == r.group && !partial && whole.total() == position
	return nil
}

// hasPart reports whether there is a part g.
func (r *Recorder) hasPart(g int) bool {
	_, err := os.Lstat(r.part(g))
	return err == nil
}

// reread reads all rows up to the position, and updates the checksum. It reports whether the rows of the last, incomplete group are from
// its part.
func (r *Recorder) reread(whole *file) (part bool, err error) {
	for g := range r.group {
		if err := r.readGroup(r.values, g); err != nil {
			return false, err
		}
		for i := range r.rows {
			r.note(i)
		}
	}
	if r.fill == 0 {
		return false, nil
	}
	part, err = r.refill(whole)
	for i := range r.fill {
		r.note(i)
	}
	return part, err
}

// refill reads the rows of the last, incomplete group from its part, or from the file if the part is missing or
// has too few rows, as after an earlier Mark. It reports whether the part was read.
func (r *Recorder) refill(whole *file) (part bool, err error) {
	if r.hasPart(r.group) {
		p, err := r.format.openPart(r.part(r.group))
		if err != nil {
			return false, err
		}
		defer p.Close()
		if p.rows(0) >= r.fill {
			return true, p.readTo(r.values, r.rows, 0, r.fill)
		}
	}
	if whole.rows(r.group) < r.fill {
		return false, fmt.Errorf("sim/parquet: %s: %w", r.path, errShort)
	}
	if err := r.checkKept(r.kept == 0); err != nil { // for kept > 0 resume has checked
		return false, err
	}
	return false, whole.readTo(r.values, r.rows, r.group, r.fill)
}
