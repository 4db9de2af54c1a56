package answers

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// Assembly is the document rung-assembly/1: how a state was closed.
type Assembly struct {
	Format   string   `json:"format"`
	Name     string   `json:"name"`
	Bodies   int      `json:"bodies"`
	Joints   int      `json:"joints"`
	Held     []string `json:"held"`
	Closed   bool     `json:"closed"`
	Unmet    *Unmet   `json:"unmet,omitempty"`
	Position *Closing `json:"position,omitempty"`
	Velocity *Closing `json:"velocity,omitempty"`
}

// Closing is the change of a state at position or at velocity level.
type Closing struct {
	Before   float64    `json:"error_before"` // of the joints, m or rad, m/s or rad/s
	After    float64    `json:"error_after"`
	Steps    int        `json:"steps"`
	Distance float64    `json:"distance"`             // in the metric of the inertias, √kg m or √kg m/s
	Travel   BodyChange `json:"largest_displacement"` // of a centre of mass, m or m/s
	Turn     BodyChange `json:"largest_rotation"`     // rad or rad/s
	// Left is 0 if the pose is the nearest one. If the search has ended before, it is the distance that is left along motions
	// that the joints allow, relative to Distance.
	Left float64 `json:"left,omitempty"`
}

// NewClosing returns k in the form of the document, with the names of bodies.
func NewClosing(mech *mechanism.Mechanism, k closing.Closing) *Closing {
	r := &Closing{
		Before: k.Before, After: k.After, Steps: k.Steps, Distance: k.Distance,
		Travel: changeOf(mech, k.TravelBody, k.Travel), Turn: changeOf(mech, k.TurnBody, k.Turn),
	}
	if k.Along > 0 && !k.Nearest {
		r.Left = k.Along / k.Distance
	}
	return r
}

// AssemblyOptions say how a state is closed.
type AssemblyOptions struct {
	Hold      []int   // bodies that do not move
	Tolerance float64 // closing.Options.Tolerance
	Stage     Stage   // is told "closing"
}

// Assemble moves st to the nearest pose that satisfies the joints, and then to the nearest velocities.
//
// If a joint cannot be closed, it returns the document with that joint beside the error. It returns the errors of
// closing.NewCloserContext without a document. Cost: closing.Closer.ClosePositions and ProjectVelocities.
func Assemble(ctx context.Context, p *kkt.Plan, st *mechanism.State, o AssemblyOptions) (*Assembly, error) {
	mech := p.Mechanism()
	a := &Assembly{Format: "rung-assembly/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Held: []string{}}
	for _, i := range o.Hold {
		a.Held = append(a.Held, mech.BodyName(i))
	}
	o.Stage.begins("closing")
	w := p.NewWorkspace()
	defer w.Watch(ctx)()
	c, err := closing.NewCloserContext(ctx, w, closing.Options{Hold: o.Hold, Nearest: true, Tolerance: o.Tolerance})
	if err != nil {
		return nil, err
	}
	mech.FollowAngles(mech.NewKinematics(), st)
	if err := c.ClosePositions(st); err != nil {
		return a.fail(err)
	}
	a.Position = NewClosing(mech, c.Closing())
	if err := c.ProjectVelocities(st); err != nil {
		return a.fail(err)
	}
	a.Velocity = NewClosing(mech, c.Closing())
	a.Closed = true
	return a, nil
}

// fail returns a, with the joint of err in it, beside err. If err is not about a joint, it returns no document.
func (a *Assembly) fail(err error) (*Assembly, error) {
	e := new(closing.CloseError)
	if !errors.As(err, &e) {
		return nil, err
	}
	a.Unmet = newUnmet(e)
	return a, err
}
