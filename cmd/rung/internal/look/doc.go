// Package look has the subcommands that show mechanisms: draw, view, play.
package look
