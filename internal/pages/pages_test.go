package pages

import (
	"testing"
	"unsafe"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
)

// TestInside: the whole pages of an array, wherever it begins, lie in it and leave less than a page at either end.
func TestInside(t *testing.T) {
	all := make([]byte, 5*large)
	for _, lo := range []int{0, 1, 8, large - 1, large, large + 64} {
		b := all[lo:]
		in := inside(b)
		from := uintptr(unsafe.Pointer(&in[0])) - uintptr(unsafe.Pointer(&b[0]))
		assert.Zero(t, uintptr(unsafe.Pointer(&in[0]))%large, lo)
		assert.Zero(t, len(in)%large, lo)
		assert.Less(t, from, uintptr(large), lo)
		assert.Less(t, len(b)-int(from)-len(in), large, lo)
	}
}

// TestMake: arrays of all sizes are zero and can be written to from end to end.
func TestMake(t *testing.T) {
	check.Long(t)
	type wide struct {
		name string
		_    [15]float64
	}
	for _, n := range []int{0, 1, 1000, least/8 - 1, least / 8, 3*large/8 + 7} {
		s := Make[float64](n)
		assert.Len(t, s, n)
		for i := range s {
			assert.Zero(t, s[i])
			s[i] = 1
		}
	}
	w := Make[wide](50000)
	assert.Equal(t, wide{}, w[49999])
	w[49999].name = "last"
	assert.Equal(t, wide{}, w[0])
}
