//go:build small

package shell

import (
	"errors"

	"github.com/rung-mbd/rung/model"
)

var errNoTables = errors.New("this rung has no models in tables, as it was built with the tag small")

func readTables(string) (*model.Model, error) { return nil, errNoTables }

// WriteTables refuses.
func WriteTables(string, *model.Model) error { return errNoTables }

// OpenTables returns an error that says so.
func OpenTables(string) (Ranges, error) { return nil, errNoTables }
