// Command gen prints the instructions and functions that package lines describes. For package tape it writes kernels_amd64.s, for AVX-512
// and AVX2, and the numbers of the instructions in codes.go. For package lanes (-set lanes) it writes kernels_amd64.s, where each function
// has both variants, its declarations, and structures.go. Gathering and scattering are no lane operations; their assembly is in
// functions.go.
package main
