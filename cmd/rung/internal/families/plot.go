package families

import (
	"errors"
	"fmt"
	"io"

	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
)

// WritePlot draws the time of an evaluation over the number of bodies, a line for each family and method, in the format
// svg or png. With several methods, the lines of all methods but the sparse one are thin.
func WritePlot(w io.Writer, records []growth.Record, format string) error {
	if len(records) == 0 {
		return errors.New("nothing measured, so nothing to plot")
	}
	all := growth.Groups(records)
	lines := make([]picture.Line, len(all))
	several := false
	for i, group := range all {
		lines[i] = lineOf(group)
		several = several || lines[i].Method != lines[0].Method
	}
	for i := range lines {
		lines[i].Thin = several && lines[i].Method != sparseMethod
	}
	return picture.Growth(w, format, lines)
}

// lineOf returns the line of a group. Its name has the family, the method and the fitted exponent.
func lineOf(group []growth.Record) picture.Line {
	l := picture.Line{Family: group[0].Family, Method: group[0].Method}
	l.Name = l.Family + ", " + l.Method
	if f := growth.Fits(group, growth.Time)[0]; f.Exponent != nil {
		l.Name += fmt.Sprintf(": n^%.2f", *f.Exponent)
	}
	for i := range group {
		l.Bodies = append(l.Bodies, float64(group[i].Bodies))
		l.Time = append(l.Time, growth.Time(&group[i]))
	}
	return l
}
