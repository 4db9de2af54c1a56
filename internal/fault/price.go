package fault

import "strconv"

// TooDear returns the message that a task takes amount where only most is allowed: "takes 1.6 GB, more than 1.1 GB: INSTEAD".
// The unit is "B", "flops", "rows" and the like; instead tells what to do.
//
// All limits on memory, work and rows report their excess by it, before the task begins.
func TooDear(amount, most float64, unit, instead string) string {
	return "takes " + Amount(amount, unit) + ", more than " + Amount(most, unit) + ": " + instead
}

// Amount returns an amount with three digits and its unit. Bytes and flops have a metric prefix, such as 1.61 GB; other units have
// none, such as 1e+09 rows.
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
