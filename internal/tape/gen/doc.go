// Command gen writes the kernels of package tape from one description: kernels_amd64.s with AVX-512 and AVX2, and kernels.go.
package main
