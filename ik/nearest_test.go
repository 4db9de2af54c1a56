package ik

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// nearestSteps is the largest number of steps to the nearest pose of a target out of reach.
const nearestSteps = 30

// TestNearestPlanar: out of reach the arm is stretched or folded towards the target.
func TestNearestPlanar(t *testing.T) {
	for _, c := range []struct {
		links      []float64
		x, y, fold float64
	}{
		{[]float64{0.5, 0.4}, 1.2, 0.5, 0}, {[]float64{0.5, 0.4}, -2, 0.3, 0}, {[]float64{0.5, 0.4}, 4, 20, 0},
		{[]float64{0.5, 0.4}, 0.05, 0.02, math.Pi},
		{[]float64{0.5, 0.4, 0.3}, 1.2, 0.5, 0}, {[]float64{0.5, 0.4, 0.3}, -2, 0.3, 0}, {[]float64{0.5, 0.4, 0.3}, 4, 20, 0},
	} {
		plan, n := planar(t, c.links...), len(c.links)
		p := testProblem(t, plan, &Task{Targets: []Target{tipOf(n, c.links[n-1], c.x, c.y)}})
		r, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
		require.ErrorIs(t, err, ErrUnreached)
		require.Equal(t, Nearest, r.Status, "%v", c)
		require.LessOrEqual(t, r.Steps, nearestSteps, "%v", c)
		for i, want := range []float64{math.Atan2(c.y, c.x), c.fold, 0}[:n] {
			require.InDelta(t, 0, math.Remainder(r.Driven[i].Value-want, 2*math.Pi), 1e-9, "%v", c)
		}
	}
}

// TestNearestAtLimit: the first joint stands at its limit, the links after it point at the target.
func TestNearestAtLimit(t *testing.T) {
	for _, links := range [][]float64{{0.5, 0.4}, {0.5, 0.4, 0.3}} {
		for _, at := range [][2]float64{{1.2, 0.9}, {0.5, 2}, {2, 3}} {
			plan, n := planar(t, links...), len(links)
			const upper = 0.2
			p := testProblem(t, plan, &Task{Targets: []Target{tipOf(n, links[n-1], at[0], at[1])}, Limits: []Limit{{Freedom: "j0", Lower: -1, Upper: upper}}})
			r, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
			require.ErrorIs(t, err, ErrUnreached)
			require.Equal(t, AgainstLimit, r.Status, "%v", at)
			require.Equal(t, upper, r.Driven[0].Value)
			require.Equal(t, int8(1), int8(r.Driven[0].Limit))
			want := math.Atan2(at[1]-links[0]*math.Sin(upper), at[0]-links[0]*math.Cos(upper)) - upper
			require.InDelta(t, want, r.Driven[1].Value, 1e-9)
			require.LessOrEqual(t, r.Steps, 2*nearestSteps, "%v", at) // of several starts
		}
	}
}

// TestNearest6R: an arm with a spherical shoulder and all its joints free stretches towards a far point, and has the
// orientation that is wanted where it is that of the stretched arm.
func TestNearest6R(t *testing.T) {
	plan, task := upright(t, sixJoints)
	task.Limits = nil
	task.Targets[0].Frame.Position = spatial.Vec3{0.1} // the end of the last link
	shoulder, reach := spatial.Vec3{2: 0.4}, 1.05
	for kind, most := range map[TargetType]int{PoseTarget: 45, Point: nearestSteps} {
		task.Targets[0].Type = kind
		s := testSolver(t, testProblem(t, plan, task), Options{Restarts: NoRestarts})
		upright := plan.Mechanism().Initial()
		for i := range 10 {
			rng := rand.New(rand.NewPCG(3, uint64(i)))
			d := unit(spatial.Vec3(normal(rng, 3)))
			across := spatial.Vec3{0, 0, 1}.Cross(d)
			turn := spatial.Exp(across.Scale(math.Acos(d[2]) / across.Norm()))
			st := upright.Clone()
			start := []float64{0.3, 0.5, -0.8, 0.4, 0.6, 0.2}
			if kind == PoseTarget { // not so far: with orientations the way is long
				turned := math.Atan2(d[1], d[0])
				for k, q := range []float64{turned, math.Acos(d[2]), 0, 0, 0, -turned} {
					start[k] = q + 0.5*start[k]
				}
			}
			bend(t, s, st, start)
			s.eng.aim(0, wanted{position: shoulder.Add(d.Scale(2.5)), orientation: turn.Mul(upright.Bodies[5].Rotation)})
			r, err := s.Reach(st)
			require.ErrorIs(t, err, ErrUnreached)
			require.Equal(t, Nearest, r.Status, "%v %d", kind, i)
			require.InDelta(t, 2.5-reach, r.Targets[0].Linear, 1e-12)
			b := &st.Bodies[5]
			tip := b.Position.Add(b.Rotation.Rotate(spatial.Vec3{0.1})).Sub(shoulder)
			require.InDelta(t, 0, tip.Scale(1/reach).Sub(d).Norm(), 1e-9)
			require.LessOrEqual(t, r.Targets[0].Angular, 1e-9)
			require.LessOrEqual(t, r.Steps, most, "%v %d", kind, i)
		}
	}
}

// bend gives st the driven coordinates q.
func bend(t *testing.T, s *Solver, st *mechanism.State, q []float64) {
	t.Helper()
	require.NoError(t, s.eng.set(st))
	require.NoError(t, s.eng.moveTo(q))
	s.eng.stateTo(st)
}

// TestNearestMade: targets are put where given coordinates are stationary, on an arm and on a platform with three
// freedoms each and with or without one of them at its limit.
func TestNearestMade(t *testing.T) {
	arm, armTask := upright(t, sixJoints)
	armTask.Hold, armTask.Limits = []string{"j4", "j5", "j6"}, nil
	platformTask := stewartTask()
	platformTask.Hold, platformTask.Driven = platformTask.Driven[3:], platformTask.Driven[:3]
	platform := mustPlan(t, readModel(t, "stewart"))
	for _, limited := range []int{-1, 1} {
		for _, size := range []float64{0.1, 0.3} {
			for i := range 5 {
				for k, task := range []*Task{armTask, platformTask} {
					plan, far := arm, 0.2
					if k == 1 {
						plan, far = platform, 0.01
					}
					rng := rand.New(rand.NewPCG(5, uint64(i)))
					s := testSolver(t, testProblem(t, plan, task), Options{Restarts: NoRestarts})
					st := plan.Mechanism().Initial()
					require.NoError(t, s.eng.set(st))
					q := make([]float64, 3)
					s.eng.coordinatesTo(q)
					for i := range q {
						q[i] += 3 * far * rng.NormFloat64()
					}
					from := normal(rng, 3)
					for i := range from {
						from[i] = q[i] + far*from[i]
					}
					if limited >= 0 {
						from[limited] = q[limited] - far
						s.p.lower[limited], s.p.upper[limited] = q[limited]-1, q[limited]
					}
					w := restAt(t, s, st, q, limited, size, rng)
					bend(t, s, st, from)
					s.eng.aim(0, w)
					r, err := s.Reach(st)
					require.ErrorIs(t, err, ErrUnreached)
					require.LessOrEqual(t, r.Steps, nearestSteps)
					require.Equal(t, map[bool]Status{true: AgainstLimit, false: Nearest}[limited >= 0], r.Status)
					for k, d := range r.Driven {
						require.InDelta(t, q[k], d.Value, 1e-9)
						require.Equal(t, k == limited, d.Limit == 1)
					}
				}
			}
		}
	}
}

// restAt returns a wanted pose for the one target of s that leaves errors across all columns of 𝒥 at q but for the
// column up, which they pull upwards. They are as long as size, of the length of the problem.
func restAt(t *testing.T, s *Solver, st *mechanism.State, q []float64, up int, size float64, rng *rand.Rand) wanted {
	n, g := len(q), &s.p.targets[0]
	bend(t, s, st, q)
	body := &st.Bodies[g.joint.Succ]
	at := wanted{position: body.Position.Add(body.Rotation.Rotate(g.Frame.Position)), orientation: body.Rotation.Mul(unitQuat(g.Frame.Orientation))}
	s.eng.aim(0, at)
	denseIn(s).refresh()
	e := normal(rng, g.n)
	across := make([][]float64, 0, n)
	for c := range n {
		if c == up {
			continue
		}
		column := make([]float64, g.n)
		for r := range column {
			column[r] = denseIn(s).J[r*n+c]
		}
		for _, other := range across {
			add(column, -algebra.Dot(column, other), other)
		}
		length := math.Sqrt(algebra.Dot(column, column))
		for r := range column {
			column[r] /= length
		}
		across = append(across, column)
		add(e, -algebra.Dot(e, column), column)
	}
	pull := 1.0
	if up >= 0 {
		pull = 0
		for r := range g.n {
			pull += e[r] * denseIn(s).J[r*n+up]
		}
	}
	long := math.Sqrt(algebra.Dot(e, e))
	for r := range e {
		e[r] *= math.Copysign(size*s.p.length/long, pull) / g.weight[r]
	}
	at.orientation = spatial.Exp(spatial.Vec3{e[0], e[1], e[2]}).Mul(at.orientation)
	at.position = at.position.Add(spatial.Vec3{e[3], e[4], e[5]})
	return at
}

// TestSaddles: straight arms, of more links than directions are looked
// at, too, leave the saddle of a target straight inwards.
func TestSaddles(t *testing.T) {
	for _, n := range []int{2, 3, 6, 30} {
		links := make([]float64, n)
		for i := range links {
			links[i] = 0.3
		}
		plan := planar(t, links...)
		p := testProblem(t, plan, &Task{Targets: []Target{tipOf(n, 0.3, 0.25*float64(n), 0)}})
		_, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err, "%d links", n)
	}
}

// TestNearestDoesNotAllocate: neither do steps with curvature, nor at limits.
func TestNearestDoesNotAllocate(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	first := plan.Mechanism().Initial()
	for _, limits := range [][]Limit{nil, {{Freedom: "j0", Lower: -1, Upper: 0.2}}} {
		s := testSolver(t, testProblem(t, plan, &Task{Targets: []Target{tipOf(3, 0.3, 1.2, 0.9)}, Limits: limits}), Options{Restarts: NoRestarts, Nearest: true})
		st := first.Clone()
		require.Zero(t, testing.AllocsPerRun(10, func() {
			copy(st.Bodies, first.Bodies)
			_, _ = s.Reach(st)
		}))
	}
}

// TestSingularValuesNotFound: singular values that cannot be found are left out, and are no zeros.
func TestSingularValuesNotFound(t *testing.T) {
	s := testSolver(t, testProblem(t, planar(t, 0.5, 0.4), &Task{Targets: []Target{tipOf(2, 0.4, 0.5, 0.3)}}), Options{})
	r := &s.result
	for _, x := range []float64{1, math.NaN(), 1} {
		clear(denseIn(s).J)
		denseIn(s).J[0] = x
		s.m.reportTo(r)
		if math.IsNaN(x) {
			require.Empty(t, r.SingularValues)
			require.Equal(t, []int{NotComputed, NotComputed}, []int{r.Rank, r.NullMotions})
			continue
		}
		require.Len(t, r.SingularValues, 2)
		require.Equal(t, []int{1, 1}, []int{r.Rank, r.NullMotions})
	}
	r.Rank = NotComputed
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(text), `"singular_values":null,"manipulability":null,"rank":null`)
}
