package linear

import (
	"math"
	"math/cmplx"
)

// firstShifts returns the first shift σ for damped modes, if these are the undamped ones, and the largest that may have to replace it.
func (m *Modes) firstShifts(typical float64) (sigma, most float64) {
	sigma, most = math.Inf(1), math.Sqrt(shiftFloor*typical)
	for i := range m.List {
		if t := nearness * m.List[i].AngularFrequency(); t > 0 {
			sigma, most = min(sigma, t), max(most, t)
		}
	}
	if !(bandRange*sigma < most) {
		sigma = most
	}
	return sigma, most
}

// withoutStiffness returns the rigid ones of the lowest undamped modes, and their shapes, or nil if there may be more of them.
func (m *Modes) withoutStiffness() (rigid []Mode, shapes [][]float64) {
	shapes = make([][]float64, 0)
	for i := range m.List {
		if m.List[i].Kind == Rigid {
			rigid, shapes = append(rigid, m.List[i]), append(shapes, m.List[i].Shape)
		}
	}
	if n := len(m.List); !m.All && (n == 0 || m.List[n-1].Kind == Rigid) {
		shapes = nil
	}
	return rigid, shapes
}

// band says what has been seen with a shift: all eigenvalues nearer to sigma than reach. rigid is the largest size of an eigenvalue that
// counts as zero, and other the least of one that does not.
type band struct {
	sigma, reach, rigid, other float64

	blurred bool // rounding shows in eigenvalues beyond the reach
}

// split returns the modes of a list with eigenvalues of a size within the reach of b, and the others.
func (b *band) split(list []Mode) (near, far []Mode) {
	for _, m := range list {
		if cmplx.Abs(m.Lambda) < b.reach {
			near = append(near, m)
		} else {
			far = append(far, m)
		}
	}
	return near, far
}

// known reports whether the eigenvalue λ has been seen in a band or belongs to a mode of list.
func known(lambda complex128, seen []band, list []Mode) bool {
	for i := range seen {
		if cmplx.Abs(lambda-complex(seen[i].sigma, 0)) < (1-bandEdge)*seen[i].reach {
			return true
		}
	}
	for i := range list {
		if cmplx.Abs(lambda-list[i].Lambda) <= bandEdge*cmplx.Abs(lambda) {
			return true
		}
	}
	return false
}
