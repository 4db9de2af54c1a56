//go:build !small

package main

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// haveTables gives models in tables to the commands of root.
func haveTables(root *cobra.Command) { shell.HaveTables(root, parquetTables{}) }

// parquetTables are models in tables, which are Parquet files.
type parquetTables struct{}

func (parquetTables) Read(path string) (*model.Model, error) {
	m, err := tables.Read(path)
	return m, shell.FileError(err)
}

func (parquetTables) Write(path string, m *model.Model) error {
	return shell.FileError(tables.Write(path, m))
}

func (parquetTables) Open(path string) (shell.Ranges, error) {
	f, err := tables.Open(path)
	if err != nil {
		return nil, shell.FileError(err)
	}
	return f, nil
}
