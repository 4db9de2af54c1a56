package usd_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/usd"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	deg = 180 / math.Pi
	// closedTol is how far the joints of the stage may be open: rounding of frames that were computed along other ways.
	closedTol = 1e-13
)

// TestBiped: the stage of the biped with six loops, each closed by a joint that is kept out of the articulation, is the
// mechanism of the family: its bodies, their accelerations, its rank, its motion. -update writes the stage.
func TestBiped(t *testing.T) {
	want := biped(t)
	// The places are rounding of processors.
	check.GoldenNumbers(t, "../../../reference/import/biped.usda", stage(want, 64), 1e-12, 1)
	result, report, err := usd.Read(formatstest.Own(t), source.Name{Path: "biped.usda"}, &source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	require.Zero(t, report.Counts.Dropped)
	got := result.Model
	assert.LessOrEqual(t, worst(t, got), closedTol)
	require.Len(t, got.Joints, len(want.Joints))
	for i := range want.Joints {
		w, g := &want.Joints[i], &got.Joints[i]
		assert.Equal(t, w.Name, g.Name)
		assert.Equal(t, w.Type, g.Type, w.Name)
		for _, x := range [...][2][]float64{{w.Stiffness, g.Stiffness}, {w.Damping, g.Damping}, {w.Rest, g.Rest}, {w.Armature, g.Armature}} {
			assert.InDeltaSlice(t, x[0], x[1], exact*300, w.Name)
		}
	}
	for i := range want.Bodies {
		near(t, want.Bodies[i].Velocity.Linear, got.Bodies[i].Velocity.Linear, exact, want.Bodies[i].Name)
		near(t, want.Bodies[i].Velocity.Angular, got.Bodies[i].Velocity.Angular, exact, want.Bodies[i].Name)
	}
	formatstest.Same(t, got, want)
	requireCounts(t, got, 126, 6, 18)
}

// TestBipedInSinglePrecision: numbers of most files of the format have single precision. Then each joint is open by
// rounding, and hinges of a knee are not quite parallel. Frames are moved and turned by that, with a line each, so that the
// mechanism has the rank of the exact one and moves with its joints closed.
func TestBipedInSinglePrecision(t *testing.T) {
	result, report, err := read(&source.Options{}, "a.usda", string(stage(biped(t), 32)))
	require.NoError(t, err)
	formatstest.Sound(t, report)
	m, moved, turned := result.Model, 0, 0
	for i := range report.Entries {
		switch e := &report.Entries[i]; {
		case strings.Contains(e.Consequence, "its frame is moved"):
			moved++
		case strings.Contains(e.Consequence, "its frames are turned"):
			turned++
			require.Regexp(t, `^its axis is not quite parallel to that of joint "\w+", by \d\.?\d*e-0[789] rad$`, e.Why)
		}
	}
	assert.Equal(t, len(m.Joints), moved)
	assert.Positive(t, turned)
	assert.LessOrEqual(t, worst(t, m), closedTol)
	requireCounts(t, m, 126, 6, 18)
	formatstest.Run(t, m, 0.5, false)

	// Without it the hinges are not parallel, and such a linkage cannot move far.
	result, _, err = read(&source.Options{Snap: -1}, "a.usda", string(stage(biped(t), 32)))
	require.NoError(t, err)
	assert.Greater(t, worst(t, result.Model), 1e-9)
}

// biped returns the robot without its straps, for which the format has no joint.
func biped(t *testing.T) *model.Model {
	t.Helper()
	m, err := bench.Generate("biped", 1, 1)
	require.NoError(t, err)
	m.Forces = nil
	return m
}

// stage writes a model as a stage in SI with numbers of so many bits: hinges with their motors, universal joints as generic
// ones, and balls. The joints that close loops are those whose names say so.
func stage(m *model.Model, bits int) []byte {
	w := &writer{bits: bits}
	fmt.Fprintf(w, "#usda 1.0\n(\n    defaultPrim = \"biped\"\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\n\n")
	fmt.Fprintf(w, "def Xform \"biped\" (\n    prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]\n)\n{\n")
	fmt.Fprintf(w, "    def PhysicsScene \"scene\"\n    {\n        vector3f physics:gravityDirection = (0, 0, -1)\n        float physics:gravityMagnitude = %s\n    }\n",
		w.list(bench.Gravity))
	for i := range m.Bodies {
		w.body(&m.Bodies[i])
	}
	fmt.Fprintf(w, "\n    def Scope \"joints\"\n    {\n")
	for i := range m.Joints {
		w.joint(&m.Joints[i])
	}
	fmt.Fprintf(w, "    }\n}\n")
	return w.Bytes()
}

type writer struct {
	bytes.Buffer
	bits int
}

// list writes numbers with commas.
func (w *writer) list(x ...float64) string {
	var out []string
	for _, v := range x {
		out = append(out, strconv.FormatFloat(v+0, 'g', -1, w.bits))
	}
	return strings.Join(out, ", ")
}

func (w *writer) body(b *model.Body) {
	fmt.Fprintf(w, "\n    def Xform %q (\n        prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n    )\n    {\n", b.Name)
	fmt.Fprintf(w, "        double3 xformOp:translate = (%s)\n", w.list(b.Pose.Position[:]...))
	fmt.Fprintf(w, "        quatd xformOp:orient = (%s)\n", w.list(b.Pose.Orientation[:]...))
	fmt.Fprintf(w, "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n")
	v, a := b.Velocity.Linear, b.Velocity.Angular
	fmt.Fprintf(w, "        vector3f physics:velocity = (%s)\n", w.list(v[:]...))
	fmt.Fprintf(w, "        vector3f physics:angularVelocity = (%s)\n", w.list(a[0]*deg, a[1]*deg, a[2]*deg))
	fmt.Fprintf(w, "        float physics:mass = %s\n", w.list(b.Mass))
	fmt.Fprintf(w, "        point3f physics:centerOfMass = (%s)\n", w.list(b.Com[:]...))
	fmt.Fprintf(w, "        float3 physics:diagonalInertia = (%s)\n", w.list(b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ))
	fmt.Fprintf(w, "        quatf physics:principalAxes = (1, 0, 0, 0)\n    }\n")
}

func (w *writer) joint(j *model.Joint) {
	kind := map[model.JointType]string{
		model.Revolute: "PhysicsRevoluteJoint", model.Spherical: "PhysicsSphericalJoint", model.Universal: "PhysicsJoint",
	}[j.Type]
	apis := ""
	switch {
	case j.Type == model.Universal:
		apis = `"PhysicsLimitAPI:transX", "PhysicsLimitAPI:transY", "PhysicsLimitAPI:transZ", "PhysicsLimitAPI:rotZ"`
	case len(j.Stiffness) > 0:
		apis = `"PhysicsDriveAPI:angular"`
	}
	if apis != "" {
		apis = " (\n            prepend apiSchemas = [" + apis + "]\n        )"
	}
	fmt.Fprintf(w, "        def %s %q%s\n        {\n", kind, j.Name, apis)
	for k, body := range [...]string{j.Predecessor, j.Successor} {
		x := [...]model.Pose{j.PredecessorFrame, j.SuccessorFrame}[k]
		if j.Type == model.Universal { // its first axis is y there, and the second, the twist, is x
			x.Orientation = spatial.Quat(x.Orientation).Mul(spatial.Quat{0, math.Sqrt2 / 2, math.Sqrt2 / 2, 0})
		}
		fmt.Fprintf(w, "            rel physics:body%d = </biped/%s>\n", k, body)
		fmt.Fprintf(w, "            point3f physics:localPos%d = (%s)\n", k, w.list(x.Position[:]...))
		fmt.Fprintf(w, "            quatf physics:localRot%d = (%s)\n", k, w.list(x.Orientation[:]...))
	}
	switch j.Type {
	case model.Revolute:
		fmt.Fprintf(w, "            uniform token physics:axis = \"Z\"\n")
	case model.Universal:
		for _, name := range [...]string{"transX", "transY", "transZ", "rotZ"} {
			fmt.Fprintf(w, "            float limit:%s:physics:low = 1\n            float limit:%s:physics:high = -1\n", name, name)
		}
	}
	if len(j.Stiffness) > 0 {
		fmt.Fprintf(w, "            float drive:angular:physics:stiffness = %s\n", w.list(j.Stiffness[0]/deg))
		fmt.Fprintf(w, "            float drive:angular:physics:damping = %s\n", w.list(j.Damping[0]/deg))
		fmt.Fprintf(w, "            float drive:angular:physics:targetPosition = %s\n", w.list(j.Rest[0]*deg))
		fmt.Fprintf(w, "            float newton:armature = %s\n", w.list(j.Armature[0]))
	}
	if strings.HasPrefix(j.Name, "heel_") || strings.HasPrefix(j.Name, "ball_") {
		fmt.Fprintf(w, "            bool physics:excludeFromArticulation = 1\n")
	}
	fmt.Fprintf(w, "        }\n\n")
}

// worst returns by how much the joints of a model are open at its state, m or rad.
func worst(t *testing.T, m *model.Model) float64 {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	mech, st := plan.Mechanism(), plan.Initial()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	var v mechanism.Violation
	for j := range mech.Joints {
		w := mech.ViolationOf(j, k, st)
		v.Widen(&w)
	}
	x, _ := v.In(1)
	return x
}

// requireCounts holds a model to its number of rows, of redundant ones and of freedoms.
func requireCounts(t *testing.T, m *model.Model, rows, redundant, mobility int) {
	t.Helper()
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	c := &r.Constraints
	require.Equal(t, []int{rows, redundant, mobility}, []int{c.Rows, c.Redundant, c.Mobility})
}
