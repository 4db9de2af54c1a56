package look

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/draw"
	"github.com/rung-mbd/rung/scene/glb"
	"github.com/rung-mbd/rung/scene/view"
)

// drawEndings are the endings of the files of rung draw.
var drawEndings = []string{".svg", ".png", gifEnding, ".glb", mcapEnding, htmlEnding}

// drawFlags are the flags of rung draw.
type drawFlags struct {
	output, run string
	from, size  string
	at          float64
	noJoints    bool

	view draw.View
	film draw.Film
}

// New returns the subcommands of this package.
func New() []*cobra.Command { return []*cobra.Command{newDraw(), newView(), newPlay()} }

// newDraw returns the command rung draw with its flags and their defaults.
func newDraw() *cobra.Command {
	f := &drawFlags{}
	cmd := &cobra.Command{
		Use:   "draw MODEL",
		Short: "Draw the mechanism, or its motion as GIF, glTF, MCAP or a page",
		Long: `Draws the bodies and joints of MODEL ("-": standard input) as the eye sees them:
a body as its visuals, without these as a rod between its joints, a frame
through three or more of them, else the block with its mass and inertia; joints
as marks, red where they turn, blue where they slide, orange where they hold
points; wheels, springs and the ground.

-o says what is written: .svg and .png are pictures in parallel projection, .gif
is such a picture that moves, .glb is binary glTF 2.0, which 3-D programs and
browsers show, .mcap is for Foxglove and other viewers of robots, and .html is
the page of rung view in one file, for mail and papers. With --run TRAJECTORY
(.csv or .parquet of rung simulate) a picture shows the time of --at, and all
others move.

A GIF has the whole run in view and needs --run. Each of its pictures shows the
row nearest to its time; so write rows at least as often (--every 0.04 for 25 a
second).`,
		Example: `  rung draw stewart.json -o stewart.png --from -40,30
  rung simulate stewart.json --until 2 --every 0.02 -o run.csv
  rung draw stewart.json --run run.csv -o run.glb
  rung draw stewart.json --run run.csv -o run.gif --size 480x360 --seconds 4`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDraw(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write, ending in .svg, .png, .gif, .glb, .mcap or .html")
	flags.StringVar(&f.run, "run", "", "trajectory of MODEL, ending in .csv or .parquet")
	flags.Float64Var(&f.at, "at", 0, "time of the picture, s; it shows the last row up to it")
	flags.StringVar(&f.from, "from", "-60,25", "where the eye is: AZIMUTH,ELEVATION, degrees, to the left of the right (-90 is in front) and above the level; up is against gravity")
	flags.StringVar(&f.size, "size", "1200x900", "WIDTHxHEIGHT of a picture, pixels; of a GIF "+filmSize+" without it")
	flags.Float64Var(&f.film.FPS, "fps", 25, fmt.Sprintf("pictures of a GIF in a second, at most %d", draw.MostFPS))
	flags.Float64Var(&f.film.Seconds, "seconds", 0, "how long a GIF plays, s; 0: as long as the run")
	flags.IntVar(&f.film.Passes, "passes", 0, "how often a GIF plays; 0: for ever")
	flags.BoolVar(&f.noJoints, "no-joints", false, "without the marks of joints")
	return cmd
}

const (
	gifEnding  = ".gif"
	mcapEnding = ".mcap"
	htmlEnding = ".html"

	filmSize = "600x450" // default of --size for a GIF
)

// ending returns the ending of the output, which decides the format.
func (f *drawFlags) ending() string { return strings.ToLower(filepath.Ext(f.output)) }

// check refuses wrong flags, and sets the view.
func (f *drawFlags) check(cmd *cobra.Command, model string) error {
	if f.output == "" {
		return shell.UseErrorf("nothing to write: give -o FILE.svg, .png, .gif, .glb, .mcap or .html")
	}
	if f.output == shell.Stdio {
		return shell.UseErrorf("-o needs a file name, whose ending says what to write")
	}
	if !slices.Contains(drawEndings, f.ending()) {
		return shell.UseErrorf("%s: what is drawn ends in %s", f.output, strings.Join(drawEndings, ", "))
	}
	if f.ending() == mcapEnding && noMCAP != "" {
		return shell.UseErrorf("%s: %s", f.output, noMCAP)
	}
	for _, other := range []string{model, f.run} {
		if err := shell.Apart(f.output, "would replace an input", other); err != nil {
			return err
		}
	}
	az, el, ok := pair(f.from, ",")
	if !ok || !(math.Abs(az) <= 360 && math.Abs(el) <= 90) { // NaN too
		return shell.UseErrorf("--from %s: want AZIMUTH,ELEVATION in degrees, at most 360 and 90", f.from)
	}
	if f.ending() == gifEnding && !cmd.Flags().Changed("size") {
		f.size = filmSize
	}
	w, h, ok := pair(f.size, "x")
	if !ok || w != math.Trunc(w) || h != math.Trunc(h) || w < 1 || h < 1 || w > draw.MaxSide || h > draw.MaxSide {
		return shell.UseErrorf("--size %s: want WIDTHxHEIGHT in pixels, each from 1 to %d", f.size, draw.MaxSide)
	}
	if cmd.Flags().Changed("at") && f.run == "" {
		return shell.UseErrorf("--at needs --run TRAJECTORY")
	}
	if !(math.Abs(f.at) < math.Inf(1)) {
		return shell.UseErrorf("--at %g: not finite", f.at)
	}
	if err := f.checkFilm(cmd); err != nil {
		return err
	}
	f.view = draw.View{Azimuth: az * math.Pi / 180, Elevation: el * math.Pi / 180, Angles: true, Width: int(w), Height: int(h)}
	return nil
}

// checkFilm refuses flags of a GIF that are out of range, flags that a GIF excludes, and flags of a GIF for another format.
func (f *drawFlags) checkFilm(cmd *cobra.Command) error {
	if f.ending() != gifEnding {
		for _, name := range []string{"fps", "seconds", "passes"} {
			if cmd.Flags().Changed(name) {
				return shell.UseErrorf("--%s is for a picture that moves, -o FILE.gif", name)
			}
		}
		return nil
	}
	switch {
	case f.run == "":
		return shell.UseErrorf("%s: a picture that moves needs --run TRAJECTORY", f.output)
	case cmd.Flags().Changed("at"):
		return shell.UseErrorf("--at is for a picture that stands still; a .gif shows the whole run")
	case !(f.film.FPS > 0 && f.film.FPS <= draw.MostFPS):
		return shell.UseErrorf("--fps %g: want more than 0, and at most %d", f.film.FPS, draw.MostFPS)
	case !(f.film.Seconds >= 0) || math.IsInf(f.film.Seconds, 0):
		return shell.UseErrorf("--seconds %g: want a time, or 0 for that of the run", f.film.Seconds)
	case f.film.Passes < 0 || f.film.Passes > draw.MostPasses:
		return shell.UseErrorf("--passes %d: want 0 to %d", f.film.Passes, draw.MostPasses)
	}
	return nil
}

// pair reads two numbers with the text between in their midst. It returns false if text is anything else.
func pair(text, between string) (a, b float64, ok bool) {
	x, y, found := strings.Cut(text, between)
	a, err1 := strconv.ParseFloat(x, 64)
	b, err2 := strconv.ParseFloat(y, 64)
	return a, b, found && err1 == nil && err2 == nil
}

// runDraw draws the model at its initial state, or at a time of a trajectory.
func runDraw(cmd *cobra.Command, path string, f *drawFlags) (err error) {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.check(cmd, path); err != nil {
		return err
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	mech, plan, err := f.analyse(cmd.Context(), m, p)
	if err != nil {
		return err
	}
	st := mech.Initial()
	var run *recording
	if f.run != "" {
		p.Stage("reading the trajectory", 0)
		if run, err = openRun(cmd.Context(), mech, f.run); err != nil {
			return err
		}
		defer func() { err = firstOf(err, run.close()) }()
		if times := run.Times(); cmd.Flags().Changed("at") && (f.at < times[0] || f.at > times[len(times)-1]) {
			return shell.UseErrorf("--at %g: the trajectory goes from %g to %g s", f.at, times[0], times[len(times)-1])
		}
		if err := run.StateTo(st, run.RowAt(f.at)); err != nil {
			return err
		}
	}
	p.Stage("drawing", 0)
	s, err := newScene(m, mech, path, scene.Options{NoJoints: f.noJoints}, p, stderr)
	if err != nil {
		return err
	}
	return shell.WriteFile(f.output, stdout, func(w io.Writer) error { // only errors of drawing get the name of the model
		if f.ending() == htmlEnding {
			return shell.Failed(shell.ModelFile(path), writeHTML(cmd.Context(), w, s, st, run, plan))
		}
		return shell.Failed(shell.ModelFile(path), f.write(cmd.Context(), w, s, st, run))
	})
}

// analyse returns the mechanism of m and, for a page, which shows reactions, its plan; else nil.
func (f *drawFlags) analyse(ctx context.Context, m *model.Model, p *shell.Progress) (*mechanism.Mechanism, *kkt.Plan, error) {
	if f.ending() != htmlEnding {
		mech, err := mechanism.New(m)
		return mech, nil, err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlanContext(ctx, m, rung.Options{})
	if err != nil {
		return nil, nil, err
	}
	return plan.Mechanism(), plan, nil
}

// writeHTML writes the page with the scene at st or, with a trajectory, at its first row, which it stores in st.
func writeHTML(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, run *recording, plan *kkt.Plan) error {
	o := view.Options{Plan: plan}
	if run != nil {
		o.Run = run.Replay
		if err := run.StateTo(st, 0); err != nil {
			return err
		}
	}
	v, err := view.NewViewer(s, st, "", o)
	if err != nil {
		return err
	}
	return v.HTML(ctx, w)
}

// firstOf returns a, or b if a is nil.
func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// write writes the output in the format of its ending, which is not .html.
func (f *drawFlags) write(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, run *recording) error {
	switch f.ending() {
	case ".png":
		return draw.PNG(ctx, w, s, st, f.view)
	case ".svg":
		return draw.SVG(ctx, w, s, st, f.view)
	case gifEnding:
		return draw.GIF(ctx, w, s, run, f.view, f.film)
	case mcapEnding:
		return writeMCAP(ctx, w, s, st, run)
	}
	if run == nil {
		return glb.Write(ctx, w, s, st, nil)
	}
	return glb.Write(ctx, w, s, st, run)
}
