package contact_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// wheelModel is what a model of reference/ground says of its contacts.
type wheelModel struct {
	Bodies []struct {
		Name string
		Com  spatial.Vec3
	}
	Terrains []struct {
		Type, Expression string
		Point, Normal    spatial.Vec3
	}
	Forces []struct {
		Name, Body string
		Shape      struct {
			Type   string
			Radius float64
			Axis   spatial.Vec3
		}
		Normal   struct{ Stiffness, Exponent, Dissipation float64 }
		Friction struct {
			Coefficient float64
			SlipSpeed   float64 `json:"slip_speed"`
		}
	}
}

func (m *wheelModel) ground(t *testing.T) *ground.Surface {
	t.Helper()
	g := m.Terrains[0]
	var s *ground.Surface
	var err error
	if g.Type == "plane" {
		s, err = ground.NewPlane(g.Point, g.Normal)
	} else {
		require.Equal(t, "function", g.Type)
		s, err = ground.Function(g.Expression)
	}
	require.NoError(t, err)
	return s
}

// contact returns contact i and its body.
func (m *wheelModel) contact(t *testing.T, i int) (c contact.Contact, name string, com spatial.Vec3) {
	t.Helper()
	f := m.Forces[i]
	shape := map[string]contact.ShapeType{"sphere": contact.Sphere, "disc": contact.Disc, "torus": contact.Torus, "cylinder": contact.Cylinder}[f.Shape.Type]
	require.Equal(t, f.Shape.Type, shape.String())
	c = contact.Contact{
		Shape: contact.Shape{Type: shape, Radius: f.Shape.Radius, Axis: f.Shape.Axis},
		Law: contact.Law{
			Normal: contact.Normal{Stiffness: f.Normal.Stiffness, Exponent: f.Normal.Exponent, Dissipation: f.Normal.Dissipation},
			Friction: contact.Friction{
				Type: contact.Coulomb, Coefficient: [2]float64{f.Friction.Coefficient, f.Friction.Coefficient}, SlipSpeed: f.Friction.SlipSpeed,
			},
		},
		Ground: m.ground(t),
	}
	require.Empty(t, flaws(&c))
	for _, b := range m.Bodies {
		if b.Name == f.Body {
			return c, b.Name, b.Com
		}
	}
	t.Fatal("no body", f.Body)
	return
}

// readLines returns the lines of a trajectory by the names of its columns.
func readLines(t *testing.T, path string) (lines []map[string]float64) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, cells := range all[1:] {
		line := map[string]float64{}
		for i, cell := range cells {
			line[all[0][i]], err = strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
		}
		lines = append(lines, line)
	}
	require.NotEmpty(t, lines)
	return lines
}

func triple(line map[string]float64, name string) spatial.Vec3 {
	return spatial.Vec3{line[name+"x"], line[name+"y"], line[name+"z"]}
}

// TestReference compares depths and forces with results of other programs, at every instant of their runs.
func TestReference(t *testing.T) {
	// depthTol is the tolerance of the positions, whose rounding the stiffness turns into errors of the forces.
	const depthTol, forceTol = 1e-15, 1e-12
	for _, name := range []string{"sphere-roll", "sphere-slide", "sphere-hills", "disc-roll", "rover-drop", "rover-drive"} {
		text, err := os.ReadFile(check.Reference(t, "ground", name+".model.json"))
		require.NoError(t, err)
		var m wheelModel
		require.NoError(t, json.Unmarshal(text, &m))
		lines := readLines(t, check.Reference(t, "ground", name+".csv"))
		touched := 0
		for i := range m.Forces {
			c, body, com := m.contact(t, i)
			r := contact.NewResult(&c)
			for k, line := range lines {
				q := spatial.Quat{line[body+".qw"], line[body+".qx"], line[body+".qy"], line[body+".qz"]}
				b := contact.Body{E: q.Mat(), Position: triple(line, body+".p"), Omega: triple(line, body+".w")}
				b.Com = b.E.MulVec(com)
				b.Velocity = triple(line, body+".v").Add(b.Omega.Cross(b.Com))
				require.NoError(t, c.EvalTo(r, &b, nil))
				at := m.Forces[i].Name
				check.Close(t, r.Depth, line[at+".depth"], depthTol, 1, "%s: depth of %s, line %d", name, at, k)
				scale := c.Law.Normal.Stiffness * c.Shape.Radius
				n := 0.0
				if len(r.Touches) > 0 {
					n = r.Touches[0].Force.N
					touched++
				}
				check.Close(t, n, line[at+".normal"], forceTol, scale, "%s: normal force of %s, line %d", name, at, k)
				got, want := r.Wrench.Linear(), triple(line, at+".F")
				check.CloseVec(t, got[:], want[:], forceTol, scale, "%s: force of %s, line %d", name, at, k)
			}
		}
		require.Greater(t, touched, len(lines)/10, name)
	}
}
