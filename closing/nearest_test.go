package closing_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// pendulum is a plane chain of bars of different length, mass and inertia at absolute angles.
type pendulum struct {
	length, mass, inertia, angle []float64
}

func newPendulum(n int, seed uint64) *pendulum {
	rng := check.Rand(seed)
	p := new(pendulum)
	for range n {
		l, m := 0.3+rng.Float64(), 0.5+2*rng.Float64()
		p.length, p.mass, p.inertia = append(p.length, l), append(p.mass, m), append(p.inertia, m*l*l*(0.08+0.1*rng.Float64()))
		p.angle = append(p.angle, 6*rng.Float64())
	}
	return p
}

// model returns the bars where they are. The pin at the world has been moved by off.
func (p *pendulum) model(off [2]float64) *model.Model { return p.far(0, off) }

// far is model at x.
func (p *pendulum) far(x float64, off [2]float64) *model.Model {
	m := model.New("pendulum")
	at, up := [2]float64{x}, model.World
	for i, a := range p.angle {
		c, s := math.Cos(a), math.Sin(a)
		name := fmt.Sprint("b", i)
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: p.mass[i], Com: [3]float64{p.length[i] / 2}, Inertia: model.Inertia{XX: p.inertia[i], YY: p.inertia[i], ZZ: p.inertia[i]},
			Pose: model.Pose{Position: [3]float64{at[0], at[1]}, Orientation: [4]float64{math.Cos(a / 2), 0, 0, math.Sin(a / 2)}},
		})
		j := model.Joint{Name: "j" + name, Type: model.Revolute, Predecessor: up, Successor: name}
		if j.PredecessorFrame.Position = [3]float64{x + off[0], off[1]}; i > 0 {
			j.PredecessorFrame.Position = [3]float64{p.length[i-1]}
		}
		m.Joints = append(m.Joints, j)
		at, up = [2]float64{at[0] + p.length[i]*c, at[1] + p.length[i]*s}, name
	}
	return m
}

// centres stores the centres of mass at angles a, with the pin at off.
func (p *pendulum) centres(a []float64, off [2]float64) (list [][2]float64) {
	at := off
	for i, x := range a {
		u := [2]float64{p.length[i] * math.Cos(x), p.length[i] * math.Sin(x)}
		list = append(list, [2]float64{at[0] + u[0]/2, at[1] + u[1]/2})
		at = [2]float64{at[0] + u[0], at[1] + u[1]}
	}
	return list
}

// nearest returns the angles nearest to those of p with the pin at off, by Newton's method in these angles.
func (p *pendulum) nearest(t *testing.T, off [2]float64) []float64 {
	n, start := len(p.angle), p.centres(p.angle, [2]float64{})
	a := append([]float64(nil), p.angle...)
	for range 200 {
		g, h := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i, c := range p.centres(a, off) {
			d := [2]float64{c[0] - start[i][0], c[1] - start[i][1]}
			slope := func(k int) (x, y, l float64) {
				if l = p.length[k]; k == i {
					l /= 2
				}
				return -l * math.Sin(a[k]), l * math.Cos(a[k]), l
			}
			for k := range i + 1 {
				x, y, l := slope(k)
				g.SetVec(k, g.AtVec(k)+p.mass[i]*(d[0]*x+d[1]*y))
				for j := range k + 1 {
					u, v, _ := slope(j)
					h.SetSym(j, k, h.At(j, k)+p.mass[i]*(x*u+y*v))
				}
				h.SetSym(k, k, h.At(k, k)-p.mass[i]*l*(d[0]*math.Cos(a[k])+d[1]*math.Sin(a[k])))
			}
			g.SetVec(i, g.AtVec(i)+p.inertia[i]*(a[i]-p.angle[i]))
			h.SetSym(i, i, h.At(i, i)+p.inertia[i])
		}
		var step mat.VecDense
		require.NoError(t, step.SolveVec(h, g))
		for k := range a {
			a[k] -= step.AtVec(k)
		}
		if mat.Norm(&step, 2) < 1e-13 {
			return a
		}
	}
	t.Fatal("no nearest pose")
	return nil
}

// TestNearestIsExact: the nearest pose of pendulums whose pin has been moved by very different distances is the one that
// Newton's method finds in their angles, to the tolerance of the approach and rounding.
func TestNearestIsExact(t *testing.T) {
	for seed := range uint64(20) {
		p := newPendulum(3+int(seed%3), seed)
		for k := range 25 {
			size := math.Pow(10, -6+0.2*float64(k)) // up to 0.063 m
			off := [2]float64{size, size * float64(seed) / 20}
			plan, err := rung.NewPlan(p.model(off), kkt.Options{})
			require.NoError(t, err)
			c, st := closing.NewCloser(plan, closing.Options{Nearest: true}), plan.Initial()
			require.NoError(t, c.ClosePositions(st))
			want := p.nearest(t, off)
			for i := range st.Bodies {
				q := st.Bodies[i].Rotation
				turned := math.Remainder(2*math.Atan2(q[3], q[0])-want[i], 2*math.Pi)
				require.LessOrEqual(t, math.Abs(turned), 4e-9*c.Closing().Distance+4e-15, "seed %d, moved by %.3g m, bar %d", seed, size, i)
			}
		}
	}
}

// TestNearestFarAway: far from the origin, where coordinates are rounded to much more than a part of 1e-9 of the way, the search ends in rounding
// and says that its pose is the nearest.
func TestNearestFarAway(t *testing.T) {
	for seed := range uint64(60) {
		p := newPendulum(2+int(seed%5), seed)
		for _, x := range []float64{1e3, 1e5} {
			for k := range 6 {
				plan, err := rung.NewPlan(p.far(x, [2]float64{math.Pow(10, -6+0.5*float64(k)), 1e-7 * float64(seed)}), kkt.Options{})
				require.NoError(t, err)
				c, st := closing.NewCloser(plan, closing.Options{Nearest: true}), plan.Initial()
				require.NoError(t, c.ClosePositions(st))
				q := c.Closing()
				require.True(t, q.Nearest, "seed %d at %g m: left %.2g of %.2g", seed, x, q.Along, q.Distance)
				require.LessOrEqual(t, q.Along, 1e-9*q.Distance+1e-15*x)
			}
		}
	}
}

// TestNearestSaysWhenItIsNot: where the search ends early, as with pins that are moved by several lengths of a bar, the Closing says
// so, with the part that is left; up to a third of a metre it never does, nor where what is left is rounding.
func TestNearestSaysWhenItIsNot(t *testing.T) {
	check.Long(t)
	missed := 0
	for seed := range uint64(60) {
		p := newPendulum(2+int(seed%5), seed)
		for k := range 29 {
			size := math.Pow(10, -12+0.45*float64(k)) // up to 4 m
			plan, err := rung.NewPlan(p.model([2]float64{size, size * float64(seed) / 60}), kkt.Options{})
			require.NoError(t, err)
			c, st := closing.NewCloser(plan, closing.Options{Nearest: true}), plan.Initial()
			require.NoError(t, c.ClosePositions(st))
			q := c.Closing()
			if q.Nearest {
				require.LessOrEqual(t, q.Along, 1e-9*q.Distance+1e-12, "seed %d, moved by %.3g m", seed, size)
				continue
			}
			missed++
			require.Greater(t, size, 0.3, "seed %d: left %.2g of %.2g", seed, q.Along, q.Distance)
			require.Greater(t, q.Along, 1e-9*q.Distance)
		}
	}
	require.Positive(t, missed)

	plan, err := rung.NewPlan(newPendulum(3, 1).model([2]float64{}), kkt.Options{})
	require.NoError(t, err)
	for nearest, c := range map[bool]*closing.Closer{true: closing.NewCloser(plan, closing.Options{Nearest: true}), false: closing.NewCloser(plan, closing.Options{})} {
		st := plan.Initial()
		require.NoError(t, c.ClosePositions(st))
		require.Equal(t, nearest, c.Closing().Nearest)
		require.Zero(t, c.Closing().Along)
	}
}
