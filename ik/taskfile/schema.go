package taskfile

import (
	_ "embed"
	"slices"
)

// taskSchemaText is the JSON Schema of rung-ik/1.
//
//go:embed task.schema.json
var taskSchemaText []byte

// resultSchemaText is the JSON Schema of rung-ik-result/1.
//
//go:embed result.schema.json
var resultSchemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-ik/1, for editors and other programs. It covers the structure
// of a document. Rules that relate different places, such as names, are checked by ik.NewProblem only.
func Schema() []byte { return slices.Clone(taskSchemaText) }

// ResultSchema returns the JSON Schema (draft 2020-12) of rung-ik-result/1.
func ResultSchema() []byte { return slices.Clone(resultSchemaText) }
