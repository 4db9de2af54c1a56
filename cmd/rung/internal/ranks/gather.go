package ranks

import (
	"bytes"
	"encoding/gob"
	"strings"
)

// Gather sends a value of each rank to rank 0, and returns them there in the order of ranks; on other ranks it returns nil. All ranks call
// it together. T is a type that encoding/gob can encode, with exported fields.
func Gather[T any](r *Rank, own T) []T {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(own); err != nil {
		panic("ranks: a value to gather: " + err.Error()) // a fault of this program: T cannot be encoded
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
