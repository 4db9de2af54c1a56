// Package gradient has the subcommands that differentiate: gradient, linearize, fit and optimize.
package gradient
