package simulate

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
)

const (
	// curvePoints is the largest number of points of a curve; it is even, as thin merges pairs.
	curvePoints = 4096
	// curveSteps is the largest number of ends of steps that are drawn besides the rows. More points would not be seen.
	curveSteps = 1000
	// leastDrift is drawn in place of a smaller drift, as the axis is logarithmic.
	leastDrift = 1e-18
)

// curves collect the points of the curves of a run in bounded memory, from rows and, as rows may be far apart, from ends of
// steps between them ("rows" below means both). If there are more rows than points, a point stands for stride rows: it has
// the energies and chosen columns of the first of them, and the largest drift.
type curves struct {
	names       []string // of the chosen columns
	units       []string
	chosen      []int                         // places of the columns in a row of the trajectory
	pick        func(extents []float64) []int // returns which chosen columns are drawn, given most − least of each; nil: all
	least, most []float64                     // least and largest value of each chosen column over all rows
	points      [][]float64                   // by the places curveTime, …
	stride      int64                         // rows that a point stands for
	rows        int64                         // rows so far
	last        float64                       // time of the last row, s
}

// Places of the numbers in a point: time, energies, drifts, then from curveChosen on the chosen columns.
const (
	curveTime = iota
	curveKinetic
	curvePotential
	curvePosition
	curveVelocity
	curveChosen
)

// Add adds a row, or the end of a step, with the values of all its columns.
func (c *curves) Add(row *sim.Row, values []float64) {
	c.last = row.State.Time
	for k, i := range c.chosen {
		if c.rows == 0 {
			c.least, c.most = append(c.least, values[i]), append(c.most, values[i])
		}
		c.least[k], c.most[k] = min(c.least[k], values[i]), max(c.most[k], values[i])
	}
	c.keep(row, values)
}

// keep stores the row as a new point, or, if its turn has not come, only raises the drift of the last point to the row's.
func (c *curves) keep(row *sim.Row, values []float64) {
	drift := row.Drift
	if c.rows%c.stride != 0 {
		last := c.points[len(c.points)-1]
		last[curvePosition], last[curveVelocity] = max(last[curvePosition], drift.Position), max(last[curveVelocity], drift.Velocity)
		c.rows++
		return
	}
	if len(c.points) == curvePoints {
		c.thin()
		c.keep(row, values)
		return
	}
	p := []float64{row.State.Time, row.Energy.Kinetic, row.Energy.Potential(), drift.Position, drift.Velocity}
	for _, i := range c.chosen {
		p = append(p, values[i])
	}
	c.points = append(c.points, p)
	c.rows++
}

// thin merges each pair of points into one: the first one with the larger drifts of both.
func (c *curves) thin() {
	half := c.points[:len(c.points)/2]
	for i := range half {
		a, b := c.points[2*i], c.points[2*i+1]
		a[curvePosition], a[curveVelocity] = max(a[curvePosition], b[curvePosition]), max(a[curveVelocity], b[curveVelocity])
		half[i] = a
	}
	c.points = half
	c.stride *= 2
}

// write draws the panels of energies, drift and chosen columns below each other, in the format "svg" or "png".
func (c *curves) write(w io.Writer, model, format string) error {
	kinetic, potential := c.at(curveKinetic), c.at(curvePotential)
	total := make([]float64, len(kinetic))
	for i := range total {
		total[i] = kinetic[i] + potential[i]
	}
	panels := []picture.Panel{
		{Label: "change of energy, J", Changes: true, Curves: []picture.Curve{{Name: "kinetic", Y: kinetic}, {Name: "potential", Y: potential}, {Name: "total", Y: total}}},
		{Label: "drift", Log: true, Curves: []picture.Curve{
			{Name: "position, m or rad", Y: c.drift(curvePosition)}, {Name: "velocity, m/s or rad/s", Y: c.drift(curveVelocity)},
		}},
	}
	panels = append(panels, c.drawn()...)
	return picture.Run(w, format, sheet.ModelTitle(model), c.at(curveTime), panels)
}

// drawn returns the panels of the columns that pick returns, or of all chosen columns without pick: one panel for each unit.
func (c *curves) drawn() (panels []picture.Panel) {
	var units []string
	list := make([]int, len(c.names))
	for i := range list {
		list[i] = i
	}
	if c.pick != nil {
		extents := make([]float64, len(c.names))
		for i := range extents {
			extents[i] = c.most[i] - c.least[i]
		}
		list = c.pick(extents)
	}
	for _, i := range list {
		k := slices.Index(units, c.units[i])
		if k < 0 {
			k = len(units)
			units = append(units, c.units[i])
			panels = append(panels, picture.Panel{Label: c.units[i]})
		}
		panels[k].Curves = append(panels[k].Curves, picture.Curve{Name: fault.Text(c.names[i], plotName), Y: c.at(curveChosen + i)})
	}
	return panels
}

const (
	// plotMost is about the largest number of columns whose extents are tracked to choose the drawn ones. If there are more,
	// only every second body or column, or every third one and so on, is tracked.
	plotMost = 600
	// plotCurves is the number of columns in a picture without --plot-columns.
	plotCurves = 6
	// plotName is the width of a name in a legend, in characters.
	plotName = 22
	// plotLeast is the extent of a coordinate, relative to the largest extent among the coordinates of the body, up to which
	// the coordinate is not drawn.
	plotLeast = 1e-3
)

// moving makes the picture show the body in the trajectory whose position changes most: the coordinates of its position that
// change. If no body moves by more than plotLeast², m, it shows the quaternion that changes most; if none of these does either,
// the position of the first body.
func (c *curves) moving(names, units []string) {
	const width = 7 // columns of a body: 3 of position, 4 of orientation
	var first []int
	for i, n := range names {
		if strings.HasSuffix(n, ".px") && i+width <= len(names) && strings.HasSuffix(names[i+width-1], ".qz") {
			first = append(first, i)
		}
	}
	every := (len(first)*width + plotMost - 1) / plotMost
	for k := 0; k < len(first); k += max(every, 1) {
		for i := first[k]; i < first[k]+width; i++ {
			c.choose(i, names, units)
		}
	}
	c.pick = func(extents []float64) (list []int) {
		for _, part := range [2][2]int{{0, 3}, {3, width}} {
			body, far := 0, 0.0
			for b := 0; b < len(extents); b += width {
				for _, x := range extents[b+part[0] : b+part[1]] {
					if x > far {
						body, far = b, x
					}
				}
			}
			for i := body + part[0]; i < min(body+part[1], len(extents)) && far > plotLeast*plotLeast; i++ {
				if extents[i] > plotLeast*far {
					list = append(list, i)
				}
			}
			if len(list) > 0 {
				return list
			}
		}
		for i := range min(len(extents), 3) { // nothing moves
			list = append(list, i)
		}
		return list
	}
}

// farthest makes the picture show the plotCurves columns of the trajectory whose values change most, in the order of the
// trajectory. Time, energies and drift are not among them.
func (c *curves) farthest(names, units []string) {
	var all []int
	for i, n := range names {
		if i > 0 && !strings.HasPrefix(n, "energy.") && !strings.HasPrefix(n, "drift.") { // column 0 is the time
			all = append(all, i)
		}
	}
	every := (len(all) + plotMost - 1) / plotMost
	for k := 0; k < len(all); k += max(every, 1) {
		c.choose(all[k], names, units)
	}
	c.pick = func(extents []float64) []int {
		list := make([]int, len(extents))
		for i := range list {
			list[i] = i
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(extents[b], extents[a]) })
		list = list[:min(len(list), plotCurves)]
		slices.Sort(list)
		return list
	}
}

// choose adds the column i of the trajectory to the chosen ones; names and units are of all its columns.
func (c *curves) choose(i int, names, units []string) {
	c.chosen, c.names, c.units = append(c.chosen, i), append(c.names, names[i]), append(c.units, units[i])
}

// at returns one number of each point: the number at the place, such as curveTime.
func (c *curves) at(place int) []float64 {
	v := make([]float64, len(c.points))
	for i, p := range c.points {
		v[i] = p[place]
	}
	return v
}

// drift is at with values raised to leastDrift, so that a logarithmic axis can show them.
func (c *curves) drift(place int) []float64 {
	v := c.at(place)
	for i := range v {
		v[i] = max(v[i], leastDrift)
	}
	return v
}
