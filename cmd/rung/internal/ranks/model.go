package ranks

import (
	"io"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/model"
)

// Model is what ranks solve: a model that each of them has, or tables, of which each reads its range.
type Model struct {
	Whole  *model.Model // nil on ranks but the first if they are processes and the model is in tables
	tables string       // path
}

// ReadModel reads the model at path. Of a model in tables rank 0 reads the whole, for what it prints and writes; other
// processes check that the tables are there.
func ReadModel(r *Rank, path string, stdin io.Reader, p *shell.Progress) (of Model, err error) {
	switch {
	case r.Processes && path == shell.Stdio:
		return of, shell.UseErrorf("--ranks mpi: each process reads the model, so it has to be a file")
	case !shell.IsTables(path):
		of.Whole, err = shell.ReadModel(path, stdin, p)
		return of, err
	}
	of.tables = path
	if r.Head() {
		of.Whole, err = shell.ReadModel(path, stdin, p)
	}
	return of, err
}

// Plan cuts the model, or reads the rank's range of it. All ranks call it together.
func (of *Model) Plan(r *Rank, o dist.Options) (*dist.Plan, error) {
	if of.tables == "" {
		return dist.NewPlan(r, of.Whole, o)
	}
	piece, err := ReadTables(r, of.tables)
	if err != nil {
		return nil, err
	}
	return dist.NewPlanOf(r, piece, o)
}

// ReadTables reads the rank's range of the model in tables at path. All ranks call it together.
func ReadTables(r *Rank, path string) (*dist.Piece, error) {
	file, err := shell.OpenTables(path)
	if err = dist.Agree(r, err); err != nil {
		return nil, err
	}
	piece, err := dist.ReadPiece(r, file)
	if e := dist.Agree(r, file.Close()); err == nil {
		err = e
	}
	return piece, err
}
