// Package schema has the JSON Schemas of the documents that the command reads and prints, and
// the subcommand that prints these schemas.
package schema
