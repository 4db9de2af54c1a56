package directions

import (
	"math"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/document"
)

// directionFields are the fields of a direction; the constants are their indices.
var directionFields = []string{
	directionName: "name", directionFollow: "follow", directionTime: "time", directionBodies: "bodies", directionLoads: "loads",
	directionForces: "forces", directionParameters: "parameters",
}

const (
	directionName = iota
	directionFollow
	directionTime
	directionBodies
	directionLoads
	directionForces
	directionParameters
)

// direction reads a direction.
func (d *reader) direction(x *derive.NamedDirection) {
	d.Object(directionFields, []int{directionName}, func(k int) {
		switch k {
		case directionName:
			x.Name = d.NotEmpty()
		case directionFollow:
			x.Follow = d.Bool()
		case directionTime:
			d.Number(&x.Time)
		case directionBodies:
			x.Bodies = document.List(d.Reader, Max, d.body)
		case directionLoads:
			x.Loads = document.List(d.Reader, Max, d.load)
		case directionForces:
			x.Forces = document.List(d.Reader, Max, d.force)
		case directionParameters:
			x.Parameters = document.List(d.Reader, Max, d.parameter)
		}
	})
}

// bodyFields are the fields of the change of the state of a body; the constants are their indices.
var bodyFields = []string{
	bodyName: "body", bodyRotation: "rotation", bodyPosition: "position", bodyAngular: "angular", bodyLinear: "linear",
}

const (
	bodyName = iota
	bodyRotation
	bodyPosition
	bodyAngular
	bodyLinear
)

// body reads the change of the state of a body.
func (d *reader) body(x *derive.NamedBody) {
	d.Object(bodyFields, []int{bodyName}, func(k int) {
		switch k {
		case bodyName:
			x.Body = d.NotEmpty()
		case bodyRotation:
			d.Vector(x.Rotation[:])
		case bodyPosition:
			d.Vector(x.Position[:])
		case bodyAngular:
			d.Vector(x.Angular[:])
		case bodyLinear:
			d.Vector(x.Linear[:])
		}
	})
}

// loadFields are the fields of a load; the constants are their indices.
var loadFields = []string{loadBody: "body", loadForce: "force", loadTorque: "torque"}

const (
	loadBody = iota
	loadForce
	loadTorque
)

// load reads a load on a body.
func (d *reader) load(x *derive.NamedLoad) {
	d.Object(loadFields, []int{loadBody}, func(k int) {
		switch k {
		case loadBody:
			x.Body = d.NotEmpty()
		case loadForce:
			d.Vector(x.Force[:])
		case loadTorque:
			d.Vector(x.Torque[:])
		}
	})
}

// forceFields are the fields of a force along a freedom; the constants are their indices.
var forceFields = []string{forceJoint: "joint", forceFreedom: "freedom", forceChange: "change"}

const (
	forceJoint = iota
	forceFreedom
	forceChange
)

// force reads a change of the force along a freedom.
func (d *reader) force(x *derive.NamedForce) {
	d.Object(forceFields, []int{forceJoint, forceChange}, func(k int) {
		switch k {
		case forceJoint:
			x.Joint = d.NotEmpty()
		case forceFreedom:
			x.Freedom = d.freedom()
		case forceChange:
			d.Number(&x.Change)
		}
	})
}

// freedom reads the number of a freedom of a joint.
func (d *reader) freedom() int {
	switch n := d.Integer(); {
	case n < 0:
		d.Problem(document.Number(float64(n)), "is below 0")
	case n > math.MaxInt32: // an int may have 32 bits
		d.Problem(document.Number(float64(n)), "is no freedom of a joint")
	default:
		return int(n)
	}
	return 0
}

// parameterFields are the fields of a change of a parameter; the constants are their indices.
var parameterFields = []string{parameterPath: "path", parameterChange: "change"}

const (
	parameterPath = iota
	parameterChange
)

// parameter reads the change of a number of the model.
func (d *reader) parameter(x *derive.NamedParameter) {
	d.Object(parameterFields, []int{parameterPath, parameterChange}, func(k int) {
		if k == parameterPath {
			x.Path = d.NotEmpty()
		} else {
			d.Number(&x.Change)
		}
	})
}
