package mechanism

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNoDerivatives is wrapped by the error of what needs the derivatives of a force that has none.
var ErrNoDerivatives = errors.New("mechanism: force has no derivatives")

// OwnForce is a force of one's own: wrenches on chosen bodies as a function of their motion and of time
// (Inputs.AddForce). Where a computation needs its derivatives and it is no DifferentiableForce, the computation is
// refused (ErrNoDerivatives): linearized systems, modes and equilibria. Implicit integrators do without: their Newton
// matrix then leaves the force out, which converges if it is not stiff within a step.
type OwnForce interface {
	// WrenchesTo stores in w the wrenches on the bodies with the motions at, in the order in which the force was added:
	// moment about the centre of mass, N m, then force, N, world axes. t is the time, s.
	//
	// w holds zeros. The result depends on at and t alone, and nothing is allocated. An error ends the
	// computation; its text gets the name of the force.
	//
	// A force that acts on few of its bodies at a time may have a method ActsOn(t float64) []int, which returns their places in that
	// order, each once. WrenchesTo then reads and stores nothing of the others.
	WrenchesTo(w []spatial.Force, at []BodyMotion, t float64) error
}

// partial is the method of an OwnForce that acts on few of its bodies at a time.
type partial interface{ ActsOn(t float64) []int }

// DifferentiableForce is an OwnForce with derivatives.
type DifferentiableForce interface {
	OwnForce
	// DerivativesTo stores in pose and velocity the derivatives of the wrenches, six rows a body, in the entries of all
	// bodies, six columns a body, row by row. Columns of pose are a small rotation about the world's axes, rad, and a
	// displacement of the centre of mass, m, with the velocities in world axes held; those of velocity are the angular
	// velocity, rad/s, and the velocity of the centre of mass, m/s.
	//
	// Both hold zeros. The result depends on at and t alone, and nothing is allocated.
	DerivativesTo(pose, velocity []float64, at []BodyMotion, t float64) error
}

// ownForce is a force with its bodies and memory.
type ownForce struct {
	name           string
	force          OwnForce
	body           []int32
	all            []int   // places in body: all
	part           partial // nil: it acts on all bodies
	at             []BodyMotion
	w              []spatial.Force
	pose, velocity []float64 // nil if the force has no derivatives
}

// AddForce adds a force of one's own that acts on the given bodies, by number. Its number counts on after the force
// elements of the model. It has to be added before anything is made for the inputs, and belongs to their goroutine.
//
// It returns an error that wraps ErrInput if the name is empty or that of another force, or if a body is out of
// range, the world or given twice. It panics if f is nil.
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

// newOwnForce returns a force on the bodies, which are kept, with memory.
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

// NumOwn returns the number of forces of one's own. Force i of them has the number len(Forces) + i elsewhere.
func (l *Loads) NumOwn() int { return len(l.own) }

// OwnSettings returns the name of force i of one's own, counted from 0, and the numbers of its bodies.
func (l *Loads) OwnSettings(i int) (name string, bodies []int32) { return l.own[i].name, l.own[i].body }

// ForceName returns the name of a force element, or of a force of one's own, which count on.
func (l *Loads) ForceName(i int) string {
	if i < len(l.Forces) {
		return l.Forces[i].Name
	}
	return l.own[i-len(l.Forces)].name
}

// OwnBodies returns the bodies of force i of one's own, and whether it has derivatives.
func (l *Loads) OwnBodies(i int) (bodies []int32, derivatives bool) {
	return l.own[i].body, l.own[i].pose != nil
}

// setAt stores the motions of the force's bodies in the given places at s, whose kinematics are k.
func (o *ownForce) setAt(places []int, k *Kinematics, s *State) {
	for _, i := range places {
		o.at[i] = bodyMotion(k, s, o.body[i])
	}
}

// addOwn adds the forces of one's own to f.
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

// wrenches computes o.w at s. It returns the places in o.body of the bodies on which the force acts.
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

// OwnWrenches returns the wrenches of force i of one's own at s, in
// the order of OwnBodies. They hold until the next evaluation.
//
// Cost: as the force; k was computed at s. It returns the errors of the force, with its name, and ErrNotFinite.
func (m *Mechanism) OwnWrenches(i int, k *Kinematics, s *State) ([]spatial.Force, error) {
	if _, err := m.own[i].wrenches(k, s); err != nil {
		return nil, m.AtForce(len(m.Forces)+i, err)
	}
	return m.own[i].w, nil
}

// OwnDerivatives returns the derivatives of force i of one's own at s, as DerivativesTo of DifferentiableForce stores
// them. They hold until the next evaluation.
//
// Cost: as the force; k was computed at s. It returns ErrNoDerivatives
// and the errors of the force, with its name, and ErrNotFinite.
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
