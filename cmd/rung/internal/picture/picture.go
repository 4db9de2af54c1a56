package picture

// Endings are the endings of the pictures that are drawn.
var Endings = []string{".svg", ".png"}

// Missing is the error text for pictures if Drawn is false.
const Missing = "--plot: this rung draws no pictures, as it was built with the tag small"

// Line is a line of Growth.
type Line struct {
	Name, Family, Method string
	Thin                 bool
	Bodies, Time         []float64 // ns, of the same length, above 0
}

// Chart is the input of Motion: panels of curves over X, and views below them.
type Chart struct {
	Title, Label string // Label is the label of X
	X            []float64
	Whole        bool  // X are numbers of steps: only whole numbers are marked
	Starts       []int // indices in X, except 0, at which curves begin anew, ascending
	Panels       []Panel
	Views        []View
}

// Panel is a group of curves with one axis. If the ranges of the curves are too different for one axis, it is drawn as several
// panels.
type Panel struct {
	Label   string
	Log     bool // the axis is logarithmic; values are above 0, and the panel is not split
	Changes bool // each curve is drawn relative to its first value
	Curves  []Curve
}

// View is a picture of a mechanism from one side, with the same scale along both axes.
type View struct {
	X, Y  string // labels of the axes
	Poses []Pose
}

// Pose is a mechanism as lines, m. The last pose of a view is drawn in another colour, and earlier ones are paler.
type Pose struct {
	Name  string
	Lines [][][2]float64
}

// Curve is a line of a panel, with a value for each entry of Chart.X.
type Curve struct {
	Name string
	Y    []float64
}

// Sample is the input of Histogram: values of runs.
type Sample struct {
	Title, Label string // Label is the label of X, with its unit
	X            []float64
}

// Cloud is the input of Scatter: a point for each run.
type Cloud struct {
	Title, XLabel, YLabel, ZLabel string
	X, Y                          []float64
	Z                             []float64 // values that are shown as colours; nil: all points have one colour
	Joined                        bool      // X ascends, and a line goes through all points
	Failed                        []float64 // X of failed runs, which are marked at the lower edge
}

// Field is the input of Response: numbers in cells of columns and rows.
type Field struct {
	Title, XLabel, YLabel, ZLabel string
	XEdges, YEdges                []float64 // edges of the columns and of the rows, ascending
	Z                             []float64 // of the cells, row by row; NaN: there is no number
	Failed                        []bool    // of the cells without a number: they are hatched, as their run has failed; nil: none has
	X, Y                          []float64 // positions of the numbers of columns and rows, for contours; nil: there are none
	Whole                         bool      // Z are whole numbers
}

// Bundle is the input of Curves: a curve for each run.
type Bundle struct {
	Title, XLabel, YLabel string
	Square                bool           // the axes have the same scale
	Lines                 [][][2]float64 // of the runs
	Middle                [][2]float64   // the mean of all; nil: it is not drawn
}

// Tornado is the input of Bars: numbers with names.
type Tornado struct {
	Title, Label string // Label is the label of X
	Names        []string
	X            []float64
}

// Fitted is a panel of Fits: data over time, and lines at the same times.
type Fitted struct {
	Label   string
	X, Data []float64
	Curves  []Curve
}
