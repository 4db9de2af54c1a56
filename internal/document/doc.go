// Package document reads JSON documents of one format or another: unknown, repeated and missing fields, values of the
// wrong type and numbers out of range are all found at once, each with its JSON path.
package document
