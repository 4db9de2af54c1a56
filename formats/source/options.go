package source

// Options control the reading of a file. The zero Options are the defaults.
type Options struct {
	Base      Base
	Massless  Massless
	MassRatio float64 // for GiveMass: mass given to a link, relative to its lightest neighbour with a mass in the file; 0: 1e-6
	Inertia   Inertia
	// Settled, if not nil, is called with the class of each element and attribute (Report.Tell).
	Settled func(at Location, attribute string, class Class)
	// DropArmature leaves rotor inertias out, with a report.
	DropArmature bool
	// KeepFixed keeps fixed joints as joints; by default their links become one body.
	KeepFixed bool
	// KeepFree adds a joint of type free for each floating link.
	KeepFree bool
	// Key is the name of the keyframe for the state of the model; "": the reference pose.
	Key string
	// Pose has coordinates of joints by name, rad or m. They replace the coordinates of Key.
	Pose map[string]float64
	// Within moves coordinates that are not in Pose into their ranges, if the file has open loops. It is for callers
	// that close the loops afterwards: from a start outside the ranges, a loop may close in a pose that is not intended.
	// It has no effect with a Key.
	Within bool
	// Gravity, if not nil, replaces the gravity of the file, m/s².
	Gravity *[3]float64
	// Loops is the name of a file, next to the model, with pairs of frames that close loops; "": none.
	Loops string
	// Strict makes every loss an error.
	Strict bool
	// Snap is the largest error of a loop joint in the reference pose, m or rad, that counts as rounding of the
	// file and is removed, and the largest angle between axes in loops that are made parallel; 0:
	// DefaultSnap; negative: nothing is changed.
	Snap float64
}

// DefaultSnap is the Snap of the zero Options.
const DefaultSnap = 1e-6

// Base decides whether the root link is fixed to the ground, if the file does not specify it.
type Base uint8

// The choices of Base.
const (
	BaseAuto Base = iota // by the rule of the format, with a report
	BaseFixed
	BaseFloating
)

// Massless decides on the treatment of massless links.
type Massless uint8

// The choices of Massless.
const (
	Fold        Massless = iota // they are replaced by joints between their neighbours
	RefuseLinks                 // an error
	GiveMass                    // they get a small mass
)

// Inertia decides on the treatment of inertias that break the triangle inequality.
type Inertia uint8

// The choices of Inertia.
const (
	RefuseInertia  Inertia = iota // an error
	BalanceInertia                // all principal moments become their mean
)
