package model_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// sample returns a model in canonical form that uses every field.
func sample() *model.Model {
	m := model.New("sam\"ple\n")
	m.Time = -0.25
	m.Gravity = [3]float64{1e-7, 1e22, -9.81}
	for _, name := range []string{"a", "b", "ü \t", "\u2028"} {
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 0.1, Com: [3]float64{1, 2, 3},
			Inertia:  model.Inertia{XX: 1, YY: 1.1, ZZ: 1.2, XY: 0.1, XZ: -0.1, YZ: 0.05},
			Pose:     model.Pose{Position: [3]float64{1. / 3, math.MaxFloat64, 5e-324}, Orientation: [4]float64{0.6, 0, -0.8, 0}},
			Velocity: model.Velocity{Linear: [3]float64{0, 1, 0}, Angular: [3]float64{0, 0, 2}},
		})
	}
	for t := range joints.NumKinds {
		j := model.Joint{Name: t.String(), Type: t, Predecessor: model.World, Successor: "a"}
		j.PredecessorFrame.Orientation[0] = 1
		j.SuccessorFrame = m.Bodies[0].Pose
		switch t {
		case model.Helical:
			j.Pitch = -0.5
		case model.Distance:
			j.Length = 1
		case model.Rolling:
			j.Radius, j.TyreRadius, j.Slip = 0.5, 0.125, joints.SlipAcross
		case model.PointOnCurve:
			u := -0.25
			j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "u^2", Z: "1", Range: [2]float64{-1, 2}}, Planar: true, Parameter: &u}
		case model.CurveOnCurve:
			u, w := 0.5, -1.5
			j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: 2}, Parameter: &u}
			j.SuccessorCurve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Spline, File: "cam.csv", Closed: true}, Parameter: &w}
		case model.Composite:
			j.Axes = []model.Axis{
				{Kind: model.Revolute, Axis: [3]float64{0, 0, 1}, Point: [3]float64{0.1, 0, 0}},
				{Kind: model.Revolute, Axis: [3]float64{0.1, 2, 0}}, {Kind: model.Helical, Axis: [3]float64{1, 0, 0}, Pitch: 0.25},
				{Kind: model.Prismatic, Axis: [3]float64{0, 0, -3}},
			}
		}
		for k := range j.Kind().Freedoms() {
			j.Force = append(j.Force, float64(k)+0.5)
		}
		for k := range j.Kind().Turns() {
			if t == model.Composite && k == 3 {
				j.Turns = append(j.Turns, 0) // which slides
				break
			}
			j.Turns = append(j.Turns, int64(1-3*k))
		}
		m.Joints = append(m.Joints, j)
	}
	r, c := &m.Joints[model.Revolute], &m.Joints[model.Cylindrical]
	r.Stiffness, r.Damping, r.Rest, r.Armature = []float64{1}, []float64{2}, []float64{-3}, []float64{4}
	r.Motion = []*model.Motion{{Kind: model.Harmonic, Offset: 1, Amplitude: 0, Frequency: 3, Phase: 4}}
	c.Motion = []*model.Motion{nil, {Kind: model.Polynomial, Coefficients: []float64{0, 1}}}
	r.Limits = []*model.Limit{{Lower: -1, Upper: 2.5, Rate: 3, Force: 40}}
	m.Joints[model.Universal].Limits = []*model.Limit{nil, {Lower: math.Inf(-1), Upper: math.Inf(1), Rate: 5}}
	m.Joints[model.SphereInCylinder].Limits = []*model.Limit{nil, nil, nil, {Lower: 0, Upper: math.Inf(1)}}
	c.Limits = []*model.Limit{
		{Lower: -1, Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 1e5, Exponent: 1.5, Dissipation: 0.25}, Restitution: 0.5, ImpactSpeed: 0.125}},
		{Lower: 0, Upper: math.Inf(1), Stop: model.Stop{Normal: contact.Normal{Type: contact.Linear, Stiffness: 3, Exponent: 1, Damping: 4}}},
	}
	c.Limits[0].Stop.Restitution, c.Limits[0].Stop.ImpactSpeed = 0, 2 // a blow that ends at once
	c.Friction = []model.Friction{{Force: 2.5}, {Force: 1, Static: 1.5, Stribeck: 0.01, Hold: contact.Hold{Travel: 1e-4, Damping: 3}}}
	bearing := model.Friction{Coefficient: 0.1, Radius: 0.02, Speed: 0.5}
	m.Joints[model.Spherical].Friction = []model.Friction{bearing, bearing, bearing}
	m.Joints[model.Prismatic].Friction = []model.Friction{{Force: 3, Speed: 0.25}}
	for i, c := range []curves.Curve{
		{Ends: [2]spatial.Vec3{{0, 1, 2}, {-1, 0.5, 0}}},
		{Kind: curves.Circle, Radius: 2},
		{Kind: curves.Circle, Center: spatial.Vec3{1, 0, -2}, Axis: spatial.Vec3{0, 2, 0}, Start: spatial.Vec3{0, 0.5, 1}, Radius: 0.25, Range: [2]float64{-1, 2.5}},
		{Kind: curves.Spline, Points: []spatial.Vec3{{0, 0, 1}, {1, 0, 0}, {1, 2, 0}}, Natural: true},
		{Kind: curves.Spline, Points: []spatial.Vec3{{0, 0, 1}, {1, 0, 0}, {1, 2, 0}}, Parameters: []float64{-1, 0, 3, 4}, Closed: true},
		{Kind: curves.Spline, File: "track.csv", Closed: true},
		{Kind: curves.Function, X: "cos(u)", Y: "sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true},
	} {
		m.Joints = append(m.Joints, model.Joint{
			Name: fmt.Sprintf("curve %d", i), Type: model.PointOnCurve, Predecessor: "a", Successor: model.World, Curve: &model.PointCurve{Curve: c},
			PredecessorFrame: model.Pose{Orientation: [4]float64{1}}, SuccessorFrame: model.Pose{Orientation: [4]float64{1}},
		})
	}
	m.Forces = []model.ForceElement{
		{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "b", Point: [3]float64{1, 0, 0}}, Stiffness: 1, Damping: 2, RestLength: 3},
		{Name: "w", Type: model.Wrench, A: model.Attachment{Body: "b"}, Force: [3]float64{1, 2, 3}},
	}
	m.Couplings = []model.Coupling{
		{Name: "mesh", Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: "prismatic"}, Factor: 0.1}, {Coupled: model.Coupled{Joint: "cylindrical", Freedom: 1}, Factor: -3},
		}, Offset: 1e-3},
		{Name: "cam", Terms: []model.CouplingTerm{{Coupled: model.Coupled{Joint: "universal", Freedom: 1}, Factor: 2}},
			Polynomial: &model.CouplingPolynomial{Of: model.Coupled{Joint: "planar", Freedom: 2}, Coefficients: []float64{0, 1, 0.5}}},
	}
	addGround(m)
	addCarried(m)
	addSprings(m)
	return m
}

// addGround adds terrains of all types and fields, contacts and actuators.
func addGround(m *model.Model) {
	m.Terrains = []model.Terrain{
		{Name: "plane", Type: model.PlaneTerrain, Point: [3]float64{1, 2, 3}, Normal: [3]float64{0.1, 0, 2}},
		{Name: "grid", Type: model.GridTerrain, Origin: [2]float64{-1, 2}, Spacing: [2]float64{0.5, 0.25}, Heights: [][]float64{{0, 1, 0}, {1, 2, -0.5}, {0, 0, 1}}, Interpolation: ground.Hermite, Outside: ground.Level},
		{Name: "csv", Type: model.CSVTerrain, File: "a/b.csv", Spacing: [2]float64{1, 2}, Scale: 2, Offset: 3, FirstRow: ground.North},
		{Name: "points", Type: model.CSVTerrain, File: "c.csv", Layout: ground.Points, Scale: 1, FirstRow: ground.South, Outside: ground.Tangent},
		{Name: "png", Type: model.PNGTerrain, File: "d.png", Spacing: [2]float64{1, 1}, Lowest: -1, FirstRow: ground.North},
		{Name: "function", Type: model.FunctionTerrain, Expression: "sin(x)*y"},
		{Name: "random", Type: model.RandomTerrain, Size: [2]int{8, 9}, Spacing: [2]float64{1, 1}, RMS: 0.1, Length: 2, Seed: 1 << 53},
		{Name: "fractal", Type: model.RandomTerrain, Kind: ground.Fractal, Size: [2]int{8, 9}, Spacing: [2]float64{1, 1}, RMS: 0.1, Hurst: 0.5},
		{Name: "sum", Type: model.SumTerrain, Parts: []string{"plane", "function"}},
	}
	law := contact.Law{Normal: contact.Normal{Stiffness: 1e5, Exponent: 1.5, Dissipation: 0.2}}
	ellipse := law
	ellipse.Friction = contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{0.8, 0.5}, SlipSpeed: 0.01}
	ellipse.Rolling, ellipse.Drilling = contact.Resistance{Coefficient: 0.01, Speed: 0.1}, contact.Resistance{Coefficient: 0.1, Speed: model.DefaultTurnSpeed}
	linear := contact.Law{
		Normal:   contact.Normal{Type: contact.Linear, Stiffness: 1e5, Exponent: 1, Damping: 20},
		Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{0.8, 0.8}, SlipSpeed: model.DefaultSlipSpeed},
	}
	y := spatial.Vec3{0, 1, 0}
	hold, tyre, soil := linear, linear, linear
	hold.Friction.Hold = contact.Hold{Travel: 0.01, Damping: 3}
	road, peaks, _ := contact.TyrePreset("road")
	road.Relaxation = 0.2
	tyre.Friction = contact.Friction{Type: contact.Tyre, Tyre: road, Coefficient: peaks}
	sand, _ := contact.SoilPreset("dry sand")
	sand.Width = 0.2
	soil.Normal = contact.Normal{Type: contact.Linear, Exponent: 1, Damping: 5}
	soil.Friction = contact.Friction{Type: contact.Soil, Soil: sand}
	for i, c := range []model.Contact{
		{Terrain: "plane", Law: law, Shape: contact.Shape{Type: contact.Sphere, Radius: 0.1, Center: spatial.Vec3{1, 2, 3}}},
		{Terrain: "sum", Law: ellipse, Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0.1, 1, 0}, Where: contact.Local}},
		{Terrain: "grid", Law: linear, Shape: contact.Shape{Type: contact.Torus, Radius: 0.3, TyreRadius: 0.05, Axis: y, Where: contact.Distributed, Samples: 40}},
		{Terrain: "png", Law: linear, Shape: contact.Shape{Type: contact.Cylinder, Radius: 0.3, Width: 0.2, Discs: 3, Axis: y}},
		{Terrain: "plane", Map: "grid", Law: hold, Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: y}},
		{Terrain: "plane", Law: tyre, Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: y}},
		{Terrain: "plane", Law: soil, Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: y}},
	} {
		m.Forces = append(m.Forces, model.ForceElement{Name: fmt.Sprint("contact", i), Type: model.ContactForce, A: model.Attachment{Body: "b"}, Contact: &c})
	}
	spline := &model.Motion{Kind: model.Spline, Times: []float64{0, 1, 2}, Values: []float64{0, 2, 0}}
	for i, a := range []model.Actuator{
		{Joint: "prismatic", Law: model.ActuatorTorque, Value: &model.Motion{Kind: model.Polynomial, Coefficients: []float64{-3}}},
		{Joint: "universal", Freedom: 1, Law: model.ActuatorSpeed, Value: spline, Gain: 200, Integral: 3, Limit: 300},
		{Joint: "planar", Freedom: 2, Law: model.ActuatorPosition, Value: &model.Motion{Kind: model.Harmonic, Amplitude: 1, Frequency: 2}, Gain: 5, Damping: 0.1},
	} {
		m.Forces = append(m.Forces, model.ForceElement{Name: fmt.Sprint("actuator", i), Type: model.ActuatorForce, Actuator: &a})
	}
}

func TestCheckSample(t *testing.T) { require.NoError(t, model.Check(sample())) }

func TestCheckEmptyAndZeroOrientation(t *testing.T) {
	require.NoError(t, model.Check(&model.Model{}))
	m := sample()
	m.Bodies[0].Pose.Orientation = [4]float64{}
	require.NoError(t, model.Check(m))
	require.Equal(t, [4]float64{}, m.Bodies[0].Pose.Orientation, "Check must not modify")
	m.Canonicalize()
	require.Equal(t, [4]float64{1, 0, 0, 0}, m.Bodies[0].Pose.Orientation)
}

func TestCheckRules(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	b := func(f func(*model.Body)) func(*model.Model) { return func(m *model.Model) { f(&m.Bodies[1]) } }
	g := func(k int, f func(*model.Terrain)) func(*model.Model) {
		return func(m *model.Model) { f(&m.Terrains[k]) }
	}
	j := func(k model.JointType, f func(*model.Joint)) func(*model.Model) {
		return func(m *model.Model) { f(&m.Joints[k]) }
	}
	f := func(k int, f func(*model.ForceElement)) func(*model.Model) {
		return func(m *model.Model) { f(&m.Forces[k]) }
	}
	for _, c := range []struct {
		path, rule string
		edit       func(*model.Model)
	}{
		{"$.name", "UTF-8", func(m *model.Model) { m.Name = "\xff" }},
		{"$.gravity[1]", "finite", func(m *model.Model) { m.Gravity[1] = nan }},
		{"$.time", "finite", func(m *model.Model) { m.Time = -inf }},
		{"$.bodies[1].name", "is empty", func(m *model.Model) { m.Bodies[1].Name, m.Forces = "", nil }},
		{"$.bodies[3].name", "duplicate name, first at $.bodies[0]", func(m *model.Model) { m.Bodies[3].Name = "a" }},
		{"$.bodies[3].name", "UTF-8", func(m *model.Model) { m.Bodies[3].Name = "\xff" }},
		{"$.bodies[3].name", "reserved", func(m *model.Model) { m.Bodies[3].Name = model.World }},
		{"$.bodies[1].mass", "finite", b(func(b *model.Body) { b.Mass = inf })},
		{"$.bodies[1].mass", "positive", b(func(b *model.Body) { b.Mass = 0 })},
		{"$.bodies[1].com[2]", "finite", b(func(b *model.Body) { b.Com[2] = nan })},
		{"$.bodies[1].inertia.xz", "finite", b(func(b *model.Body) { b.Inertia.XZ = nan })},
		{"$.bodies[1].inertia", "positive semidefinite", b(func(b *model.Body) { b.Inertia.XX = -1 })},
		{"$.bodies[1].inertia", "too small", b(func(b *model.Body) { b.Inertia = model.Inertia{XX: 5e-324, YY: 5e-324, ZZ: 5e-324} })},
		{"$.bodies[1].inertia", "too small", b(func(b *model.Body) { b.Inertia = model.Inertia{YY: 1e-310, ZZ: 1e-310} })},
		{"$.bodies[1].inertia", "positive semidefinite", b(func(b *model.Body) { b.Inertia = model.Inertia{XX: -2e-9, YY: 1, ZZ: 1} })},
		{"$.bodies[1].inertia", "positive semidefinite", b(func(b *model.Body) { b.Inertia = model.Inertia{ZZ: 1} })},
		{"$.bodies[1].inertia", "triangle", b(func(b *model.Body) { b.Inertia = model.Inertia{YY: 1, ZZ: 1.1} })},
		{"$.bodies[1].inertia", "triangle", b(func(b *model.Body) { b.Inertia.XX = 10 })},
		{"$.bodies[1].pose.position[0]", "finite", b(func(b *model.Body) { b.Pose.Position[0] = nan })},
		{"$.bodies[1].pose.orientation[3]", "finite", b(func(b *model.Body) { b.Pose.Orientation[3] = nan })},
		{"$.bodies[1].pose.orientation", "unit", b(func(b *model.Body) { b.Pose.Orientation[3] = 1 })},
		{"$.bodies[1].velocity.linear[0]", "finite", b(func(b *model.Body) { b.Velocity.Linear[0] = inf })},
		{"$.bodies[1].velocity.angular[1]", "finite", b(func(b *model.Body) { b.Velocity.Angular[1] = inf })},
		{"$.joints[1].name", "duplicate", j(1, func(j *model.Joint) { j.Name = "fixed" })},
		{"$.joints[1].name", "is empty", j(1, func(j *model.Joint) { j.Name = "" })},
		{"$.joints[1].type", "unknown joint type", j(1, func(j *model.Joint) { j.Type = 200 })},
		{"$.joints[1].predecessor", "unknown body, did you mean world?", j(1, func(j *model.Joint) { j.Predecessor = "wrld" })},
		{"$.joints[1].predecessor", "unknown body", j(1, func(j *model.Joint) { j.Predecessor = "" })},
		{"$.joints[1].successor", "itself", j(1, func(j *model.Joint) { j.Successor = model.World })},
		{"$.joints[1].predecessor_frame.orientation", "unit", j(1, func(j *model.Joint) { j.PredecessorFrame.Orientation[0] = 0.5 })},
		{"$.joints[1].successor_frame.position[1]", "finite", j(1, func(j *model.Joint) { j.SuccessorFrame.Position[1] = nan })},
		{"$.joints[1].pitch", "no meaning", j(model.Revolute, func(j *model.Joint) { j.Pitch = 1 })},
		{"$.joints[3].pitch", "zero", j(model.Helical, func(j *model.Joint) { j.Pitch = 0 })},
		{"$.joints[3].pitch", "finite", j(model.Helical, func(j *model.Joint) { j.Pitch = nan })},
		{"$.joints[3].length", "no meaning", j(model.Helical, func(j *model.Joint) { j.Length = 1 })},
		{"$.joints[12].radius", "positive", j(model.Rolling, func(j *model.Joint) { j.Radius, j.TyreRadius = -1, 0 })},
		{"$.joints[12].radius", "finite", j(model.Rolling, func(j *model.Joint) { j.Radius = math.Inf(1) })},
		{"$.joints[12].tyre_radius", "finite", j(model.Rolling, func(j *model.Joint) { j.TyreRadius = math.NaN() })},
		{"$.joints[12].tyre_radius", "negative", j(model.Rolling, func(j *model.Joint) { j.TyreRadius = -0.1 })},
		{"$.joints[12].tyre_radius", "above radius", j(model.Rolling, func(j *model.Joint) { j.TyreRadius = 0.6 })},
		{"$.joints[12].bowl_radius", "finite", j(model.Rolling, func(j *model.Joint) { j.BowlRadius = math.NaN() })},
		{"$.joints[12].bowl_radius", "needs a ball", j(model.Rolling, func(j *model.Joint) { j.BowlRadius = 2 })},
		{"$.joints[12].bowl_radius", "above radius", j(model.Rolling, func(j *model.Joint) {
			j.TyreRadius, j.BowlRadius, j.Slip = j.Radius, j.Radius, joints.SlipNone
		})},
		{"$.joints[0].bowl_radius", "no meaning", j(model.Fixed, func(j *model.Joint) { j.BowlRadius = -1 })},
		{"$.joints[12].slip", "none of none", j(model.Rolling, func(j *model.Joint) { j.Slip = 4 })},
		{"$.joints[12].slip", "heading", j(model.Rolling, func(j *model.Joint) { j.TyreRadius = j.Radius })},
		{"$.joints[0].terrain", "no meaning", j(model.Fixed, func(j *model.Joint) { j.Terrain = "hills" })},
		{"$.joints[12].terrain", "unknown terrain", j(model.Rolling, func(j *model.Joint) { j.Terrain = "hils" })},
		{"$.joints[0].radius", "no meaning", j(model.Fixed, func(j *model.Joint) { j.Radius = 1 })},
		{"$.joints[0].tyre_radius", "no meaning", j(model.Fixed, func(j *model.Joint) { j.TyreRadius = 1 })},
		{"$.joints[0].slip", "no meaning", j(model.Fixed, func(j *model.Joint) { j.Slip = joints.SlipBoth })},
		{"$.joints[10].length", "positive", j(model.Distance, func(j *model.Joint) { j.Length = -1 })},
		{"$.joints[4].force", "length 1", j(model.Cylindrical, func(j *model.Joint) { j.Force = j.Force[:1] })},
		{"$.joints[4].armature[1]", "negative", j(model.Cylindrical, func(j *model.Joint) { j.Armature = []float64{1, -1} })},
		{"$.joints[4].armature", "length 1", j(model.Cylindrical, func(j *model.Joint) { j.Armature = []float64{1} })},
		{"$.joints[4].damping", "length 0", j(model.Cylindrical, func(j *model.Joint) { j.Damping = []float64{} })},
		{"$.joints[4].rest[1]", "finite", j(model.Cylindrical, func(j *model.Joint) { j.Rest = []float64{0, inf} })},
		{"$.joints[8].rest[2]", "ball", j(model.SphereInCylinder, func(j *model.Joint) { j.Rest = []float64{0, 0, 1, 1} })},
		{"$.joints[5].turns", "length 1", j(model.Universal, func(j *model.Joint) { j.Turns = []int64{1} })},
		{"$.joints[5].turns[1]", "integer", j(model.Universal, func(j *model.Joint) { j.Turns = []int64{1, math.MinInt64} })},
		{"$.joints[4].motion", "length 1", j(model.Cylindrical, func(j *model.Joint) { j.Motion = j.Motion[:1] })},
		{"$.joints[4].motion[1].coefficients[1]", "finite", j(model.Cylindrical, func(j *model.Joint) { j.Motion[1].Coefficients[1] = nan })},
		{"$.joints[4].motion[1].coefficients", "no entries", j(model.Cylindrical, func(j *model.Joint) { j.Motion[1].Coefficients = nil })},
		{"$.joints[4].motion[1].phase", "no meaning", j(model.Cylindrical, func(j *model.Joint) { j.Motion[1].Phase = 1 })},
		{"$.joints[4].motion[1].kind", "unknown", j(model.Cylindrical, func(j *model.Joint) { j.Motion[1].Kind = 9 })},
		{"$.joints[4].motion[1].kind", "unknown", j(model.Cylindrical, func(j *model.Joint) { j.Motion[1].Kind = joints.None })},
		{"$.joints[1].motion[0].frequency", "finite", j(model.Revolute, func(j *model.Joint) { j.Motion[0].Frequency = inf })},
		{"$.joints[1].motion[0].coefficients", "no meaning", j(model.Revolute, func(j *model.Joint) { j.Motion[0].Coefficients = []float64{1} })},
		{"$.joints[7].motion[0]", "ball", j(model.Spherical, func(j *model.Joint) { j.Motion = []*model.Motion{{}, nil, nil} })},
		{"$.joints[5].limits", "length 1", j(model.Universal, func(j *model.Joint) { j.Limits = j.Limits[:1] })},
		{"$.joints[7].limits[2]", "ball", j(model.Spherical, func(j *model.Joint) { j.Limits = []*model.Limit{nil, nil, {Upper: 1}} })},
		{"$.joints[1].limits[0].lower", "is not below upper, 2.5", j(1, func(j *model.Joint) { j.Limits[0].Lower = 2.5 })},
		{"$.joints[1].limits[0].lower", "is not below upper, 0", j(1, func(j *model.Joint) { *j.Limits[0] = model.Limit{} })},
		{"$.joints[1].limits[0].lower", "is not below", j(1, func(j *model.Joint) { j.Limits[0].Upper = nan })},
		{"$.joints[1].limits[0].lower", "is not below", j(1, func(j *model.Joint) { j.Limits[0].Lower = inf })},
		{"$.joints[1].limits[0].rate", "positive", j(1, func(j *model.Joint) { j.Limits[0].Rate = -1 })},
		{"$.joints[1].limits[0].force", "finite", j(1, func(j *model.Joint) { j.Limits[0].Force = inf })},
		{"$.forces[1].name", "duplicate", f(1, func(e *model.ForceElement) { e.Name = "s" })},
		{"$.forces[0].name", "is empty", f(0, func(e *model.ForceElement) { e.Name = "" })},
		{"$.forces[0].type", "unknown", f(0, func(e *model.ForceElement) { e.Type = 9 })},
		{"$.forces[0].b.body", "unknown body", f(0, func(e *model.ForceElement) { e.B.Body = "" })},
		{"$.forces[0].a.point[0]", "finite", f(0, func(e *model.ForceElement) { e.A.Point[0] = nan })},
		{"$.forces[0].stiffness", "finite", f(0, func(e *model.ForceElement) { e.Stiffness = nan })},
		{"$.forces[0].damping", "finite", f(0, func(e *model.ForceElement) { e.Damping = nan })},
		{"$.forces[0].rest_length", "finite", f(0, func(e *model.ForceElement) { e.RestLength = nan })},
		{"$.forces[0].torque", "no meaning", f(0, func(e *model.ForceElement) { e.Torque[0] = nan })},
		{"$.forces[1].body", "not the world", f(1, func(e *model.ForceElement) { e.A.Body = model.World })},
		{"$.forces[1].point[2]", "finite", f(1, func(e *model.ForceElement) { e.A.Point[2] = nan })},
		{"$.forces[1].force[2]", "finite", f(1, func(e *model.ForceElement) { e.Force[2] = nan })},
		{"$.forces[1].torque[2]", "finite", f(1, func(e *model.ForceElement) { e.Torque[2] = nan })},
		{"$.forces[1].b", "no meaning", f(1, func(e *model.ForceElement) { e.B.Body = "a" })},
		{"$.forces[1].stiffness", "no meaning", f(1, func(e *model.ForceElement) { e.Stiffness = 1 })},
		{"$.forces[1].contact", "no meaning", f(1, func(e *model.ForceElement) { e.Contact = &model.Contact{} })},
		{"$.forces[1].actuator", "no meaning", f(1, func(e *model.ForceElement) { e.Actuator = &model.Actuator{} })},
		{"$.forces[2]", "without meaning", f(2, func(e *model.ForceElement) { e.Damping = 1 })},
		{"$.forces[2]", "no contact", f(2, func(e *model.ForceElement) { e.Contact = nil })},
		{"$.forces[2].body", "not the world", f(2, func(e *model.ForceElement) { e.A.Body = model.World })},
		{"$.forces[2].body", "unknown body", f(2, func(e *model.ForceElement) { e.A.Body = "no" })},
		{"$.forces[2].terrain", "unknown terrain", f(2, func(e *model.ForceElement) { e.Contact.Terrain = "" })},
		{"$.forces[2].shape.radius", "positive", f(2, func(e *model.ForceElement) { e.Contact.Shape.Radius = 0 })},
		{"$.forces[2].contacts", "deepest", f(2, func(e *model.ForceElement) { e.Contact.Shape.Where = contact.Local })},
		{"$.forces[4].shape.axis", "zero", f(4, func(e *model.ForceElement) { e.Contact.Shape.Axis = spatial.Vec3{} })},
		{"$.forces[2].normal.stiffness", "positive", f(2, func(e *model.ForceElement) { e.Contact.Law.Normal.Stiffness = -1 })},
		{"$.forces[2].normal.exponent", "at least 1", f(2, func(e *model.ForceElement) { e.Contact.Law.Normal.Exponent = 0.5 })},
		{"$.forces[3].friction.slip_speed", "positive", f(3, func(e *model.ForceElement) { e.Contact.Law.Friction.SlipSpeed = -1 })},
		{"$.forces[9]", "no actuator", f(9, func(e *model.ForceElement) { e.Actuator = nil })},
		{"$.forces[9].joint", "unknown joint", f(9, func(e *model.ForceElement) { e.Actuator.Joint = "" })},
		{"$.forces[9].freedom", "1 freedoms", f(9, func(e *model.ForceElement) { e.Actuator.Freedom = 1 })},
		{"$.forces[9].freedom", "ball", f(9, func(e *model.ForceElement) { e.Actuator.Joint = "spherical" })},
		{"$.forces[9].freedom", "prescribed", f(9, func(e *model.ForceElement) { e.Actuator.Joint = "revolute" })},
		{"$.forces[9].value", "finite", f(9, func(e *model.ForceElement) { e.Actuator.Value.Coefficients[0] = nan })},
		{"$.forces[9].value", "missing", f(9, func(e *model.ForceElement) { e.Actuator.Value = nil })},
		{"$.forces[10].value.values", "must have 3", f(10, func(e *model.ForceElement) { e.Actuator.Value.Values = e.Actuator.Value.Values[:2] })},
		{"$.forces[9].law", "unknown", f(9, func(e *model.ForceElement) { e.Actuator.Law = 5 })},
		{"$.forces[9].gain", "no meaning", f(9, func(e *model.ForceElement) { e.Actuator.Gain = 1 })},
		{"$.forces[10].gain", "negative", f(10, func(e *model.ForceElement) { e.Actuator.Gain = -1 })},
		{"$.forces[11].integral", "no meaning", f(11, func(e *model.ForceElement) { e.Actuator.Integral = 1 })},
		{"$.terrains[7].name", "duplicate", g(7, func(t *model.Terrain) { t.Name = "plane" })},
		{"$.terrains[6].name", "empty", g(6, func(t *model.Terrain) { t.Name = "" })},
		{"$.terrains[0].type", "unknown", g(0, func(t *model.Terrain) { t.Type = 99 })},
		{"$.terrains[6].type", "no surface", g(6, func(t *model.Terrain) { *t = model.Terrain{Name: "x"} })},
		{"$.terrains[0].normal", "point up", g(0, func(t *model.Terrain) { t.Normal[2] = -1 })},
		{"$.terrains[0].point[1]", "finite", g(0, func(t *model.Terrain) { t.Point[1] = inf })},
		{"$.terrains[0].file", "no meaning", g(0, func(t *model.Terrain) { t.File = "x" })},
		{"$.terrains[1].spacing[1]", "positive", g(1, func(t *model.Terrain) { t.Spacing[1] = 0 })},
		{"$.terrains[1].heights[2]", "2 heights, the first line has 3", g(1, func(t *model.Terrain) { t.Heights[2] = t.Heights[2][:2] })},
		{"$.terrains[1].heights", "has 3 lines; interpolation spline needs 4", g(1, func(t *model.Terrain) { t.Interpolation = ground.Spline })},
		{"$.terrains[1].heights[1][2]", "finite", g(1, func(t *model.Terrain) { t.Heights[1][2] = nan })},
		{"$.terrains[2].file", "empty", g(2, func(t *model.Terrain) { t.File = "" })},
		{"$.terrains[5].expression", "character 5: expected", g(5, func(t *model.Terrain) { t.Expression = "1 + * x" })},
		{"$.terrains[6].size", "more than", g(6, func(t *model.Terrain) { t.Size = [2]int{math.MaxInt32, math.MaxInt32} })},
		{"$.terrains[6].size[1]", "needs 4", g(6, func(t *model.Terrain) { t.Size[1] = 3 })},
		{"$.terrains[6].rms", "negative", g(6, func(t *model.Terrain) { t.RMS = -1 })},
		{"$.terrains[6].seed", "integer", g(6, func(t *model.Terrain) { t.Seed++ })},
		{"$.terrains[7].hurst", "between", g(7, func(t *model.Terrain) { t.Hurst = 1 })},
		{"$.terrains[8].parts[1]", "stands before", g(8, func(t *model.Terrain) { t.Parts[1] = "sum" })},
	} {
		t.Run(c.path+" "+c.rule, func(t *testing.T) {
			m := sample()
			c.edit(m)
			got := problems(t, model.Check(m))
			require.Len(t, got, 1)
			assert.Equal(t, c.path, got[0].Path)
			assert.Contains(t, got[0].Rule, c.rule)
		})
	}
}

func TestCheckNoBodies(t *testing.T) {
	m := &model.Model{Joints: []model.Joint{{Name: "j", Predecessor: model.World, Successor: "a"}}}
	assert.Equal(t, []string{"$.bodies", "$.joints[0].successor"}, paths(problems(t, model.Check(m))))
	assert.ErrorContains(t, model.Check(m), "model: $.bodies: is empty although there are joints (value [])")
}

func TestInertiaBounds(t *testing.T) {
	for _, c := range []struct {
		I    model.Inertia
		good bool
	}{
		{model.Inertia{XX: 1, YY: 1, ZZ: 2}, true},                                                // lamina
		{model.Inertia{XX: 1e-4, YY: 1. / 12, ZZ: 1. / 12}, true},                                 // rod
		{model.Inertia{XX: 1, YY: 1, ZZ: 2 * (1 + 0.5e-9)}, true},                                 // within the tolerance
		{model.Inertia{XX: 1, YY: 1, ZZ: 2 * (1 + 2e-9)}, false},                                  // beyond it
		{model.Inertia{XX: 1e300, YY: 1e300, ZZ: 1e300}, true},                                    // no overflow
		{model.Inertia{XX: 1e-300, YY: 1e-300, ZZ: 1e-300}, true},                                 // no underflow
		{model.Inertia{XX: 1e-307, YY: 1e-307, ZZ: 1e-307}, true},                                 // the inverse is finite
		{model.Inertia{XX: 1e-320, YY: 1e-320, ZZ: 1e-320}, false},                                // it is not
		{model.Inertia{XX: 1e-310, YY: 1e-305, ZZ: 1e-305}, false},                                // nor here
		{model.Inertia{XX: 5.00005e-306, YY: 5.00005e-306, ZZ: 1e-305, XY: -4.99995e-306}, false}, // 1e-310 obliquely
		{model.Inertia{XX: 5.5e-306, YY: 5.5e-306, ZZ: 1e-305, XY: -4.5e-306}, true},              // 1e-306
		{model.Inertia{XX: math.MaxFloat64, YY: math.MaxFloat64, ZZ: 1e300}, true},                // trace beyond the range
		{model.Inertia{XX: 1, YY: 1, ZZ: 1, XY: 1}, false},                                        // singular
		{model.Inertia{XX: 2, YY: 2, ZZ: 2, XY: 0.5, XZ: 0.5, YZ: 0.5}, true},                     // 1.5, 1.5, 3
		{model.Inertia{XX: 2, YY: 2, ZZ: 2, XY: 0.55, XZ: 0.55, YZ: 0.55}, false},                 // 1.45, 1.45, 3.1
		{model.Inertia{XX: 2, YY: 2, ZZ: 2, XY: -0.55, XZ: -0.55, YZ: -0.55}, true},               // 2.55, 2.55, 0.9
		{model.Inertia{XX: 2, YY: 2, ZZ: 2, XY: -1.01, XZ: -1.01, YZ: -1.01}, false},              // −0.02
	} {
		m := model.New("")
		m.Bodies = []model.Body{{Name: "a", Mass: 1, Inertia: c.I}}
		assert.Equal(t, c.good, model.Check(m) == nil, "%v", c.I)
	}
}

func TestTypes(t *testing.T) {
	assert.Equal(t, "ForceType(9)", model.ForceType(9).String())
}
