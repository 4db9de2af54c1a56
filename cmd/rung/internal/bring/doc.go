// Package bring has the subcommands that read and write models of foreign formats: import and export.
package bring
