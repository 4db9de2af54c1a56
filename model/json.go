package model

import (
	"bytes"
	"errors"
)

// MarshalJSON returns m as a document of rung-model/1, as Write writes it.
//
// Cost: O(bodies + joints + forces), and the document in memory; Write needs less. It returns
// the errors of Check.
func (m Model) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := Write(&b, &m)
	return b.Bytes(), err
}

// UnmarshalJSON sets m to the document of rung-model/1 in b, under all the rules of Read.
// null leaves m unchanged, as for other types.
//
// It returns *Problems, with "model" as the name of the file, and an error if m is nil; m is then unchanged.
func (m *Model) UnmarshalJSON(b []byte) error {
	if m == nil {
		return errors.New("model: UnmarshalJSON of a nil Model")
	}
	if string(b) == "null" {
		return nil
	}
	read, err := Read(bytes.NewReader(b), "model")
	if err != nil {
		return err
	}
	*m = *read
	return nil
}
