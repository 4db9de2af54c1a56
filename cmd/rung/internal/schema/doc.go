// Package schema holds the JSON Schemas of the documents that the command reads and prints, and
// the subcommand that prints them.
package schema
