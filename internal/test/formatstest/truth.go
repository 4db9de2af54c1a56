package formatstest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Truth is a file NAME.truth.json: the accelerations of a model in some states, in world axes and SI units.
type Truth struct {
	Variant   string     `json:"variant"` // rigid: without springs, dampers and rotors; full: with them
	Cases     []Case     `json:"cases"`
	Gravity   [3]float64 `json:"gravity"`
	Tolerance struct {
		Relative float64 `json:"relative_to_largest_of_the_case"`
		Absolute float64 `json:"absolute"`
	} `json:"tolerance"`
}

// Case is one state.
type Case struct {
	Name        string             `json:"name"`
	Time        float64            `json:"time"`
	Bodies      []Body             `json:"bodies"`
	JointForces map[string]float64 `json:"joint_forces"`
	Rows        int                `json:"constraint_rows"` // number of rows of the loops; 0 if rows and mobility are not known
	Rank        int                `json:"rank"`
	Mobility    int                `json:"mobility"`
}

// Body is the motion of a body's frame.
type Body struct {
	Name                string       `json:"name"`
	Position            spatial.Vec3 `json:"position"`
	Orientation         spatial.Quat `json:"orientation"`
	LinearVelocity      spatial.Vec3 `json:"linear_velocity"`
	AngularVelocity     spatial.Vec3 `json:"angular_velocity"`
	OriginAcceleration  spatial.Vec3 `json:"origin_acceleration"`
	AngularAcceleration spatial.Vec3 `json:"angular_acceleration"`
}

// Truths returns the folder of this project's own models with a Truth.
func Truths(t testing.TB) string {
	t.Helper()
	return check.Reference(t, "import", "truth")
}

// Others returns a folder of the models of other authors. If it does not exist, the test is skipped with a message.
func Others(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(others(t), name)
}

// others returns the folder with the models of other authors, or skips the test if there is none.
func others(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("RUNG_IMPORT_REFERENCE"); dir != "" {
		_, err := os.Stat(dir)
		require.NoError(t, err, "RUNG_IMPORT_REFERENCE")
		return dir
	}
	for dir := check.Root(t); ; {
		up := filepath.Dir(dir)
		if try := filepath.Join(up, "shared", "reference", "import"); isFolder(try) {
			return try
		}
		if up == dir {
			t.Skip("the models of others are not here; RUNG_IMPORT_REFERENCE may name their folder")
		}
		dir = up
	}
}

// isFolder reports whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadTruth reads the file name in a folder. It stops the test if there are no cases.
func ReadTruth(t testing.TB, folder, name string) *Truth {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	truth := &Truth{}
	require.NoError(t, json.Unmarshal(data, truth))
	require.NotEmpty(t, truth.Cases)
	return truth
}

// Files returns the files in a folder for a reader.
func Files(folder string) *source.Files { return source.NewFiles(os.DirFS(folder), nil) }

// Rigid removes springs, dampers and rotors from the joints of a model.
func Rigid(m *model.Model) {
	for k := range m.Joints {
		j := &m.Joints[k]
		j.Stiffness, j.Damping, j.Rest = nil, nil, nil
		rigid(j)
	}
}

// Check sets the state of each case in the model of r, and compares the accelerations of all links, the mobility and the
// number of redundant rows.
func (truth *Truth) Check(t *testing.T, r *source.Result) {
	t.Helper()
	if truth.Variant == "rigid" {
		Rigid(r.Model)
	}
	slip(r.Model)
	check.CloseVec(t, r.Model.Gravity[:], truth.Gravity[:], 1e-15, 10, "gravity")
	number := map[string]int{}
	for i := range r.Links {
		number[r.Links[i].Link] = i
		if before, after, ok := strings.Cut(r.Links[i].Link, "#"); ok { // of a body without name
			number["#"+before+after] = i
		}
	}
	for _, c := range truth.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m := *r.Model
			m.Time = c.Time
			m.Bodies = append([]model.Body(nil), m.Bodies...)
			m.Joints = append([]model.Joint(nil), m.Joints...)
			set := pose(t, &m, r, number, &c)
			require.Equal(t, len(m.Bodies), set, "bodies with a pose")
			push(t, &m, r, &c)
			got, err := rung.Accelerate(&m, rung.Options{})
			require.NoError(t, err)
			compare(t, &m, got, r, number, &c, truth)
			if c.Rows == 0 {
				return
			}
			require.Equal(t, c.Mobility, got.Constraints.Mobility, "mobility")
			require.Equal(t, c.Rows-c.Rank, got.Constraints.Redundant, "redundant rows")
		})
	}
}

// pose sets the poses and velocities of the bodies of case c, and returns the number of bodies.
func pose(t *testing.T, m *model.Model, r *source.Result, number map[string]int, c *Case) (set int) {
	t.Helper()
	body := map[string]int{}
	for i := range m.Bodies {
		body[m.Bodies[i].Name] = i
	}
	done := map[string]bool{}
	for k := range c.Bodies {
		b := &c.Bodies[k]
		i, ok := number[b.Name]
		require.True(t, ok, "link %s", b.Name)
		w := r.Links[i]
		if w.Body == "" || w.Body == model.World || done[w.Body] {
			continue
		}
		// The body's frame follows from its link's frame.
		turn := spatial.Quat(b.Orientation).Mul(spatial.Quat(w.Pose.Orientation).Conj())
		from := spatial.Vec3(b.Position).Sub(turn.Rotate(w.Pose.Position))
		out := &m.Bodies[body[w.Body]]
		out.Pose = model.Pose{Position: from, Orientation: turn.Normalize()}
		out.Velocity.Angular = b.AngularVelocity
		out.Velocity.Linear = b.LinearVelocity.Add(b.AngularVelocity.Cross(from.Sub(b.Position)))
		done[w.Body] = true
		set++
	}
	return set
}

// push adds the joint forces of case c to the joints.
func push(t *testing.T, m *model.Model, r *source.Result, c *Case) {
	t.Helper()
	at := map[string]source.Coordinate{}
	for _, q := range r.Coordinates {
		at[q.Name] = q
	}
	for name, f := range c.JointForces {
		q, ok := at[name]
		require.True(t, ok, "coordinate %s", name)
		j := &m.Joints[q.Joint]
		if j.Force == nil {
			j.Force = make([]float64, j.Kind().Freedoms())
		} else {
			j.Force = append([]float64(nil), j.Force...)
		}
		j.Force[q.Freedom] += q.Sign * f
	}
}

// compare compares the accelerations of all links with case c.
func compare(t *testing.T, m *model.Model, got *rung.Result, r *source.Result, number map[string]int, c *Case, truth *Truth) {
	t.Helper()
	body := map[string]int{}
	for i := range m.Bodies {
		body[m.Bodies[i].Name] = i
	}
	largest := [2]float64{}
	for k := range c.Bodies {
		largest[0] = math.Max(largest[0], check.MaxAbs(c.Bodies[k].OriginAcceleration[:]))
		largest[1] = math.Max(largest[1], check.MaxAbs(c.Bodies[k].AngularAcceleration[:]))
	}
	compared := 0
	worst, part := [2]float64{}, 0.0
	for k := range c.Bodies {
		want := &c.Bodies[k]
		w := r.Links[number[want.Name]]
		if w.Body == "" {
			continue
		}
		compared++
		var linear, angular spatial.Vec3
		if w.Body != model.World {
			i := body[w.Body]
			b := &m.Bodies[i]
			omega := spatial.Vec3(b.Velocity.Angular)
			angular = got.Bodies[i].AngularAcceleration
			d := spatial.Quat(b.Pose.Orientation).Rotate(spatial.Vec3(w.Pose.Position).Sub(b.Com))
			linear = got.Bodies[i].ComAcceleration.Add(angular.Cross(d)).Add(omega.Cross(omega.Cross(d)))
		}
		tol := func(kind int) float64 { return truth.Tolerance.Absolute + truth.Tolerance.Relative*largest[kind] }
		for kind, d := range [2]spatial.Vec3{linear.Sub(want.OriginAcceleration), angular.Sub(want.AngularAcceleration)} {
			e := check.MaxAbs(d[:])
			worst[kind] = math.Max(worst[kind], e/math.Max(largest[kind], 1))
			part = math.Max(part, e/(truth.Tolerance.Absolute+truth.Tolerance.Relative*largest[kind]))
		}
		check.CloseVec(t, linear[:], want.OriginAcceleration[:], 1, tol(0), "origin acceleration of %s", want.Name)
		check.CloseVec(t, angular[:], want.AngularAcceleration[:], 1, tol(1), "angular acceleration of %s", want.Name)
	}
	require.NotZero(t, compared)
	t.Logf("%d of %d links compared, %d bodies, %d joints; worst errors, relative to the largest of the case or 1: %.1e linear, %.1e angular; %.1e of the tolerance",
		compared, len(c.Bodies), len(m.Bodies), len(m.Joints), worst[0], worst[1], part)
}
