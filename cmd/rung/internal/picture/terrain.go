package picture

// Terrain is a surface over a rectangle, for Map and Relief, with what has driven over it.
type Terrain struct {
	Title    string
	Min, Max [2]float64 // m
	// Height returns the height at a place and the slopes along x and y, m; not a number where there is none.
	Height   func(x, y float64) (z, fx, fy float64)
	Gradient bool // with arrows uphill
	Normals  bool // with normals, in Relief
	Tracks   []Track
	Outlines []Outline // in Map
}

// Track is where a wheel has been, m.
type Track struct {
	Name   string
	Points [][2]float64
}

// Outline is the closed outline of a body in a plane, m.
type Outline struct {
	Points [][2]float64
	Wheel  bool // filled
	Past   bool // paler
}

// Profile is a section of a terrain along a way, with what has driven along it, for Side. Lengths count along the way, m.
type Profile struct {
	Title    string
	Ground   [][2]float64  // length and height, along the way
	Lines    []ProfileLine // over the ground
	Outlines []Outline     // seen from the right
	Notes    []ProfileNote // above the outlines
}

// ProfileLine is a line of a Profile.
type ProfileLine struct {
	Name   string
	Dashed bool
	Points [][2]float64
}

// ProfileNote is a text of a Profile, in the middle above a place.
type ProfileNote struct {
	At   [2]float64
	Text string
}
