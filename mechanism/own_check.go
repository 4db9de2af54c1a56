package mechanism

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// ErrRowTerms is wrapped by the errors of CheckRows.
var ErrRowTerms = errors.New("mechanism: terms of a row do not agree with differences")

const (
	// rowTurn is the step of a body, rad, and relative to the typical length for lengths. For terms that vary over 1 rad or one
	// typical length, the error of differences of fourth order is 1e-12 of the term.
	rowTurn = 1e-3
	// rowTime is the step in time, s. For terms that vary with 50 Hz, the error of the differences is as small, and their rounding is
	// 1e-11 of the term.
	rowTime = 1e-5
	// rowTol is the largest error of a term, relative to the size of the row. Mistakes are larger: a factor, a sign or a missing term.
	rowTol = 1e-6
)

// CheckRows compares the terms of user-defined rows at s with differences of fourth order. The parts for bodies and Drift are compared
// with differences of φ, and Bias with the rate of Σ w·(ω, v) + Drift for random constant velocities of the bodies, which are the same in
// each call. For a row on velocities alone it compares Bias only. It is for tests: a check at one state does not find all mistakes.
//
// Cost: some hundred evaluations of each row for each of its bodies; allocates. It returns an error that names the row, the term and both
// values and wraps ErrRowTerms, and the errors of KinematicsTo and of the rows. It panics if s is of another mechanism.
func (m *Mechanism) CheckRows(s *State) error {
	k := m.NewKinematics()
	if err := m.KinematicsTo(k, s); err != nil {
		return err
	}
	for i := len(m.Couplings) - m.special.own; i < len(m.Couplings); i++ {
		c := newRowCheck(m, m.Couplings[i].own, k, s)
		if err := c.check(); err != nil {
			return m.atCoupling(i, err)
		}
	}
	return nil
}

// rowCheck checks a user-defined row at a state.
type rowCheck struct {
	m    *Mechanism
	own  *ownRow
	unit [6]float64   // scale of a body's motion: 1 rad, typical length in m
	from []BodyMotion // poses at the state, with random velocities
	time float64
	at   rowAt // result of eval
}

// newRowCheck returns a rowCheck of o at s, with random velocities of its bodies; k was computed at s.
func newRowCheck(m *Mechanism, o *ownRow, k *Kinematics, s *State) *rowCheck {
	n := len(o.body)
	c := &rowCheck{m: m, own: o, time: s.Time, at: rowAt{at: make([]BodyMotion, n), w: make([]spatial.Force, n)}}
	length := m.TypicalLength()
	c.unit = [6]float64{1, 1, 1, length, length, length}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for _, b := range o.body {
		at := bodyMotion(k, s, b)
		for i := range 3 {
			at.Omega[i], at.Velocity[i] = rng.NormFloat64(), length*rng.NormFloat64()
		}
		c.from = append(c.from, at)
	}
	return c
}

// eval stores in c.at the row after the bodies have moved by the twists x, six numbers for each (rotation vector, displacement of the
// centre of mass), and time by t.
func (c *rowCheck) eval(x []float64, t float64) error {
	for i, b := range c.own.body {
		u, from := x[6*i:6*i+6], c.from[i]
		turn := spatial.Vec3(u[:3])
		var q spatial.Quat
		one := spatial.IdentityQuat()
		spatial.TurnTo(&q, &turn, &one)
		var R spatial.Mat3
		q.MatTo(&R)
		to := &c.at.at[i]
		*to = from
		to.E = R.Mul(from.E)
		to.E.MulVecTo(&to.Com, &c.m.Bodies[b].Com)
		to.Position = from.Position.Add(spatial.Vec3(u[3:])).Add(from.Com.Sub(to.Com))
	}
	clear(c.at.w)
	var err error
	c.at.terms, err = c.own.row.RowTo(c.at.w, c.at.at, c.time+t)
	return err
}

// rate returns Σ w·(ω, v) + Drift of the row that eval has computed.
func (c *rowCheck) rate() float64 {
	r := c.at.terms.Drift
	for i := range c.from {
		r += c.at.w[i].Moment().Dot(c.from[i].Omega) + c.at.w[i].Linear().Dot(c.from[i].Velocity)
	}
	return r
}

// slope returns the derivative of value by λ at λ = 0, where the bodies move by λ·x and time by λ·t. h is the step of λ.
func (c *rowCheck) slope(x []float64, t, h float64, value func() float64) (float64, error) {
	sum, y := 0.0, make([]float64, len(x))
	for _, p := range [4][2]float64{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
		for i := range x {
			y[i] = p[0] * h * x[i]
		}
		if err := c.eval(y, p[0]*h*t); err != nil {
			return 0, err
		}
		sum += p[1] * value()
	}
	return sum / (12 * h), nil
}

// check compares all terms of the row with differences, and returns the error of the first that does not agree.
func (c *rowCheck) check() error {
	x := make([]float64, 6*len(c.own.body))
	if err := c.eval(x, 0); err != nil {
		return err
	}
	w, terms, size := append([]spatial.Force(nil), c.at.w...), c.at.terms, 0.0
	for i := range w {
		for k, u := range c.unit {
			size += math.Abs(w[i][k] * u)
		}
	}
	if !c.own.rates {
		if err := c.checkPhi(w, terms.Drift, size); err != nil {
			return err
		}
	}
	for i := range c.from {
		copy(x[6*i:], c.from[i].Omega[:])
		copy(x[6*i+3:], c.from[i].Velocity[:])
	}
	found, err := c.slope(x, 1, rowTime, c.rate)
	if err != nil {
		return err
	}
	return agree("Bias", terms.Bias, found, size)
}

// checkPhi compares the parts w and Drift of a row with differences of φ; size is the sum of the magnitudes of the parts.
func (c *rowCheck) checkPhi(w []spatial.Force, drift, size float64) error {
	phi := func() float64 { return c.at.terms.Error }
	x := make([]float64, 6*len(w))
	for i, b := range c.own.body {
		for k, u := range c.unit {
			clear(x)
			x[6*i+k] = u
			found, err := c.slope(x, 0, rowTurn, phi)
			if err != nil {
				return err
			}
			kind, body := [2]string{"moment", "force"}[k/3], fault.Name(c.m.BodyName(int(b)))
			part := fmt.Sprintf("the %s along %c in the part for body %s", kind, "xyz"[k%3], body)
			if err := agree(part, w[i][k], found/u, size/u); err != nil {
				return err
			}
		}
	}
	clear(x)
	found, err := c.slope(x, 1, rowTime, phi)
	if err != nil {
		return err
	}
	return agree("Drift", drift, found, size)
}

// agree returns an error that wraps ErrRowTerms if the value said of a term differs from the value found by differences; size is the size
// of the row.
func agree(name string, said, found, size float64) error {
	if math.Abs(said-found) <= rowTol*(size+math.Abs(found)) {
		return nil
	}
	return fault.Errorf("%w: %s is %v, by differences %v", ErrRowTerms, name, said, found)
}
