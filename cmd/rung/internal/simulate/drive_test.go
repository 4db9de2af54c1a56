package simulate

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// turning is a cart of a box and four wheels that drives along a
// circle on hills, for so many seconds, with rows every part of one.
func turning(t *testing.T, seconds, every float64) *drive {
	m := model.New("cart")
	names := []string{"chassis", "fl", "fr", "rl", "rr"}
	places := []spatial.Vec3{{}, {0.5, 0.4, -0.1}, {0.5, -0.4, -0.1}, {-0.5, 0.4, -0.1}, {-0.5, -0.4, -0.1}}
	for i, name := range names {
		b := model.Body{Name: name, Mass: 3, Inertia: model.Inertia{XX: 0.03, YY: 0.05, ZZ: 0.03}, Pose: model.Pose{Position: places[i]}}
		if i == 0 {
			b.Mass, b.Inertia = 40, model.Inertia{XX: 2, YY: 4, ZZ: 5.6}
		}
		m.Bodies = append(m.Bodies, b)
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s, err := ground.Function("0.3*sin(0.7*x)*cos(0.5*y)")
	require.NoError(t, err)
	var wheels []wheel
	for i, name := range names[1:] {
		wheels = append(wheels, wheel{name: name, body: i + 1, axis: spatial.Vec3{0, 1, 0}, radius: 0.25, width: 0.1})
	}
	d := newDrive(mech, s, wheels)
	st := mech.Initial()
	for k := 0; ; k++ {
		st.Time = float64(k) * every
		if st.Time > seconds+1e-9 {
			return d
		}
		const radius, speed = 6, 1.2
		angle := speed * st.Time / radius
		q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, angle)
		sin, cos := math.Sincos(angle)
		for i := range st.Bodies {
			p := spatial.Vec3{radius * sin, radius * (1 - cos), 0}.Add(q.Rotate(places[i]))
			z, _, _ := d.height(p[0], p[1])
			p[2] = z + 0.25
			if i == 0 {
				p[2] += 0.15
			}
			st.Bodies[i].Position, st.Bodies[i].Rotation = p, q
		}
		d.Add(st)
	}
}

// TestDriveThins: of more rows than poses, every second, fourth … stays, in their order.
func TestDriveThins(t *testing.T) {
	d := turning(t, 100, 0.01)
	require.LessOrEqual(t, len(d.times), mostPoses)
	require.Greater(t, len(d.times), mostPoses/4)
	for k, at := range d.times {
		require.InDelta(t, float64(k)*float64(d.stride)*0.01, at, 1e-9)
		p, _ := d.pose(k, 0)
		require.InDelta(t, 6*math.Sin(0.2*at), p[0], 1e-9)
	}
}

// TestDriveOutlines: intervals are round, a second where there are few, and the last pose is drawn.
func TestDriveOutlines(t *testing.T) {
	for _, c := range []struct {
		seconds, every, interval float64
		count                    int
	}{{10, 0.1, 1, 11}, {10.5, 0.3, 1, 12}, {100, 1, 5, 21}, {1, 0.01, 0.1, 11}, {2, 0.02, 0.2, 11}, {0, 1, 0, 1}} {
		d := turning(t, c.seconds, c.every)
		if c.interval > 0 {
			assert.InEpsilon(t, c.interval, d.interval(), 1e-12, "%v", c)
		}
		assert.Len(t, d.instants(d.interval()), c.count, "%v", c)
	}
}

// TestHull: the hull of a square with points inside and on its sides has its corners.
func TestHull(t *testing.T) {
	assert.Equal(t, [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, hull([][2]float64{{0.5, 0.5}, {1, 1}, {0, 0}, {1, 0}, {0.5, 0}, {0, 1}, {0.2, 0.9}}))
}

// TestTrail: along a circle the trail is as long as its arc, points beside
// it are on circles, and it goes straight on at both ends.
func TestTrail(t *testing.T) {
	d := turning(t, 10, 0.01)
	w := d.newTrail()
	last := len(w.points) - 1
	require.InEpsilon(t, 12, w.length[last], 1e-5)
	for _, left := range []float64{-0.4, 0, 0.4} {
		x, y := w.beside(5, left)
		require.InDelta(t, 6-left, math.Hypot(x, y-6), 4e-3)
		require.InDelta(t, left, w.side(0, spatial.Vec3{0.3, left, 7}), 3e-3)
	}
	x, y := w.beside(-1, 0.4)
	require.InDeltaSlice(t, []float64{-1, 0.4}, []float64{x, y}, 2e-2)
	// What the body does while it settles is no heading.
	for i := range 3 {
		p := &d.poses[poseNumbers*len(d.bodies)*(i+1)+poseNumbers*d.place[0]+1]
		*p += 0.02
		defer func() { *p -= 0.02 }()
	}
	require.InDeltaSlice(t, []float64{1, 0}, d.newTrail().heading[0][:], 0.1)
	for _, l := range d.profile("cart").Lines {
		for _, at := range l.Points {
			require.False(t, math.IsNaN(at[1]))
		}
	}
}

// TestDrivePictures draws the drive from all sides.
func TestDrivePictures(t *testing.T) {
	check.Long(t)
	if !picture.Drawn {
		t.Skip("built without pictures")
	}
	dir := os.Getenv("RUNG_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	d := turning(t, 20, 0.1)
	for name, draw := range map[string]func(f *os.File) error{
		"view":   func(f *os.File) error { return picture.Map(f, "svg", d.above("cart", true, false)) },
		"side":   func(f *os.File) error { return picture.Side(f, "svg", d.profile("cart")) },
		"relief": func(f *os.File) error { return picture.Relief(f, "svg", d.above("cart", false, true)) },
	} {
		f, err := os.Create(dir + "/" + name + ".svg")
		require.NoError(t, err)
		require.NoError(t, draw(f))
		require.NoError(t, f.Close())
		text, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		require.NotContains(t, string(text), "NaN", name)
	}
}
