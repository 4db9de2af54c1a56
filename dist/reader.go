package dist

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Reader is a model that is read by parts, such as one in tables (package formats/tables).
type Reader interface {
	// Digest returns a text that is equal for two readers if and only if they read the same model.
	Digest() string
	// Size returns the numbers of bodies and of joints.
	Size() (bodies, joints int64)
	// Part returns a model with the bodies lo to hi−1, all their joints, the bodies at the other ends of these joints, and
	// all force elements, couplings and terrains with the bodies and joints that they name. All are in the order of the
	// whole; bodies and joints are their numbers there, increasing.
	Part(lo, hi int64) (m *model.Model, bodies, joints []int64, err error)
}

// ReadPiece reads this rank's piece of a model that no rank holds as a whole: a range of its bodies. The numbers of
// bodies of two ranks differ by one at most. Such a cut is good for long mechanisms whose bodies are listed along their
// length, such as ladders and chains. All ranks call it together.
//
// Cost: one Reader.Part. It returns the error of any rank on all of them (RankError): an error of the Reader, an error with
// the name of a coupling or of a joint with armature that is between two ranks, or an error if the ranks together do not
// have all joints. It returns a DifferError if the ranks read different models.
func ReadPiece(c Comm, r Reader) (*Piece, error) {
	nb, nj := r.Size()
	if err := AgreeOn(c, Fact{"the number of bodies", fmt.Sprint(nb)}, Fact{"the number of joints", fmt.Sprint(nj)},
		Fact{"the digest of the model", r.Digest()}); err != nil {
		return nil, err
	}
	p, owned, err := readPiece(c, r)
	if err = Agree(c, err); err != nil {
		return nil, err
	}
	lists := gatherLists(c, []float64{float64(owned)})
	sum := 0.0
	for _, l := range lists {
		sum += l[0]
	}
	if c.Rank() == 0 && sum != float64(nj) {
		err = fmt.Errorf("dist: ranks have read %g joints of %d: the order or the statistics of the file are not those of its rows", sum, nj)
	}
	if err = Agree(c, err); err != nil {
		return nil, err
	}
	return p, nil
}

// readPiece returns the piece of this rank, and the number of joints whose lowest-numbered body is its own, so that each joint of the whole
// is counted on one rank.
func readPiece(c Comm, r Reader) (p *Piece, owned int, err error) {
	nb, _ := r.Size()
	n := int64(c.Size())
	from := func(rank int64) int64 { return nb/n*rank + min(rank, nb%n) }
	lo, hi := from(int64(c.Rank())), from(int64(c.Rank())+1)
	m, bodies, joints, err := r.Part(lo, hi)
	if err != nil {
		return nil, 0, err
	}
	if len(bodies) != len(m.Bodies) || len(joints) != len(m.Joints) {
		return nil, 0, fmt.Errorf("dist: the reader gives %d numbers of %d bodies, and %d of %d joints",
			len(bodies), len(m.Bodies), len(joints), len(m.Joints))
	}
	part := make([]int32, len(bodies))
	rank, number := int64(0), make(map[string]int64, len(bodies))
	for i, b := range bodies {
		if b < 0 || b >= nb || i > 0 && b <= bodies[i-1] {
			return nil, 0, fmt.Errorf("dist: the reader gives body %s the number %d: out of range or of order", fault.Name(m.Bodies[i].Name), b)
		}
		for b >= from(rank+1) {
			rank++
		}
		part[i] = int32(rank)
		number[m.Bodies[i].Name] = b
	}
	if p, err = Cut(m, part, c.Rank()); err != nil {
		return nil, 0, err
	}
	for i, b := range p.Body {
		p.Body[i] = bodies[b]
	}
	for i, j := range p.Joint {
		p.Joint[i] = joints[j]
	}
	for i := range p.Model.Joints {
		jt := &p.Model.Joints[i]
		first := int64(-1)
		for _, name := range [...]string{jt.Predecessor, jt.Successor} {
			if b, ok := number[name]; ok && name != model.World && (first < 0 || b < first) {
				first = b
			}
		}
		if first >= lo && first < hi {
			owned++
		}
		if first < 0 {
			return nil, 0, fmt.Errorf("dist: joint %s has no body", fault.Name(jt.Name))
		}
	}
	return p, owned, nil
}
