package joints_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

func TestNoAllocations(t *testing.T) {
	var (
		rows joints.Rows
		S    [6]spatial.Motion
		w    spatial.Force
		x, y [6]float64
	)
	for i, spec := range specs {
		p := randomPath(spec, uint64(i))
		s, f := p.driven(), p.frames(0.1)
		s.Turns = &[6]int64{1, 1}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			_ = s.NumRows()
			_ = s.EvalTo(&rows, f, 0.1)
			s.MotionSubspaceTo(&S, f)
			s.CoordinatesTo(&x, &y, f)
			s.WrenchTo(&w, &x, f)
			s.PositionErrorTo(&x, f, 0.1)
			_ = s.VelocityErrorTo(&y, f, 0.1)
		}), "%v", s.Kind)
	}
}

func BenchmarkEval(b *testing.B) {
	for i, spec := range specs {
		if spec.Pitch < 0 {
			continue
		}
		p := randomPath(spec, uint64(i))
		for _, driven := range []bool{false, true} {
			s, f := &p.spec, p.frames(0.1)
			if driven {
				if s = p.driven(); s.NumRows() == s.Kind.Constraints() {
					continue
				}
			}
			b.Run(fmt.Sprintf("type=%v/driven=%v", spec.Kind, driven), func(b *testing.B) {
				var rows joints.Rows
				b.ReportAllocs()
				for b.Loop() {
					_ = s.EvalTo(&rows, f, 0.1)
				}
			})
		}
	}
}

func BenchmarkWrench(b *testing.B) {
	for i, spec := range specs {
		if spec.Kind.Freedoms() == 0 || spec.Pitch < 0 {
			continue
		}
		p := randomPath(spec, uint64(i))
		b.Run("type="+spec.Kind.String(), func(b *testing.B) {
			f := p.frames(0.1)
			tau := [6]float64{1, 2, 3, 4}
			var w spatial.Force
			b.ReportAllocs()
			for b.Loop() {
				p.spec.WrenchTo(&w, &tau, f)
			}
		})
	}
}

func BenchmarkCoordinates(b *testing.B) {
	for i, spec := range specs {
		if spec.Kind.Freedoms() == 0 || spec.Pitch < 0 {
			continue
		}
		p := randomPath(spec, uint64(i))
		b.Run("type="+spec.Kind.String(), func(b *testing.B) {
			f := p.frames(0.1)
			var q, qd [6]float64
			b.ReportAllocs()
			for b.Loop() {
				p.spec.CoordinatesTo(&q, &qd, f)
			}
		})
	}
}
