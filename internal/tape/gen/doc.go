// Command gen prints what package lines describes. For package tape it writes kernels_amd64.s, with AVX-512 and AVX2, and lists the codes
// in codes.go. For package lanes (-set lanes) it writes kernels_amd64.s, where each function has both, its declarations
// and structures.go. Gathering and scattering are no lane operations; functions.go has them as they are printed.
package main
