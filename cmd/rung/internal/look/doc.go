// Package look has the subcommands that show mechanisms: draw, view.
package look
