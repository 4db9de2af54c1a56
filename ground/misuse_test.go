package ground_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
)

// TestMisuse: what the caller could know is a panic with a constant text, and names of values that are none have the
// number.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	field := &ground.Field{Spacing: [2]float64{1, 1}, Size: [2]int{4, 4}, Heights: make([]float64, 16)}
	tiles, err := ground.NewTiles([2]float64{}, 1)
	require.NoError(t, err)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"ground: no field", func() { _, _ = ground.NewGrid(ctx, nil, ground.Options{}) }},
		{"ground: option out of range", func() { _, _ = ground.NewGrid(ctx, field, ground.Options{Interpolation: 99}) }},
		{"ground: option out of range", func() { _, _ = ground.NewGrid(ctx, field, ground.Options{Outside: 99}) }},
		{"ground: no surface", func() { _, _ = ground.Sample(ctx, nil, [2]float64{}, [2]float64{1, 1}, [2]int{2, 2}) }},
		{"ground: no surface", func() { _ = ground.Probe(ctx, nil, ground.Extent{}) }},
		{"ground: no surface", func() { _, _ = ground.Sum(nil) }},
		{"ground: no files or no format", func() { _, _ = ground.ReadFile(ctx, nil, "x", nil) }},
		{"ground: unknown layout", func() { _ = field.WriteCSV(ctx, new(strings.Builder), 99) }},
		{"ground: value out of range", func() { tiles.Value(-1) }},
		{"ground: value out of range", func() { tiles.Node(0) }},
		{"ground: axis out of range", func() { _, _, _ = tiles.Between(0, 1, 2) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
	require.Equal(t, "Interpolation(99)", ground.Interpolation(99).String())
	require.Equal(t, "Layout(99)", ground.Layout(99).String())
}
