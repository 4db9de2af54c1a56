package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// maxProblems is the number of problems of a document that are kept.
const maxProblems = 1000

// A valid document in pieces, which the cases below edit.
const (
	bodyA = `{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`
	bodyB = `{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`
)

func document(bodies, joints, forces string) string {
	return `{"format": "rung-model/1", "bodies": [` + bodies + `], "joints": [` + joints + `], "forces": [` + forces + `]}`
}

// joint returns a document with one joint of type kind, with more fields.
func joint(kind, more string) string {
	return document(bodyA+","+bodyB, `{"name": "j", "type": "`+kind+`", "predecessor": "a", "successor": "b"`+more+`}`, "")
}

func force(fields string) string { return document(bodyA, "", `{"name": "f", `+fields+`}`) }

func body(fields string) string { return document("{"+fields+"}", "", "") }

// with returns bodyA with its mass replaced by more.
func with(more string) string {
	return body(`"name": "a", "inertia": {"xx": 1, "yy": 1, "zz": 1}, ` + more)
}

func inertia(I string) string { return body(`"name": "a", "mass": 1, "inertia": {` + I + `}`) }

// circles are the fields of two circles with more.
func circles(first, second string) string {
	return `, "curve": {"kind": "circle", "radius": 2` + first + `}, "successor_curve": {"kind": "circle", "radius": 1` + second + `}`
}

// rolls returns a document with terrains and a wheel on the one of a name, which more fields may follow.
func rolls(terrains, name string) string {
	return `{"format": "rung-model/1", "bodies": [` + bodyA + `], "joints": [{"name": "j", "type": "rolling", "predecessor": "world", "successor": "a",
 "radius": 0.3, "tyre_radius": 0.3, "terrain": ` + name + `}], "terrains": [` + terrains + `]}`
}

// gridded returns a grid.
func gridded(interpolation, outside string) string {
	return `{"name": "hills", "type": "grid", "spacing": [1, 1], "interpolation": "` + interpolation + `", "outside": "` + outside + `",
 "heights": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}`
}

func TestReadInvalid(t *testing.T) {
	const J, F, B = "$.joints[0]", "$.forces[0]", "$.bodies[0]"
	spring := `"type": "spring_damper", "a": {"body": "world"}, "b": {"body": "a"}`
	wrench := `"type": "wrench", "body": "a", "torque": [0, 0, 0]`
	for _, c := range []struct{ name, doc, path, rule string }{
		{"not an object", `[]`, "$", "is not an object"},
		{"format missing", `{"bodies": []}`, "$.format", "missing"},
		{"format not a string", `{"format": 1, "bodies": []}`, "$.format", "is not a string"},
		{"bodies missing", `{"format": "rung-model/1"}`, "$.bodies", "missing"},
		{"bodies missing with joints", `{"format": "rung-model/1", "joints": [` + jointAB + `]}`, "$.bodies", "missing"},
		{"bodies null", `{"format": "rung-model/1", "bodies": null}`, "$.bodies", "is not a list"},
		{"body not an object", document("[]", "", ""), B, "is not an object"},
		{"joints an object", `{"format": "rung-model/1", "bodies": [], "joints": {}}`, "$.joints", "is not a list"},
		{"name not a string", `{"format": "rung-model/1", "name": null, "bodies": []}`, "$.name", "is not a string"},
		{"time null", `{"format": "rung-model/1", "time": null, "bodies": []}`, "$.time", "is not a number"},
		{"field in capitals", `{"format": "rung-model/1", "Bodies": [], "bodies": []}`, "$.Bodies", "unknown field, did you mean bodies?"},
		{"field with a letter left out", document(`{"name": "a", "mas": 1, "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`, "", ""), B + ".mas", "unknown field, did you mean mass?"},
		{"odd key", document(`{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "we ird": 1}`, "", ""), B + `["we ird"]`, "unknown field"},
		{"key twice", with(`"mass": 1, "mass": 2`), B + ".mass", "duplicate key"},
		{"escaped key twice", with(`"mass": 1, "m\u0061ss": 2`), B + ".mass", "duplicate key"},
		{"document key twice", `{"format": "rung-model/1", "bodies": [], "bodies": []}`, "$.bodies", "duplicate key"},
		{"trailing value", `{"format": "rung-model/1", "bodies": []} {}`, "$", "after the end of the document"},
		{"trailing text", `{"format": "rung-model/1", "bodies": []} x`, "$", "after the end of the document"},
		{"body name missing", body(`"mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}`), B + ".name", "missing"},
		{"body name empty", body(`"name": "", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}`), B + ".name", "is empty"},
		{"mass null", with(`"mass": null`), B + ".mass", "is not a number"},
		{"mass a string", with(`"mass": "1"`), B + ".mass", "is not a number"},
		{"mass overflows", with(`"mass": 1e999`), B + ".mass", "not finite"},
		{"mass underflows", with(`"mass": 1e-999`), B + ".mass", "not positive"},
		{"com entry", with(`"mass": 1, "com": [0, true, 0]`), B + ".com[1]", "is not a number"},
		{"com too long", with(`"mass": 1, "com": [0, 1, 0, 0]`), B + ".com", "wrong length 4"},
		{"inertia missing", body(`"name": "a", "mass": 1`), B + ".inertia", "missing"},
		{"inertia zz missing", inertia(`"xx": 1, "yy": 1`), B + ".inertia.zz", "missing"},
		{"inertia of one moment", inertia(`"xx": 0, "yy": 0, "zz": 1`), B + ".inertia", "positive semidefinite"},
		{"inertia indefinite", inertia(`"xx": 1, "yy": 1, "zz": 1, "xy": 1.5`), B + ".inertia", "positive semidefinite"},
		{"inertia triangle", inertia(`"xx": 1, "yy": 1, "zz": 2.00000001`), B + ".inertia", "triangle"},
		{"inertia triangle, tiny", inertia(`"xx": 1e-300, "yy": 1e-300, "zz": 3e-300`), B + ".inertia", "triangle"},
		{"inertia triangle, turned", inertia(`"xx": 2, "yy": 2, "zz": 1, "xy": 1.2`), B + ".inertia", "triangle"},
		{"pose a list", with(`"mass": 1, "pose": []`), B + ".pose", "is not an object"},
		{"orientation zero", with(`"mass": 1, "pose": {"orientation": [0, 0, 0, 0]}`), B + ".pose.orientation", "unit quaternion"},
		{"orientation huge", with(`"mass": 1, "pose": {"orientation": [1e300, 0, 0, 0]}`), B + ".pose.orientation", "unit quaternion"},
		{"orientation off", with(`"mass": 1, "pose": {"orientation": [1.0000011, 0, 0, 0]}`), B + ".pose.orientation", "unit quaternion"},
		{"velocity field", with(`"mass": 1, "velocity": {"Linear": [0, 0, 0]}`), B + ".velocity.Linear", "unknown field, did you mean linear?"},
		{"joint type missing", document(bodyA, `{"name": "j", "predecessor": "world", "successor": "a"}`, ""), J + ".type", "missing"},
		{"joint type unknown", joint("hinge", ""), J + ".type", "free rolling no_slip point_on_curve curve_on_curve composite; did you mean revolute?"},
		{"joint type in capitals", joint("Revolute", ""), J + ".type", "; did you mean revolute?"},
		{"joint name empty", document(bodyA, `{"name": "", "type": "fixed", "predecessor": "world", "successor": "a"}`, ""), J + ".name", "is empty"},
		{"predecessor missing", document(bodyA, `{"name": "j", "type": "fixed", "successor": "a"}`, ""), J + ".predecessor", "missing"},
		{"predecessor in capitals", document(bodyA, `{"name": "j", "type": "fixed", "predecessor": "World", "successor": "a"}`, ""), J + ".predecessor", "unknown body"},
		{"world to world", document(bodyA, `{"name": "j", "type": "fixed", "predecessor": "world", "successor": "world"}`, ""), J + ".successor", "itself"},
		{"pitch missing", joint("helical", ""), J + ".pitch", "missing"},
		{"pitch zero", joint("helical", `, "pitch": 0`), J + ".pitch", "is zero"},
		{"pitch of revolute", joint("revolute", `, "pitch": 1`), J + ".pitch", "no meaning"},
		{"length missing", joint("distance", ""), J + ".length", "missing"},
		{"length zero", joint("distance", `, "length": 0`), J + ".length", "not positive"},
		{"length of fixed", joint("fixed", `, "length": 0`), J + ".length", "no meaning"},
		{"radius missing", joint("rolling", ""), J + ".radius", "missing"},
		{"radius zero", joint("rolling", `, "radius": 0`), J + ".radius", "not positive"},
		{"radius negative", joint("rolling", `, "radius": -0.3`), J + ".radius", "not positive"},
		{"radius a text", joint("rolling", `, "radius": "0.3"`), J + ".radius", "is not a number"},
		{"radius of revolute", joint("revolute", `, "radius": 0.3`), J + ".radius", "no meaning"},
		{"radius of no_slip", joint("no_slip", `, "radius": 0`), J + ".radius", "no meaning"},
		{"tyre negative", joint("rolling", `, "radius": 0.3, "tyre_radius": -0.1`), J + ".tyre_radius", "is negative"},
		{"tyre too large", joint("rolling", `, "radius": 0.3, "tyre_radius": 0.31`), J + ".tyre_radius", "is above radius, 0.3"},
		{"tyre of planar", joint("planar", `, "tyre_radius": 0`), J + ".tyre_radius", "no meaning"},
		{"bowl of a disc", joint("rolling", `, "radius": 0.3, "bowl_radius": 2`), J + ".bowl_radius", "needs a ball"},
		{"bowl too small", joint("rolling", `, "radius": 0.3, "tyre_radius": 0.3, "bowl_radius": 0.3`), J + ".bowl_radius", "is not above radius, 0.3"},
		{"bowl a text", joint("rolling", `, "radius": 0.3, "tyre_radius": 0.3, "bowl_radius": "2"`), J + ".bowl_radius", "is not a number"},
		{"lifts_off of a revolute", joint("revolute", `, "lifts_off": true`), J + ".lifts_off", "no meaning"},
		{"lifts_off a number", joint("curve_on_curve", circles("", "")+`, "lifts_off": 1`), J + ".lifts_off", "is not"},
		{"force of curves that hold on", joint("curve_on_curve", circles("", "")+`, "force": [1]`), J + ".force", "wrong length 1, joint type curve_on_curve has 0 entries"},
		{"forces of curves that may part", joint("curve_on_curve", circles("", "")+`, "lifts_off": true, "force": [1, 2]`), J + ".force", "has 1 entries"},
		{"force along a curve alone", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "force": [1]`), J + ".force", "joint type point_on_curve has 4 entries"},
		{"motion of a turn of a bead", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "motion": [{"kind": "polynomial", "coefficients": [1]}, null, null, null]`), J + ".motion[0]", "prescribes a ball rotation"},
		{"forces in a plane", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "planar": true}, "force": [0, 0, 0, 1]`), J + ".force", "has 5 entries"},
		{"terrain of a revolute", joint("revolute", `, "terrain": "hills"`), J + ".terrain", "no meaning"},
		{"terrain empty", joint("rolling", `, "radius": 0.3, "terrain": ""`), J + ".terrain", "is empty"},
		{"terrain a number", joint("rolling", `, "radius": 0.3, "terrain": 1`), J + ".terrain", "is not a string"},
		{"terrain unknown", rolls(`{"name": "hills", "type": "plane"}`, `"hill"`), J + ".terrain", "unknown terrain, did you mean hills?"},
		{"terrain and bowl", rolls(`{"name": "hills", "type": "plane"}`, `"hills", "bowl_radius": 1`), J + ".terrain", "no meaning beside bowl_radius"},
		{"terrain in a frame", rolls(`{"name": "hills", "type": "plane"}`, `"hills", "predecessor_frame": {"position": [0, 0, 1]}`), J + ".predecessor_frame", "no meaning beside terrain"},
		{"terrain turned", rolls(`{"name": "hills", "type": "plane"}`, `"hills", "predecessor_frame": {"orientation": [0, 1, 0, 0]}`), J + ".predecessor_frame", "no meaning beside terrain"},
		{"terrain of a body", strings.Replace(rolls(`{"name": "hills", "type": "plane"}`, `"hills"`), `"world", "successor": "a"`, `"a", "successor": "world"`, 1), J + ".predecessor", "must be the world"},
		{"terrain of a formula with a kink", rolls(`{"name": "hills", "type": "function", "expression": "0.1*abs(x - 0.3)"}`, `"hills"`), J + ".terrain", `terrain "hills": the surface has no two continuous derivatives: the slope of its formula jumps at x = 0.3`},
		{"terrain with bent edges", rolls(`{"name": "hills", "type": "function", "expression": "max(0, x)^2"}`, `"hills"`), J + ".terrain", "the second derivative of its formula jumps at x = "},
		{"terrain of patches", rolls(gridded("linear", "stop"), `"hills"`), J + ".terrain", "a grid with interpolation linear, not spline"},
		{"terrain of bicubic patches", rolls(gridded("hermite", "stop"), `"hills"`), J + ".terrain", "a grid with interpolation hermite, not spline"},
		{"terrain that goes on", rolls(gridded("spline", "tangent"), `"hills"`), J + ".terrain", "goes on outside with tangent"},
		{"terrain in a sum", rolls(gridded("linear", "stop")+`, {"name": "all", "type": "sum", "parts": ["hills"]}`, `"all"`), J + ".terrain", `terrain "hills": the surface has no two`},
		{"bowl of planar", joint("planar", `, "bowl_radius": 0`), J + ".bowl_radius", "no meaning"},
		{"slip unknown", joint("rolling", `, "radius": 0.3, "slip": "sideways"`), J + ".slip", "along"},
		{"slip of a sphere", joint("rolling", `, "radius": 0.3, "tyre_radius": 0.3, "slip": "along"`), J + ".slip", "heading"},
		{"slip of planar", joint("planar", `, "slip": "none"`), J + ".slip", "no meaning"},
		{"force of rolling", joint("rolling", `, "radius": 0.3, "force": [1]`), J + ".force", "wrong length 1"},
		{"turns of no_slip", joint("no_slip", `, "turns": [1]`), J + ".turns", "wrong length 1"},
		{"curve missing", joint("point_on_curve", ""), J + ".curve", "missing"},
		{"curve of revolute", joint("revolute", `, "curve": {"kind": "circle", "radius": 1}`), J + ".curve", "no meaning"},
		{"curve a list", joint("point_on_curve", `, "curve": []`), J + ".curve", "is not an object"},
		{"curve kind missing", joint("point_on_curve", `, "curve": {"radius": 1}`), J + ".curve.kind", "missing"},
		{"curve kind unknown", joint("point_on_curve", `, "curve": {"kind": "ellipse"}`), J + ".curve.kind", "circle"},
		{"curve field unknown", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "Radius": 1}`), J + ".curve.Radius", "did you mean radius?"},
		{"line without ends", joint("point_on_curve", `, "curve": {"kind": "line"}`), J + ".curve.ends", "missing"},
		{"line with one end", joint("point_on_curve", `, "curve": {"kind": "line", "ends": [[0, 0, 0]]}`), J + ".curve.ends", "wrong length"},
		{"line of one point", joint("point_on_curve", `, "curve": {"kind": "line", "ends": [[1, 0, 0], [1, 0, 0]]}`), J + ".curve.ends", "are one point"},
		{"circle without radius", joint("point_on_curve", `, "curve": {"kind": "circle"}`), J + ".curve.radius", "missing"},
		{"circle of no radius", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 0}`), J + ".curve.radius", "not positive"},
		{"circle with a range of zeros", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "range": [0, 0]}`), J + ".curve.range", "must rise"},
		{"circle with an axis of zeros", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "axis": [0, 0, 0]}`), J + ".curve.axis", "has no direction"},
		{"circle with a start of zeros", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "start": [0, 0, 0]}`), J + ".curve.start", "has no direction"},
		{"parameter past the end", joint("point_on_curve", `, "curve": {"kind": "function", "x": "u", "y": "u", "range": [-1, 2], "parameter": 2.1}`),
			J + ".curve.parameter", "is past the ends of its curve, which goes from -1 to 2"},
		{"parameter before the start", joint("curve_on_curve", circles(`, "parameter": 7`, `, "range": [1, 2], "parameter": 0.9`)), J + ".successor_curve.parameter", "goes from 1 to 2"},
		{"armature of a gap", joint("curve_on_curve", circles("", "")+`, "lifts_off": true, "armature": [0.5]`), J + ".armature[0]", "is not zero on the gap of two curves"},
		{"circle with points", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "points": []}`), J + ".curve.points", "no meaning"},
		{"arc of a turn", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "range": [0, 7]}`), J + ".curve.range", "a turn or more"},
		{"spline of nothing", joint("point_on_curve", `, "curve": {"kind": "spline"}`), J + ".curve.points", "missing"},
		{"spline of one point", joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0, 0]]}`), J + ".curve.points", "wrong length 1"},
		{"spline of points in a plane", joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0], [1, 0, 0]]}`), J + ".curve.points[0]", "wrong length 2"},
		{"spline with a point twice", joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0, 0], [0, 0, 0]]}`), J + ".curve.points[1]", "is the point before it"},
		{"spline with both", joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0, 0], [1, 0, 0]], "file": "a.csv"}`), J + ".curve.points", "beside a file"},
		{"spline parameters", joint("point_on_curve", `, "curve": {"kind": "spline", "points": [[0, 0, 0], [1, 0, 0]], "parameters": [1]}`), J + ".curve.parameters", "wrong length 1"},
		{"formula without y", joint("point_on_curve", `, "curve": {"kind": "function", "x": "u", "range": [0, 1]}`), J + ".curve.y", "missing"},
		{"formula in x", joint("point_on_curve", `, "curve": {"kind": "function", "x": "x", "y": "u", "range": [0, 1]}`), J + ".curve.x", "expected a number, u, pi"},
		{"formula with a kink", joint("point_on_curve", `, "curve": {"kind": "function", "x": "u", "y": "abs(u)", "range": [-1, 2]}`), J + ".curve.y", "jumps by 2 at u = -9"},
		{"cusp", joint("point_on_curve", `, "curve": {"kind": "function", "x": "u - sin(u)", "y": "cos(u)", "range": [0, 6]}`), J + ".curve.x", "has no tangent at u = 0"},
		{"upright in the plane", joint("point_on_curve", `, "curve": {"kind": "line", "ends": [[0, 0, 0], [0, 0, 1]], "planar": true}`), J + ".curve.ends", "in the plane"},
		{"parameter a text", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1, "parameter": "0"}`), J + ".curve.parameter", "is not a number"},
		{"curve_on_curve without curves", joint("curve_on_curve", `, "successor_curve": {"kind": "circle", "radius": 1}`), J + ".curve", "missing"},
		{"curve_on_curve with one", joint("curve_on_curve", `, "curve": {"kind": "circle", "radius": 1}`), J + ".successor_curve", "missing"},
		{"second curve of a point", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "successor_curve": {"kind": "circle", "radius": 1}`), J + ".successor_curve", "no meaning"},
		{"planar curves", joint("curve_on_curve", circles(`, "planar": true`, "")), J + ".curve.planar", "no meaning"},
		{"one parameter", joint("curve_on_curve", circles(`, "parameter": 1`, "")), J + ".successor_curve.parameter", "missing"},
		{"the other parameter", joint("curve_on_curve", circles("", `, "parameter": 1`)), J + ".curve.parameter", "missing"},
		{"a radius of the second", joint("curve_on_curve", circles("", `, "range": [0, 9]`)), J + ".successor_curve.range", "a turn or more"},
		{"an upright curve", joint("curve_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "successor_curve": {"kind": "circle", "radius": 1, "axis": [1, 0, 0], "start": [0, 0, 1]}`),
			J + ".successor_curve.radius", "in the plane"},
		{"force of point_on_curve", joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "force": [1]`), J + ".force", "wrong length 1"},
		{"force empty", joint("revolute", `, "force": []`), J + ".force", "wrong length 0"},
		{"zeros too many", joint("revolute", `, "rest": [0, 0]`), J + ".rest", "wrong length 2"},
		{"force of free", joint("free", `, "force": [0]`), J + ".force", "wrong length 1"},
		{"force null", joint("revolute", `, "force": [null]`), J + ".force[0]", "is not a number"},
		{"stiffness on a ball", joint("spherical", `, "stiffness": [0, 0, 1]`), J + ".stiffness[2]", "ball rotation"},
		{"rest on a ball", joint("spherical", `, "rest": [0, 1, 0]`), J + ".rest[1]", "ball rotation"},
		{"motion on a ball", joint("spherical", `, "motion": [null, `+harmonic+`, null]`), J + ".motion[1]", "ball rotation"},
		{"motion length", joint("cylindrical", `, "motion": [`+harmonic+`]`), J + ".motion", "wrong length 1"},
		{"motion nulls", joint("cylindrical", `, "motion": [null]`), J + ".motion", "wrong length 1"},
		{"limits length", joint("cylindrical", `, "limits": [{"lower": 0}]`), J + ".limits", "wrong length 1"},
		{"limits an object", joint("revolute", `, "limits": {"lower": 0}`), J + ".limits", "is not a list"},
		{"limit a list", joint("revolute", `, "limits": [[0, 1]]`), J + ".limits[0]", "is not an object or null"},
		{"limit unknown field", joint("revolute", `, "limits": [{"Lower": 0}]`), J + ".limits[0].Lower", "unknown field, did you mean lower?"},
		{"limits crossed", joint("revolute", `, "limits": [{"lower": 1, "upper": -1}]`), J + ".limits[0].lower", "is not below upper, -1"},
		{"limit of a ball", joint("spherical", `, "limits": [null, {"upper": 1}, null]`), J + ".limits[1]", "ball rotation"},
		{"limit null", joint("revolute", `, "limits": [{"upper": null}]`), J + ".limits[0].upper", "is not a number"},
		{"limit overflows", joint("revolute", `, "limits": [{"upper": 1e999}]`), J + ".limits[0].upper", "not finite"},
		{"limit of rate zero", joint("revolute", `, "limits": [{"rate": 0}]`), J + ".limits[0].rate", "is not positive"},
		{"limit of force negative", joint("revolute", `, "limits": [{"force": -1}]`), J + ".limits[0].force", "is not positive"},
		{"motion a number", joint("revolute", `, "motion": [1]`), J + ".motion[0]", "is not an object or null"},
		{"motion null", joint("revolute", `, "motion": null`), J + ".motion", "is not a list"},
		{"motion kind missing", joint("revolute", `, "motion": [{}]`), J + ".motion[0].kind", "missing"},
		{"motion kind unknown", joint("revolute", `, "motion": [{"kind": "bezier"}]`), J + ".motion[0].kind", "unknown motion kind"},
		{"motion kind of others", joint("revolute", `, "motion": [{"kind": "sine"}]`), J + ".motion[0].kind", "unknown motion kind, did you mean harmonic?"},
		{"amplitude missing", joint("revolute", `, "motion": [{"kind": "harmonic", "frequency": 1}]`), J + ".motion[0].amplitude", "missing"},
		{"harmonic coefficients", joint("revolute", `, "motion": [{"kind": "harmonic", "amplitude": 1, "frequency": 1, "coefficients": [1]}]`), J + ".motion[0].coefficients", "no meaning"},
		{"polynomial phase", joint("revolute", `, "motion": [{"kind": "polynomial", "coefficients": [1], "phase": 0}]`), J + ".motion[0].phase", "no meaning"},
		{"coefficients missing", joint("revolute", `, "motion": [{"kind": "polynomial"}]`), J + ".motion[0].coefficients", "missing"},
		{"coefficients empty", joint("revolute", `, "motion": [{"kind": "polynomial", "coefficients": []}]`), J + ".motion[0].coefficients", "no entries"},
		{"coefficient overflows", joint("revolute", `, "motion": [{"kind": "polynomial", "coefficients": [0, -1e400]}]`), J + ".motion[0].coefficients[1]", "not finite"},
		{"turns length", joint("universal", `, "turns": [1]`), J + ".turns", "wrong length 1"},
		{"turns of prismatic", joint("prismatic", `, "turns": [0]`), J + ".turns", "wrong length 1"},
		{"turns fraction", joint("revolute", `, "turns": [0.5]`), J + ".turns[0]", "not an integer"},
		{"turns too large", joint("revolute", `, "turns": [1e17]`), J + ".turns[0]", "not an integer"},
		{"turns null", joint("revolute", `, "turns": [null]`), J + ".turns[0]", "is not a number"},
		{"force type missing", force(`"body": "a"`), F + ".type", "missing"},
		{"force type unknown", force(`"type": "motor"`), F + ".type", "unknown force element type, did you mean actuator?"},
		{"force name missing", document(bodyA, "", `{`+spring+`}`), F + ".name", "missing"},
		{"force name twice", document(bodyA, "", `{"name": "f", `+spring+`}, {"name": "f", `+wrench+`}`), "$.forces[1].name", "duplicate name, first at $.forces[0]"},
		{"spring end missing", force(`"type": "spring_damper", "a": {"body": "a"}`), F + ".b", "missing"},
		{"spring body missing", force(`"type": "spring_damper", "a": {"point": [0, 0, 0]}, "b": {"body": "a"}`), F + ".a.body", "missing"},
		{"spring body unknown", force(`"type": "spring_damper", "a": {"body": "A"}, "b": {"body": "a"}`), F + ".a.body", "unknown body, did you mean a?"},
		{"spring point", force(`"type": "spring_damper", "a": {"point": [0], "body": "world"}, "b": {"body": "a"}`), F + ".a.point", "wrong length 1"},
		{"spring with torque", force(spring + `, "torque": [0, 0, 0]`), F + ".torque", "no meaning"},
		{"rest length null", force(spring + `, "rest_length": null`), F + ".rest_length", "is not a number"},
		{"wrench on the world", force(`"type": "wrench", "body": "world", "torque": [0, 0, 0]`), F + ".body", "not the world"},
		{"wrench body missing", force(`"type": "wrench", "torque": [0, 0, 0]`), F + ".body", "missing"},
		{"torque missing", force(`"type": "wrench", "body": "a"`), F + ".torque", "missing"},
		{"wrench with stiffness", force(wrench + `, "stiffness": 0`), F + ".stiffness", "no meaning"},
		{"wrench force length", force(wrench + `, "force": [0, 0]`), F + ".force", "wrong length 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := model.Read(strings.NewReader(c.doc), "file.json")
			require.Nil(t, m)
			got := problems(t, err)
			require.Len(t, got, 1, "%v", err)
			assert.Equal(t, c.path, got[0].Path)
			assert.Contains(t, got[0].Rule, c.rule)
			assert.Equal(t, "file.json: "+c.path+": ", got[0].Error()[:len("file.json: "+c.path+": ")])
		})
	}
}

const (
	harmonic = `{"kind": "harmonic", "amplitude": 1, "frequency": 1}`
	jointAB  = `{"name": "j", "type": "fixed", "predecessor": "a", "successor": "b"}`
)

func TestReadEverythingAtOnce(t *testing.T) {
	doc := `{"colour": {"deep": [1, 2]}, "format": "rung-model/2",
		"joints": [
			{"successor": "c", "stiffness": [1], "motion": [{"kind": "polynomial", "x": 1}], "type": "spherical", "pitch": 1e999},
			7,
			{"name": "j", "type": "revolute", "predecessor": "a", "successor": "a", "damping": [1, null]}],
		"bodies": [
			{"name": "a", "mass": -1, "inertia": {"xx": 1, "yy": 1, "zz": 3}, "pose": {"position": [1], "orientation": [2, 0, 0, 0]}},
			{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": "1", "zz": 1}},
			null],
		"forces": [{"name": "f", "type": "spring_damper", "b": {"body": "nobody", "point": 3}, "torque": [0]}]
	} x`
	_, err := model.Read(strings.NewReader(doc), "f")
	assert.Equal(t, []string{
		"$.colour", "$.format",
		"$.bodies[0].pose.position", "$.bodies[0].pose.orientation", "$.bodies[0].mass", "$.bodies[0].inertia",
		"$.bodies[1].inertia.yy", "$.bodies[1].name",
		"$.bodies[2]",
		"$.joints[0].motion[0].x", "$.joints[0].motion[0].coefficients", "$.joints[0].pitch",
		"$.joints[0].name", "$.joints[0].predecessor", "$.joints[0].successor", "$.joints[0].stiffness",
		"$.joints[1]", "$.joints[2].damping[1]", "$.joints[2].successor",
		"$.forces[0].b.point", "$.forces[0].torque", "$.forces[0].a", "$.forces[0].b.body",
		"$",
	}, paths(problems(t, err)))
}

func TestProblemsAreCapped(t *testing.T) {
	const n = 5000
	bad := strings.Repeat(`{},`, n)
	_, err := model.Read(strings.NewReader(document(bad+`{}`, jointAB, "")), "big.json")
	var all *model.Problems
	require.ErrorAs(t, err, &all)
	assert.Len(t, all.List, maxProblems)
	assert.Equal(t, 3*(n+1)-maxProblems, all.More)
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, maxProblems+1)
	assert.Equal(t, "big.json: $: 14003 more problems", lines[maxProblems])
}

func TestLongValuesAreCut(t *testing.T) {
	long := strings.Repeat("é", 1<<16)
	doc := document(bodyA, `{"name": "`+long+`", "type": "`+long+`", "predecessor": "`+long+`", "successor": "a", "`+long+`": "`+long+`"}`, "")
	_, err := model.Read(strings.NewReader(doc), "f")
	got := problems(t, err)
	require.Len(t, got, 3)
	for _, p := range got {
		assert.Less(t, len(p.Error()), 400)
		assert.NotContains(t, p.Error(), "\uFFFD")
	}
}
