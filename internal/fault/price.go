package fault

import "strconv"

// TooDear is the rule that what costs amount breaks where most is allowed: "takes 1.6 GB, more than 1.1 GB: INSTEAD".
// The unit is "B", "flops", "rows" and the like; instead says what to do.
//
// All limits on memory, work and rows say their price by it, before anything is spent.
func TooDear(amount, most float64, unit, instead string) string {
	return "takes " + Amount(amount, unit) + ", more than " + Amount(most, unit) + ": " + instead
}

// Amount returns a price in three digits: bytes and flops with a prefix, as 1.61 GB, and other units as 1e+09 rows.
func Amount(x float64, unit string) string {
	prefix := ""
	if unit == "B" || unit == "flops" {
		for _, p := range [...]string{"k", "M", "G", "T", "P", "E"} {
			if x < 999.5 {
				break
			}
			x, prefix = x/1000, p
		}
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + " " + prefix + unit
}
