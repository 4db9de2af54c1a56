// Command gen prints the kernels of package lines as assembly for package tape, kernels_amd64.s with AVX-512 and AVX2, and lists their codes
// in codes.go.
package main
