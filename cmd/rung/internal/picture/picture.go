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

// Panel is a part of the picture of a run, with an axis of its own.
type Panel struct {
	Label  string
	Log    bool // the axis is logarithmic; values are above 0
	Curves []Curve
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
