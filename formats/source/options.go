package source

// Options say how a file is read. The zero Options are the defaults.
type Options struct {
	Base      Base
	Massless  Massless
	MassRatio float64 // of Massless GiveMass: mass of a massless link, relative to its lightest neighbour with one of its own; 0: 1e-6
	Inertia   Inertia
	// Settled, if not nil, is told what becomes of each element and attribute (Report.Tell).
	Settled func(at Location, attribute string, class Class)
	// DropArmature leaves rotor inertias out, with a report.
	DropArmature bool
	// KeepFixed writes joints without freedom as joints, in place of one body for what they hold together.
	KeepFixed bool
	// KeepFree writes a joint without constraints for each floating link.
	KeepFree bool
	// Key is the name of the keyframe that the model shall be in; "": the reference pose.
	Key string
	// Pose has coordinates of joints by name, rad or m, that replace those of Key.
	Pose map[string]float64
	// Within moves coordinates that Pose does not have into their ranges, if the file has open loops. It is for callers
	// that close the loops afterwards: from a start outside of the ranges, a loop may close in another pose than the one
	// that is meant. It has no effect with a Key.
	Within bool
	// Gravity replaces that of the file, m/s².
	Gravity *[3]float64
	// Loops is the file, beside the model, with pairs of frames that close loops; "": none.
	Loops string
	// Strict makes errors of all that is dropped.
	Strict bool
	// Snap is the largest error, m or rad, of a loop joint in the reference pose that is taken for rounding of the
	// file and removed, and the largest angle between axes in loops that are taken for parallel and made so; 0:
	// DefaultSnap; negative: none.
	Snap float64
}

// DefaultSnap is the Snap of the zero Options.
const DefaultSnap = 1e-6

// Base says whether the root link of a file that does not say so stands on the ground.
type Base uint8

// The choices of Base.
const (
	BaseAuto Base = iota // as the format has it, and reported
	BaseFixed
	BaseFloating
)

// Massless says what becomes of links without mass.
type Massless uint8

// The choices of Massless.
const (
	Fold        Massless = iota // they are replaced by joints between their neighbours
	RefuseLinks                 // an error
	GiveMass                    // they get a small mass
)

// Inertia says what becomes of inertias that no body can have.
type Inertia uint8

// The choices of Inertia.
const (
	RefuseInertia  Inertia = iota // an error
	BalanceInertia                // principal moments become equal
)
