package model_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// ladder returns a model of n bodies and about 1.5 n joints with numbers of
// full length, in canonical form.
func ladder(n int) *model.Model {
	m := model.New("ladder")
	pose := func(i, k int) model.Pose {
		s, c := math.Sincos(float64(3*i+k) + 0.1)
		return model.Pose{Position: [3]float64{c, s, 1. / float64(i+3)}, Orientation: [4]float64{c, 0, 0, s}}
	}
	for i := range n {
		x := 1 + 1/float64(i+7)
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprintf("body-%d", i), Mass: x, Com: [3]float64{x / 3, 0, 0},
			Inertia: model.Inertia{XX: x / 2, YY: x / 3, ZZ: x / 3}, Pose: pose(i, 0),
			Velocity: model.Velocity{Angular: [3]float64{0, 0, x / 7}},
		})
	}
	join := func(pred, succ int) {
		m.Joints = append(m.Joints, model.Joint{
			Name: fmt.Sprintf("joint-%d", len(m.Joints)), Type: model.Revolute,
			Predecessor: m.Bodies[pred].Name, Successor: m.Bodies[succ].Name,
			PredecessorFrame: pose(pred, 1), SuccessorFrame: pose(succ, 2), Damping: []float64{0.1},
		})
	}
	for i := 1; i < n; i++ {
		join(i-1, i)
		if i%2 == 0 {
			join(i-2, i)
		}
	}
	m.Canonicalize()
	return m
}

// TestReadAllocations: names, and little else, are allocated one by one.
func TestReadAllocations(t *testing.T) {
	check.Long(t)
	const n, perBody = 4000, 3 // names of 1 body and 1.5 joints, blocks of lists
	text := []byte(write(t, ladder(n)))
	allocs := testing.AllocsPerRun(3, func() {
		_, err := model.Read(bytes.NewReader(text), "")
		require.NoError(t, err)
	})
	require.Less(t, allocs, float64(n*perBody))
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("model=ladder/n=%d", n), func(b *testing.B) {
			text := []byte(write(b, ladder(n)))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := model.Read(bytes.NewReader(text), ""); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("model=ladder/n=%d", n), func(b *testing.B) {
			m := ladder(n)
			b.SetBytes(int64(len(write(b, m))))
			b.ReportAllocs()
			for b.Loop() {
				if err := model.Write(io.Discard, m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
		})
	}
}
