package simulate

import (
	"fmt"
	"io"
	"iter"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// columnsUsage is the help of --columns.
const columnsUsage = "columns to write, in this order, in place of those of bodies; * is any text, as in joint.*.q (--list-columns tells all)"

// ListColumns writes the names and units of all columns of the model at path.
func ListColumns(path string, in shell.Input, stdout io.Writer, p *shell.Progress) error {
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	all, err := catalogueOfModel(m)
	if err != nil {
		return err
	}
	p.End()
	_, err = fmt.Fprintln(stdout, "time\ts")
	all.Each(func(col sim.Column) bool {
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%s\t%s\n", fault.Escape(col.Name), col.Unit)
		}
		return err == nil
	})
	return err
}

// catalogueOfModel returns the columns that a run of m may record.
func catalogueOfModel(m *model.Model) (*sim.Catalogue, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, err
	}
	all, err := runs.Catalogue(mech, m)
	return all, inFlags(err)
}

// ColumnNames are the names of the columns of a model, for completion. A model without a mechanism has none.
func ColumnNames(m *model.Model) iter.Seq[string] {
	return func(yield func(string) bool) {
		if all, err := catalogueOfModel(m); err == nil {
			all.Each(func(col sim.Column) bool { return yield(col.Name) })
		}
	}
}
