//go:build !small

package shell

import (
	"errors"
	"os"

	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
)

// readTables reads a model in tables.
func readTables(path string) (*model.Model, error) {
	m, err := tables.Read(path)
	return m, fileError(err)
}

// fileError is InputError that names the file of the tables, not their folder.
func fileError(err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return InputError(p.Path, err)
	}
	return err
}

// WriteTables writes a model as tables.
func WriteTables(path string, m *model.Model) error { return tables.Write(path, m) }

// OpenTables opens a model in tables, to be read by ranges.
func OpenTables(path string) (Ranges, error) {
	f, err := tables.Open(path)
	if err != nil {
		return nil, fileError(err)
	}
	return f, nil
}
