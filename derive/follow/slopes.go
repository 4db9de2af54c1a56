package follow

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// slopes are the derivatives of the errors at one pose: by each driven freedom, in units of size, and along each direction with the driven
// coordinates held.
type slopes struct {
	by    [][]float64 // n driven freedoms, then the directions: one number for each row
	moves [][]float64 // in the same order, the motion: six numbers a body; of driven freedoms by rad or m
}

// asked holds the directions of one call of Along.
type asked struct {
	list   []Direction
	in     *derive.Directions // n driven freedoms, then the directions
	trials [][]trial          // by direction
	limits [][2][]float64     // by direction: changes of the lower and upper limits of the driven freedoms
}

// trial is a task with its numbers changed, a point of a difference of order 4.
type trial struct {
	weight float64 // weight of its errors in the derivative
	p      *ik.Problem
	exact  *ik.Exact
}

// taskStep is the default of Direction.Step.
const taskStep = 1e-3

// order4 are the offsets of a central difference of order 4, in steps, and their weights divided by the step.
var order4 = [4][2]float64{{1, -1. / 6}, {-1, 1. / 6}, {0.5, 4. / 3}, {-0.5, -4. / 3}}

// ask looks up the parameters of the directions, and makes their changed tasks.
func (s *Solution) ask(list []Direction) (*asked, error) {
	n := len(s.driven)
	a := &asked{list: list, trials: make([][]trial, len(list)), limits: make([][2][]float64, len(list))}
	found := make([][]*derive.Parameter, len(list))
	for k := range list {
		for _, x := range list[k].Parameters {
			p, err := s.d.Parameter(x.Path)
			if err != nil {
				return nil, &derive.DirectionError{Direction: k, Name: list[k].Name, Err: err}
			}
			found[k] = append(found[k], p)
		}
	}
	a.in = s.d.NewDirections(n + len(list))
	for i, p := range s.driven {
		a.in.SetName(i, s.p.DrivenName(i))
		a.in.SetFollow(i, true)
		a.in.AddParameter(i, p, 1)
	}
	for k := range list {
		a.in.SetName(n+k, list[k].Name)
		a.in.SetFollow(n+k, true)
		a.limits[k] = [2][]float64{make([]float64, n), make([]float64, n)}
		for i, p := range found[k] {
			if p.OfVelocity() {
				continue // the solution is at rest
			}
			change := list[k].Parameters[i].Change
			a.in.AddParameter(n+k, p, change)
			s.addLimits(&a.limits[k], p, change)
		}
		if err := s.try(a, k); err != nil {
			return nil, &derive.DirectionError{Direction: k, Name: list[k].Name, Err: err}
		}
	}
	return a, nil
}

// addLimits adds the changes of the model's limits with a parameter, for driven freedoms whose limits the task does not set.
func (s *Solution) addLimits(limits *[2][]float64, p *derive.Parameter, change float64) {
	mech := s.p.Plan().Mechanism()
	for i, f := range s.p.Driven() {
		own := slices.ContainsFunc(s.p.Task().Limits, func(l ik.Limit) bool {
			return l.Freedom == s.p.DrivenName(i) || l.Freedom == fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom)
		})
		if own {
			continue
		}
		lower, upper, _ := s.d.StopBy(p, f)
		limits[0][i] += change * lower
		limits[1][i] += change * upper
	}
}

// try makes the changed tasks of direction k for central differences of fourth order, and adds the derivatives of the limits by these
// differences. It returns an error if a changed task has other rows, targets or driven freedoms.
func (s *Solution) try(a *asked, k int) error {
	d := &a.list[k]
	if d.Task == nil {
		return nil
	}
	h := d.Step
	if h == 0 {
		h = taskStep
	}
	for _, x := range order4 {
		task, err := d.Task(x[0] * h)
		if err != nil {
			return fault.Errorf("derive/follow: %w", err)
		}
		p, err := ik.NewProblem(s.p.Plan(), task)
		if err != nil {
			return fault.Errorf("derive/follow: %w", err)
		}
		m, _ := p.Dims()
		if m != s.m || !slices.Equal(p.Driven(), s.p.Driven()) || !slices.EqualFunc(p.Rests(), s.p.Rests(), sameDriven) {
			return fmt.Errorf("derive/follow: the changed task has other rows or driven freedoms")
		}
		if !slices.EqualFunc(p.Task().Targets, s.p.Task().Targets, func(a, b ik.Target) bool { return a.Name == b.Name }) {
			return fmt.Errorf("derive/follow: the changed task has other targets, or in another order")
		}
		t := trial{weight: x[1] / h, p: p, exact: p.NewExact()}
		a.trials[k] = append(a.trials[k], t)
		for i := range s.driven {
			lower, upper, _ := p.Bounds(i)
			if s.side[i] < 0 {
				a.limits[k][0][i] += t.weight * lower
			}
			if s.side[i] > 0 {
				a.limits[k][1][i] += t.weight * upper
			}
		}
	}
	return nil
}

// slopesAt returns the slopes at the pose st along the directions in: all of a.in, or the driven freedoms only. o are the options of
// derive.Derivatives.ForwardTo.
func (s *Solution) slopesAt(st *mechanism.State, a *asked, in *derive.Directions, o derive.Options) (*slopes, error) {
	if err := s.d.At(st); err != nil {
		return nil, err
	}
	if err := s.exact.At(st); err != nil {
		return nil, err
	}
	n, x := len(s.driven), new(slopes)
	mech := s.p.Plan().Mechanism()
	nb := mech.NumBodies()
	c := ik.Change{Coordinates: make([][6]float64, mech.NumJoints()), Com: make([]spatial.Vec3, nb), Mass: make([]float64, nb)}
	err := s.d.ForwardEach(in, o, func(out *derive.Changes, k int) error {
		c.Moves = make([]float64, 6*nb)
		for b := range nb {
			u, v := in.Body(k, b), out.Body(0, b)
			copy(c.Moves[6*b:], v.Rotation[:])
			copy(c.Moves[6*b+3:], v.Position[:])
			c.Com[b], c.Mass[b] = u.Com, u.Mass
		}
		for j := range c.Coordinates {
			c.Coordinates[j] = out.Joint(0, j).Q
		}
		de := make([]float64, len(s.e)) // the targets' rows, and then the posture's
		s.exact.AlongTo(de[:s.m], &c)
		// Direction k is driven freedom k, and y its coordinate over s.size. Errors of the posture are length·(rest/size − y).
		if k < n {
			for i := range de {
				de[i] *= s.size[k]
			}
			for i, r := range s.p.Rests() {
				if r.Driven == k {
					de[s.m+i] = -s.length
				}
			}
		}
		x.by, x.moves = append(x.by, de), append(x.moves, c.Moves)
		return nil
	})
	if err != nil || in.Len() == n {
		return x, err
	}
	return x, s.addTrials(x, st, a)
}

// addTrials adds to the slopes the derivatives by the numbers of the task.
func (s *Solution) addTrials(x *slopes, st *mechanism.State, a *asked) error {
	e := make([]float64, s.m)
	for k := range a.list {
		de := x.by[len(s.driven)+k]
		for _, t := range a.trials[k] {
			if err := t.exact.At(st); err != nil {
				return err
			}
			t.exact.ErrorsTo(e)
			for i := range e {
				de[i] += t.weight * e[i]
			}
			for i, r := range t.p.Rests() {
				de[s.m+i] += t.weight * s.length / s.size[r.Driven] * r.Value
			}
		}
	}
	return nil
}

// sameDriven reports whether two rows of the posture are for the same driven freedom.
func sameDriven(a, b ik.Rest) bool { return a.Driven == b.Driven }

// constant returns a motion that stays at q.
func constant(q float64) *joints.Motion { return joints.NewPolynomial([]float64{q}) }
