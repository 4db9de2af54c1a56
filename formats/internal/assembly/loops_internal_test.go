package assembly

import (
	"math"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// below holds that a size is below a bound.
func below(t *testing.T, size, bound float64, what string) {
	t.Helper()
	if !(size < bound) {
		t.Fatalf("%s: %g", what, size)
	}
}

// TestFit: a pose that a row of motions reaches is found again, and one
// beside it is as far away as it was put, up to what the row can follow.
func TestFit(t *testing.T) {
	u := func(x, y, z float64) spatial.Vec3 { v := spatial.Vec3{x, y, z}; return v.Scale(1 / v.Norm()) }
	for name, row := range map[string][]Axis{
		"universal":   {{Kind: Revolute, Axis: xAxis}, {Kind: Revolute, Axis: yAxis}},
		"cylindrical": {{Kind: Prismatic, Axis: zAxis}, {Kind: Revolute, Axis: zAxis, Point: spatial.Vec3{1, 0, 0}}},
		"planar":      {{Kind: Revolute, Axis: zAxis}, {Kind: Prismatic, Axis: xAxis}, {Kind: Prismatic, Axis: yAxis}},
		"skew":        {{Kind: Revolute, Axis: u(1, 2, 0), Point: spatial.Vec3{0.3, 0, 1}}, {Kind: Helical, Axis: u(0, 1, 1), Pitch: 0.2}, {Kind: Prismatic, Axis: u(1, 0, 3)}},
		"ball":        {{Kind: Prismatic, Axis: xAxis}, {Kind: Ball, Point: spatial.Vec3{0, 0.4, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := check.Rand(7)
			for range 20 {
				for k := range row {
					row[k].Value = 0.8 * (2*r.Float64() - 1)
					row[k].Turn = spatial.Exp(spatial.Vec3{r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5})
				}
				x := Identity()
				for k := range row {
					x = x.Mul(row[k].move())
				}
				j := Joint{Axes: row}
				_, linear, angular, ok := j.nearest(x)
				if !ok {
					t.Fatal("not found")
				}
				below(t, max(linear, angular), 1e-9, "a pose that is reached")

				off := Pose{R: spatial.Vec3{3e-4, -2e-4, 1e-4}, Q: spatial.Exp(spatial.Vec3{1e-4, 2e-4, -3e-4})}
				y, linear, angular, _ := j.nearest(x.Mul(off))
				below(t, math.Hypot(linear, angular), math.Hypot(off.R.Norm(), 3.742e-4)*1.001, "a pose beside it")
				_, linear, angular, _ = j.nearest(y)
				below(t, max(linear, angular), 1e-9, "what is found is reached")
			}
		})
	}
}

// TestReverse: a joint that is turned round and back, or two joints in a row turned round, reach the same poses.
func TestReverse(t *testing.T) {
	a := Joint{Predecessor: 0, Successor: 1, P: Pose{R: spatial.Vec3{1, 2, 3}, Q: spatial.Exp(spatial.Vec3{0.3, 0, 1})}, S: Pose{R: spatial.Vec3{0, 1, 0}},
		Axes: []Axis{{Kind: Revolute, Axis: xAxis, Point: spatial.Vec3{0, 0, 1}, Value: 0.3}, {Kind: Ball, Point: spatial.Vec3{0.5, 0, 0}, Turn: spatial.Exp(spatial.Vec3{0.1, 0.2, 0.3})}}}
	b := Joint{Predecessor: 1, Successor: 2, P: Pose{R: spatial.Vec3{0, 0, 2}, Q: spatial.Exp(spatial.Vec3{0, 0.7, 0})}, S: Pose{Q: spatial.Exp(spatial.Vec3{0, 0, 0.2})},
		Axes: []Axis{{Kind: Helical, Axis: zAxis, Pitch: 0.1, Value: 2}, {Kind: Prismatic, Axis: yAxis, Value: 0.4}}}
	pose := func(j Joint) Pose {
		x := j.P
		for k := range j.Axes {
			x = x.Mul(j.Axes[k].move())
		}
		return x.Mul(j.S.Inverse())
	}
	same := func(x, y Pose) {
		d := x.Inverse().Mul(y)
		t.Helper()
		below(t, max(d.R.Norm(), d.Q.Log().Norm()), 1e-14, "poses differ")
	}
	want := pose(a).Mul(pose(b))
	same(want, pose(compose(a, b)))
	same(want.Inverse(), pose(compose(b.reverse(), a.reverse())))
	same(want.Inverse(), pose(compose(a, b).reverse()))
	same(want, pose(compose(a, b).reverse().reverse()))
}
