package shell

import (
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Freedoms returns the freedoms that the words of a flag name (Mechanism.FreedomsNamed), or an error of bad use.
func Freedoms(flag string, mech *mechanism.Mechanism, words []string) ([]mechanism.Freedom, error) {
	var list []mechanism.Freedom
	for _, word := range words {
		word = strings.TrimSpace(word)
		_, unknown := mech.JointIndex(word)
		if unknown != nil && !strings.Contains(word, ".") {
			return nil, NoJoint(flag, word, mech)
		}
		some, err := mech.FreedomsNamed(word)
		if err != nil {
			return nil, UseErrorf("%s: %w", flag, fault.Plain(err))
		}
		list = append(list, some...)
	}
	return list, nil
}
