// Package gradient has the subcommands that differentiate: gradient, linearize.
package gradient
