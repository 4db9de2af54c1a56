package ranks

import (
	"bytes"
	"encoding/gob"
	"strings"
)

// Gather brings a value of each rank to rank 0, which gets them by rank; others get nil. All ranks call it together. T is a
// type that encoding/gob takes, with exported fields: texts arrive with all their bytes.
func Gather[T any](r *Rank, own T) []T {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(own); err != nil {
		panic("ranks: a value to gather: " + err.Error()) // of this program, with its own types
	}
	var list []T
	for _, t := range r.texts(text.String()) {
		var v T
		if err := gob.NewDecoder(strings.NewReader(t)).Decode(&v); err != nil {
			panic("ranks: a value of a rank: " + err.Error())
		}
		list = append(list, v)
	}
	return list
}
