package outfile

import "errors"

// Full reports whether err is caused by lack of room for a file: a full disk, an exhausted quota, or a
// limit on the size of files.
func Full(err error) bool {
	for _, e := range noRoom {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
