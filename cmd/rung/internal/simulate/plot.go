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
	// curvePoints is the number of points that a curve has at most, an even one.
	curvePoints = 4096
	// curveSteps is the number of ends of steps that are drawn besides the rows at most. More points would not be seen.
	curveSteps = 1000
	// leastDrift is the drift that is drawn where there is none.
	leastDrift = 1e-18
)

// curves collect what is drawn of a run in bounded memory. What is drawn between rows, which may be far apart, are ends of
// steps: these are as close to each other as the motion asks for. Where there are more rows than points, a point
// stands for several rows, with the first value of the energies and chosen columns among them, and the largest drift.
type curves struct {
	names       []string // of the columns
	units       []string
	chosen      []int                         // places of the columns in a row
	pick        func(extents []float64) []int // which of the columns are drawn, by how far each goes; nil: all
	least, most []float64                     // of the values of each column, of all rows
	points      [][]float64
	stride      int64 // rows a point
	rows        int64
	last        float64 // time of the last row, s
}

// Places in a point; the chosen columns follow.
const (
	curveTime = iota
	curveKinetic
	curvePotential
	curvePosition
	curveVelocity
	curveChosen
)

// Add takes in a row and its values.
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

// keep makes a point of the row, or a part of one.
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

// thin puts two points each in one.
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

// write draws energies, drift and chosen columns below each other.
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

// drawn returns the panels of the columns that pick chooses, or of all: one panel for each unit.
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
	// plotMost is the number of columns that are looked at for a
	// picture. Of more, those of every second body, or third, and so on.
	plotMost = 600
	// plotCurves is the number of columns in a picture for which nobody has chosen them.
	plotCurves = 6
	// plotName is the width of a name in a legend.
	plotName = 22
	// plotLeast is the extent of a coordinate, relative to the largest one of its body, below which it is not drawn.
	plotLeast = 1e-3
)

// moving makes the picture one of the body that moves farthest, of those in the trajectory: the coordinates that
// change, or, where none goes anywhere, its orientation. If nothing moves, it is where the first body is.
func (c *curves) moving(names, units []string) {
	const width = 7 // position and orientation
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

// farthest makes the picture one of those columns of the trajectory that go farthest.
func (c *curves) farthest(names, units []string) {
	var all []int
	for i, n := range names {
		if i > 0 && !strings.HasPrefix(n, "energy.") && !strings.HasPrefix(n, "drift.") {
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

// choose adds a column of the trajectory.
func (c *curves) choose(i int, names, units []string) {
	c.chosen, c.names, c.units = append(c.chosen, i), append(c.names, names[i]), append(c.units, units[i])
}

// at returns the values at a place of the points.
func (c *curves) at(place int) []float64 {
	v := make([]float64, len(c.points))
	for i, p := range c.points {
		v[i] = p[place]
	}
	return v
}

// drift is at with values that a logarithmic axis can show.
func (c *curves) drift(place int) []float64 {
	v := c.at(place)
	for i := range v {
		v[i] = max(v[i], leastDrift)
	}
	return v
}
