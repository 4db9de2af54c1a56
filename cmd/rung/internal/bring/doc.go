// Package bring has the subcommand that reads models of foreign formats: import.
package bring
