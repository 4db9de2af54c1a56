// Package terrain has the subcommand about surfaces: rung terrain makes, converts, inspects and draws them.
package terrain
