package lanes

// Panics of the build tag check.
const (
	badSize   = "lanes: no row, or a number of rows that is not one of a joint"
	badLength = "lanes: slice too short"
)

// assertPin panics if PinRows may not be called with these arguments.
func assertPin(v, scale, b []float64, p *Pin, kind Pins) {
	n := kind.Rows()
	if kind.Moments < 0 || kind.Moments > 3 {
		panic(badSize)
	}
	if len(v) < 6*n || len(scale) < n || len(b) < n || len(p.Base) < n {
		panic(badLength)
	}
}

// assertLanes panics if Gather or Scatter may not be called with these arguments.
func assertLanes(lanes []Vector, x []float64, at *[Width]int32) {
	if len(lanes) == 0 {
		panic(badSize)
	}
	for _, o := range at {
		if o < 0 || int(o)+len(lanes) > len(x) {
			panic(badLength)
		}
	}
}
