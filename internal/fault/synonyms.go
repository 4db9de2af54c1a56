package fault

import (
	"slices"
	"strings"
	"unicode"
)

// synonyms are the words by which other programs and people call types and methods of Rung. Words consist of small letters and
// figures only.
var synonyms = [...]struct{ name, words string }{
	{"revolute", "hinge hinged pin pinned pivot rotary rotation rotational rotate turning continuous"},
	{"prismatic", "slider slide sliding translation translational linear piston"},
	{"spherical", "ball ballandsocket socket sphere"},
	{"fixed", "weld welded rigid lock locked static"},
	{"helical", "screw thread"},
	{"universal", "cardan hooke hookes gimbal ujoint u"},
	{"cylindrical", "cylinder"},
	{"planar", "plane"},
	{"sphere_in_cylinder", "ballincylinder pointonline inline"},
	{"point_on_plane", "pointinplane inplane"},
	{"distance", "rod link"},
	{"free", "floating 6dof sixdof"},
	{"rolling", "wheel roll tyre tire disc disk"},
	{"no_slip", "skate knifeedge knife edge blade runner"},
	{"point_on_curve", "pointincurve bead wire rail slot path"},
	{"composite", "compound custom generic"},
	{"spring_damper", "spring damper springdashpot dashpot"},
	{"wrench", "force torque load"},
	{"actuator", "motor servo drive"},
	{"bushing", "bush bearing"},
	{"cable", "rope tendon wire string belt"},
	{"harmonic", "sine sin cosine cos sinusoid sinusoidal"},
	{"polynomial", "constant linear quadratic ramp poly"},
	{"orientation", "rotation attitude quaternion"},
	{"point", "position location"},
	{"dopri5", "rk45 ode45 dormandprince rkdp"},
	{"rk4", "rungekutta"},
	{"generalized-alpha", "implicit alpha hht newmark"},
}

// MeantType is Meant for names of types and methods. It also suggests a name by its synonyms: a hinge is a revolute joint.
func MeantType(name string, names ...string) string {
	word := lettersOf(name)
	if word == "" {
		return ""
	}
	for _, n := range names {
		if lettersOf(n) == word {
			return question([]string{n})
		}
	}
	for i := range synonyms {
		s := &synonyms[i]
		if slices.Contains(names, s.name) && slices.Contains(strings.Fields(s.words), word) {
			return question([]string{s.name})
		}
	}
	return Meant(name, names...)
}

// lettersOf returns the letters and figures of the name of a type, in small letters and without "joint" at the end. It returns ""
// for a name that is too long.
func lettersOf(name string) string {
	if len(name) > mostLetters {
		return ""
	}
	word := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if head, ok := strings.CutSuffix(word, "joint"); ok && head != "" && head != "u" {
		return head
	}
	return word
}
