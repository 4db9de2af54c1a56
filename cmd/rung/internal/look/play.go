package look

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim"
)

// playFlags are the flags of rung play.
type playFlags struct {
	viewFlags
	air    float64
	paused bool
}

// newPlay returns the command rung play with its flags and their defaults.
func newPlay() *cobra.Command {
	f := &playFlags{}
	cmd := &cobra.Command{
		Use:   "play MODEL",
		Short: "Move the mechanism in real time in the browser, and act on it",
		Long: `Simulates MODEL ("-": standard input) in real time and shows it on a page of the
browser of this machine, as rung view does. On the page bodies are pulled with
the mouse or a finger by a spring; gravity turns; joints are pushed, and
prescribed ones driven, by sliders; the run pauses, steps and begins anew. The
page says how accurate the motion is and by which factor it is slower than the
clock, if it is.

The simulation is in the program and moves only while a page is seen. Pages that
are open at the same time show and act on the same mechanism. It ends with the
command: press Ctrl-C.`,
		Example: `  rung play stewart.json
  rung generate ladder 1000 -o - | rung play - --air 0.5
  rung play robot.urdf --paused`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runPlay(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.air, "air", 0, fmt.Sprintf("rate at which all bodies are slowed down, 1/s, at most %d", live.MostAir))
	flags.BoolVar(&f.paused, "paused", false, "do not move before the page says so")
	f.add(flags)
	return cmd
}

// runPlay simulates the model in real time and shows it until the user ends it.
func runPlay(cmd *cobra.Command, path string, f *playFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.check(); err != nil {
		return err
	}
	if !(f.air >= 0 && f.air <= live.MostAir) || math.IsNaN(f.air) {
		return shell.UseErrorf("--air %g: want 0 to %d", f.air, live.MostAir)
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlanContext(cmd.Context(), m, rung.Options{})
	if err != nil {
		return err
	}
	mech, st := plan.Mechanism(), plan.Initial()
	name := shell.ModelFile(path)
	if err := closeStart(plan, st); err != nil {
		return shell.Failed(name, err)
	}
	if err := mech.CheckGround(st); err != nil {
		return shell.Failed(name, err)
	}
	s, err := newScene(m, mech, path, scene.Options{}, p, stderr)
	if err != nil {
		return err
	}
	center, _ := s.Bounds(st)
	play, err := live.NewSession(plan, st, center, live.Options{Air: f.air, Paused: f.paused})
	if err != nil {
		return shell.Failed(name, err)
	}
	v, err := view.NewViewer(s, st, view.NewSecret(), view.Options{Plan: plan, Live: play})
	if err != nil {
		return shell.Failed(name, err)
	}
	p.End()
	ctx, cancel := context.WithCancel(cmd.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		play.Run(ctx)
	}()
	err = serve(ctx, v, &f.viewFlags, stdout, stderr)
	cancel()
	<-ended
	return err
}

// closeStart closes st unless it satisfies the joints.
func closeStart(plan *rung.Plan, st *mechanism.State) error {
	closed, err := sim.Closed(plan.Mechanism(), st)
	if err != nil || closed {
		return err
	}
	c := closing.NewCloser(plan, closing.RunOptions())
	if err := c.ClosePositions(st); err != nil {
		return err
	}
	return c.ProjectVelocities(st)
}
