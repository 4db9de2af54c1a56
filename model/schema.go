package model

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-model/1, for editors
// and other programs. It covers the structure of a document. Check has the rules that relate several
// values: names, orientations, inertias.
func Schema() []byte { return slices.Clone(schema) }
