package fik

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// Form is the kind of recurrence of a filter.
type Form uint8

// The forms.
const (
	FormV Form = iota // variable sampling, docs/inverse-kinematics.md (F1)
	FormF             // fixed sampling, one iteration every dt, docs/inverse-kinematics.md (F2)
	NumForms
)

// String returns the name of rung-ik/1.
func (f Form) String() string { return fault.Enum([]string{"variable", "fixed"}, f, "Form") }

// Design says how P and A of feedback inverse kinematics are chosen.
type Design uint8

// The designs.
const (
	DesignRiccati Design = iota // P by Riccati, A = −m_i
	DesignNorm                  // P = (π/h − A)/‖J‖, a number; ‖J‖ is the Frobenius norm
	DesignTune                  // DesignNorm as the start of Tune, which the caller has to run: New refuses it
	DesignGiven                 // P is given
	NumDesigns
)

// String returns the name of rung-ik/1.
func (d Design) String() string {
	return fault.Enum([]string{"riccati", "norm", "tune", "given"}, d, "Design")
}

// Defaults of DesignNorm.
const (
	normA = -20.0 // 1/s
	normH = 0.02  // s
)

// Options configure feedback inverse kinematics. The zero value is form V with the design of Riccati.
//
// A matrix is given by its numbers: one for a multiple of the unit matrix, m for a diagonal matrix of m rows, m² for a full
// matrix, row by row.
type Options struct {
	Form   Form
	Design Design
	P      []float64 // symmetric positive definite; nil: by Design
	// A is a number or a diagonal: in form V negative, 1/s; in form F the entries α of the recurrence.
	// nil: by Design, −m_i or −20 in form V and exp(−m_i·H) or exp(−20·H) in form F.
	A []float64
	// H is h of form V and dt of form F, s. 0: half the least time constant
	// in form V, 0.02 in form F. DesignNorm then uses 0.02.
	H     float64
	Gains []float64 // diagonal of V ≥ 0, one number for each freedom or one for all; nil: 1

	Riccati RiccatiOptions // of DesignRiccati
	J0      *Dense         // Jacobian for the design; nil: the Jacobian at the present pose

	Inner     int  // number of iterations in a step, with the same Jacobian; 0: 1
	Adapt     bool // form V: shorten a step h that is too long; without it such a step is an error
	Unchecked bool // no test of stability, before and during the run
}

// Figure is the preset of published animations of figures with many freedoms.
func Figure() Options {
	return Options{Design: DesignNorm, A: []float64{normA}, H: normH}
}

// Gyro is the preset of published control moment gyros, with gimbal rates up to 1.8 rad/s.
func Gyro() Options {
	return Options{Riccati: RiccatiOptions{W: defaultAngular, M: []float64{0.05}, V: []float64{1.8 * 1.8}}}
}

// Robot is the preset of published robot arms.
func Robot() Options {
	return Options{Riccati: RiccatiOptions{W: defaultAngular, M: []float64{defaultDecay}}}
}

// Designed returns the options with P and A filled in by the design, for o.J0 or the map j at its present pose. In form F it also fills
// in H; in form V an H of 0 stays.
//
// Cost: as the design; allocates. It returns an OptionError for each rule that o breaks, joined, or an error that wraps ErrRank or
// ErrNoDesign if the design fails for the Jacobian.
func (o Options) Designed(j Linear) (Options, error) {
	m, n := j.Dims()
	if err := o.check(m, n); err != nil {
		return o, err
	}
	if o.H == 0 && o.Form == FormF {
		o.H = normH
	}
	if o.P != nil {
		if o.A == nil {
			o.A = o.decay([]float64{-normA})
		}
		return o, nil
	}
	j0 := o.J0
	if j0 == nil {
		j0 = DenseOf(j)
	}
	if o.Design == DesignRiccati {
		return o.byRiccati(j0)
	}
	return o.byNorm(j0)
}

// byNorm returns the options with P and A by DesignNorm, docs/inverse-kinematics.md (F7), for the Jacobian j0. It returns an error that
// wraps ErrRank if j0 is zero.
func (o Options) byNorm(j0 *Dense) (Options, error) {
	h, a := o.H, normA
	if h == 0 {
		h = normH
	}
	if o.A != nil && o.Form == FormV {
		a = o.A[0]
	}
	size := norm(j0.Data)
	if !(size > 0) {
		return o, errZeroJacobian()
	}
	o.P = []float64{(math.Pi/h - a) / size}
	if o.Form == FormF {
		o.P[0] *= h
	}
	if o.A == nil {
		o.A = o.decay([]float64{-a})
	}
	return o, nil
}

// byRiccati returns the options with P and A by DesignRiccati, docs/inverse-kinematics.md (F6), for the Jacobian j0. It returns the
// errors of Riccati.
func (o Options) byRiccati(j0 *Dense) (Options, error) {
	P, _, err := Riccati(j0, o.Riccati)
	if err != nil {
		return o, err
	}
	o.P = P
	if o.Form == FormF {
		for i := range o.P {
			o.P[i] *= o.H
		}
	}
	if o.A == nil {
		decay := o.Riccati.M
		if decay == nil {
			decay = []float64{defaultDecay}
		}
		o.A = o.decay(decay)
	}
	return o, nil
}

// decay returns A for the decay rates m_i, 1/s: −m_i in form V, exp(−m_i·H) in form F.
func (o *Options) decay(m []float64) []float64 {
	a := make([]float64, len(m))
	for i, x := range m {
		if a[i] = -x; o.Form == FormF {
			a[i] = math.Exp(-x * o.H)
		}
	}
	return a
}

// Check returns an OptionError for each rule that o and o.Riccati break for a map of m rows and n freedoms, joined, or nil.
// DesignTune is checked as DesignNorm, with which it begins.
func (o Options) Check(m, n int) error {
	if o.Design == DesignTune {
		o.Design = DesignNorm
	}
	_, err := o.Riccati.filled(m, n)
	return errors.Join(o.check(m, n), err)
}

// check returns an OptionError for each rule that o, without o.Riccati, breaks for a map of m rows and n freedoms, joined, or nil.
func (o *Options) check(m, n int) error {
	var bad badOptions
	bad.when(o.Form >= NumForms, "Form", o.Form, "is no form")
	bad.when(o.Design >= NumDesigns, "Design", o.Design, "is no design")
	bad.when(o.Design == DesignTune, "Design", "tune", "is run by Tune: a filter takes what that returns")
	bad.when(o.Design == DesignGiven && o.P == nil, "P", "", "missing: the design given takes it from here")
	bad.when(o.Design == DesignNorm && o.P != nil, "P", "given", "and so is a design")
	bad.when(o.Design == DesignNorm && len(o.A) > 1, "A", len(o.A), "numbers, the design needs one")
	bad.when(!(o.H >= 0) || math.IsInf(o.H, 1), "H", o.H, "is no time")
	bad.when(o.Inner < 0, "Inner", o.Inner, "is no number of iterations")
	bad.when(o.Adapt && o.Form == FormF, "Adapt", true, "has no step to change in form F")
	if o.J0 != nil {
		bad.when(o.J0.Rows != m || o.J0.Cols != n, "J0", fmt.Sprint(o.J0.Rows, "×", o.J0.Cols), fmt.Sprintf("is not %d×%d", m, n))
	}
	o.checkA(&bad, m)
	o.checkGains(&bad, n)
	if o.P != nil {
		checkP(&bad, o.P, m)
	}
	if full := len(o.P) > m || o.P == nil && o.Design == DesignRiccati; full || o.Form == FormF {
		bad.when(m > mostCoupled && len(o.A) > 1, "A", len(o.A),
			fmt.Sprintf("numbers with more than %d rows: the test of stability needs one number", mostCoupled))
	}
	return bad.err()
}

// checkA checks A: one number, or m, one for each row; all finite, and negative in form V.
func (o *Options) checkA(bad *badOptions, m int) {
	if o.A == nil {
		return
	}
	bad.when(len(o.A) != 1 && len(o.A) != m, "A", len(o.A), fmt.Sprintf("numbers, not 1 or %d", m))
	for i, x := range o.A {
		switch at := fault.Entry("A", i, len(o.A)); {
		case o.Form == FormF:
			bad.when(!algebra.Finite(x), at, x, "is not finite")
		default:
			bad.when(!(x < 0) || !algebra.Finite(x), at, x, "is not negative")
		}
	}
}

// checkGains checks the diagonal of V: one number, or n, one for each freedom; none negative, not all zero.
func (o *Options) checkGains(bad *badOptions, n int) {
	if o.Gains == nil {
		return
	}
	bad.when(len(o.Gains) != 1 && len(o.Gains) != n, "Gains", len(o.Gains), fmt.Sprintf("numbers, not 1 or %d", n))
	for k, g := range o.Gains {
		bad.when(!(g >= 0) || !algebra.Finite(g), fault.Entry("Gains", k, len(o.Gains)), g, "is negative or not finite")
	}
	bad.when(algebra.MaxAbs(o.Gains) == 0, "Gains", 0, "lets nothing move")
}

// checkP checks that P has 1, m or m² numbers, and is symmetric and positive definite.
func checkP(bad *badOptions, p []float64, m int) {
	if len(p) != 1 && len(p) != m && len(p) != m*m {
		bad.when(true, "P", len(p), fmt.Sprintf("numbers, not 1, %d or %d", m, m*m))
		return
	}
	if len(p) != m*m || m == 1 {
		for i, x := range p {
			bad.when(!(x > 0) || !algebra.Finite(x), fault.Entry("P", i, len(p)), x, "is not positive")
		}
		return
	}
	size := algebra.MaxAbs(p)
	if !algebra.Finite(size) {
		bad.when(true, "P", size, "is not finite")
		return
	}
	for i := range m {
		for k := range i {
			off := math.Abs(p[i*m+k] - p[k*m+i])
			bad.when(off > symmetryTol*size, fmt.Sprintf("P[%d][%d]", i, k), p[i*m+k], fmt.Sprintf("is not P[%d][%d] = %v", k, i, p[k*m+i]))
		}
	}
	if row, pivot := algebra.Cholesky(make([]float64, m*m), p, m); row >= 0 {
		bad.when(true, fmt.Sprintf("P[%d][%d]", row, row), p[row*m+row], fmt.Sprintf("makes P not positive definite: its pivot is %.3g", pivot))
	}
}
