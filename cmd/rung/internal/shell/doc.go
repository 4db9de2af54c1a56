// Package shell is what the subcommands of rung share: flags, arguments and their completion, files that are read and
// written, progress, and how errors become messages and exit statuses.
package shell
