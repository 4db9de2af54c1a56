package schema

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/directions"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/study"
)

//go:embed *.json
var files embed.FS

// names are the names of the documents that have a schema: model for rung-model/1, and so on.
var names = []string{
	"model", "ik", "study", "run", "directions", "objective", "result", "analysis", "assembly", "bench", "equilibrium", "export", "fit", "gradient", "ik-result", "import", "inverse", "kinematics", "linearization", "modes", "optimum", "simulation", "terrain", "validation",
}

// Names returns the names of the documents that have a schema.
func Names() []string { return append([]string(nil), names...) }

// Of returns the JSON Schema (draft 2020-12) of a document by its name.
//
// For an unknown name it returns an error that lists the names.
func Of(name string) ([]byte, error) {
	switch name {
	case "model":
		return model.Schema(), nil
	case "ik":
		return taskfile.Schema(), nil
	case "study":
		return study.Schema(), nil
	case "run":
		return runs.Schema(), nil
	case "directions":
		return directions.Schema(), nil
	case "objective":
		return objective.Schema(), nil
	case "ik-result":
		return taskfile.ResultSchema(), nil
	case "result":
		return results.Schema(), nil
	case "analysis", "assembly", "equilibrium", "inverse", "modes":
		return answers.Schema(name)
	}
	b, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("no schema of %s; there are those of %s%s", fault.Name(name), strings.Join(names, ", "), fault.AfterList(fault.Meant(name, names...)))
	}
	return b, nil
}

// New returns the subcommand rung schema.
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [DOCUMENT]",
		Short: "Print the JSON Schema of models, or of what a subcommand prints",
		Long: `Prints the JSON Schema (draft 2020-12) of a document: "model", the default, is
what all subcommands read, "ik" a task of rung ik, "study" a study of rung sweep,
"directions" and "objective" what rung gradient reads, "objective" rung fit and
rung optimize, too, and "run" how a run goes, which Go programs read; the others
are what they print with --json:

  result       rung accel         inverse        rung inverse
  analysis     rung analyze       kinematics     rung kinematics
  assembly     rung assemble      modes          rung modes
  bench        rung bench         simulation     rung simulate
  equilibrium  rung equilibrium   terrain        rung terrain
  export       rung export        validation     rung validate
  gradient     rung gradient      import         rung import
  fit          rung fit           optimum        rung optimize
  ik-result    rung ik`,
		Example: `  rung schema > rung-model.schema.json
  rung schema result`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return shell.Arguments("DOCUMENT")(cmd, args)
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := Of(append(args, "model")[0])
			if err != nil {
				return shell.UseErrorf("%v", err)
			}
			_, err = cmd.OutOrStdout().Write(b)
			return shell.Failed("", err)
		},
	}
}
