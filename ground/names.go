package ground

import (
	"errors"
	"fmt"
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

// nameOf returns the name of value i of a type, or the type with its number.
func nameOf(list []string, i uint8, kind string) string {
	if int(i) < len(list) {
		return list[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}
