package asmt_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// between is a joint of a name between two markers.
func between(kind, name, i, j string, more ...string) string {
	list := append([]string{value("Name", name), value("MarkerI", "/A/"+i), value("MarkerJ", "/A/"+j)}, more...)
	return kind + "\n" + lines(1, list...)
}

func radii(i, j float64) string {
	return value("radiusI", fmt.Sprint(i)) + value("radiusJ", fmt.Sprint(j))
}

// wheels are two gears on the ground, at the origin and at x = 3, whose markers have some orientations. An axis of the
// bearing of the second one is turned over if asked for.
func wheels(qa, qb spatial.Quat, over bool, mesh, motions string) string {
	ground := one
	if over {
		ground = spatial.Quat{0, 1, 0, 0}
	}
	return assemblyOf([]string{marker("Ma", spatial.Vec3{}, one), marker("Mb", spatial.Vec3{3, 0, 0}, ground)},
		[]string{part("a", spatial.Vec3{}, one, marker("m", spatial.Vec3{}, qa)), part("b", spatial.Vec3{3, 0, 0}, about(2, 0.7), marker("m", spatial.Vec3{}, qb))},
		between("RevoluteJoint", "ja", "Ma", "a/m")+between("CylindricalJoint", "jb", "Mb", "b/m")+mesh, motions)
}

// about inertia of a body about the axis along z through its origin, and the torque of gravity about it.
func axial(b *model.Body, gravity [3]float64) (inertia, torque float64) {
	q := spatial.Quat(b.Pose.Orientation)
	I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}.Rotate(q.Mat())
	c := q.Rotate(b.Com)
	return I[2] + b.Mass*(c[0]*c[0]+c[1]*c[1]), b.Mass * (c[0]*gravity[1] - c[1]*gravity[0])
}

// TestGears: of two gears the one with radius r turns by α and the other one by −α·r/R, and the torques of gravity are in
// the balance of the power; wherever the z axes of their markers point, whatever their angles are, and also of a belt, whose
// pulleys turn in one sense.
func TestGears(t *testing.T) {
	over := spatial.Quat{0, 1, 0, 0}
	for _, c := range []struct {
		qa, qb spatial.Quat
		over   bool
		r, R   float64
		sign   float64 // of the ratio, by the sense of z of b
	}{
		{one, one, false, 1, 2, -1},
		{about(2, math.Pi), about(2, -3), false, 1, 2, -1},
		{one, over, false, 1, 2, 1},
		{over, over.Mul(about(2, 1)), true, 1, 2, -1},
		{one, about(2, 1), false, 1, -2, 1},
		{one, over, true, 1.5, 0.5, 1},
	} {
		r, report, err := read(wheels(c.qa, c.qb, c.over, between("GearJoint", "mesh", "a/m", "b/m", radii(c.r, c.R)), "Motions"), source.Options{Strict: true})
		require.NoError(t, err)
		formatstest.Sound(t, report)
		m := r.Model
		require.Len(t, m.Couplings, 1)
		ratio := c.sign * math.Abs(c.r/c.R) // of b to a
		Ia, Ta := axial(&m.Bodies[0], m.Gravity)
		Ib, Tb := axial(&m.Bodies[1], m.Gravity)
		want := (Ta + ratio*Tb) / (Ia + ratio*ratio*Ib)
		a, b := formatstest.Accelerations(t, m, "a"), formatstest.Accelerations(t, m, "b")
		assert.InDelta(t, want, a[2], 1e-12)
		assert.InDelta(t, ratio*want, b[2], 1e-12)
		// Over time the angles keep the ratio.
		var first [2]float64
		turned := 0.0
		formatstest.Along(t, m, 0.5, func(m *model.Model) {
			angle := func(k int) float64 { q := m.Bodies[k].Pose.Orientation; return 2 * math.Atan2(q[3], q[0]) }
			if first == [2]float64{} {
				first = [2]float64{angle(0), angle(1)}
			}
			da := math.Remainder(angle(0)-first[0], 2*math.Pi)
			assert.InDelta(t, 0, math.Remainder(angle(1)-first[1]-ratio*da, 2*math.Pi), driftTol)
			turned = max(turned, math.Abs(da))
		})
		assert.Greater(t, turned, 0.01)
	}
}

// TestDrivenGear: motions and limits of a wheel that meshes keep their meaning, at any angle and turn of the file.
func TestDrivenGear(t *testing.T) {
	for _, c := range []struct {
		qa     spatial.Quat
		motion string
		angle  float64
	}{
		{one, "time^2", 0}, {about(2, 1), "1 + 6*pi + 1*time^2", 1 + 6*math.Pi}, {about(2, math.Pi), "-pi + sin(time)*0 + time^2", -math.Pi}, {about(2, 0.5), "0.5 + 2*sin(time)", 0.5},
	} {
		motions := "Motions\n" + lines(1, "RotationalMotion\n"+lines(1, value("Name", "d"), value("MotionJoint", "/A/ja"), value("RotationZ", c.motion))) +
			"Limits\n" + lines(1, "RotationLimit\n"+lines(1, value("Name", "l"), value("MotionJoint", "/A/ja"), value("limit", "30"), value("type", "=<")))
		r, _, err := read(wheels(c.qa, one, false, between("GearJoint", "mesh", "a/m", "b/m", radii(1, 2)), motions), source.Options{})
		require.NoError(t, err)
		m := r.Model
		want := 2.0
		if m.Joints[0].Motion[0].Amplitude != 0 {
			want = 0
		}
		assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[2], 1e-12, c.motion)
		assert.InDelta(t, -want/2, formatstest.Accelerations(t, m, "b")[2], 1e-12, c.motion)
		assert.InDelta(t, 30-c.angle, m.Joints[0].Limits[0].Upper, 1e-12, c.motion)
		v, _, _ := m.Joints[0].Motion[0].At(0)
		assert.InDelta(t, 0, v, 1e-12, c.motion)
		assert.Empty(t, m.Joints[0].Turns)
		formatstest.Along(t, m, 0.1, func(*model.Model) {}) // which closes nothing at the start
	}
}

// TestPlanets: a sun and a ring on the ground, an arm about their axis, and a planet on the arm: the angles count against
// the arm.
func TestPlanets(t *testing.T) {
	at := spatial.Vec3{3, 0, 0}
	text := func(ring, motions string) string {
		return assemblyOf([]string{marker("M", spatial.Vec3{}, one)},
			[]string{part("sun", spatial.Vec3{}, about(2, 2), marker("m", spatial.Vec3{}, one)), part("arm", spatial.Vec3{}, one, marker("m", spatial.Vec3{}, about(2, 3)), marker("p", at, one)),
				part("planet", at, about(2, 1), marker("m", spatial.Vec3{}, one))},
			between("RevoluteJoint", "s", "M", "sun/m")+between("RevoluteJoint", "c", "M", "arm/m")+between("RevoluteJoint", "p", "arm/p", "planet/m")+
				between("GearJoint", "sun-planet", "sun/m", "planet/m", radii(1, 2))+ring, motions)
	}
	drive := func(name, joint, text string) string {
		return "RotationalMotion\n" + lines(1, value("Name", name), value("MotionJoint", "/A/"+joint), value("RotationZ", text))
	}
	// The arm is driven by 2 rad/s², the sun by 3: the planet turns by 2 − (1/2)(3 − 2).
	r, _, err := read(text("", "Motions\n"+lines(1, drive("d1", "s", "2 + 1.5*time^2"), drive("d2", "c", "3 + time^2"))), source.Options{})
	require.NoError(t, err)
	require.Len(t, r.Model.Couplings[0].Terms, 3)
	assert.InDelta(t, 1.5, formatstest.Accelerations(t, r.Model, "planet")[2], 1e-11)
	// With a ring of radius 5, within which the planet rolls, the sun drives all: (ω_s − ω_c)/(0 − ω_c) = −5/1.
	r, _, err = read(text(between("GearJoint", "ring-planet", "M", "planet/m", radii(5, -2)), "Motions\n"+lines(1, drive("d1", "s", "2 + 3*time^2"))), source.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 1, formatstest.Accelerations(t, r.Model, "arm")[2], 1e-11, "6/(1 + 5)")
	assert.Equal(t, 0, formatstest.Mobility(t, r.Model))
	// Gears about one axis need a body that says against what they turn.
	coaxial := func(mesh string) string {
		return assemblyOf([]string{marker("M", spatial.Vec3{}, one)},
			[]string{part("sun", spatial.Vec3{}, about(2, 2), marker("m", spatial.Vec3{}, one)), part("arm", spatial.Vec3{}, one, marker("m", spatial.Vec3{}, one)),
				part("out", spatial.Vec3{}, about(2, 1), marker("m", spatial.Vec3{}, spatial.Quat{0, 1, 0, 0}))},
			between("RevoluteJoint", "s", "M", "sun/m")+between("RevoluteJoint", "c", "M", "arm/m")+between("RevoluteJoint", "o", "M", "out/m")+mesh,
			"Motions\n"+lines(1, drive("d1", "s", "2 + 1.5*time^2"), drive("d2", "c", "time^2")))
	}
	r, _, err = read(coaxial(between("GearJoint", "differential", "sun/m", "out/m", value("MarkerK", "/A/arm/m"), radii(1, 2))), source.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 1.5, formatstest.Accelerations(t, r.Model, "out")[2], 1e-11, "2 − (3 − 2)/2")
	_, _, err = read(coaxial(between("GearJoint", "differential", "sun/m", "out/m", radii(1, 2))), source.Options{})
	require.ErrorContains(t, err, "a MarkerK would say")
	_, _, err = read(coaxial(between("GearJoint", "differential", "sun/m", "out/m", value("MarkerK", "/A/arm/x"), radii(1, 2))), source.Options{})
	require.ErrorContains(t, err, `there is no marker "/A/arm/x"`)
}

// TestNestedArms: the ring of a planet may be four arms away about one line, each on the one before; not five.
func TestNestedArms(t *testing.T) {
	at := spatial.Vec3{3, 0, 0}
	for _, arms := range []int{1, 4, 5} {
		parts := []string{part("planet", at, one, marker("m", spatial.Vec3{}, one))}
		joints, from := "", "M"
		for k := range arms {
			name := fmt.Sprint("arm", k)
			parts = append(parts, part(name, spatial.Vec3{}, one, marker("m", spatial.Vec3{}, one), marker("p", at, one)))
			joints += between("RevoluteJoint", name+" joint", from, name+"/m")
			from = name + "/m"
		}
		joints += between("RevoluteJoint", "p", from[:len(from)-1]+"p", "planet/m")
		r, _, err := read(assemblyOf([]string{marker("M", spatial.Vec3{}, one)}, parts, joints+between("GearJoint", "ring", "M", "planet/m", radii(5, -2)), "Motions"), source.Options{})
		if arms > 4 {
			require.ErrorContains(t, err, "no part lets both gears turn")
			continue
		}
		require.NoError(t, err)
		require.Len(t, r.Model.Couplings[0].Terms, arms+1)
		require.Equal(t, arms, formatstest.Mobility(t, r.Model))
	}
}

// rackAndPinion is a rack that slides along its x axis, and a wheel beside it.
func rackAndPinion(pinion spatial.Quat, mesh string) string {
	alongX := assembly.Least(unitZ, spatial.Vec3{1, 0, 0})
	return assemblyOf([]string{marker("Ma", spatial.Vec3{}, alongX), marker("Mb", spatial.Vec3{0, 2, 0}, one)},
		[]string{part("a", spatial.Vec3{0.5, 0, 0}, one, marker("s", spatial.Vec3{}, alongX), marker("m", spatial.Vec3{}, one)), part("b", spatial.Vec3{0, 2, 0}, about(2, 0.7), marker("m", spatial.Vec3{}, pinion))},
		between("TranslationalJoint", "ja", "Ma", "a/s")+between("RevoluteJoint", "jb", "Mb", "b/m")+mesh, "Motions")
}

// TestRack: with x of the wheel in the rack and its angle, x + radius·θ is constant: the rack moves by radius·θ.
func TestRack(t *testing.T) {
	for _, pinion := range []spatial.Quat{one, {0, 1, 0, 0}, about(2, math.Pi)} {
		for _, radius := range []float64{0.25, -2} {
			r, report, err := read(rackAndPinion(pinion, between("RackPinionJoint", "mesh", "a/m", "b/m", value("pitchRadius", fmt.Sprint(radius)))), source.Options{Strict: true})
			require.NoError(t, err)
			formatstest.Sound(t, report)
			m := r.Model
			I, T := axial(&m.Bodies[1], m.Gravity)
			want := (T + radius*m.Bodies[0].Mass*m.Gravity[0]) / (I + radius*radius*m.Bodies[0].Mass)
			assert.InDelta(t, want, formatstest.Accelerations(t, m, "b")[2], 1e-12)
			assert.InDelta(t, radius*want, formatstest.Accelerations(t, m, "a")[3], 1e-12)
			var first float64
			formatstest.Along(t, m, 0.5, func(m *model.Model) {
				x := marked(t, m, "a/m").Inverse().Mul(marked(t, m, "b/m"))
				E := x.Q.Mat()
				phi := x.R[0] + radius*math.Atan2(E[3], E[0])
				if first == 0 {
					first = phi
				}
				assert.InDelta(t, 0, math.Remainder(phi-first, 2*math.Pi*radius), driftTol)
			})
		}
	}
}

// TestWrongGears: what does not mesh is said with its place.
func TestWrongGears(t *testing.T) {
	gear := func(i, j string, more ...string) string { return between("GearJoint", "mesh", i, j, more...) }
	text := func(mesh string) string { return wheels(one, one, false, mesh, "Motions") }
	for _, c := range []struct{ text, message string }{
		{text(gear("a/m", "b/m")), "radiusI is missing or zero"},
		{text(gear("a/m", "b/m", radii(1, 0))), "radiusJ is missing or zero"},
		{text(gear("a/m", "b/m", radii(math.NaN(), 1))), "NaN"},
		{text(gear("a/m", "b/m", radii(1, math.Inf(1)))), "Inf"},
		{text(gear("a/m", "b/m", value("radiusI", "1 2"), value("radiusJ", "1"))), "has 2 numbers in place of 1"},
		{text(gear("a/m", "c/m", radii(1, 2))), `there is no marker "/A/c/m"`},
		{text(gear("a/m", "a/m", radii(1, 2))), "both markers are on"},
		{wheels(one, about(0, 1e-3), false, gear("a/m", "b/m", radii(1, 2)), "Motions"), "the axes of its gears are not parallel"},
		{wheels(about(0, 1e-3), about(2, -0.7).Mul(about(0, 1e-3)), false, gear("a/m", "b/m", radii(1, 2)), "Motions"), "no part lets both gears turn"},
		{text(gear("a/m", "b/m", radii(1, 2)) + gear("a/m", "b/m", radii(1, 2))), "has the name of another"},
		{text(gear("M", "b/m", radii(1, 2))), `there is no marker "/A/M"`},
		{text(gear("Ma", "b/m", radii(1, 2))), "no part lets both gears turn"},
		{text(between("FixedJoint", "f", "a/m", "b/m") + gear("a/m", "b/m", radii(1, 2))), "fixed to each other"},
		{wheels(one, one, false, gear("a/m", "b/m", radii(1, 2)), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "d"), value("MotionJoint", "/A/mesh"), value("RotationZ", "time")))), `there is no joint "/A/mesh"`},
		{rackAndPinion(one, between("RackPinionJoint", "mesh", "a/m", "b/m")), "pitchRadius is missing or zero"},
		{rackAndPinion(one, between("RackPinionJoint", "mesh", "b/m", "a/m", value("pitchRadius", "1"))), "no part lets MarkerI slide"},
		{rackAndPinion(one, between("GearJoint", "mesh", "a/m", "b/m", radii(1, 2))), "no part lets both gears turn"},
	} {
		_, report, err := read(c.text, source.Options{})
		if assert.Error(t, err, c.message) {
			assert.ErrorContains(t, err, c.message)
			assert.ErrorContains(t, err, "a.asmt:")
			assert.True(t, report.Failed())
		}
	}
}
