package runs

import (
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Catalogue returns the catalogue of the columns of a mechanism, with the frames of its model m, which may be nil.
//
// It returns an *OptionError for a frame on a body that is not in the mechanism.
func Catalogue(mech *mechanism.Mechanism, m *model.Model) (*sim.Catalogue, error) {
	if m == nil {
		return sim.NewCatalogue(mech, nil), nil
	}
	markers := make([]sim.Marker, len(m.Frames))
	for i := range m.Frames {
		f := &m.Frames[i]
		body, err := mech.BodyIndex(f.Body)
		if err != nil {
			return nil, wrong("Model", "frame %s: %w", fault.Name(f.Name), fault.Plain(err))
		}
		markers[i] = sim.Marker{Name: f.Name, Body: body, Point: f.Pose.Position}
	}
	return sim.NewCatalogue(mech, markers), nil
}

// SelectColumns returns the columns that the options choose for a mechanism. Columns of reactions, wrenches and multipliers are computed
// with p, a plan of the mechanism, by their own solver, so that they do not change the run.
//
// It returns an *OptionError for names that are not found or given twice. It panics if p is nil and there are such columns.
func (o *Options) SelectColumns(mech *mechanism.Mechanism, p *kkt.Plan) (*sim.Columns, error) {
	if len(o.Columns) > 0 {
		all, err := Catalogue(mech, o.Model)
		if err != nil {
			return nil, err
		}
		var source sim.Reactions
		if all.NeedsReactions(o.Columns) {
			source = motion.NewDynamics(p)
		}
		c, err := all.Select(o.Columns, source)
		if err != nil {
			return nil, wrong("Columns", "{Columns}: %w", fault.Plain(err))
		}
		return c, nil
	}
	bodies, err := o.bodies(mech)
	if err != nil {
		return nil, err
	}
	joints, err := numbers("Wrenches", "joint", o.Wrenches, mech.JointIndex)
	if err != nil {
		return nil, err
	}
	couplings, err := numbers("Multipliers", "coupling", o.Multipliers, mech.CouplingIndex)
	if err != nil {
		return nil, err
	}
	c := sim.NewColumns(mech, bodies)
	if len(joints) > 0 {
		c.AddWrenches(motion.NewDynamics(p), joints)
	}
	if len(couplings) > 0 {
		c.AddMultipliers(motion.NewDynamics(p), couplings)
	}
	return c, nil
}

// bodies returns the numbers of the bodies of Bodies, nil for all.
func (o *Options) bodies(mech *mechanism.Mechanism) ([]int, error) {
	list, err := numbers("Bodies", "body", o.Bodies, mech.BodyIndex)
	if slices.Contains(list, mechanism.World) {
		return nil, wrong("Bodies", "{Bodies}: the world does not move")
	}
	return list, err
}

// numbers returns the numbers, by find, of the elements that a field of the options names. kind is the kind of element in messages. It
// returns an *OptionError for a name that is not found or given twice.
func numbers(field, kind string, names []string, find func(name string) (int, error)) ([]int, error) {
	var list []int
	for _, name := range names {
		i, err := find(name)
		if err != nil {
			return nil, wrong(field, "{"+field+"}: %w", fault.Plain(err))
		}
		if slices.Contains(list, i) {
			return nil, wrong(field, "{"+field+"}: %s %s is given twice", kind, fault.Name(name))
		}
		list = append(list, i)
	}
	return list, nil
}
