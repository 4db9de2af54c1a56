package formatstest

import (
	"fmt"
	"strings"
)

// Lines returns the texts of format for the numbers 0 to n−1, one after another.
func Lines(format string, n int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, format, k)
	}
	return b.String()
}
