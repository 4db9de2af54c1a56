package ground

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
)

// parseName returns the place of a name in a list, or an error that lists what there is.
func parseName(what, name string, list []string) (int, error) {
	if i := slices.Index(list, name); i >= 0 {
		return i, nil
	}
	return 0, errors.New("ground: " + fault.NoneOf(what, name, list))
}
