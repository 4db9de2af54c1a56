// Package terrain has the subcommand rung terrain, which makes, converts, inspects and draws terrains.
package terrain
