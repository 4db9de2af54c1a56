package tables

import (
	"reflect"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/model"
)

// bodyRow is a row of the table of bodies; all columns are required.
type bodyRow struct {
	Name string  `parquet:"name"`
	Mass float64 `parquet:"mass"`
	ComX float64 `parquet:"com_x"`
	ComY float64 `parquet:"com_y"`
	ComZ float64 `parquet:"com_z"`
	XX   float64 `parquet:"inertia_xx"`
	YY   float64 `parquet:"inertia_yy"`
	ZZ   float64 `parquet:"inertia_zz"`
	XY   float64 `parquet:"inertia_xy"`
	XZ   float64 `parquet:"inertia_xz"`
	YZ   float64 `parquet:"inertia_yz"`
	PX   float64 `parquet:"x"`
	PY   float64 `parquet:"y"`
	PZ   float64 `parquet:"z"`
	QW   float64 `parquet:"q_w"`
	QX   float64 `parquet:"q_x"`
	QY   float64 `parquet:"q_y"`
	QZ   float64 `parquet:"q_z"`
	VX   float64 `parquet:"v_x"`
	VY   float64 `parquet:"v_y"`
	VZ   float64 `parquet:"v_z"`
	WX   float64 `parquet:"w_x"`
	WY   float64 `parquet:"w_y"`
	WZ   float64 `parquet:"w_z"`
}

// jointRow is a row of the table of joints.
type jointRow struct {
	Name   string  `parquet:"name"`
	Type   string  `parquet:"type,dict"`
	Pred   int64   `parquet:"predecessor"` // row of the body; −1: the world
	Succ   int64   `parquet:"successor"`
	PX     float64 `parquet:"p_x"`
	PY     float64 `parquet:"p_y"`
	PZ     float64 `parquet:"p_z"`
	PQW    float64 `parquet:"p_q_w"`
	PQX    float64 `parquet:"p_q_x"`
	PQY    float64 `parquet:"p_q_y"`
	PQZ    float64 `parquet:"p_q_z"`
	SX     float64 `parquet:"s_x"`
	SY     float64 `parquet:"s_y"`
	SZ     float64 `parquet:"s_z"`
	SQW    float64 `parquet:"s_q_w"`
	SQX    float64 `parquet:"s_q_x"`
	SQY    float64 `parquet:"s_q_y"`
	SQZ    float64 `parquet:"s_q_z"`
	Pitch  float64 `parquet:"pitch"`
	Length float64 `parquet:"length"`
}

// rowOfBody returns the row of a body.
func rowOfBody(b *model.Body) bodyRow {
	I, x, q, v, w := &b.Inertia, &b.Pose.Position, &b.Pose.Orientation, &b.Velocity.Linear, &b.Velocity.Angular
	return bodyRow{
		b.Name, b.Mass, b.Com[0], b.Com[1], b.Com[2], I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ,
		x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1], w[2],
	}
}

// body returns the body of a row.
func (r *bodyRow) body() model.Body {
	return model.Body{
		Name: r.Name, Mass: r.Mass, Com: [3]float64{r.ComX, r.ComY, r.ComZ},
		Inertia:  model.Inertia{XX: r.XX, YY: r.YY, ZZ: r.ZZ, XY: r.XY, XZ: r.XZ, YZ: r.YZ},
		Pose:     model.Pose{Position: [3]float64{r.PX, r.PY, r.PZ}, Orientation: [4]float64{r.QW, r.QX, r.QY, r.QZ}},
		Velocity: model.Velocity{Linear: [3]float64{r.VX, r.VY, r.VZ}, Angular: [3]float64{r.WX, r.WY, r.WZ}},
	}
}

// rowOfJoint returns the row of a joint; pred and succ are the rows of its bodies.
func rowOfJoint(j *model.Joint, pred, succ int64) jointRow {
	p, s := &j.PredecessorFrame, &j.SuccessorFrame
	x, q, y, u := &p.Position, &p.Orientation, &s.Position, &s.Orientation
	return jointRow{
		j.Name, j.Type.String(), pred, succ, x[0], x[1], x[2], q[0], q[1], q[2], q[3], y[0], y[1], y[2], u[0], u[1], u[2], u[3], j.Pitch, j.Length,
	}
}

// joint returns the joint of a row, without its bodies.
func (r *jointRow) joint(t model.JointType) model.Joint {
	return model.Joint{
		Name: r.Name, Type: t, Pitch: r.Pitch, Length: r.Length,
		PredecessorFrame: model.Pose{Position: [3]float64{r.PX, r.PY, r.PZ}, Orientation: [4]float64{r.PQW, r.PQX, r.PQY, r.PQZ}},
		SuccessorFrame:   model.Pose{Position: [3]float64{r.SX, r.SY, r.SZ}, Orientation: [4]float64{r.SQW, r.SQX, r.SQY, r.SQZ}},
	}
}

// plain reports whether a row holds all fields of j except the names of its bodies. It compares all fields, so that
// fields added to model.Joint later are not lost.
func plain(j *model.Joint) bool {
	r := rowOfJoint(j, 0, 0)
	k := r.joint(j.Type)
	k.Predecessor, k.Successor = j.Predecessor, j.Successor
	return reflect.DeepEqual(&k, j)
}

// whole reports whether a row holds all fields of b.
func whole(b *model.Body) bool {
	r := rowOfBody(b)
	return r.body() == *b
}

// numbers returns the columns of numbers of a row type: the indices of the fields, and the names of the columns.
func numbers[T any]() (fields []int, names []string) {
	t, schema := reflect.TypeFor[T](), pq.SchemaOf(*new(T))
	for i, c := range schema.Columns() {
		if t.Field(i).Type.Kind() == reflect.Float64 {
			fields, names = append(fields, i), append(names, c[0])
		}
	}
	return fields, names
}
