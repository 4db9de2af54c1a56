package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
)

// Bodies and joints of parts are those of the whole, and all of them are in some part.
func TestLadderPart(t *testing.T) {
	const n = 46
	whole, err := bench.Ladder(n, 3)
	require.NoError(t, err)
	for _, parts := range []int{1, 2, 3, 7, 23} {
		own := 0
		joints := map[int64]int{}
		for part := range parts {
			p, err := bench.LadderPart(n, 3, part, parts)
			require.NoError(t, err)
			own += p.Own
			require.Len(t, p.Body, len(p.Model.Bodies))
			require.Len(t, p.Joint, len(p.Model.Joints))
			require.Len(t, p.Rank, len(p.Body)-p.Own)
			for i, b := range p.Body {
				assert.Equal(t, whole.Bodies[b], p.Model.Bodies[i])
			}
			for i, j := range p.Joint {
				assert.Equal(t, whole.Joints[j], p.Model.Joints[i])
				joints[j]++
			}
		}
		assert.Equal(t, n, own)
		assert.Len(t, joints, len(whole.Joints))
		shared := 0
		for _, k := range joints {
			shared += k - 1
		}
		assert.Equal(t, 2*(parts-1), shared, "two joints between parts")
	}
	for _, bad := range [][3]int{{45, 0, 2}, {46, 2, 2}, {46, -1, 2}, {46, 0, 24}} {
		_, err := bench.LadderPart(bad[0], 3, bad[1], bad[2])
		assert.Error(t, err)
	}
}
