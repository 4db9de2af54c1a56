package mechanism

// mostShared is the largest number of values that a sharing keeps. Another value costs memory only.
const mostShared = 1000

// sharing finds values by their settings, so that equal ones are made once: cams, wheels and valves of many cylinders are equal.
type sharing[K comparable, V any] map[K]*V

// of returns the value of a key, and makes it by fresh if there is none yet.
func (s sharing[K, V]) of(key K, fresh func() *V) *V {
	if v := s[key]; v != nil {
		return v
	}
	v := fresh()
	if len(s) < mostShared {
		s[key] = v
	}
	return v
}
