//go:build !small

package shell

import (
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
)

// readTables reads a model in tables.
func readTables(path string) (*model.Model, error) { return tables.Read(path) }

// WriteTables writes a model as tables.
func WriteTables(path string, m *model.Model) error { return tables.Write(path, m) }

// OpenTables opens a model in tables, to be read by ranges.
func OpenTables(path string) (Ranges, error) {
	f, err := tables.Open(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}
