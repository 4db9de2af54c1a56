// Command peers measures Rung beside other solvers and engines on the same
// matrices and models, and prints a table of ratios; run.sh builds and calls
// it. It knows Rung only through the command rung, and the peers only through
// the programs of the folder cpp. README.md says what is compared and how.
package main
