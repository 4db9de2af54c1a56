package derive

import "slices"

// Numbers returns the kinds of numbers that have derivatives, by their paths with entries as [].
func Numbers() (list []string) {
	for path, f := range fields {
		if f.parts != nil {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Shaky returns the largest pivot of a row that counts as redundant, and whether derivatives at the state may have lost digits.
func Shaky(d *Derivatives) (dropped float64, shaky bool) {
	_, _, _, dropped = d.dynamics.Weakest()
	shaky, _ = d.shaky()
	return dropped, shaky
}

// IsEmpty reports whether the redundant rows at the state depend on the others but for rounding, and whether this follows from their number
// alone (surely).
func IsEmpty(d *Derivatives) (empty, surely bool) {
	_, _, kept, _ := d.dynamics.Weakest()
	empty = d.isEmpty(kept)
	return empty, d.digits.counted && d.dynamics.Redundant() == d.digits.fewest
}
