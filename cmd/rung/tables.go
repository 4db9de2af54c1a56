//go:build !small

package main

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// haveTables makes the commands of root read and write models in Parquet tables.
func haveTables(root *cobra.Command) { shell.HaveTables(root, parquetTables{}) }

// parquetTables implements shell.Tables by Parquet files.
type parquetTables struct{}

// Read reads a whole model.
func (parquetTables) Read(path string) (*model.Model, error) {
	m, err := tables.Read(path)
	return m, shell.FileError(err)
}

// Write writes a model.
func (parquetTables) Write(path string, m *model.Model) error {
	return shell.FileError(tables.Write(path, m))
}

// Open opens a model to read ranges of its bodies and joints.
func (parquetTables) Open(path string) (shell.Ranges, error) {
	f, err := tables.Open(path)
	if err != nil {
		return nil, shell.FileError(err)
	}
	return f, nil
}
