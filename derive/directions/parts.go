package directions

import (
	"math"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/spatial"
)

var directionFields = []string{"name", "follow", "time", "bodies", "loads", "forces", "parameters"}

// direction reads a direction.
func (d *reader) direction(x *derive.NamedDirection) {
	d.Object(directionFields, []int{0}, func(k int) {
		switch k {
		case 0:
			x.Name = d.NotEmpty()
		case 1:
			x.Follow = d.Bool()
		case 2:
			d.Number(&x.Time)
		case 3:
			x.Bodies = document.List(d.Reader, Max, d.body)
		case 4:
			x.Loads = document.List(d.Reader, Max, d.load)
		case 5:
			x.Forces = document.List(d.Reader, Max, d.force)
		case 6:
			x.Parameters = document.List(d.Reader, Max, d.parameter)
		}
	})
}

var bodyFields = []string{"body", "rotation", "position", "angular", "linear"}

// body reads the change of the state of a body.
func (d *reader) body(x *derive.NamedBody) {
	d.Object(bodyFields, []int{0}, func(k int) {
		if k == 0 {
			x.Body = d.NotEmpty()
			return
		}
		d.Vector([]*spatial.Vec3{&x.Rotation, &x.Position, &x.Angular, &x.Linear}[k-1][:])
	})
}

var loadFields = []string{"body", "force", "torque"}

// load reads a load on a body.
func (d *reader) load(x *derive.NamedLoad) {
	d.Object(loadFields, []int{0}, func(k int) {
		switch k {
		case 0:
			x.Body = d.NotEmpty()
		case 1:
			d.Vector(x.Force[:])
		case 2:
			d.Vector(x.Torque[:])
		}
	})
}

var forceFields = []string{"joint", "freedom", "change"}

// force reads a change of the force along a freedom.
func (d *reader) force(x *derive.NamedForce) {
	d.Object(forceFields, []int{0, 2}, func(k int) {
		switch k {
		case 0:
			x.Joint = d.NotEmpty()
		case 1:
			x.Freedom = d.freedom()
		case 2:
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

var parameterFields = []string{"path", "change"}

// parameter reads the change of a number of the model.
func (d *reader) parameter(x *derive.NamedParameter) {
	d.Object(parameterFields, []int{0, 1}, func(k int) {
		if k == 0 {
			x.Path = d.NotEmpty()
		} else {
			d.Number(&x.Change)
		}
	})
}
