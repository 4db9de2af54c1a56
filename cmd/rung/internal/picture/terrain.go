package picture

// Terrain is the input of Map and Relief: a surface over a rectangle, with the tracks and outlines of vehicles.
type Terrain struct {
	Title    string
	Min, Max [2]float64 // m
	// Height returns the height at a position, m, and the slopes along x and y; NaN if there is no height.
	Height   func(x, y float64) (z, fx, fy float64)
	Gradient bool // Map draws arrows uphill
	Normals  bool // Relief draws normals
	Tracks   []Track
	Outlines []Outline // Map draws them
}

// Track is the path of a wheel over the ground, m.
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

// Profile is the input of Side: a section of a terrain along a track, with lines and outlines of vehicles. Points are the length along the
// track and the height, m.
type Profile struct {
	Title    string
	Ground   [][2]float64
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

// ProfileNote is a text of a Profile, centred above a point.
type ProfileNote struct {
	At   [2]float64
	Text string
}
