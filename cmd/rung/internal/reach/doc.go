// Package reach has the subcommand ik, which poses mechanisms by targets, and moves them along paths.
package reach
