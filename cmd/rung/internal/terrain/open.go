package terrain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
)

// terrain is a surface, its heights at the nodes of a grid, and its name for reports.
type terrain struct {
	name     string
	surface  *ground.Surface
	field    *ground.Field
	warnings []string
}

// open reads or makes the terrain that the arguments name.
func (f *flags) open(ctx context.Context, args []string, stdin io.Reader) (*terrain, error) {
	g := &terrain{name: fault.Line(args[0])}
	var err error
	switch args[0] {
	case fromFunction:
		return f.function(ctx, args[1])
	case fromRandom:
		g.name = f.random.Kind.String() + " random ground, seed " + fmt.Sprint(f.random.Seed)
		g.field, err = ground.Random(ctx, f.random)
	default:
		g.field, err = f.read(ctx, args[0], stdin)
	}
	if err != nil {
		return nil, useOr(err)
	}
	if g.surface, err = ground.NewGrid(ctx, g.field, f.options); err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, fault.Plain(err))
	}
	if f.options.Interpolation == ground.Linear {
		g.warnings = append(g.warnings, "bilinear patches have kinks: integrators take short steps on them")
	}
	return g, f.addMore(ctx, g)
}

// useOr returns err without the name of package ground; a list of problems stays as it is.
func useOr(err error) error {
	if p := new(ground.Problems); errors.As(err, &p) {
		return p
	}
	return fault.Plain(err)
}

// read reads heights from the file at path, a PNG picture if it ends so, else CSV, or from stdin as CSV if path is "-".
func (f *flags) read(ctx context.Context, path string, stdin io.Reader) (*ground.Field, error) {
	if path == shell.Stdio {
		return f.csv.Read(ctx, stdin, shell.ModelFile(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	defer file.Close()
	format := ground.Format(&f.csv)
	if strings.EqualFold(filepath.Ext(path), ".png") {
		format = &f.png
	}
	field, err := format.Read(ctx, file, path)
	return field, shell.InputError(path, err)
}

// function makes the terrain of an expression in x and y, and its heights at the nodes that the flags give. A place among these
// where the surface is not smooth or not defined is a warning.
func (f *flags) function(ctx context.Context, expression string) (*terrain, error) {
	g := &terrain{name: "z = " + fault.Line(expression)}
	var err error
	if g.surface, err = ground.Function(expression); err != nil {
		return nil, shell.UseErrorf("%w", fault.Plain(err))
	}
	origin, spacing := f.random.Origin, f.random.Spacing
	far := [2]float64{origin[0] + spacing[0]*float64(f.nodes[0]-1), origin[1] + spacing[1]*float64(f.nodes[1]-1)}
	if err = ground.Probe(ctx, g.surface, ground.Extent{Min: origin, Max: far}); err != nil {
		g.warnings = append(g.warnings, fault.Plain(err).Error())
	}
	if g.field, err = ground.Sample(ctx, g.surface, origin, spacing, f.nodes); err != nil {
		return nil, failure(err)
	}
	return g, f.addMore(ctx, g)
}

// addMore adds the expression of --add, if there is one, to the surface and the heights.
func (f *flags) addMore(ctx context.Context, g *terrain) error {
	if f.more == "" {
		return nil
	}
	more, err := ground.Function(f.more)
	if err != nil {
		return shell.UseErrorf("--add: %w", fault.Plain(err))
	}
	if g.surface, err = ground.Sum(g.surface, more); err != nil {
		return err
	}
	g.name += " + " + fault.Line(f.more)
	if g.field, err = ground.Sample(ctx, g.surface, g.field.Origin, g.field.Spacing, g.field.Size); err != nil {
		return failure(err)
	}
	return nil
}

// failure makes heights that are not finite a failure of the computation; other errors are bad use.
func failure(err error) error {
	if errors.Is(err, ground.ErrNotFinite) {
		return shell.Failed("", err)
	}
	return fault.Plain(err)
}

// picture returns the picture of the surface over the rectangle of its nodes.
func (g *terrain) picture(gradient, normals bool) *picture.Terrain {
	x, y := g.field.Place(g.field.Size[0]-1, g.field.Size[1]-1)
	return &picture.Terrain{
		Title: g.name, Min: g.field.Origin, Max: [2]float64{x, y}, Gradient: gradient, Normals: normals, Height: g.height,
	}
}

// height returns the height at (x, y), m, and the slopes along x and y; all three are NaN where the surface is not defined.
func (g *terrain) height(x, y float64) (z, fx, fy float64) {
	p, err := g.surface.At(x, y)
	if err != nil {
		return nan, nan, nan
	}
	return p.Z, p.X, p.Y
}
