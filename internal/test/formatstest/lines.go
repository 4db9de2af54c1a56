package formatstest

import (
	"fmt"
	"strings"
)

// Lines returns format with the numbers 0 to n−1, one behind the other: much of a file.
func Lines(format string, n int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, format, k)
	}
	return b.String()
}
