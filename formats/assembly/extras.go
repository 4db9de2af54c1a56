package assembly

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// composite writes a joint that no type of the model is.
func (b *builder) composite(j *Joint, _, _ string) {
	var row []string
	for k := range j.Axes {
		a := &j.Axes[k]
		row = append(row, fmt.Sprintf("%s %s along %.6g at %.6g", a.Kind, fault.Name(a.Name), a.Axis, a.Point))
	}
	b.report.Refuse(j.At, "joint "+fault.Name(j.Name), "no joint of the model lets pass these motions in a row: "+strings.Join(row, ", "))
}

// extras writes what else a coordinate has.
func (b *builder) extras(_ *model.Joint, _, _ int, a *Axis, _ float64) {
	if a.Armature != 0 {
		if b.o.DropArmature {
			b.report.Drop(a.At, "rotor inertia of "+fault.Name(a.Name), "is to be left out", fmt.Sprintf("its value is %g", a.Armature))
		} else {
			b.report.Refuse(a.At, "rotor inertia of "+fault.Name(a.Name), fmt.Sprintf("%g: the model has none", a.Armature))
		}
	}
	if a.Friction != 0 {
		b.report.Drop(a.At, "dry friction of "+fault.Name(a.Name), "the model has none", fmt.Sprintf("its value is %g", a.Friction))
	}
}

// couplings writes the equations between coordinates.
func (b *builder) couplings() {
	for k := range b.a.Couplings {
		c := &b.a.Couplings[k]
		b.report.Refuse(c.At, "coupling "+fault.Name(c.Name), "the model has no equations between coordinates")
	}
}
