// Command peers compares Rung with other solvers and engines (peers) on the same matrices and models, and prints a table of ratios;
// run.sh builds and calls it. It uses Rung only by the command rung, and the peers only by the programs in the folder cpp. README.md
// describes the comparisons.
package main
