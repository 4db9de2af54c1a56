package directions

import (
	_ "embed"
	"slices"
)

// Max is the largest number of directions of a document, and of the entries of each list in a direction.
const Max = 100_000

//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-directions/1. It covers the structure of a document.
func Schema() []byte { return slices.Clone(schemaText) }
