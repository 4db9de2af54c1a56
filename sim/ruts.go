package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// errRuts is returned by a run whose wheels leave ruts, if other runs may share its ground. Such a run needs the mechanism of
// mechanism.Inputs, and dynamics and a projector of a plan with these inputs (kkt.Plan.With).
var errRuts = errors.New("sim: wheels that leave ruts need a ground of the run's own, that of mechanism.Inputs")

// mostInstants is the largest number of instants of a step at which ruts are pressed.
const mostInstants = 4096

// rutted presses ruts after accepted steps.
type rutted struct {
	mech *mechanism.Mechanism
	list []mechanism.TerrainRuts
	kin  *mechanism.Kinematics
	at   mechanism.State
}

// newRutted returns the memory to press ruts during a run with states like st, or nil if no wheel of m leaves ruts.
func newRutted(m *mechanism.Mechanism, st *mechanism.State) *rutted {
	if !m.WantsRuts() {
		return nil
	}
	r := &rutted{mech: m, list: m.Ruts(), kin: m.NewKinematics(), at: *st.Clone()}
	r.kin.I = nil
	return r
}

// unrutted returns the ground without the ruts of m.
func unrutted(m *mechanism.Mechanism, g *ground.Surface) *ground.Surface {
	for _, r := range m.Ruts() {
		if r.Ruts.Surface() == g {
			return r.Ruts.Base()
		}
	}
	return g
}

// pressStart presses the ground under the wheels at st, the start of the run. It returns errRuts if the mechanism has no Inputs.
func (r *rutted) pressStart(st *mechanism.State) error {
	if r == nil {
		return nil
	}
	if len(r.list) == 0 {
		return errRuts
	}
	if _, err := r.standing(st, 0); err != nil {
		r.drop()
		return err
	}
	return r.sink(st.Time)
}

// standing notes the touches of the wheels at st, for a time interval of length span (s) about it, and
// returns the speed of the fastest wheel, in nodes per second.
func (r *rutted) standing(st *mechanism.State, span float64) (fastest float64, err error) {
	for i := range r.list {
		t := &r.list[i]
		for _, k := range t.Contacts {
			c, body, _ := r.mech.Contact(k)
			if !r.mech.BodyTo(&r.kin.Bodies[body], st, body) {
				return 0, r.mech.NotFinite(body)
			}
			res, err := r.mech.ContactAt(k, r.kin, st)
			if err != nil {
				return 0, fault.Errorf("sim: ruts: %w", err)
			}
			if len(res.Touches) == 0 {
				continue
			}
			t.Ruts.Note(c, res, span)
			for j := range res.Touches {
				m := &res.Touches[j].Motion
				fastest = max(fastest, math.Hypot(m.Roll, m.Y)/t.Ruts.Spacing())
			}
		}
	}
	return fastest, nil
}

// sink presses and lowers the ground under the noted wheels (contact.Ruts.Settle); t is the time for messages.
func (r *rutted) sink(t float64) error {
	for i := range r.list {
		if err := r.list[i].Ruts.Settle(); err != nil {
			r.drop()
			return fault.Errorf("sim: at t = %v: %w", t, err)
		}
	}
	return nil
}

func (r *rutted) drop() {
	for i := range r.list {
		r.list[i].Ruts.Drop()
	}
}

// press presses the ground for a step up to its fraction theta, where it ends in the state s.next; the step was tried up to t1.
// It computes the contacts at as many instants as the fastest wheel passes nodes.
//
// Cost: as the contacts and Stepper.AtTo for each instant; no allocation unless memory of ruts grows. After an
// error nothing has been pressed, and the step can be done again.
func (r *rutted) press(s *step, t1, theta float64) error {
	if r == nil {
		return nil
	}
	err := r.pressed(s, t1, theta)
	if err != nil {
		r.drop()
	}
	return err
}

// pressed is press without the cleaning up after an error.
func (r *rutted) pressed(s *step, t1, theta float64) error {
	span := theta * (t1 - s.st.Time)
	fastest, err := r.standing(s.st, 0)
	if err != nil {
		return err
	}
	n := math.Ceil(fastest * span)
	if n > mostInstants {
		return fault.Errorf("sim: at t = %v: a wheel passes %.0f nodes of ruts in a step of %.3g s; "+
			"at most %d are pressed one after the other: take shorter steps", s.st.Time, n, span, mostInstants)
	}
	each := span / max(n, 1)
	for k := 1.0; k < n; k++ {
		s.stepper.AtTo(&r.at, theta*k/n)
		if _, err := r.standing(&r.at, each); err != nil {
			return err
		}
	}
	if _, err := r.standing(&s.next, each); err != nil {
		return err
	}
	return r.sink(s.next.Time)
}

// marks returns the ruts, for a checkpoint.
func (r *rutted) marks() (list []rutsMark) {
	if r == nil {
		return nil
	}
	for i := range r.list {
		mark := rutsMark{Terrain: r.list[i].Terrain, Nodes: [][]float64{}}
		for _, n := range r.list[i].Ruts.Nodes() {
			x := []float64{float64(n.I), float64(n.J), n.Lowered}
			if n.Pressed {
				x = append(x, n.Passage, n.Back)
			}
			mark.Nodes = append(mark.Nodes, x)
		}
		list = append(list, mark)
	}
	return list
}

// putBack restores the ruts from a checkpoint. After an error they are unchanged.
func (r *rutted) putBack(marks []rutsMark) error {
	if r == nil {
		if len(marks) > 0 {
			return fmt.Errorf("sim: %w: it has ruts", ErrCheckpoint)
		}
		return nil
	}
	if len(r.list) == 0 {
		return errRuts
	}
	if len(marks) != len(r.list) {
		return misfit(len(marks), "number of terrains with ruts, for %d,", len(r.list))
	}
	lists := make([][]contact.RutNode, len(marks))
	for i := range marks {
		if marks[i].Terrain != r.list[i].Terrain {
			return misfit(marks[i].Terrain, "terrain of ruts, for %d,", r.list[i].Terrain)
		}
		var err error
		if lists[i], err = marks[i].nodes(); err != nil {
			return err
		}
	}
	were := make([][]contact.RutNode, len(lists))
	for i, list := range lists {
		ruts := r.list[i].Ruts
		were[i] = ruts.Nodes()
		if err := ruts.Restore(list); err != nil {
			for k := range i + 1 {
				err = errors.Join(err, r.list[k].Ruts.Restore(were[k]))
			}
			return fault.Errorf("sim: %w: %w", ErrCheckpoint, err)
		}
	}
	return nil
}
