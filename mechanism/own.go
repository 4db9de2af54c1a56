package mechanism

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNoDerivatives is wrapped by the error of a computation that needs the derivatives of a force that has none.
var ErrNoDerivatives = errors.New("mechanism: force has no derivatives")

// OwnForce is a user-defined force: wrenches on chosen bodies as a function of their motion and of time
// (Inputs.AddForce). Linearized systems, modes and equilibria need its derivatives, and return ErrNoDerivatives if it is no
// DifferentiableForce. Implicit integrators then leave it out of the matrix of Newton's method, which converges if the force
// is not stiff within a step.
type OwnForce interface {
	// WrenchesTo stores in w the wrenches on the bodies: moment about the centre of mass, N m, then force, N, world axes.
	// at are the motions of the bodies. w and at are in the order of the bodies in AddForce. t is the time, s.
	//
	// w is zero on entry. The result may depend on at and t alone, and WrenchesTo may not allocate. An error ends the
	// computation; the name of the force is added to its text.
	//
	// A force that acts on few of its bodies at a time may have a method ActsOn(t float64) []int, which returns the indices of these
	// bodies in that order, each once. WrenchesTo may then use no other entries of at and w.
	WrenchesTo(w []spatial.Force, at []BodyMotion, t float64) error
}

// partial is the method of an OwnForce that acts on few of its bodies at a time.
type partial interface{ ActsOn(t float64) []int }

// DifferentiableForce is an OwnForce with derivatives.
type DifferentiableForce interface {
	OwnForce
	// DerivativesTo stores in pose and velocity, row by row, the derivatives of the wrenches, six rows for each body, by the
	// motions of all bodies, six columns for each. The columns of pose are derivatives by a small rotation about the world's axes,
	// rad, and a displacement of the centre of mass, m, at constant velocities in world axes. The columns of velocity are derivatives
	// by the angular velocity, rad/s, and the velocity of the centre of mass, m/s.
	//
	// Both are zero on entry. The result may depend on at and t alone, and DerivativesTo may not allocate.
	DerivativesTo(pose, velocity []float64, at []BodyMotion, t float64) error
}

// ownForce is a force with its bodies and memory.
type ownForce struct {
	name           string
	force          OwnForce
	body           []int32
	all            []int   // all indices of body
	part           partial // the force, if it has ActsOn; nil: it acts on all bodies
	at             []BodyMotion
	w              []spatial.Force
	pose, velocity []float64 // nil if the force has no derivatives
}

// AddForce adds a user-defined force that acts on the given bodies, by number, and returns its number. The numbers of
// user-defined forces follow the numbers of the force elements. Call it before a workspace is made for the inputs. The force belongs
// to their goroutine.
//
// It returns an error that wraps ErrInput if the name is empty or the name of another force, if there is no body, or if a body is
// out of range, the world or given twice. It panics if f is nil.
func (in *Inputs) AddForce(name string, f OwnForce, bodies ...int) (int, error) {
	if f == nil {
		panic("mechanism: no force")
	}
	v := &in.view
	_, err := v.ForceIndex(name)
	switch {
	case name == "" || err == nil:
		return 0, fault.Errorf("%w: name %s of a force is empty or given twice", ErrInput, fault.Name(name))
	case len(bodies) == 0:
		return 0, fault.Errorf("%w: force %s acts on no body", ErrInput, fault.Name(name))
	}
	list, seen := make([]int32, 0, len(bodies)), make([]bool, v.NumBodies())
	for _, b := range bodies {
		if b < 0 || b >= v.NumBodies() || seen[b] {
			return 0, fault.Errorf("%w: force %s acts on body %d, which is out of range or given twice", ErrInput, fault.Name(name), b)
		}
		list, seen[b] = append(list, int32(b)), true
	}
	v.own = append(v.own, newOwnForce(name, f, list))
	return len(v.Forces) + len(v.own) - 1, nil
}

// newOwnForce returns the force f with its memory. It keeps the list of bodies.
func newOwnForce(name string, f OwnForce, bodies []int32) ownForce {
	n := len(bodies)
	o := ownForce{name: name, force: f, body: bodies, all: make([]int, n), at: make([]BodyMotion, n), w: make([]spatial.Force, n)}
	for i := range o.all {
		o.all[i] = i
	}
	o.part, _ = f.(partial)
	if _, ok := f.(DifferentiableForce); ok {
		o.pose, o.velocity = make([]float64, 36*n*n), make([]float64, 36*n*n)
	}
	return o
}

// NumOwn returns the number of user-defined forces. User-defined force i is force len(Forces) + i in ForceName and AtForce.
func (l *Loads) NumOwn() int { return len(l.own) }

// OwnSettings returns the name of user-defined force i, counted from 0, and the numbers of its bodies.
func (l *Loads) OwnSettings(i int) (name string, bodies []int32) { return l.own[i].name, l.own[i].body }

// ForceName returns the name of force element i, or of user-defined force i − len(Forces).
func (l *Loads) ForceName(i int) string {
	if i < len(l.Forces) {
		return l.Forces[i].Name
	}
	return l.own[i-len(l.Forces)].name
}

// OwnBodies returns the bodies of user-defined force i, and whether it has derivatives.
func (l *Loads) OwnBodies(i int) (bodies []int32, derivatives bool) {
	return l.own[i].body, l.own[i].pose != nil
}

// setAt stores in o.at the motions at s of the bodies o.body[i], for the given places i. k was computed at s.
func (o *ownForce) setAt(places []int, k *Kinematics, s *State) {
	for _, i := range places {
		o.at[i] = bodyMotion(k, s, o.body[i])
	}
}

// addOwn adds to f the wrenches of user-defined forces on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addOwn(f []spatial.Force, k *Kinematics, s *State) error {
	for i := range m.own {
		o := &m.own[i]
		places, err := o.wrenches(k, s)
		if err != nil {
			return m.AtForce(len(m.Forces)+i, err)
		}
		for _, j := range places {
			b := o.body[j]
			for r, x := range o.w[j] {
				f[b][r] += x
			}
		}
	}
	return nil
}

// wrenches computes o.w at s. It returns the indices in o.body of the bodies on which the force acts, and the error of the force or
// ErrNotFinite.
func (o *ownForce) wrenches(k *Kinematics, s *State) (places []int, err error) {
	if places = o.all; o.part != nil {
		places = o.part.ActsOn(s.Time)
	}
	o.setAt(places, k, s)
	clear(o.w)
	if err := o.force.WrenchesTo(o.w, o.at, s.Time); err != nil {
		return nil, err
	}
	for _, i := range places {
		for _, x := range o.w[i] {
			if !algebra.Finite(x) {
				return nil, ErrNotFinite
			}
		}
	}
	return places, nil
}

// OwnWrenches returns the wrenches of user-defined force i at s, in
// the order of OwnBodies. They are valid until the next evaluation.
//
// Cost: as the force; k was computed at s. It returns an error that names the force and wraps its error or ErrNotFinite.
func (m *Mechanism) OwnWrenches(i int, k *Kinematics, s *State) ([]spatial.Force, error) {
	if _, err := m.own[i].wrenches(k, s); err != nil {
		return nil, m.AtForce(len(m.Forces)+i, err)
	}
	return m.own[i].w, nil
}

// OwnDerivatives returns the derivatives of user-defined force i at s, as DerivativesTo of DifferentiableForce stores
// them. They are valid until the next evaluation.
//
// Cost: as the force; k was computed at s. It returns an error that names the force and wraps ErrNoDerivatives,
// ErrNotFinite or the error of the force.
func (m *Mechanism) OwnDerivatives(i int, k *Kinematics, s *State) (pose, velocity []float64, err error) {
	o := &m.own[i]
	f, ok := o.force.(DifferentiableForce)
	if !ok {
		return nil, nil, m.AtForce(len(m.Forces)+i, ErrNoDerivatives)
	}
	o.setAt(o.all, k, s)
	clear(o.pose)
	clear(o.velocity)
	if err := f.DerivativesTo(o.pose, o.velocity, o.at, s.Time); err != nil {
		return nil, nil, m.AtForce(len(m.Forces)+i, err)
	}
	for _, list := range [2][]float64{o.pose, o.velocity} {
		if slices.ContainsFunc(list, func(x float64) bool { return !algebra.Finite(x) }) {
			return nil, nil, m.AtForce(len(m.Forces)+i, ErrNotFinite)
		}
	}
	return o.pose, o.velocity, nil
}
