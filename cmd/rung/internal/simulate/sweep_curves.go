//go:build !small

package simulate

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

const (
	// mostCurves is the largest number of runs whose curves are drawn. If there are more, only those of every second run are, or
	// of every third one, and so on.
	mostCurves = 400
	timeColumn = "time" // name of the column of time in tables of trajectories
)

// sweepCurves is the picture of --plot-curves: a curve for each run, and their mean.
type sweepCurves struct {
	names  []string // of the three columns in a table: number of the run, X and Y
	of     int      // runs in the study
	every  int      // only runs with numbers divisible by every are drawn
	bundle picture.Bundle
	runs   int          // that have rows
	last   int64        // run of the row before, −1 at the beginning of a table
	row    int          // rows of the run so far
	sums   [][2]float64 // of X and Y over all runs, by the number of the row in its run
	counts []int        // runs that have such a row
}

// newSweepCurves chooses the columns of the curves: one column over time, or the second column over the first. It returns an
// error of bad use for a column that the study does not keep over time.
func newSweepCurves(model string, s *study.Study, columns *study.Columns, names []string) (*sweepCurves, error) {
	kept := columns.Names[:columns.Trajectories]
	c := &sweepCurves{names: []string{study.RunColumn}, of: s.Runs(), every: (s.Runs() + mostCurves - 1) / mostCurves}
	labels, units := []string{}, []string{}
	if len(names) == 1 {
		c.names, labels, units = append(c.names, timeColumn), append(labels, timeColumn+", s"), append(units, "s")
	}
	for _, name := range names {
		i := slices.Index(kept, name)
		if i < 0 {
			return nil, shell.UseErrorf("--plot-curves: the study keeps no trajectory %s; there are %s%s", fault.Name(name), fault.List(kept), fault.AfterList(fault.Meant(name, kept...)))
		}
		label := fault.Text(name, labelName)
		if columns.Units[i] != "" {
			label += ", " + columns.Units[i]
		}
		c.names, labels, units = append(c.names, name), append(labels, label), append(units, columns.Units[i])
	}
	c.bundle = picture.Bundle{Title: sheet.ModelTitle(model), XLabel: labels[0], YLabel: labels[1], Square: units[0] == units[1] && len(names) > 1}
	return c, nil
}

// fromTables writes the picture of the trajectories in the tables to path. Each run may be in one table only.
func (c *sweepCurves) fromTables(tables []string, path string, stdout io.Writer) error {
	columns := []table.Column{{Name: c.names[0], Kind: table.Int}, {Name: c.names[1], Kind: table.Float}, {Name: c.names[2], Kind: table.Float}}
	seen := map[int64]bool{}
	for _, from := range tables {
		c.last = -1 // so that a run at the end of one table and the beginning of the next one is noticed as double
		err := table.Read(from, study.TrajectoriesFormat, columns, func(row []table.Cell) error {
			if run := row[0].Int; run != c.last {
				switch {
				case run < 0 || run >= int64(c.of):
					return fmt.Errorf("run %d is none of the study, which has %d", run, c.of)
				case seen[run]:
					return fmt.Errorf("run %d is there twice", run)
				}
				seen[run] = true
			}
			return c.take(row)
		})
		if err != nil {
			return shell.InputError(from, err)
		}
	}
	if len(c.sums) < 2 || len(c.bundle.Lines) == 0 {
		return shell.Failed("", errors.New("nothing to draw: no run that is drawn has two rows"))
	}
	c.end()
	return shell.WriteFile(path, stdout, func(w io.Writer) error {
		return picture.Curves(w, strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."), &c.bundle)
	})
}

// take adds a row of a table: number of the run, X and Y. It returns an error if X or Y is missing or beyond mostDrawn.
func (c *sweepCurves) take(row []table.Cell) error {
	for i, cell := range row[1:] {
		if cell.Null || !(math.Abs(cell.Float) <= mostDrawn) {
			name := fault.Name(c.names[1+i])
			return fmt.Errorf("run %d has %s for %s, a picture has room for numbers up to %g", row[0].Int, cellText(cell), name, mostDrawn)
		}
	}
	c.add(row[0].Int, [2]float64{row[1].Float, row[2].Float})
	return nil
}

// add adds a row of a run to the sums and, if the run is drawn, to its curve. Rows of a run follow one another.
func (c *sweepCurves) add(run int64, at [2]float64) {
	if run != c.last {
		c.last, c.row = run, 0
		c.runs++
		if run%int64(c.every) == 0 {
			c.bundle.Lines = append(c.bundle.Lines, nil)
		}
	}
	if c.row == len(c.sums) {
		c.sums, c.counts = append(c.sums, [2]float64{}), append(c.counts, 0)
	}
	c.sums[c.row][0] += at[0]
	c.sums[c.row][1] += at[1]
	c.counts[c.row]++
	c.row++
	if run%int64(c.every) == 0 {
		last := len(c.bundle.Lines) - 1
		c.bundle.Lines[last] = append(c.bundle.Lines[last], at)
	}
}

// end sets the mean curve, over the rows that all runs have, and the title.
func (c *sweepCurves) end() {
	for i, n := range c.counts {
		if n == c.runs {
			c.bundle.Middle = append(c.bundle.Middle, [2]float64{c.sums[i][0] / float64(n), c.sums[i][1] / float64(n)})
		}
	}
	c.bundle.Title += "\n" + sheet.Plural(c.runs, "run")
	if drawn := len(c.bundle.Lines); drawn < c.runs {
		c.bundle.Title += fmt.Sprintf(", %d drawn", drawn)
	}
	if without := c.of - c.runs; without > 0 {
		c.bundle.Title += fmt.Sprintf(", %d of the study without rows", without)
	}
	if whole := c.counts[len(c.counts)-1]; whole < c.runs {
		c.bundle.Title += fmt.Sprintf(", %d ended before the others", c.runs-whole)
	}
}
