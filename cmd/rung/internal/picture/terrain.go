package picture

// Terrain is a surface over a rectangle, for Map and Relief.
type Terrain struct {
	Title    string
	Min, Max [2]float64 // m
	// Height returns the height at a place and the slopes along x and y, m; not a number where there is none.
	Height   func(x, y float64) (z, fx, fy float64)
	Gradient bool // with arrows uphill
	Normals  bool // with normals, in Relief
}
