package picture

// Endings are the endings of the pictures that are drawn.
var Endings = []string{".svg", ".png"}

// Missing says why nothing is drawn where Drawn is false.
const Missing = "--plot: this rung draws no pictures, as it was built with the tag small"

// Line is a line of Growth.
type Line struct {
	Name, Family, Method string
	Thin                 bool
	Bodies, Time         []float64 // ns, of the same length, above 0
}

// Chart is what Motion draws: panels of curves over X, and views below them.
type Chart struct {
	Title, Label string // Label is what X is
	X            []float64
	Whole        bool  // X are numbers of steps: only whole numbers are marked
	Starts       []int // places in X where curves begin anew, ascending, beside the first
	Panels       []Panel
	Views        []View
}

// Panel is a part of the picture of a run, with an axis of its own. Where its curves have ranges that are too different
// for one axis, several are drawn.
type Panel struct {
	Label   string
	Log     bool // the axis is logarithmic; values are above 0, and all have this axis
	Changes bool // what is drawn is how far each curve is from its first value
	Curves  []Curve
}

// View is a picture of a mechanism from one side, with the same scale along both axes.
type View struct {
	X, Y  string // labels of the axes
	Poses []Pose
}

// Pose is a mechanism as lines, m. The last one of a view is drawn in full colour, those before it paler.
type Pose struct {
	Name  string
	Lines [][][2]float64
}

// Curve is a line of a panel, with a value a time.
type Curve struct {
	Name string
	Y    []float64
}

// Sample is what Histogram draws: values of runs.
type Sample struct {
	Title, Label string // Label is what X is, with its unit
	X            []float64
}

// Cloud is what Scatter draws: a point a run.
type Cloud struct {
	Title, XLabel, YLabel, ZLabel string
	X, Y                          []float64
	Z                             []float64 // the colours; nil: all have one
	Joined                        bool      // X ascends, and a line goes through all points
	Failed                        []float64 // X of the runs that have no point, marked at the lower edge
}

// Field is what Response draws: numbers in cells that lie in columns and rows.
type Field struct {
	Title, XLabel, YLabel, ZLabel string
	XEdges, YEdges                []float64 // of the columns and rows, ascending, one more than there are of them
	Z                             []float64 // of the cells, row by row; not a number: nothing is there
	Failed                        []bool    // of the cells: hatched where Z is not a number
	X, Y                          []float64 // the places of the numbers in columns and rows, for contours; nil: there are none
	Whole                         bool      // Z are whole numbers
}

// Bundle is what Curves draws: a curve a run.
type Bundle struct {
	Title, XLabel, YLabel string
	Square                bool           // the axes have the same scale
	Lines                 [][][2]float64 // of the runs
	Middle                [][2]float64   // the middle of all; nil: there is none
}

// Tornado is what Bars draws: numbers with names.
type Tornado struct {
	Title, Label string // Label is what X is
	Names        []string
	X            []float64
}

// Fitted is a panel of Fits: data over time, and lines at the same times.
type Fitted struct {
	Label   string
	X, Data []float64
	Curves  []Curve
}
