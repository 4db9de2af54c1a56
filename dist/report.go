package dist

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// Report explains the constraints of the whole mechanism, as far as this is possible in pieces.
type Report struct {
	Bodies    int // of all ranks
	Rows      int // constraint rows, prescribed freedoms included
	Rank      int // Rows − Redundant
	Redundant int
	Mobility  int // 6·Bodies − Rank

	// RedundantRows are the rows that depend on rows eliminated before, sorted by name and row. Their number does not depend on the cut, but
	// the choice of rows in a dependent set does.
	RedundantRows []Row

	// Unique says that the constraints determine all reactions, which is so if no row is redundant. Else Undetermined is ErrReactions,
	// which says why it is not known which reactions are determined.
	Unique       bool
	Undetermined error
}

// ErrReactions is the Report.Undetermined of a mechanism with redundant rows.
var ErrReactions = fmt.Errorf("%w: which reactions redundant rows leave undetermined, and those of least norm, "+
	"as this takes the null space of the constraint forces over all pieces (one process: kkt.Solver.Report)", ErrUnsupported)

// Report explains the constraints at the state of the last Solve. All ranks call it together, and get the same report.
//
// Redundant rows are found by the pivots of the last Solve, which depend on the masses. kkt.Solver.Report uses a metric of
// the geometry alone, and also reports how near the pose is to a singular one; this Report does not. Cost: the names of
// the redundant rows on all ranks. It returns an error, on all ranks, if the redundant rows are not known, because rows are
// so nearly dependent that the Solve has kept all of them (kkt.KeepAll). It panics without a result.
func (s *Solver) Report() (*Report, error) {
	s.mustHave()
	if s.way > kkt.DropWeakest {
		return nil, fault.Errorf("dist: report: rows are too nearly dependent to tell which are redundant: %w", kkt.ErrInaccurate)
	}
	rows, err := s.RedundantRows()
	if err != nil {
		return nil, err
	}
	list := []float64{float64(s.plan.piece.Own), float64(s.plan.ownRows())}
	for _, r := range rows {
		kind := 0.0
		if r.Coupling {
			kind = 1
		}
		list = append(append(list, kind, float64(r.Row)), words(r.Name)...)
	}
	var all []float64 // bodies, rows, then the rows of all ranks
	if lists := gatherLists(s.comm, list); lists != nil {
		all = []float64{0, 0}
		for _, l := range lists {
			all[0] += l[0]
			all[1] += l[1]
			all = append(all, l[2:]...)
		}
	}
	all = same(s.comm, all)
	out := &Report{Bodies: int(all[0]), Rows: int(all[1])}
	for all = all[2:]; len(all) > 0; {
		n := 3 + (int(all[2])+7)/8
		out.RedundantRows = append(out.RedundantRows, Row{Name: text(all[2:n]), Coupling: all[0] != 0, Row: int(all[1])})
		all = all[n:]
	}
	slices.SortFunc(out.RedundantRows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Row, b.Row)) })
	out.Redundant = len(out.RedundantRows)
	out.Rank = out.Rows - out.Redundant
	out.Mobility = 6*out.Bodies - out.Rank
	if out.Unique = out.Redundant == 0; !out.Unique {
		out.Undetermined = ErrReactions
	}
	if out.Redundant != s.weak {
		return nil, errors.New("dist: the root does not name all redundant rows that it has found")
	}
	return out, nil
}

// ownRows returns the number of constraint rows that this rank counts. Rows between ranks are counted on one of them.
func (p *Plan) ownRows() int {
	pat := p.layout.Pattern
	rows := pat.Dim() - int(pat.Off[pat.Positive()])
	for i, v := range p.factors.Held() {
		if !p.owned[i] {
			rows -= int(pat.Size[v])
		}
	}
	_, fly := p.layout.Flywheels()
	return rows - fly
}
