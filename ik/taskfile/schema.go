package taskfile

import (
	_ "embed"
	"slices"
)

//go:embed task.schema.json
var taskSchemaText []byte

//go:embed result.schema.json
var resultSchemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-ik/1, for editors and other programs. It covers the structure
// of a document; what relates different places, as names do, is left to NewProblem.
func Schema() []byte { return slices.Clone(taskSchemaText) }

// ResultSchema returns the JSON Schema (draft 2020-12) of rung-ik-result/1.
func ResultSchema() []byte { return slices.Clone(resultSchemaText) }
