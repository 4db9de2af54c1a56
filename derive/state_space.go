package derive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// StateSpaceOptions choose the coordinates, inputs and outputs of a StateSpace.
type StateSpaceOptions struct {
	// Coordinates are scalar freedoms that determine the motion, as many as the mechanism moves. Nil: all freedoms of an open mechanism, or
	// the freedoms with the largest pivots of (D5); freedoms with actuators or forces come first.
	Coordinates []mechanism.Freedom
	Inputs      []mechanism.Freedom // each with a generalized force
	Outputs     []Output
}

// Coordinate is an independent coordinate at the state, rad or m.
type Coordinate struct {
	mechanism.Freedom
	Value, Rate, SecondRate float64
}

// StateSpace is the linearized system about a state that moves, theory.md (D5), in the changes of coordinates y and rates ẏ, inputs u and
// outputs z: (ẏ, ÿ) = A·(y, ẏ) + B·u, z = C·(y, ẏ) + D·u. Matrices are lists of rows.
type StateSpace struct {
	Coordinates []Coordinate
	Values      []float64 // of the outputs
	A, B, C, D  [][]float64
	Accuracy    float64 // the largest predicted relative error of an acceleration's derivative
}

// StateSpace linearizes the mechanism about the state of At, at rest or not, in independent coordinates.
//
// Cost: a solve for each candidate for a coordinate, except for open mechanisms whose freedoms are all coordinates, and a derivative
// (ForwardTo) for each coordinate, rate and input; allocates. It returns an error that wraps ErrCoordinates, with a joint or body, if the
// coordinates depend on each other, are prescribed or not scalar, or do not determine a motion. It does so for mechanisms with rows of
// velocities alone, too, which reach more displacements than they have velocities (linear.System.StateSpace). It also returns the errors of
// ForwardTo. It panics without At, or if a freedom is out of range.
func (d *Derivatives) StateSpace(o StateSpaceOptions) (*StateSpace, error) {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if list := d.mech.Nonholonomic(); len(list) > 0 {
		return nil, d.mech.AtConstraint(int(list[0]), -1, fault.Errorf("%w: it has rows of velocities alone", ErrCoordinates))
	}
	if err := d.setCarried(); err != nil {
		return nil, err
	}
	y := d.openCoordinates(o.Coordinates)
	if y == nil {
		if err := d.project(); err != nil {
			return nil, err
		}
		var err error
		if y, err = d.independent(o.Coordinates); err != nil {
			return nil, err
		}
	}
	return d.columns(o, y)
}

// fewColumns is the largest number of columns that are computed one by one: for so few, kernels for eight right sides save nothing. Another
// value costs time only.
const fewColumns = 2

// columns computes the state space: the derivatives along each coordinate, each rate and each input, as many together as ForwardTo
// computes.
func (d *Derivatives) columns(o StateSpaceOptions, y *coordinates) (*StateSpace, error) {
	s, seen := d.empty(o, y), jointsOf(o)
	n := 2*len(y.freedoms) + len(o.Inputs)
	step := min(d.atOnce(n), n)
	if n <= fewColumns {
		step = min(1, n)
	}
	out := d.NewChanges(step)
	for i := range out.list {
		out.list[i].taken.name, out.list[i].taken.lane, out.list[i].ready = "coordinate", uint8(i), true
	}
	if n == 0 {
		return s, nil
	}
	if err := d.regular(&out.list[0].taken, y); err != nil {
		return nil, err
	}
	for lo := 0; lo < n; lo += step {
		list := out.list[:min(step, n-lo)]
		if err := d.takeColumns(list, y, o.Inputs, lo); err != nil {
			return nil, err
		}
		for i := range list {
			if err := d.inDoubt(&list[i], &list[i].taken, Options{AsGiven: true}); err != nil {
				return nil, err
			}
			if err := d.outputs(&list[i], &list[i].taken, Options{NoReactions: true}, seen); err != nil {
				return nil, err
			}
			if err := d.readColumn(s, lo+i, o, &list[i]); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// takeColumns stores in list the derivatives along its columns, from number first on: coordinates, then rates, then inputs.
func (d *Derivatives) takeColumns(list []changes, y *coordinates, inputs []mechanism.Freedom, first int) error {
	for i := range list {
		u := &list[i].taken
		u.reset()
		d.setColumn(u, y, inputs, first+i)
	}
	if n := min(len(list), len(y.freedoms)-first); y.open == nil && n > 0 {
		if err := d.setCoordinates(list[:n], y, first); err != nil {
			return err
		}
	}
	for i := range list { // after all calls of setColumn, which overwrite the bits of moving bodies
		d.measure(&list[i].taken)
	}
	if len(list) == 1 {
		u := &list[0].taken
		return d.settleLoads(&list[0], u, u, Options{}, withoutRows)
	}
	d.needPanel(len(list), withoutRows)
	if _, err := d.sweepTogether(list, Options{AsGiven: true}, withoutRows); err != nil {
		return err
	}
	_, err := d.answerTogether(list, Options{})
	return err
}

// jointsOf returns the joints whose coordinates, rates or second rates are outputs, ascending.
func jointsOf(o StateSpaceOptions) []int {
	list := []int{}
	for _, z := range o.Outputs {
		if z.what >= outputQ {
			list = append(list, z.of)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// setColumn sets u, which is zero, to the direction of column k: of a coordinate, a rate, or an input. Coordinates of mechanisms that are
// not open are left to setCoordinates.
func (d *Derivatives) setColumn(u *direction, y *coordinates, inputs []mechanism.Freedom, k int) {
	n := len(y.freedoms)
	switch {
	case k >= 2*n:
		f := inputs[k-2*n]
		d.mustHave(f)
		u.forces[f.Joint][f.Freedom], u.forced = 1, true
	case y.open == nil && k < n: // setCoordinates
	case y.open == nil:
		for i := range d.bodies {
			u.bodies[i].Angular, u.bodies[i].Linear = spatial.Vec3(y.N[k-n][6*i:][:3]), spatial.Vec3(y.N[k-n][6*i+3:][:3])
		}
	case k < n:
		d.walk(u, y, k, orderPosition, unitChange)
		d.walk(u, y, k, orderVelocity, heldRate)
	default:
		d.walk(u, y, k-n, orderVelocity, unitChange)
	}
}

// regular returns ErrSingularPose if the null space of the constraint forces has no derivative along some motion of the coordinates. Then
// it has none along almost all combinations of them, and regular tries one, with u as memory.
func (d *Derivatives) regular(u *direction, y *coordinates) error {
	if y.open != nil || d.dynamics.Redundant() == 0 {
		return nil
	}
	if err := d.setNulls(); err != nil {
		return err
	}
	u.reset()
	for k, column := range y.N {
		part := math.Sin(float64(3*k + 1))
		for i := range d.bodies {
			b := &u.bodies[i]
			vecOf((*spatial.Vec3)(column[6*i:])).scale(part).addTo(&b.Rotation)
			vecOf((*spatial.Vec3)(column[6*i+3:])).scale(part).addTo(&b.Position)
		}
	}
	d.measure(u)
	return d.nullChanges(u, func([]float64) error { return nil })
}

// readColumn stores the results out of column k in the matrices of s.
func (d *Derivatives) readColumn(s *StateSpace, k int, o StateSpaceOptions, out *changes) error {
	n := len(s.Coordinates)
	s.Accuracy = max(s.Accuracy, out.accuracy)
	upper, lower := s.A[n:], s.C
	if k >= 2*n {
		upper, lower, k = s.B[n:], s.D, k-2*n
	}
	for i := range s.Coordinates {
		var err error
		if upper[i][k], err = d.secondAlong(out, s.Coordinates[i].Freedom); err != nil {
			return err
		}
	}
	for i, z := range o.Outputs {
		lower[i][k] = out.output(d, z)
	}
	return nil
}

// secondAlong returns the change of the second rate of a freedom along the direction of out.
func (d *Derivatives) secondAlong(out *changes, f mechanism.Freedom) (float64, error) {
	if c := d.carriedOf(f.Joint); c != nil && c.bentAt < 0 {
		var m carriedMove
		d.move(&m, c, &out.taken, out.x, orderAcceleration)
		return c.alongFreedom(f.Freedom, m.turn[2], m.step[2]), nil
	}
	if err := d.outputs(out, &out.taken, Options{NoReactions: true}, []int{f.Joint}); err != nil {
		return 0, err
	}
	return out.joints[f.Joint].Qdd[f.Freedom], nil
}

// empty returns the state space with its coordinates and the values of its outputs, and matrices of zeros, except dy/dt = ẏ in A.
func (d *Derivatives) empty(o StateSpaceOptions, y *coordinates) *StateSpace {
	n, inputs := len(y.freedoms), len(o.Inputs)
	s := &StateSpace{A: zeros(2*n, 2*n), B: zeros(2*n, inputs), C: zeros(len(o.Outputs), 2*n), D: zeros(len(o.Outputs), inputs)}
	for i, f := range y.freedoms {
		s.A[i][n+i] = 1
		x := Coordinate{Freedom: f, SecondRate: d.coordinate(Output{what: outputQdd, of: f.Joint, component: f.Freedom})}
		x.Value, x.Rate = d.mech.Coordinate(f, d.st)
		s.Coordinates = append(s.Coordinates, x)
	}
	for _, z := range o.Outputs {
		s.Values = append(s.Values, d.OutputValue(z))
	}
	return s
}

// setCoordinates sets direction k of list so that coordinate first + k changes by 1, with the other coordinates and all rates held,
// theory.md (D5).
func (d *Derivatives) setCoordinates(list []changes, y *coordinates, first int) error {
	sides, x := zeros(len(list), len(d.plainRight)), zeros(len(list), len(d.plainRight))
	most := make([]float64, len(list)) // largest opening of a row, 0 where it is rounding
	for k := range list {
		u := &list[k].taken
		for i := range d.bodies {
			u.bodies[i].Rotation = spatial.Vec3(y.N[first+k][6*i:][:3])
			u.bodies[i].Position = spatial.Vec3(y.N[first+k][6*i+3:][:3])
		}
		d.measure(u)
		if err := d.misses(u, ofVelocities); err != nil {
			return err
		}
		if most[k] = d.negate(); most[k] <= roundTol*d.sizeOf(u, ofVelocities) {
			most[k] = 0
		}
		copy(sides[k], d.plainRight)
	}
	if _, err := together(d.velocities, x, sides, make([]float64, len(list)), func(k int) error {
		if most[k] == 0 {
			return nil
		}
		copy(d.plainRight, sides[k])
		return d.corrected(x[k], d.velocities, most[k], d.sizeOf(&list[k].taken, ofVelocities))
	}); err != nil {
		return err
	}
	for k := range list {
		u := &list[k].taken
		if most[k] == 0 {
			clear(x[k])
		}
		for i := range d.bodies {
			u.bodies[i].Angular = spatial.Vec3(x[k][6*i:][:3])
			u.bodies[i].Linear = spatial.Vec3(x[k][6*i+3:][:3])
		}
		if err := d.holdRates(u, y); err != nil {
			return err
		}
	}
	return nil
}

// holdRates subtracts from u the motion by which the rates of the coordinates change along it.
func (d *Derivatives) holdRates(u *direction, y *coordinates) error {
	rates := make([]float64, len(y.freedoms))
	for i, f := range y.freedoms {
		var err error
		if rates[i], err = d.rateAlong(u, f); err != nil {
			return err
		}
	}
	x := d.answer[:6*len(d.bodies)]
	clear(x)
	for i, rate := range rates {
		floats.AddScaled(x, -rate, y.N[i])
	}
	for i := range d.bodies {
		v := &u.bodies[i]
		v.Angular, v.Linear = v.Angular.Add(spatial.Vec3(x[6*i:][:3])), v.Linear.Add(spatial.Vec3(x[6*i+3:][:3]))
	}
	return nil
}

// rateAlong returns the change of the rate of a freedom along a direction, rad/s or m/s: in closed form, theory.md (D11), for a joint
// whose lines turn with P, otherwise by the chain rule over the parts of the joint, (D6).
func (d *Derivatives) rateAlong(u *direction, f mechanism.Freedom) (float64, error) {
	if c := d.carriedOf(f.Joint); c != nil {
		var m carriedMove
		d.move(&m, c, u, nil, orderVelocity)
		return d.rateOf(c, &m, f.Freedom), nil
	}
	if err := d.build(f.Joint); err != nil {
		return 0, err
	}
	d.b.pull(u, nil)
	return d.b.c.Tangent1(d.b.rel[0].freedoms[f.Freedom].qd), nil
}
