package ranks

import (
	"slices"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/model"
)

// Model is the model that ranks solve: a whole model on each of them, or tables, of which each rank reads its range.
type Model struct {
	whole  *model.Model // nil if the model is in tables
	tables string       // path
	piece  *dist.Piece  // of a model in tables, from Read to Plan
}

// ReadModel reads the model at path. For a model in tables it only opens the files, as a check.
func ReadModel(r *Rank, path string, in shell.Input, p *shell.Progress) (of Model, err error) {
	switch {
	case r.Processes && path == shell.Stdio:
		return of, shell.UseErrorf("--ranks mpi: each process reads the model, so it has to be a file")
	case !shell.IsTables(path):
		of.whole, err = shell.ReadModel(path, in, p)
		return of, err
	}
	of.tables = path
	file, err := r.open(path)
	if err == nil {
		err = file.Close()
	}
	return of, err
}

// Read reads the rank's range of a model in tables, and does nothing for other models. All ranks call it together.
func (of *Model) Read(r *Rank) (err error) {
	if of.tables != "" {
		of.piece, err = ReadTables(r, of.tables)
	}
	return err
}

// Plan returns the plan of the rank's piece: of the model, which it cuts, or of the range that Read has read, which the Model no
// longer holds then. All ranks call it together.
func (of *Model) Plan(r *Rank, o dist.Options) (*dist.Plan, error) {
	if of.tables == "" {
		return dist.NewPlan(r, of.whole, o)
	}
	piece := of.piece
	of.piece = nil
	return dist.NewPlanOf(r, piece, o)
}

// ReadTables reads the rank's range of the model in tables at path. All ranks call it together.
func ReadTables(r *Rank, path string) (*dist.Piece, error) {
	file, err := r.openOne(path)
	if err != nil {
		return nil, err
	}
	piece, err := dist.ReadPiece(r, file)
	if e := dist.Agree(r, file.Close()); err == nil {
		err = e
	}
	return piece, err
}

// View is the part of the whole model that rank 0 has, with the numbers of its bodies and joints in the whole. If each
// rank has the model, the view is the whole model. For a model in tables it is the head, which has all force elements and springs
// of joints, and the bodies and joints that ranks have asked for.
type View struct {
	Model *model.Model // on rank 0; nil on others

	Bodies, Joints int64 // numbers in the whole

	all         bool    // the view is the whole
	body, joint []int64 // number in the whole of each body and joint of the view, increasing; nil if it is the whole
}

// View makes the view. For a model in tables, ask returns the bodies of its own and the joints of a piece that shall be in the view; a nil
// ask stands for none. All ranks call View together, after Read and before Plan.
func (of *Model) View(r *Rank, ask func(p *dist.Piece) (bodies, joints []int, err error)) (*View, error) {
	if of.tables == "" {
		return &View{of.whole, int64(len(of.whole.Bodies)), int64(len(of.whole.Joints)), true, nil, nil}, nil
	}
	var bodies, joints []int
	var err error
	if ask != nil {
		bodies, joints, err = ask(of.piece)
	}
	if err = dist.Agree(r, err); err != nil {
		return nil, err
	}
	v := &View{body: union(r, bodies, of.piece.Body), joint: union(r, joints, of.piece.Joint)}
	size := []float64{0, 0}
	if r.Head() {
		var file shell.Ranges
		if file, err = r.open(of.tables); err == nil {
			v.Model, v.body, v.joint, err = file.Pick(v.body, v.joint)
			nb, nj := file.Size()
			size = []float64{float64(nb), float64(nj)}
			if e := file.Close(); err == nil {
				err = e
			}
		}
	}
	if err = dist.Agree(r, err); err != nil {
		return nil, err
	}
	size = r.Share(size)
	v.Bodies, v.Joints = int64(size[0]), int64(size[1])
	v.body, v.joint = integers(r.Share(floats(v.body))), integers(r.Share(floats(v.joint)))
	return v, nil
}

// union returns, on rank 0, the numbers of the entries of the lists of all ranks, increasing, each once. number has the number in the whole
// of each entry of the rank's piece.
func union(r *Rank, list []int, number []int64) []int64 {
	own := make([]float64, len(list))
	for k, i := range list {
		own[k] = float64(number[i])
	}
	all := integers(slices.Concat(r.Lists(own)...))
	slices.Sort(all)
	return slices.Compact(all)
}

// BodyAt returns the index in the view of the body with a number in the whole, and whether the view has it.
func (v *View) BodyAt(number int64) (int, bool) { return v.at(v.body, number) }

// JointAt is BodyAt for joints.
func (v *View) JointAt(number int64) (int, bool) { return v.at(v.joint, number) }

// at returns the index of a number in list, and whether it is there.
func (v *View) at(list []int64, number int64) (int, bool) {
	if v.all {
		return int(number), true
	}
	return slices.BinarySearch(list, number)
}

// floats returns integers as numbers that ranks can send.
func floats(list []int64) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
	}
	return out
}

// integers is the inverse of floats.
func integers(list []float64) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = int64(x)
	}
	return out
}
