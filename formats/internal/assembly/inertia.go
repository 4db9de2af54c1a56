package assembly

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// FromPrincipal returns the inertia E·diag(m)·Eᵀ with principal moments m; the columns of E are the principal axes.
func FromPrincipal(m spatial.Vec3, E spatial.Mat3) spatial.Sym3 {
	return spatial.Diag3(m[0], m[1], m[2]).Rotate(E)
}

const (
	// triangle is the violation of the triangle inequality, relative to the largest principal moment, that the model accepts;
	// triangleShift is the largest violation that counts as rounding of the file and is repaired.
	triangle, triangleShift = 0.5e-9, 1e-6
	// negative is the largest magnitude of a negative moment, relative to the largest moment, that counts as a rounded zero.
	negative = 1e-9
)

// checkInertia refuses an invalid mass or inertia of a link, or repairs the inertia as o says, with a report.
func checkInertia(l *Link, o *source.Options, report *source.Report) {
	// Texts are made only for reports, as they would take most of the time for large files.
	what := func() string { return "inertia of " + fault.Name(l.Name) }
	for _, x := range [...]float64{
		l.Inertia[0], l.Inertia[1], l.Inertia[2], l.Inertia[3], l.Inertia[4], l.Inertia[5],
		l.Mass, l.Com[0], l.Com[1], l.Com[2],
	} {
		if !algebra.Finite(x) {
			report.Refuse(l.At, "mass and inertia of "+fault.Name(l.Name), "are not finite")
			return
		}
	}
	if l.Mass < 0 {
		report.Refuse(l.At, "mass of "+fault.Name(l.Name), fmt.Sprintf("is negative, %g", l.Mass))
		return
	}
	if l.Mass == 0 { // and the inertia is not zero, or the link would have been refused before
		report.Refuse(l.At, what(), "is not zero although the mass is")
		return
	}
	moments, E := l.Inertia.Principal()
	low, high, largest := min(moments[0], moments[1], moments[2]), max(moments[0], moments[1], moments[2]), 0
	for k := range moments {
		if moments[k] == high {
			largest = k
		}
	}
	excess := 2*high - (moments[0] + moments[1] + moments[2])
	numbers := func() string {
		return fmt.Sprintf("the principal moments are %.9g, %.9g and %.9g kg m²", moments[0], moments[1], moments[2])
	}
	switch {
	case low < -negative*high:
		report.Refuse(l.At, what(), numbers()+"; none may be negative")
	case excess <= triangle*high:
	case excess <= triangleShift*high:
		// The smallest change of the moments: each by a third of the excess.
		changed := moments
		for k := range changed {
			if k == largest {
				changed[k] -= excess / 3
			} else {
				changed[k] += excess / 3
			}
		}
		l.Inertia = FromPrincipal(changed, E)
		report.Change(l.At, what(), "two principal moments together are less than the third", fmt.Sprintf("each changes by %.3g kg m²", excess/3))
	case o.Inertia == source.BalanceInertia:
		mean := (moments[0] + moments[1] + moments[2]) / 3
		l.Inertia = spatial.Diag3(mean, mean, mean)
		report.Change(l.At, what(), "two principal moments together are less than the third", fmt.Sprintf("all become their mean, %.9g kg m²", mean))
	default:
		report.Refuse(l.At, what(), numbers()+"; two together have to be at least the third")
	}
}
