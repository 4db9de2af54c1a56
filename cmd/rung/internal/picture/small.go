//go:build small

package picture

import "io"

// Drawn tells whether this build draws pictures.
const Drawn = false

// Growth panics: nothing is drawn.
func Growth(io.Writer, string, []Line) error { panic("picture: built with the tag small") }

// Motion panics: nothing is drawn.
func Motion(io.Writer, string, *Chart) error {
	panic("picture: built with the tag small")
}

// Run panics: nothing is drawn.
func Run(io.Writer, string, string, []float64, []Panel) error {
	panic("picture: built with the tag small")
}

// Map panics: nothing is drawn.
func Map(io.Writer, string, *Terrain) error { panic("picture: built with the tag small") }

// Relief panics: nothing is drawn.
func Relief(io.Writer, string, *Terrain) error { panic("picture: built with the tag small") }

// Side panics: nothing is drawn.
func Side(io.Writer, string, *Profile) error { panic("picture: built with the tag small") }

// Histogram panics: nothing is drawn.
func Histogram(io.Writer, string, *Sample) error { panic("picture: built with the tag small") }

// Scatter panics: nothing is drawn.
func Scatter(io.Writer, string, *Cloud) error { panic("picture: built with the tag small") }

// Response panics: nothing is drawn.
func Response(io.Writer, string, *Field) error { panic("picture: built with the tag small") }

// Curves panics: nothing is drawn.
func Curves(io.Writer, string, *Bundle) error { panic("picture: built with the tag small") }

// Bars panics: nothing is drawn.
func Bars(io.Writer, string, *Tornado) error { panic("picture: built with the tag small") }

// Fits panics: nothing is drawn.
func Fits(io.Writer, string, string, []Fitted) error { panic("picture: built with the tag small") }
