package families

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// FamilyHelp has a line about each family and the meaning of its N.
var FamilyHelp = map[string]string{
	"ladder":          "N bodies in two rails, joined by rungs (RBDA Figure 8.4)",
	"nfourbar":        "N four-bar windows in a row, 2N+1 bodies, 3N redundant rows",
	"scissor":         "mast of N scissor stages, 2N bodies, pins of two hinges each",
	"chain":           "N bodies in a row on revolute joints",
	"tree":            "N bodies in a random tree, no loops",
	"grid":            "N×N bodies in a net, sphere-in-cylinder joints sideways",
	"ball-net":        "N×N bodies in a net of ball joints, badly conditioned",
	"revolute-net":    "N×N four-bar windows, 2N²+N bodies, 3N² redundant rows",
	"stewart":         "N Stewart platforms on each other, 13N bodies",
	"random":          "N bodies, all joint types, motions and force elements",
	"rover":           "N four-wheel rovers on drawbars, driving over hills, 7N−1 bodies",
	"rocker-bogie":    "N six-wheel rovers with differentials likewise, 15N−1 bodies",
	"road-train":      "N wagons on hills, four driven wheels each, 9N bodies",
	"tracked":         "vehicle on tracks of N+1 road wheels on hills, 4N+5 bodies",
	"gear-train":      "N gear wheels in a row on the ground, coupled by their teeth",
	"belt":            "closed belt over N pulleys on the ground, 1 redundant row",
	"valve-train":     "camshaft of N cylinders with two valves each, 3N bodies",
	"cam-train":       "camshaft of N cylinders, a face and a roller each, 3N bodies",
	"trailers":        "N trailers, two wheels each that roll without slip, 3N bodies",
	"bicycle":         "N bicycles that right themselves, 4N bodies",
	"rolling-disc":    "N discs that roll in circles without slip",
	"snakeboard":      "N snakeboards that a swinging flywheel drives, 4N bodies, edges",
	"hoberman":        "Hoberman's ring of N+2 angulated scissors, 2N+4 bodies",
	"hoberman-sphere": "Hoberman's sphere of three rings of 4N scissors, 24N+12 bodies",
	"miura":           "Miura's folded sheet of N×N vertices, (N+1)² panels",
	"jansen":          "N pairs of Jansen's legs on one shaft, 12N+1 bodies",
	"delta":           "delta robot of N+2 arms, 3N+7 bodies",
	"excavator":       "excavator with N sticks and its cylinders, 3N+9 bodies",
	"biped":           "N bipeds on straps, six loops each in their legs, 23N bodies",
}

// generateFlags are the flags of rung generate.
type generateFlags struct {
	output string
	seed   uint64
	theta  float64
}

// newGenerate returns the command rung generate with its flags and their defaults.
func newGenerate() *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use:   "generate FAMILY N",
		Short: "Write a model of a family of mechanisms",
		Long: `Writes the model of size N (such as 1000 or 1e3) of a family, with a state that
satisfies all joints. Equal arguments give equal files.

Families:
` + familyList(),
		Example: `  rung generate ladder 1000 -o ladder.json
  rung generate nfourbar 40 --theta 1.57 -o - | rung accel -`,
		Args: shell.Arguments("FAMILY", "N"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return bench.Families(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runGenerate(cmd, args[0], args[1], f)
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", `file to write, ending in .json; "-" is standard output (required)`)
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the random numbers")
	cmd.Flags().Float64Var(&f.theta, "theta", bench.DefaultAngle, "nfourbar only: angle of the rods from the upright, rad; singular at π/2")
	return cmd
}

// familyList returns the families with their lines of help.
func familyList() string {
	var b strings.Builder
	for _, name := range bench.Families() {
		fmt.Fprintf(&b, "  %-13s %s\n", name, FamilyHelp[name])
	}
	return strings.TrimRight(b.String(), "\n")
}

// runGenerate writes the model of a family. It opens the output before it generates the model.
func runGenerate(cmd *cobra.Command, family, size string, f *generateFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	if !slices.Contains(bench.Families(), family) {
		return shell.UseErrorf("%w", errFamily(family))
	}
	if f.output == "" {
		return shell.UseErrorf(`missing -o MODEL ("-o -" writes to standard output)`)
	}
	if err := shell.CheckModelOutput(f.output); err != nil {
		return err
	}
	out, err := shell.Create(f.output, stdout)
	if err != nil {
		return err
	}
	defer out.Drop()
	p := shell.NewProgress(stderr)
	defer p.End()
	p.Stage("generating", 0)
	m, err := generate(family, size, f, cmd.Flags().Changed("theta"))
	if err != nil {
		return err
	}
	p.Stage("writing", int64(len(m.Bodies)+len(m.Joints)+len(m.Forces)))
	err = out.Close(model.Write(shell.CountLines(out, p), m))
	p.End()
	if err == nil && f.output != shell.Stdio {
		fmt.Fprintf(stderr, "%s: %s, %s\n", f.output, sheet.Plural(len(m.Bodies), "body"), sheet.Plural(len(m.Joints), "joint"))
	}
	return err
}

// generate returns the model of a family and a size. theta tells whether --theta was given.
func generate(family, size string, f *generateFlags, theta bool) (*model.Model, error) {
	n, err := parseSize(size)
	if err != nil {
		return nil, shell.UseErrorf("%w", err)
	}
	var m *model.Model
	switch {
	case !theta:
		m, err = bench.Generate(family, n, f.seed)
	case family != "nfourbar":
		return nil, shell.UseErrorf("--theta is an angle of nfourbar, not of %s", family)
	case !algebra.Finite(f.theta):
		return nil, shell.UseErrorf("--theta is not finite")
	default:
		m, err = bench.NFourBar(n, f.theta, f.seed)
	}
	if errors.Is(err, bench.ErrSize) {
		return nil, shell.UseErrorf("%s %s: more than %d bodies", family, size, bench.MaxBodies)
	}
	return m, err
}
