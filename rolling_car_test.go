package rung_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

const (
	wheelRadius = 0.3
	half, track = 1.2, 0.7 // of the wheelbase and the track, m
)

// car returns a car at rest whose front wheels are turned by two angles, and its wheels' names in the order of its contacts.
func car(t testing.TB, left, right float64) *rung.Builder {
	b := rung.NewBuilder("car").Gravity(0, 0, -gravity)
	chassis := b.Body("chassis", wheelOf(t, 100, 30, 20), rung.At(0, 0, 0.5))
	n := spatial.Vec3{0, 0, 1}
	for _, w := range []struct {
		name        string
		x, y, steer float64
	}{{"front left", half, track, left}, {"front right", half, -track, right}, {"rear left", -half, track, 0}, {"rear right", -half, -track, 0}} {
		s, c := math.Sincos(w.steer)
		center, axle := spatial.Vec3{w.x, w.y, wheelRadius}, spatial.Vec3{-s, c, 0}
		wheel := b.Body(w.name, wheelOf(t, 5, 0.2, 0.12), rung.At(w.x, w.y, wheelRadius).WithZ(axle))
		b.Revolute(w.name+" hub", chassis, wheel, center, axle)
		b.Rolling(w.name+" contact", rung.World, wheel, spatial.Vec3{}, n, build.Wheel{Center: center, Axle: axle, Radius: wheelRadius})
	}
	return b
}

// Four wheels of a rigid car on a plane, 12 rows. Heights: three of four count. Side slip: v + ω·x of two axles, two of four count. Rolling:
// all four count. With 20 rows of the hubs the rank is 29 of 32, and of 30 velocities one is left: the car goes straight. It reaches 7
// displacements: displacements of a body in the plane and four spins. With the front wheels turned toward one centre it goes around that.
// With the front wheels turned by the same angle the three centres of the axles are three points, and it stands.
func TestCar(t *testing.T) {
	turned := func(y float64) float64 { return math.Atan(2 * half / (3 + y)) } // around (−half, −3)
	for _, c := range []struct {
		name                      string
		left, right               float64
		redundant, moves, reaches int
	}{
		{"straight", 0, 0, 3, 1, 7},
		{"to one centre", -turned(track), -turned(-track), 3, 1, 7},
		{"wrong", 0.3, 0.3, 2, 0, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, car(t, c.left, c.right))
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			r, err := s.Report()
			require.NoError(t, err)
			require.Equal(t, []int{32, 32 - c.redundant, c.redundant, c.moves, c.reaches}, []int{r.Rows, r.Rank, r.Redundant, r.Mobility, r.Reaches})
			require.False(t, r.NearSingular)
			named := 0
			for j, n := range r.RedundantRows {
				named += n
				if c.name == "straight" && p.Mechanism().Joints[j].Kind == joints.Rolling { // heights and side slips depend, rolling does not
					require.Equal(t, uint8(0b110), r.Undetermined[j]&0b111, p.Mechanism().JointName(j))
				}
			}
			require.Equal(t, c.redundant, named)
			require.True(t, r.LeastNorm)
			// The weight of all is carried.
			sum := spatial.Vec3{}
			for j := range p.Mechanism().Joints {
				if p.Mechanism().Joints[j].Kind == joints.Rolling {
					w := s.ConstraintWrench(j)
					sum = sum.Add(w.Linear())
				}
			}
			closeVec3(t, sum, spatial.Vec3{0, 0, 120 * gravity}, 1e-10, 1000, "weight")
			doc, err := results.New(s)
			require.NoError(t, err)
			require.Equal(t, c.reaches, doc.Constraints.Reaches)
		})
	}
}

// The report says which rows of which wheels follow from each other: in the straight car the heights of all four wheels, and the side slips
// of both wheels of an axle.
func TestCarNamesDependentRows(t *testing.T) {
	p := planOf(t, car(t, 0, 0))
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	r, err := s.Report()
	require.NoError(t, err)
	require.Len(t, r.Dependencies, 3)
	m, sets := p.Mechanism(), [][]string{}
	for _, d := range r.Dependencies {
		set := []string{}
		for _, row := range append(d.From, d.ConstraintRow) {
			if m.Joints[row.Constraint].Kind == joints.Rolling {
				set = append(set, row.Name(m)+" of "+m.ConstraintName(row.Constraint))
			}
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	const touch, slip = "touch of ", "no slip across its heading of "
	require.ElementsMatch(t, [][]string{
		{touch + "front left contact", touch + "front right contact", touch + "rear left contact", touch + "rear right contact"},
		{slip + "front left contact", slip + "front right contact"},
		{slip + "rear left contact", slip + "rear right contact"},
	}, sets)
	doc, err := results.New(s)
	require.NoError(t, err)
	require.Len(t, doc.Constraints.DependentRows, 3)
	require.Equal(t, len(r.Dependencies[0].From), len(doc.Constraints.DependentRows[0].From))
}

// Two wheels of one body whose axles can turn about the vertical. Where both are along the line between them, each says the same about
// the side slip. At that pose only: turned a little, their rows are two.
func TestTwoWheelsInLine(t *testing.T) {
	cart := func(first, second float64) *rung.Plan {
		b := rung.NewBuilder("cart").Gravity(0, 0, -gravity)
		body := b.Body("body", wheelOf(t, 20, 3, 2), rung.At(0, 0, 0.4))
		n := spatial.Vec3{0, 0, 1}
		b.Planar("level", rung.World, body, spatial.Vec3{0, 0, 0.4}, n)
		for i, steer := range []float64{first, second} {
			name, y := []string{"one", "two"}[i], []float64{0.5, -0.5}[i]
			s, c := math.Sincos(steer)
			center, axle := spatial.Vec3{0, y, wheelRadius}, spatial.Vec3{-s, c, 0}
			fork := b.Body(name+" fork", wheelOf(t, 1, 0.1, 0.1), rung.At(0, y, wheelRadius))
			wheel := b.Body(name+" wheel", wheelOf(t, 2, 0.1, 0.06), rung.At(0, y, wheelRadius).WithZ(axle))
			b.Revolute(name+" head", body, fork, center, n)
			b.Revolute(name+" hub", fork, wheel, center, axle)
			b.Rolling(name+" contact", rung.World, wheel, spatial.Vec3{}, n, build.Wheel{Center: center, Axle: axle, Radius: wheelRadius})
		}
		return planOf(t, b)
	}
	count := func(p *rung.Plan) *rung.Report {
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		r, err := s.Report()
		require.NoError(t, err)
		return r
	}
	// 30 velocities, 3 rows of the plane, 20 of hinges, 6 of contacts, of which the two heights follow from plane and hinges.
	in, off := count(cart(0, 0)), count(cart(0.4, 0))
	require.Equal(t, []int{29, 26, 4, 7}, []int{in.Rows, in.Rank, in.Mobility, in.Reaches})
	require.Equal(t, []int{29, 27, 3, 7}, []int{off.Rows, off.Rank, off.Mobility, off.Reaches})
	require.False(t, off.NearSingular)
	near, err := mobility.Compare(cart(0, 0), cart(0, 0).Initial())
	require.NoError(t, err)
	require.Equal(t, []int{26, 27}, []int{near.Rank, near.Around}, "a singular pose")
	close := count(cart(1e-4, 0))
	require.Equal(t, 27, close.Rank)
	require.True(t, close.NearSingular, "next to one")
}

// Closing puts wheels on the ground and leaves their rolling alone; velocities are projected on all rows.
func TestClosingLeavesRolling(t *testing.T) {
	p := planOf(t, car(t, 0, 0))
	st := p.Initial()
	for i := range st.Bodies {
		st.Bodies[i].Position = st.Bodies[i].Position.Add(spatial.Vec3{0.4, -0.2, 0.05}) // as a whole, off the ground and to the side
		st.Bodies[i].Velocity = spatial.Vec3{2, 0.3, 0.1}
	}
	was := st.Clone()
	c := closing.NewCloser(p, closing.Options{})
	require.NoError(t, c.ClosePositions(st))
	for i := range st.Bodies {
		closeVec3(t, st.Bodies[i].Position, was.Bodies[i].Position.Sub(spatial.Vec3{0, 0, 0.05}), 1e-12, 1, "down, and nothing else")
	}
	require.NoError(t, c.ProjectVelocities(st))
	require.NoError(t, p.Mechanism().Holds(st))
	v := st.Bodies[0].Velocity
	assert.InDelta(t, 0, v[1], 1e-12)
	assert.InDelta(t, 0, v[2], 1e-12)
	// The nearest velocity in the metric of the inertias: along x, with m·v = the momentum of the old one, m with the wheels' spins.
	spins := 4 * 0.2 / (wheelRadius * wheelRadius)
	assert.InDelta(t, 120*2/(120+spins), v[0], 1e-12)
	assert.InDelta(t, v[0]/wheelRadius, st.Bodies[1].Omega[1], 1e-11)

	// A lean of one wheel is closed by moving it, though it would have to slip for that.
	one := kktPlanOfDisc(t)
	st = one.Initial()
	st.Bodies[0].Rotation = spatial.FromAxisAngle(spatial.Vec3{0, 1, 0}, 0.3).Mul(st.Bodies[0].Rotation)
	require.Error(t, one.Mechanism().Holds(st))
	require.NoError(t, closing.NewCloser(one, closing.Options{}).ClosePositions(st))
	k := one.Mechanism().NewKinematics()
	require.NoError(t, one.Mechanism().KinematicsTo(k, st))
	position, _ := one.Mechanism().Residuals(0, k, st)
	assert.LessOrEqual(t, position, 1e-14)
}

func kktPlanOfDisc(t testing.TB) *kkt.Plan {
	b, _, _, _ := disc(t, 0.8, 2)
	return planOf(t, b)
}
