package shell

import (
	"context"
	"errors"
	"io"

	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// Tables reads and writes models in tables (package formats/tables). The program gives them to its commands: subcommands, and their tests,
// link without the library of Parquet.
type Tables interface {
	Read(path string) (*model.Model, error)
	Write(path string, m *model.Model) error
	Open(path string) (Ranges, error) // to be read by ranges
}

// Input is where a command reads models from: standard input, documents and tables.
type Input struct {
	io.Reader
	Tables Tables
}

// InputOf returns the input of cmd.
func InputOf(cmd *cobra.Command) Input { return Input{cmd.InOrStdin(), tablesOf(cmd)} }

type tablesKey struct{}

// HaveTables gives t to root and all commands below it.
func HaveTables(root *cobra.Command, t Tables) { root.SetContext(withTables(context.Background(), t)) }

func withTables(ctx context.Context, t Tables) context.Context {
	return context.WithValue(ctx, tablesKey{}, t)
}

// tablesOf returns what HaveTables has given to cmd, or to the command that runs it.
func tablesOf(cmd *cobra.Command) Tables {
	if ctx := cmd.Context(); ctx != nil {
		if t, ok := ctx.Value(tablesKey{}).(Tables); ok {
			return t
		}
	}
	return noTables{}
}

// noTables are those of a program that has none.
type noTables struct{}

var errNoTables = errors.New("this rung has no models in tables, as it was built with the tag small")

func (noTables) Read(string) (*model.Model, error) { return nil, errNoTables }

func (noTables) Write(string, *model.Model) error { return errNoTables }

func (noTables) Open(string) (Ranges, error) { return nil, errNoTables }
