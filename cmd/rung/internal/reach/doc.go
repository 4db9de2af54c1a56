// Package reach is the subcommand about targets: ik. It poses mechanisms, and moves them along paths.
package reach
