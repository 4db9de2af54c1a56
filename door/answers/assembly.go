package answers

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// Assembly is the document rung-assembly/1: a state that was closed.
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

// Closing is what was done at position or at velocity level.
type Closing struct {
	Before   float64    `json:"error_before"` // m or rad, m/s or rad/s
	After    float64    `json:"error_after"`
	Steps    int        `json:"steps"`
	Distance float64    `json:"distance"`             // in the metric of the inertias, √kg m or √kg m/s
	Travel   BodyChange `json:"largest_displacement"` // of a centre of mass, m or m/s
	Turn     BodyChange `json:"largest_rotation"`     // rad or rad/s
	// Left is the part of Distance that is left along motions that the joints allow, where the search for the nearest pose
	// has ended without it; else 0.
	Left float64 `json:"left,omitempty"`
}

// NewClosing names the bodies of k.
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
	Stage     Stage   // "closing"
}

// Assemble closes the joints at st, at the nearest pose, and then its velocities.
//
// If a joint cannot be closed it returns the document with that joint and the error, else the errors of
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

// fail stores the joint of err, and returns no document for other errors.
func (a *Assembly) fail(err error) (*Assembly, error) {
	e := new(closing.CloseError)
	if !errors.As(err, &e) {
		return nil, err
	}
	a.Unmet = newUnmet(e)
	return a, err
}
