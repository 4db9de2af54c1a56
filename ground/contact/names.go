package contact

import "strconv"

// number is a value as messages have it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
