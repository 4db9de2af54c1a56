//go:build !amd64 || noasm || purego

package tape

// Set returns the set of instructions in use: AVX-512, AVX2 or Go.
func Set() string { return "Go" }

// Rows returns the largest number of rows of a tile with c columns in the set of instructions in use.
func Rows(c int) int { return 3 }

// runBest is Run in Go.
func runBest(w, shared []float64, list []Op) { runGo(w, shared, list) }
