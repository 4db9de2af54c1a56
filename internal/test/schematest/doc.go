// Package schematest compiles the JSON schemas of formats for their tests, and holds documents against them.
package schematest
