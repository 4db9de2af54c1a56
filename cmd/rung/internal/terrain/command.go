package terrain

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
)

// New returns the subcommand rung terrain.
func New() *cobra.Command {
	f := newFlags()
	cmd := &cobra.Command{
		Use:   "terrain FILE|random|function [EXPRESSION]",
		Short: "Make, convert, inspect and draw terrains",
		Long: `Reads or makes a terrain, heights z over x and y, in m, and says how high, steep
and rough it is. Sources:

  FILE.csv             heights, a line of the grid a line from the south, or
                       with --layout points x, y, z of a node a line
  FILE.png             grey picture of 8 or 16 bits, black --lowest, white
                       --highest, the first line north
  random               random heights: --kind, --rms, --length, --hurst, --seed
  function EXPRESSION  such as "0.3*sin(x)*cos(y)"

-o writes the heights at the nodes, by the ending: .csv, .png (16 bits) or .obj.
--plot draws the terrain from above with contours, --relief obliquely.`,
		Example: `  rung terrain random --size 61x61 --spacing 0.5 --rms 0.3 --length 2 -o field.csv
  rung terrain field.csv --spacing 0.5 --plot field.svg --gradient --at 3,4.5
  rung terrain function "0.1*x + exp(-x^2-y^2)" --origin=-5,-5 --spacing 0.2 -o hill.png`,
		Args: checkArguments,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{fromRandom, fromFunction}, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args, f) },
	}
	f.add(cmd)
	return cmd
}

// checkArguments returns an error of use unless the arguments are a source and, only after the source "function", an expression.
func checkArguments(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return shell.UseErrorf("missing FILE, random or function")
	case args[0] == fromFunction && len(args) == 1:
		return shell.UseErrorf("missing EXPRESSION")
	case args[0] == fromFunction && len(args) > 2:
		return shell.UseErrorf("unexpected argument %s; write the expression in quotes", fault.Name(args[2]))
	case args[0] != fromFunction && len(args) > 1:
		return shell.UseErrorf("unexpected argument %s", fault.Name(args[1]))
	}
	return nil
}

// run reads or makes a terrain, writes its heights and pictures as the flags say, and prints the report, unless one of these
// outputs goes to standard output.
func run(cmd *cobra.Command, args []string, f *flags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.check(cmd, args); err != nil {
		return err
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	p.Stage("reading", 0)
	g, err := f.open(cmd.Context(), args, in.Reader)
	if err != nil {
		return err
	}
	r, err := g.report(f.places)
	if err != nil {
		return err
	}
	p.Stage("writing", 0)
	if err := shell.WriteFiles(stdout, f.outputs(cmd.Context(), g)); err != nil {
		return err
	}
	p.End()
	if f.stdout() {
		return nil
	}
	if f.json {
		return shell.WriteJSON(stdout, r)
	}
	return shell.Print(stdout, func(page *sheet.Page) { r.print(page) })
}

// outputs returns the files that the flags name. A file with an empty path is not written.
func (f *flags) outputs(ctx context.Context, g *terrain) []shell.FileOf {
	draw := func(path string, with func(w io.Writer, format string, t *picture.Terrain) error) func(w io.Writer) error {
		return func(w io.Writer) error {
			return with(w, strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."), g.picture(f.gradient, f.normals))
		}
	}
	return []shell.FileOf{
		{Path: f.output, Write: func(w io.Writer) error { return f.write(ctx, w, g.field) }},
		{Path: f.plot, Write: draw(f.plot, picture.Map)},
		{Path: f.relief, Write: draw(f.relief, picture.Relief)},
	}
}

// write writes the heights to w, in the format that the ending of f.output names; CSV for standard output.
func (f *flags) write(ctx context.Context, w io.Writer, field *ground.Field) error {
	switch strings.ToLower(filepath.Ext(f.output)) {
	case ".png":
		lo, hi := field.Range()
		return field.WritePNG(ctx, w, lo, hi)
	case ".obj":
		return field.WriteOBJ(ctx, w)
	}
	layout := ground.Matrix
	if f.points {
		layout = ground.Points
	}
	return field.WriteCSV(ctx, w, layout)
}

// stdout reports whether an output goes to standard output, so that the report may not.
func (f *flags) stdout() bool {
	return slices.Contains([]string{f.output, f.plot, f.relief}, shell.Stdio)
}
