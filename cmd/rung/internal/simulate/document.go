package simulate

import (
	"os"
	"strconv"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// addOptions adds the flag --options. Without a document, a state that violates the joints is closed before the run.
func (f *Flags) addOptions(cmd *cobra.Command) {
	f.start = sim.Close
	cmd.Flags().StringVar(&f.document, "options", "", "document of rung-run/1 for the flags that are not given")
}

// addViews adds the flags for pictures of a vehicle on terrain (drive).
func (f *Flags) addViews(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.view, "view", "", "picture of the drive from above, ending in .svg or .png")
	flags.BoolVar(&f.gradient, "gradient", false, "with arrows uphill in the view")
	flags.StringVar(&f.side, "side", "", "picture of the drive from the side, along its track")
	flags.StringVar(&f.relief, "relief", "", "picture of the terrain with the tracks, obliquely")
}

// readOptions stores which flags were given, and sets the flags that were not given to the values in the document of
// --options, if there is one. --step and --tol, which exclude each other, count as one flag, and so do --columns, --bodies,
// --wrenches and --multipliers.
func (f *Flags) readOptions(cmd *cobra.Command) error {
	defer f.note(cmd)
	if f.document == "" {
		return nil
	}
	file, err := os.Open(f.document)
	if err != nil {
		return shell.InputError(f.document, err)
	}
	defer file.Close()
	o, err := runs.Read(file, f.document)
	if err != nil {
		return shell.InputError(f.document, err)
	}
	f.start = o.Start
	given := cmd.Flags().Changed
	step, columns := given("step") || given("tol"), given("columns") || given("bodies") || given("wrenches") || given("multipliers")
	for _, x := range [...]struct {
		name   string
		value  float64
		unless bool
	}{{"until", o.Until, given("until")}, {"every", o.Every, given("every")}, {"step", o.Step, step}, {"tol", o.Tolerance, step}} {
		if x.value != 0 && !x.unless {
			if err := cmd.Flags().Set(x.name, strconv.FormatFloat(x.value, 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
	if !given("rho") && (o.Rho != 0 || o.Annihilate) {
		if err := cmd.Flags().Set("rho", strconv.FormatFloat(o.Rho, 'g', -1, 64)); err != nil {
			return err
		}
	}
	if !given("integrator") {
		f.integrator = o.Integrator.String()
	}
	if !given("method") {
		f.method.Method = o.Method
	}
	if !given("stabilize") {
		f.stabilize.Stabilization = o.Stabilization
	}
	if !columns {
		f.chosen, f.bodies, f.wrenches, f.multipliers = o.Columns, o.Bodies, o.Wrenches, o.Multipliers
	}
	return nil
}
