package outfile

import "errors"

// Full reports whether err says that there is no room for a file: a full disk, a quota that is used up, or a
// limit on the size of files.
func Full(err error) bool {
	for _, e := range noRoom {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
