package pages

import (
	"testing"
	"unsafe"

	"github.com/rung-mbd/rung/internal/check"
)

// TestInside: the whole pages of an array, wherever it begins, lie in it and leave less than a page at either end.
func TestInside(t *testing.T) {
	all := make([]byte, 5*large)
	for _, lo := range []int{0, 1, 8, large - 1, large, large + 64} {
		b := all[lo:]
		in := inside(b)
		from := uintptr(unsafe.Pointer(&in[0])) - uintptr(unsafe.Pointer(&b[0]))
		if uintptr(unsafe.Pointer(&in[0]))%large != 0 || len(in)%large != 0 {
			t.Errorf("%d: no whole pages: %p, %d bytes", lo, &in[0], len(in))
		}
		if after := len(b) - int(from) - len(in); from >= large || after >= large {
			t.Errorf("%d: %d bytes are left before, %d behind", lo, from, after)
		}
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
		if len(s) != n {
			t.Errorf("length %d, not %d", len(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("length %d: %v at %d", n, s[i], i)
			}
			s[i] = 1
		}
	}
	w := Make[wide](50000)
	if w[49999] != (wide{}) {
		t.Error("the last one is not zero")
	}
	w[49999].name = "last"
	if w[0] != (wide{}) {
		t.Error("the first one is not zero")
	}
}
