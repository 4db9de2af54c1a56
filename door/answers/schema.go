package answers

import "embed"

//go:embed *.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of a document by its name: analysis, assembly, equilibrium, inverse or modes.
// For another name it returns an error that wraps fs.ErrNotExist.
func Schema(name string) ([]byte, error) { return schemas.ReadFile(name + ".json") }
