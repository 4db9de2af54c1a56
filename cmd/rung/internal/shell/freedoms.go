package shell

import (
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Freedoms returns the freedoms that a flag names: JOINT, for all scalar ones of the joint, or JOINT.I. A text that
// is the whole name of a joint means that joint, so that names may have points.
func Freedoms(flag string, mech *mechanism.Mechanism, words []string) ([]mechanism.Freedom, error) {
	var list []mechanism.Freedom
	for _, word := range words {
		word = strings.TrimSpace(word)
		if j, err := mech.JointIndex(word); err == nil {
			n := 0
			for i := range mech.Joints[j].Kind.Freedoms() {
				if mech.Joints[j].Kind.Scalar(i) {
					list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
					n++
				}
			}
			if n == 0 {
				return nil, UseErrorf("%s: joint %s has no scalar freedom", flag, fault.Name(word))
			}
			continue
		}
		i := strings.LastIndexByte(word, '.')
		if i < 0 {
			return nil, NoJoint(flag, word, mech)
		}
		j, err := mech.JointIndex(word[:i])
		if err != nil {
			return nil, UseErrorf("%s: no joint %s and no joint %s%s", flag, fault.Name(word), fault.Name(word[:i]),
				fault.MeantOf(word[:i], mech.NumJoints(), mech.JointName))
		}
		k, err := strconv.Atoi(word[i+1:])
		if err != nil || k < 0 || k >= mech.Joints[j].Kind.Freedoms() {
			return nil, UseErrorf("%s: joint %s (%v) has no freedom %s", flag, fault.Name(word[:i]), mech.Joints[j].Kind, fault.Name(word[i+1:]))
		}
		list = append(list, mechanism.Freedom{Joint: j, Freedom: k})
	}
	return list, nil
}
