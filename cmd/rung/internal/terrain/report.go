package terrain

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
)

// nan marks heights and slopes that are not defined.
var nan = math.NaN()

// report is the document of rung terrain.
type report struct {
	Format    string     `json:"format"`
	Name      string     `json:"name"`
	Nodes     [2]int     `json:"nodes"`
	Origin    [2]float64 `json:"origin"`
	Spacing   [2]float64 `json:"spacing"`
	Heights   heights    `json:"heights"`
	Slopes    slopes     `json:"slopes"`
	Roughness float64    `json:"roughness"`
	Places    []place    `json:"places"`
	Warnings  []string   `json:"warnings"`
}

// heights are statistics of the heights at the nodes, m.
type heights struct {
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
	Mean    float64 `json:"mean"`
	RMS     float64 `json:"rms"` // about the mean
}

// slopes are statistics of the magnitude of the gradient at the nodes, by finite differences.
type slopes struct {
	Largest float64 `json:"largest"`
	RMS     float64 `json:"rms"`
}

// place has height, gradient and unit normal of the surface at a point of --at.
type place struct {
	At       [2]float64 `json:"at"`
	Height   float64    `json:"height"`
	Gradient [2]float64 `json:"gradient"`
	Normal   [3]float64 `json:"normal"`
}

// report returns the report on the heights at all nodes and on the surface at the places. A place where the surface is not
// defined is an error.
func (g *terrain) report(places [][2]float64) (*report, error) {
	f := g.field
	r := &report{
		Format: "rung-terrain/1", Name: g.name, Nodes: f.Size, Origin: f.Origin, Spacing: f.Spacing, Places: []place{},
		Warnings: append([]string{}, g.warnings...),
	}
	r.Heights.Lowest, r.Heights.Highest = f.Range()
	r.Heights.Mean, r.Heights.RMS, r.Roughness = roughness(f)
	r.Slopes = slopesOf(f)
	for _, at := range places {
		p, err := g.surface.At(at[0], at[1])
		if err != nil {
			return nil, errPlaces(at, err)
		}
		r.Places = append(r.Places, place{at, p.Z, [2]float64{p.X, p.Y}, p.Normal()})
	}
	return r, nil
}

// stripLines is the number of lines of nodes that slopesOf treats at once, so that it need not hold the slopes of all nodes.
const stripLines = 64

// slopesOf returns the statistics of the slopes at the nodes.
func slopesOf(f *ground.Field) (s slopes) {
	nx, ny := f.Size[0], f.Size[1]
	gx, gy := make([]float64, nx*min(ny, stripLines+4)), make([]float64, nx*min(ny, stripLines+4))
	sum := 0.0
	for first := 0; first < ny; first += stripLines {
		last := min(first+stripLines, ny)
		// The difference at an inner line takes the two lines beside it, at the border the three lines there. So the strip has a
		// line more on each side, and at least three lines.
		from, to := max(first-1, 0), min(last+1, ny)
		from, to = max(min(from, to-3), 0), min(max(to, from+3), ny)
		strip := ground.Field{Origin: f.Origin, Spacing: f.Spacing, Size: [2]int{nx, to - from}, Heights: f.Heights[from*nx : to*nx]}
		n := nx * (to - from)
		strip.GradientTo(gx[:n], gy[:n])
		for k := (first - from) * nx; k < (last-from)*nx; k++ {
			h := math.Hypot(gx[k], gy[k])
			s.Largest = max(s.Largest, h)
			sum += h * h
		}
	}
	s.RMS = math.Sqrt(sum / float64(len(f.Heights)))
	return s
}

// roughness returns the mean of the heights, their root mean square about the mean (rms), and their root mean square about the
// plane of least squares (rough), m.
func roughness(f *ground.Field) (mean, rms, rough float64) {
	n := float64(len(f.Heights))
	for _, z := range f.Heights {
		mean += z / n
	}
	// u and v count nodes from the middle of the grid. On a regular grid their sum of products is 0, so each slope of the plane
	// is fitted by itself.
	var uz, vz, uu, vv, zz float64
	for k, z := range f.Heights {
		u := float64(k%f.Size[0]) - float64(f.Size[0]-1)/2
		v := float64(k/f.Size[0]) - float64(f.Size[1]-1)/2
		z -= mean
		uz, vz, uu, vv, zz = uz+u*z, vz+v*z, uu+u*u, vv+v*v, zz+z*z
	}
	return mean, math.Sqrt(zz / n), math.Sqrt(max(0, zz-uz*uz/uu-vz*vz/vv) / n)
}

// print writes the report as lines.
func (r *report) print(p *sheet.Page) {
	p.Line("%s: %d × %d nodes", r.Name, r.Nodes[0], r.Nodes[1])
	p.Blank()
	for c, name := range "xy" {
		length := r.Spacing[c] * float64(r.Nodes[c]-1)
		p.Item(string(name), fmt.Sprintf("%s to %s m, spacing %s m", sheet.Short(r.Origin[c]), sheet.Short(r.Origin[c]+length), sheet.Short(r.Spacing[c])))
	}
	p.Item("heights", fmt.Sprintf("%s to %s m, mean %s m, rms about it %s m", sheet.Short(r.Heights.Lowest), sheet.Short(r.Heights.Highest), sheet.Short(r.Heights.Mean), sheet.Short(r.Heights.RMS)))
	p.Item("slopes", fmt.Sprintf("largest %s (%s°), rms %s", sheet.Short(r.Slopes.Largest), sheet.Digits3(math.Atan(r.Slopes.Largest)*180/math.Pi), sheet.Short(r.Slopes.RMS)))
	p.Item("roughness", fmt.Sprintf("%s m, rms about the plane that fits best", sheet.Short(r.Roughness)))
	for _, w := range r.Warnings {
		p.Item("warning", w)
	}
	if len(r.Places) > 0 {
		p.Blank()
		r.table(p)
	}
}

// table writes the table of the places.
func (r *report) table(p *sheet.Page) {
	column := func(head string) sheet.Column { return sheet.Column{Head: head, Width: 10} }
	t := p.Table(
		sheet.Group{Title: "at", Columns: []sheet.Column{column("x"), column("y")}},
		sheet.Group{Columns: []sheet.Column{column("height")}},
		sheet.Group{Title: "gradient", Columns: []sheet.Column{column("x"), column("y")}},
		sheet.Group{Title: "normal", Columns: []sheet.Column{column("x"), column("y"), column("z")}},
	)
	for _, q := range r.Places {
		cells := make([]string, 0, 8)
		for _, v := range [...]float64{q.At[0], q.At[1], q.Height, q.Gradient[0], q.Gradient[1], q.Normal[0], q.Normal[1], q.Normal[2]} {
			cells = append(cells, sheet.Narrow(v))
		}
		t.Row(cells...)
	}
}

// errPlaces returns the failure for a place of --at at which the surface is not defined.
func errPlaces(place [2]float64, err error) error {
	return shell.Failed("", fmt.Errorf("--at %v,%v: %w", place[0], place[1], fault.Plain(err)))
}
