// Package look has the subcommands that show mechanisms: draw.
package look
