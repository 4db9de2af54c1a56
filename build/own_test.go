package build_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// shared appends the paths of what two values share and others may change.
func shared(list []string, path string, a, b reflect.Value) []string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() {
			return list
		}
		inner := shared(nil, path, a.Elem(), b.Elem())
		if a.Pointer() == b.Pointer() && a.Type().Elem().NumField() > 0 && a.Type().Elem().Field(0).IsExported() {
			return append(list, path)
		}
		return append(list, inner...)
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return append(list, path)
		}
		for i := range a.Len() {
			list = shared(list, path, a.Index(i), b.Index(i))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				list = shared(list, path+"."+f.Name, a.Field(i), b.Field(i))
			}
		}
	}
	return list
}

// ball is a body with the mass and the moments of inertia one.
func ball(t *testing.T) bodies.Body {
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(1, 1, 1))
	require.NoError(t, err)
	return d
}

// TestModelsShareNothing: what is changed in a model changes neither the builder nor the next model.
func TestModelsShareNothing(t *testing.T) {
	b := build.New("all")
	up := spatial.Vec3{0, 0, 1}
	body := b.Body("a", ball(t), build.At(0, 0, 0))
	limit := model.NoLimit()
	j := b.Revolute("j", build.World, body, spatial.Vec3{}, up)
	j.Motion = []*model.Motion{{Kind: joints.Polynomial, Coefficients: []float64{1, 2}}}
	j.Force = []float64{0}
	k := b.Prismatic("k", build.World, body, spatial.Vec3{}, up)
	k.Limits, k.Friction = []*model.Limit{&limit}, make([]model.Friction, 1)
	k.Springs = []*model.SpringLaw{{At: []float64{0, 1}, Forces: []float64{0, 1}}}
	curve := &curves.Curve{Kind: curves.Circle, Radius: 1}
	b.PointOnCurve("c", build.World, body, build.At(0, 0, 0), spatial.Vec3{1, 0, 0}, curve)
	b.CompositeJoint("d", build.World, body, joints.Axis{Kind: joints.Revolute, Axis: up})
	b.SpringDamper("s", build.World, body, spatial.Vec3{1, 2, 3}, up, build.Spring{Stiffness: 1})
	b.Law(&model.SpringLaw{At: []float64{0, 1}, Forces: []float64{0, 1}}, nil)
	b.Bushing("u", build.World, body, build.At(0, 0, 0), model.Bushing{Stiffness: model.Diagonal([6]float64{1, 1, 1, 1, 1, 1})})
	b.Cable("r", build.Spring{Stiffness: 1}, 1, build.Through{Body: build.World}, build.Through{Body: body, Point: up})
	b.Terrain(model.Terrain{Name: "t", Type: model.GridTerrain, Spacing: [2]float64{1, 1}, Interpolation: ground.Linear, Heights: [][]float64{{0, 0}, {0, 0}}})
	b.Couple("e", build.Term{Joint: j, Factor: 1}, build.Term{Joint: k, Factor: 1})
	one, err := b.Model()
	require.NoError(t, err)
	two, err := b.Model()
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Empty(t, shared(nil, "", reflect.ValueOf(one), reflect.ValueOf(two)))
}

// TestBushingWithoutAxes: a bushing is refused where the axes of its place are none.
func TestBushingWithoutAxes(t *testing.T) {
	b := build.New("wrong")
	body := b.Body("a", ball(t), build.At(0, 0, 0))
	b.Bushing("mount", build.World, body, build.At(0, 0, 0).WithZ(spatial.Vec3{}), model.Bushing{})
	_, err := b.Model()
	require.ErrorContains(t, err, `force "mount"`)
	require.ErrorContains(t, err, "axis [0 0 0] is zero")
}
