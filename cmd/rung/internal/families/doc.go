// Package families has the subcommands about families of mechanisms that grow: rung generate writes their models, rung
// bench measures how the cost of the forward dynamics grows with them.
package families
