package taskfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/timetable"
	"github.com/rung-mbd/rung/joints"
)

// mostPathBytes is the largest length of a file of waypoints.
const mostPathBytes = 1 << 30

// pathColumns are the endings of the names of columns for a target, in groups of which a file has all or none.
var pathColumns = [][]string{{"px", "py", "pz"}, {"qw", "qx", "qy", "qz"}, {"value"}}

// pathFile reads the waypoints of a CSV file: a line of names, time and TARGET.px … TARGET.qz or TARGET.value, and a line of numbers for
// each time. It calls report for each fault, with the value, and the rule with line and column.
type pathFile struct {
	rows         *timetable.Reader
	report       func(value, rule string)
	path         *ik.Path
	column       []func(x float64) // for each column, a function that stores a number of the present line
	time         int               // number of the column time
	orientations []orientation
	bad          bool // a fault has been reported
}

// orientation is a target with orientations in a file.
type orientation struct{ column, target int } // number of its first column, and of the target in path.Targets

// readPathFile adds the times and waypoints of the file name in folder to p. It calls report for each fault.
func readPathFile(folder fs.FS, name string, p *ik.Path, report func(value, rule string)) {
	if folder == nil {
		report(fault.Name(name), "cannot be read: the task is not read from a folder")
		return
	}
	if !fs.ValidPath(name) {
		report(fault.Name(name), "is no path below the folder of the task, with slashes")
		return
	}
	file, err := folder.Open(name)
	if err != nil {
		why := new(fs.PathError)
		if errors.As(err, &why) {
			err = why.Err
		}
		report(fault.Name(name), fmt.Sprintf("cannot be read in the folder of the task: %v", err))
		return
	}
	defer file.Close()
	limited := &io.LimitedReader{R: file, N: mostPathBytes}
	f := &pathFile{path: p, report: func(value, rule string) { report(value, "in "+fault.Name(name)+": "+rule) }}
	f.read(limited)
	if !f.bad && len(p.Times) < 2 {
		f.report("", "has fewer than two lines of numbers")
	}
	if limited.N == 0 {
		f.report("", fmt.Sprintf("longer than %d bytes", mostPathBytes))
	}
}

// read reads all lines, up to the first one with a fault.
func (f *pathFile) read(r io.Reader) {
	rows, err := timetable.NewReader(r)
	if err != nil {
		f.refuse(err)
		return
	}
	f.rows = rows
	f.header(rows.Names)
	for lines := 1; !f.bad; lines++ {
		switch err := rows.Next(); {
		case err == io.EOF:
			return
		case err != nil:
			f.refuse(err)
		case lines > joints.MaxTimes:
			f.wrong("", fmt.Sprintf("has more than %d times", joints.MaxTimes))
		default:
			f.line()
		}
	}
}

// refuse reports an error of the reader, with its value and place if it has them, and ends the reading.
func (f *pathFile) refuse(err error) {
	if at := new(timetable.Fault); errors.As(err, &at) {
		f.wrong(at.Value, at.Where()+at.Rule)
		return
	}
	f.wrong("", err.Error())
}

// wrong reports a fault and ends the reading.
func (f *pathFile) wrong(value, rule string) {
	f.bad = true
	f.report(value, rule)
}

// refuseCell reports a broken rule for cell c of the present line, and ends the reading.
func (f *pathFile) refuseCell(c int, rule string) { f.refuse(f.rows.Fault(c, rule)) }

// header sets f.column by the names of the columns, f.time, f.orientations and the targets of the path, and reports each fault of a name.
func (f *pathFile) header(names []string) {
	f.column = make([]func(float64), len(names))
	columnOf := make(map[string]int, len(names))
	for c, name := range names {
		if _, ok := columnOf[name]; ok {
			f.refuseCell(c, "is given twice")
		}
		columnOf[name] = c
	}
	if c, ok := columnOf[timetable.Time]; ok {
		f.time = c
		f.column[c] = func(t float64) { f.path.Times[len(f.path.Times)-1] = t }
	} else {
		f.wrong("", "there is no column "+timetable.Time+fault.Meant(timetable.Time, names...))
	}
	targetOf := map[string]int{} // numbers of the targets in f.path.Targets
	for c, name := range names {
		cut := strings.LastIndexByte(name, '.')
		if name == timetable.Time {
			continue
		}
		group := slices.IndexFunc(pathColumns, func(g []string) bool { return slices.Contains(g, name[cut+1:]) })
		if cut <= 0 || group < 0 {
			f.refuseCell(c, "is no column: want time, TARGET.px, py, pz, TARGET.qw, qx, qy, qz, or TARGET.value")
			continue
		}
		target := name[:cut]
		for _, part := range pathColumns[group] {
			if _, ok := columnOf[target+"."+part]; !ok {
				f.refuseCell(c, "lacks its column "+fault.Name(target+"."+part))
			}
		}
		i, ok := targetOf[target]
		if !ok {
			i = len(f.path.Targets)
			targetOf[target] = i
			f.path.Targets = append(f.path.Targets, ik.Waypoints{Target: target})
		}
		if name[cut+1:] == "qw" {
			f.orientations = append(f.orientations, orientation{c, i})
		}
		f.column[c] = f.store(i, group, slices.Index(pathColumns[group], name[cut+1:]))
	}
}

// store returns a function that stores number k of a group of columns (pathColumns) in the waypoint of target i at the last time.
func (f *pathFile) store(i, group, k int) func(x float64) {
	return func(x float64) {
		w, n := &f.path.Targets[i], len(f.path.Times)
		switch group {
		case 0:
			w.Position = upTo(w.Position, n)
			w.Position[n-1][k] = x
		case 1:
			w.Orientation = upTo(w.Orientation, n)
			w.Orientation[n-1][k] = x
		default:
			w.Value = append(w.Value, x)
		}
	}
}

// upTo returns list, filled up to n entries with zeros.
func upTo[T any](list []T, n int) []T {
	for len(list) < n {
		list = append(list, *new(T))
	}
	return list
}

// line adds the time and waypoints of the present line to the path, unless it has a fault.
func (f *pathFile) line() {
	x := make([]float64, len(f.column))
	for c := range x {
		var err error
		if c == f.time {
			x[c], err = f.rows.After(c)
		} else {
			x[c], err = f.rows.Number(c)
		}
		if err != nil {
			f.refuse(err)
		}
	}
	if f.bad {
		return
	}
	f.path.Times = append(f.path.Times, 0)
	for c, store := range f.column {
		store(x[c])
	}
	for _, o := range f.orientations {
		q := &f.path.Targets[o.target].Orientation[len(f.path.Times)-1]
		if !document.NearUnit(q) {
			at := f.rows.Fault(o.column, document.RuleQuaternion)
			f.wrong(document.Numbers(q[:]), at.Where()+at.Rule)
		}
	}
}
