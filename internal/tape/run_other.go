//go:build !amd64 || noasm || purego

package tape

// Set names the set of instructions in use: AVX-512, AVX2 or Go.
func Set() string { return "Go" }

// Rows is the number of rows of the tiles of products with c columns that the set of instructions has.
func Rows(c int) int { return 3 }

// runBest is Run in Go.
func runBest(w, shared []float64, list []Op) { runGo(w, shared, list) }
