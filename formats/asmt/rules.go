package asmt

import (
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
)

// element is a rule for an element; value tells that the lines within it are its value, not elements.
type element struct {
	xmltree.Rule
	value bool
}

func used(names ...string) (list []element)   { return listed(false, source.Used, "", names) }
func valued(names ...string) (list []element) { return listed(true, source.Used, "", names) }
func ignored(why string, value bool, names ...string) []element {
	return listed(value, source.Ignored, why, names)
}

func listed(value bool, class source.Class, why string, names []string) (list []element) {
	for _, name := range names {
		list = append(list, element{xmltree.Rule{Element: name, Class: class, Why: why}, value})
	}
	return list
}

// rules has the treatment of each element of the format.
var rules = concat(
	used("Assembly", "RefPoints", "RefPoint", "Markers", "Marker", "Parts", "Part", "PrincipalMassMarker", "ConstraintSets", "Joints",
		"Motions", "Limits", "GeneralConstraintSets", "ForceTorques", "ForcesTorques", "SimulationParameters"),
	used(jointTypes()...),
	used("RotationalMotion", "TranslationalMotion", "GeneralMotion", "AllowRotation", "RotationLimit", "TranslationLimit"),
	valued("Name", "Position3D", "RotationMatrix", "Velocity3D", "Omega3D", "Mass", "MomentOfInertias", "MarkerI", "MarkerJ", "MotionJoint",
		"RotationZ", "TranslationZ", "pitch", "distanceIJ", "offset", "ConstantGravity", "tstart", "limit", "Limit", "type", "Type"),
	// Elements within joints, motions and forces that are not read take the class of these. This list has the elements among them
	// that are values.
	valued("theIzJz", "radiusI", "radiusJ", "MarkerK",
		"pitchRadius", "rIJI1", "rIJI2", "rIJI3", "angIJJ1", "angIJJ2", "angIJJ3", "RotationOrder",
		"tension", "twist", "FxOnI", "FyOnI", "FzOnI", "TxOnI", "TyOnI", "TzOnI", "MarkerKSign"),
	ignored("a remark", true, "Notes"),
	ignored("shapes; the mass is that of the mass marker", false, "FeatureOrder", "RefCurves", "RefCurve", "RefSurfaces", "RefSurface"),
	ignored("the mass is stated", true, "Density"),
	ignored("measurements", false, "KinematicIJs", "KinematicIJ"),
	ignored("settings of another solver", true, "tend", "hmin", "hmax", "hout", "errorTol", "errorTolPosKine", "errorTolAccKine", "iterMaxPosKine",
		"iterMaxAccKine", "tol", "Tol"),
	ignored("settings of a film", false, "AnimationParameters"),
	ignored("results of another solver", false, series),
	listed(false, source.Dropped, "forces as functions of markers are not read", []string{"ForceTorque", "InLineForceTorque", "GeneralForceTorque"}),
)

func concat(lists ...[]element) (all []element) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// table is the table of the rules, for xmltree.Account.
var table = func() *xmltree.Table {
	list := make([]xmltree.Rule, len(rules))
	for i, r := range rules {
		list[i] = r.Rule
	}
	return xmltree.NewTable(list)
}()
