package sparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sparse"
)

// TestMisuse: what the caller could know is a panic with a constant text.
func TestMisuse(t *testing.T) {
	p := sparse.NewPattern([]int8{6, 3}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m := sparse.NewMatrix(p)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"sparse: no pattern", func() { sparse.NewMatrix(nil) }},
		{"sparse: length mismatch", func() { m.ScaledResidual(nil, nil, nil) }},
		{"sparse: no function", func() { m.View(nil).Entries(nil, nil) }},
		{"sparse: no writer or no pattern", func() { _ = sparse.WriteSpy(nil, p, nil, sparse.SpyOptions{}) }},
		{"sparse: no writer or no pattern", func() { _ = sparse.WriteSpy(new(strings.Builder), nil, nil, sparse.SpyOptions{}) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
