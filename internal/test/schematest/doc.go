// Package schematest compiles the JSON schemas of formats for their tests, and validates documents by them.
package schematest
