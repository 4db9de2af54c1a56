package simulate

import (
	"io"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// curvePoints is the number of points that a curve has at most, an even one.
	curvePoints = 4096
	// leastDrift is the drift that is drawn where there is none.
	leastDrift = 1e-18
)

// curves collect what is drawn of a run in bounded memory: where there are more rows
// than points, a point stands for several rows, with the first value of the
// energies and chosen columns among them, and the largest drift.
type curves struct {
	names  []string // of the chosen columns
	chosen []int    // places of the chosen columns in a row
	energy int      // place of the energies, and of the drift behind them
	points [][]float64
	stride int64 // rows a point
	rows   int64
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

// add takes in the values of a row.
func (c *curves) Add(values []float64) {
	drift := values[c.energy+2 : c.energy+4]
	if c.rows%c.stride != 0 {
		last := c.points[len(c.points)-1]
		last[curvePosition], last[curveVelocity] = max(last[curvePosition], drift[0]), max(last[curveVelocity], drift[1])
		c.rows++
		return
	}
	if len(c.points) == curvePoints {
		c.thin()
		c.Add(values)
		return
	}
	p := append([]float64{values[0]}, values[c.energy:c.energy+4]...)
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
		{Label: "energy, J", Curves: []picture.Curve{{Name: "kinetic", Y: kinetic}, {Name: "potential", Y: potential}, {Name: "total", Y: total}}},
		{Label: "drift", Log: true, Curves: []picture.Curve{
			{Name: "position, m or rad", Y: c.drift(curvePosition)}, {Name: "velocity, m/s or rad/s", Y: c.drift(curveVelocity)},
		}},
	}
	if len(c.names) > 0 {
		var p picture.Panel
		for i, name := range c.names {
			p.Curves = append(p.Curves, picture.Curve{Name: fault.Text(name, sheet.NameWidth), Y: c.at(curveChosen + i)})
		}
		panels = append(panels, p)
	}
	return picture.Run(w, format, sheet.ModelTitle(model), c.at(curveTime), panels)
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
