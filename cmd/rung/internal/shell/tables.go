//go:build !small

package shell

import (
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
)

// readTables reads a model in tables.
func readTables(path string) (*model.Model, error) {
	m, err := tables.Read(path)
	return m, FileError(err)
}

// WriteTables writes a model as tables.
func WriteTables(path string, m *model.Model) error { return FileError(tables.Write(path, m)) }

// OpenTables opens a model in tables, to be read by ranges.
func OpenTables(path string) (Ranges, error) {
	f, err := tables.Open(path)
	if err != nil {
		return nil, FileError(err)
	}
	return f, nil
}
