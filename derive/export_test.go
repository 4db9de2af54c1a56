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
