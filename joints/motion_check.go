package joints

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// MaxCoefficients is the largest number of coefficients of a polynomial.
	MaxCoefficients = 1000
	// MaxTimes is the largest number of times of a spline or a table.
	MaxTimes = 1_000_000
)

// Check returns the Faults of m as one error, nil if there are none.
func (m *Motion) Check() error {
	var all []error
	m.Faults(func(field, value, rule string) {
		if value != "" {
			field += " " + value
		}
		all = append(all, fmt.Errorf("joints: %v motion: %s %s", m.Kind, field, rule))
	})
	return errors.Join(all...)
}

// Faults calls report for each field of m that breaks a rule. The arguments are the name of the field in rung-model/1,
// its value, which may be empty, and the rule.
func (m *Motion) Faults(report func(field, value, rule string)) {
	if m.Kind == None || !m.Kind.Valid() {
		report("kind", m.Kind.String(), "unknown motion kind")
		return
	}
	f := faults{m.Kind, report}
	harmonic, spline, table := m.Kind == Harmonic, m.Kind == Spline, m.Kind == Table
	f.number("offset", m.Offset, harmonic)
	f.number("amplitude", m.Amplitude, harmonic)
	f.number("frequency", m.Frequency, harmonic)
	f.number("phase", m.Phase, harmonic)
	f.list("coefficients", m.Coefficients, m.Kind == Polynomial, 1, MaxCoefficients)
	f.list("times", m.Times, spline || table, 2, MaxTimes)
	n := len(m.Times)
	f.list("values", m.Values, spline, n, n)
	f.flag("ends", m.Ends.String(), m.Ends != NotAKnot, spline && m.Ends.valid())
	clamped := spline && m.Ends == Clamped
	f.number("rates[0]", m.Rates[0], clamped)
	f.number("rates[1]", m.Rates[1], clamped)
	if m.Steps {
		n--
	}
	f.list("accelerations", m.Accelerations, table, n, n)
	f.number("value", m.Value, table)
	f.number("rate", m.Rate, table)
	f.flag("interpolation", "constant", m.Steps, table)
	f.flag("outside", "hold", m.Hold, spline || table)
	for i := 1; i < len(m.Times); i++ {
		if last := m.Times[i-1]; !(m.Times[i] > last) {
			report(fmt.Sprintf("times[%d]", i), text(m.Times[i]), "is not after "+text(last))
			return
		}
	}
}

// faults checks the fields of a motion of one kind and reports their faults.
type faults struct {
	kind   MotionKind
	report func(field, value, rule string)
}

func text(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// strange reports that a field has no meaning for the kind.
func (f *faults) strange(field, value string) {
	f.report(field, value, "has no meaning for motion kind "+f.kind.String())
}

// number checks a number: it is finite, and zero unless own, which tells that the kind has the field.
func (f *faults) number(field string, x float64, own bool) {
	switch {
	case !own && x != 0:
		f.strange(field, text(x))
	case !algebra.Finite(x):
		f.report(field, text(x), "is not finite")
	}
}

// flag checks a choice: set tells that it is not the default, own that the kind has the field.
func (f *faults) flag(field, value string, set, own bool) {
	if set && !own {
		f.strange(field, value)
	}
}

// list checks a list of numbers: it has from least to most entries, all finite, or none unless own, which tells that the kind has
// the field.
func (f *faults) list(field string, x []float64, own bool, least, most int) {
	n := len(x)
	switch {
	case !own && n > 0:
		f.strange(field, "")
	case !own:
	case n == 0:
		f.report(field, "[]", "has no entries")
	case least == most && n != most:
		f.report(field, "", fmt.Sprintf("wrong length %d, must have %d entries", n, most))
	case n < least:
		f.report(field, "", fmt.Sprintf("wrong length %d, must have at least %d entries", n, least))
	case n > most:
		f.report(field, "", fmt.Sprintf("wrong length %d, must have at most %d entries", n, most))
	default:
		for i, v := range x {
			if !algebra.Finite(v) {
				f.report(fmt.Sprintf("%s[%d]", field, i), text(v), "is not finite")
				return
			}
		}
	}
}
