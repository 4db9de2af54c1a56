// Package shell has the parts that the subcommands of rung share: flags, arguments and their completion, reading and writing of
// files, the progress bar, and the messages and exit statuses of errors.
package shell
