// Package picture draws curves over time or over the size of a mechanism, results of sweeps and searches, and terrains, as SVG or PNG.
package picture
