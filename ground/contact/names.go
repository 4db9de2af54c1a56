package contact

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
)

// parseName returns the place of a name in a list, or an error that lists what there is.
func parseName(what, name string, list []string) (int, error) {
	if i := slices.Index(list, name); i >= 0 {
		return i, nil
	}
	return 0, errors.New("ground/contact: " + fault.NoneOf(what, name, list))
}

// number is a value as messages have it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// nameOf returns the name of value i of a type, or the type with its number.
func nameOf(list []string, i uint8, kind string) string {
	if int(i) < len(list) {
		return list[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}
