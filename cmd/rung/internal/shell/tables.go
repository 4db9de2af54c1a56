package shell

import (
	"context"
	"errors"
	"io"

	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// Tables reads and writes models in tables (package formats/tables). The program passes it to its commands (HaveTables), so that
// packages of subcommands and their tests link without the library of Parquet.
type Tables interface {
	Read(path string) (*model.Model, error)
	Write(path string, m *model.Model) error
	Open(path string) (Ranges, error) // for reading by ranges
}

// Input has the sources of the models of a command: standard input, and the reader of tables.
type Input struct {
	io.Reader
	Tables Tables
}

// InputOf returns the input of cmd.
func InputOf(cmd *cobra.Command) Input { return Input{cmd.InOrStdin(), tablesOf(cmd)} }

type tablesKey struct{}

// HaveTables makes t the Tables of root and all its subcommands.
func HaveTables(root *cobra.Command, t Tables) { root.SetContext(withTables(context.Background(), t)) }

func withTables(ctx context.Context, t Tables) context.Context {
	return context.WithValue(ctx, tablesKey{}, t)
}

// tablesOf returns the Tables that HaveTables has given to cmd or to the root above it, else noTables.
func tablesOf(cmd *cobra.Command) Tables {
	if ctx := cmd.Context(); ctx != nil {
		if t, ok := ctx.Value(tablesKey{}).(Tables); ok {
			return t
		}
	}
	return noTables{}
}

// noTables are the Tables of a program that cannot read tables: all methods return errNoTables.
type noTables struct{}

var errNoTables = errors.New("this rung has no models in tables, as it was built with the tag small")

func (noTables) Read(string) (*model.Model, error) { return nil, errNoTables }

func (noTables) Write(string, *model.Model) error { return errNoTables }

func (noTables) Open(string) (Ranges, error) { return nil, errNoTables }
