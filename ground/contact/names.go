package contact

import "strconv"

// number returns x as text for messages.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
